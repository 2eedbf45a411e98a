"""Every parameter of a program that is not a prompt. Saved with it as YAML; unknown keys are refused."""

from typing import Literal

from pydantic import BaseModel, ConfigDict, Field


class _Settings(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class WindowSettings(_Settings):
    """How much of the conversation the language model sees."""

    turns: int = Field(default=3, ge=0)
    message_characters: int = Field(default=100, ge=10)


class RewriteSettings(_Settings):
    """Which rewriters run, and when."""

    rules: bool = True
    ask_lm: Literal["never", "unsure", "follow_ups"] = "unsure"
    """``unsure``: only where the rules say so; ``follow_ups``: every turn with history that the rules do not find complete or social."""
    decomposition: bool = False
    step_back: bool = False


class GuardSettings(_Settings):
    """Which checks a language model's rewrite must pass."""

    answer: bool = True
    language: bool = True
    numbers: bool = True
    negation: bool = True
    longest_ratio: float = Field(default=4.0, gt=0)
    """A rewrite longer than this many times the query, plus ``longest_extra`` characters, is refused."""
    longest_extra: int = Field(default=60, ge=0)


class FusionSettings(_Settings):
    """How the lists of several queries and engines become one. See ``program.fuse`` for the strategies."""

    strategy: Literal["best_relative", "best_raw", "rrf", "reserved"] = "best_relative"
    vector_share: float = Field(default=0.5, ge=0, le=1)
    """Weight of the vector engine; BM25 has the rest. 0 or 1 leaves the other engine out."""
    original: float = Field(default=0.3, ge=0)
    """Weight of the original query beside a rewrite; alone it counts fully."""
    rules: float = Field(default=0.7, ge=0)
    """Weight of a rule rewrite beside one by the language model; alone the first one counts fully."""
    further: float = Field(default=0.9, ge=0)
    """Factor for each further candidate of the rules after the first, which names another entity."""
    hedge_below: float = Field(default=0.7, ge=0, le=1)
    """The further candidates are searched only where the rules are less sure than this of the first."""
    title: float = Field(default=0.7, ge=0)
    """Weight of the query under a document's title, where the conversation quotes one in full."""
    expansion: float = Field(default=0.5, ge=0)
    rrf_k: int = Field(default=60, ge=1)
    reserved_slots: int = Field(default=1, ge=0)
    depth: int = Field(default=20, ge=1)
    unique: Literal["passage", "source"] = "passage"
    """``source`` keeps the best passage of each document."""


class Settings(_Settings):
    """All of it."""

    window: WindowSettings = WindowSettings()
    rewrite: RewriteSettings = RewriteSettings()
    guard: GuardSettings = GuardSettings()
    fusion: FusionSettings = FusionSettings()
    k: int = Field(default=5, ge=1)
    """Hits returned."""
