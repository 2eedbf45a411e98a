"""What each stage of a turn saw, did, took, and why it fell back."""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Literal

from pydantic import BaseModel, Field

from data.errors import BudgetError

Status = Literal["done", "skipped", "fallback"]


class Step(BaseModel):
    """One stage of one turn."""

    stage: str
    status: Status = "done"
    reason: str = ""
    """Why it was skipped or fell back; empty when done."""
    elapsed_ms: float = 0.0
    lm_calls: int = 0
    lm_tokens: int = 0
    """Prompt and completion tokens together, 0 for a cached call."""
    details: dict[str, Any] = Field(default_factory=dict)
    """What the stage decided, in plain values."""

    def skip(self, reason: str) -> None:
        """Say that the stage had nothing to do."""
        self.status, self.reason = "skipped", reason

    def fall_back(self, reason: str) -> None:
        """Say that the stage gave up and the turn goes on with what it had."""
        self.status, self.reason = "fallback", reason


class Trace(BaseModel):
    """The steps of one turn, in order."""

    steps: list[Step] = Field(default_factory=list)

    @contextmanager
    def step(self, stage: str) -> Iterator[Step]:
        """Time a stage. An exception inside becomes a fallback with its type and message, and the turn goes on.

        Raises:
            BudgetError: A spent budget ends the whole run, not one stage.
        """
        step = Step(stage=stage)
        self.steps.append(step)
        start = time.perf_counter()
        try:
            yield step
        except BudgetError:
            raise
        except Exception as error:
            step.fall_back(f"{type(error).__name__}: {_first_line(error)}")
        finally:
            step.elapsed_ms = round((time.perf_counter() - start) * 1000, 3)

    @property
    def fallbacks(self) -> list[Step]:
        """The steps that fell back."""
        return [step for step in self.steps if step.status == "fallback"]


def _first_line(error: Exception) -> str:
    lines = str(error).strip().splitlines()
    return lines[0][:200] if lines else "no message"
