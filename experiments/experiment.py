"""An experiment as a YAML file: strict, so that a misspelt key is an error and not a default."""

from pathlib import Path
from typing import Annotated, Any, Literal

import yaml
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from data.errors import ConfigError
from program.settings import Settings


class _Strict(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class SplitConfig(_Strict):
    """Shares of conversations."""

    dev: float = Field(default=0.25, gt=0, lt=1)
    test: float = Field(default=0.25, gt=0, lt=1)


class LimitConfig(_Strict):
    """Most turns used of each split, drawn by the experiment's seed; ``None`` uses all."""

    train: int | None = Field(default=None, ge=1)
    dev: int | None = Field(default=None, ge=1)
    test: int | None = Field(default=None, ge=1)
    tune: int = Field(default=300, ge=1)
    """Most dev turns for tuning. Those beyond ``dev`` are resolved by rules alone: they vote on what needs no model."""


class NoneConfig(_Strict):
    """Leave the prompts as they are; the parameters are still tuned."""

    name: Literal["none"]


class _DemoConfig(_Strict):
    max_demos: int = Field(default=6, ge=0)
    unchanged_share: float = Field(default=0.25, ge=0, le=1)
    """Share of the demos whose question stays as it is."""


class LabeledConfig(_DemoConfig):
    """Gold rewrites as demos."""

    name: Literal["labeled_few_shot"]


class RuleTaughtConfig(_DemoConfig):
    """Demos that the rules made and that found everything; needs no gold rewrites and no model call."""

    name: Literal["rule_taught"]


class BootstrapConfig(_DemoConfig):
    """Demos that the program itself makes and that pass strictly."""

    name: Literal["bootstrap_few_shot"]


class RandomSearchConfig(_DemoConfig):
    """Several demo sets, rule-taught, labelled and bootstrapped in turn, each from another seed."""

    name: Literal["random_search"]
    candidates: int = Field(default=6, ge=1)


OptimizerConfig = Annotated[
    NoneConfig | LabeledConfig | RuleTaughtConfig | BootstrapConfig | RandomSearchConfig, Field(discriminator="name")
]


class TuneConfig(_Strict):
    """Search over parameters that need no model call."""

    trials: int = Field(default=200, ge=0)
    """0 keeps the settings as they are."""


class BudgetConfig(_Strict):
    """Most that the language model may be used; ``None`` is no limit."""

    lm_calls: int | None = Field(default=None, ge=1)
    lm_tokens: int | None = Field(default=None, ge=1)


class Experiment(_Strict):
    """One compile run, all of it."""

    name: str = Field(min_length=1, pattern=r"^[\w.-]+$")
    data: Path
    """Folder with ``corpus.jsonl`` and ``turns.jsonl``."""
    store: Path | None = None
    """Index folder, built when missing; ``stores/NAME`` by default."""
    seed: int = 7
    split: SplitConfig = SplitConfig()
    limits: LimitConfig = LimitConfig()
    retriever: Literal["bm25", "vector", "hybrid"] = "hybrid"
    lm: str | None = "local"
    """As for ``--lm``; ``null`` tunes the rules alone."""
    api_base: str | None = None
    lms: dict[Literal["coreference", "decomposition", "step_back"], str] = Field(default_factory=dict)
    """Another language model for single signatures."""
    start_from: Path | None = None
    """A saved program to begin with: its prompts make the first demos."""
    optimizer: OptimizerConfig = RandomSearchConfig(name="random_search")
    tune: TuneConfig = TuneConfig()
    budget: BudgetConfig = BudgetConfig()
    settings: Settings = Settings()
    output: Path
    """Folder for the compiled program."""


def load_experiment(path: Path) -> Experiment:
    """Read and check an experiment file; paths in it are relative to the working directory.

    Raises:
        ConfigError: Missing, not YAML, unknown keys or wrong values: a line for each, with the file and the key.
    """
    try:
        raw: Any = yaml.safe_load(path.read_text(encoding="utf-8"))
    except FileNotFoundError as error:
        raise ConfigError(
            f"there is no file {path}", advice="see experiments/*.yaml for examples", path=str(path)
        ) from error
    except (yaml.YAMLError, UnicodeDecodeError) as error:
        raise ConfigError(f"{path} is not YAML: {' '.join(str(error).split())}", path=str(path)) from error
    try:
        return Experiment.model_validate(raw if raw is not None else {})
    except ValidationError as error:
        problems = [f"{path}: {'.'.join(map(str, one['loc'])) or 'top level'}: {one['msg']}" for one in error.errors()]
        raise ConfigError("\n".join(problems), path=str(path), problems=problems) from error
