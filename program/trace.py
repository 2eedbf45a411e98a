"""What each stage of a turn saw, did, took, and why it fell back."""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Literal

from pydantic import BaseModel, Field, PrivateAttr

from data.errors import BudgetError
from program.deadline import Deadline

Status = Literal["done", "skipped", "fallback"]


class Step(BaseModel):
    """One stage of one turn."""

    stage: str
    status: Status = "done"
    reason: str = ""
    """Why it was skipped or fell back; empty when done."""
    started_ms: float = 0.0
    """Since the turn came in; stages may run at the same time."""
    elapsed_ms: float = 0.0
    lm_calls: int = 0
    lm_tokens: int = 0
    """Prompt and completion tokens together, 0 for a cached call."""
    details: dict[str, Any] = Field(default_factory=dict)
    """What the stage decided, in plain values."""
    _deadline: Deadline | None = PrivateAttr(default=None)

    def skip(self, reason: str) -> None:
        """Say that the stage had nothing to do."""
        self.status, self.reason = "skipped", reason

    def fall_back(self, reason: str) -> None:
        """Say that the stage gave up and the turn goes on with what it had."""
        self.status, self.reason = "fallback", reason

    def give_time(self, deadline: Deadline) -> None:
        """Say when the stage must be done."""
        self._deadline = deadline

    @property
    def deadline(self) -> Deadline:
        """When it must be done; never, unless someone said so."""
        return self._deadline or Deadline(at_s=float("inf"))

    @property
    def left_ms(self) -> float:
        """The time that is left."""
        return self.deadline.left_ms


class Trace(BaseModel):
    """The steps of one turn, in order."""

    steps: list[Step] = Field(default_factory=list)

    @contextmanager
    def step(self, stage: str) -> Iterator[Step]:
        """Add and watch a step."""
        step = Step(stage=stage)
        self.steps.append(step)
        with watched(step):
            yield step

    @property
    def fallbacks(self) -> list[Step]:
        """The steps that fell back."""
        return [step for step in self.steps if step.status == "fallback"]


@contextmanager
def watched(step: Step) -> Iterator[None]:
    """Time a step. An exception inside becomes a fallback with its type and message, and the turn goes on.

    Raises:
        BudgetError: A spent budget ends the whole run, not one stage.
    """
    start = time.perf_counter()
    try:
        yield
    except BudgetError:
        raise
    except Exception as error:
        step.fall_back(f"{type(error).__name__}: {_first_line(error)}")
    finally:
        step.elapsed_ms = round((time.perf_counter() - start) * 1000, 3)


def _first_line(error: Exception) -> str:
    lines = str(error).strip().splitlines()
    return lines[0][:200] if lines else "no message"
