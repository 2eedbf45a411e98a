"""Running a search of DSPy's own: what it costs is charged, what it says is kept quiet, and why it failed is said."""

import contextlib
import logging
import os
from collections.abc import Callable, Iterator

import dspy
from dspy.utils.usage_tracker import UsageTracker, track_usage

from data.errors import AnaphoraError, BudgetError, ConfigError, LanguageModelError
from experiments.optimizers.optimizer import Task

_WRITING_TOKENS = 1024
"""Room for an instruction and for what a model thinks before it; the program's own models are held to a line."""
_WRITING_TIMEOUT_S = 600


class GaveUp(BaseException):
    """Ends a search of DSPy's from within. Not an ``Exception``: those count there as a failed trial, and the search goes on."""

    def __init__(self, cause: Exception) -> None:
        super().__init__(str(cause))
        self.cause = cause


@contextlib.contextmanager
def dspy_search(name: str, task: Task) -> Iterator[Callable[[], None]]:
    """Run a search inside; gives a function that charges what the models used since it was last called, for the metric to call.

    Raises:
        BudgetError: The budget is spent.
        LanguageModelError: The search could not run.
    """
    try:
        with _quiet(), track_usage() as usage:
            meter = _Meter(task.charge, usage)
            yield meter.charge
            meter.charge()
    except GaveUp as gave_up:
        if isinstance(gave_up.cause, AnaphoraError):
            raise gave_up.cause from None
        raise _cannot_run(name, gave_up.cause) from gave_up.cause
    except AnaphoraError:
        raise
    except Exception as error:
        raise _cannot_run(name, error) from error


def for_writing(lm: dspy.LM) -> dspy.LM:
    """The same model with room and time to write an instruction."""
    limit = lm.kwargs.get("max_tokens")
    room = {"max_tokens": _WRITING_TOKENS} if limit and limit < _WRITING_TOKENS else {}
    patience = {"timeout": _WRITING_TIMEOUT_S} if "timeout" in lm.kwargs else {}
    return lm.copy(**room, **patience)


def reflection_lm(name: str, optimizer: str, task: Task) -> dspy.LM:
    """The model of this name, with room to write.

    Raises:
        ConfigError: Nobody has set it up.
    """
    if name not in task.reflection_lms:
        raise ConfigError(
            f"{optimizer} has no reflection model {name!r}", advice="name one under optimizer.reflection_lm"
        )
    return for_writing(task.reflection_lms[name])


class _Meter:
    """Answers from the cache are not in DSPy's count of usage, and free."""

    def __init__(self, charge: Callable[[int, int], None], usage: UsageTracker) -> None:
        self._charge, self._usage = charge, usage
        self._calls = self._tokens = 0

    def charge(self) -> None:
        rows = [row for rows in list(self._usage.usage_data.values()) for row in rows]
        calls, tokens = len(rows), sum(int(row.get("total_tokens") or 0) for row in rows)
        new_calls, new_tokens = calls - self._calls, tokens - self._tokens
        self._calls, self._tokens = calls, tokens
        try:
            self._charge(new_calls, new_tokens)
        except BudgetError as error:
            raise GaveUp(error) from error


@contextlib.contextmanager
def _quiet() -> Iterator[None]:
    """DSPy prints to stdout, which belongs to results, and logs what users typed."""
    logger = logging.getLogger("dspy")
    level = logger.level
    logger.setLevel(logging.CRITICAL)
    try:
        with open(os.devnull, "w", encoding="utf-8") as nowhere, contextlib.redirect_stdout(nowhere):
            yield
    finally:
        logger.setLevel(level)


def _cannot_run(name: str, error: Exception) -> LanguageModelError:
    reason = (str(error).strip().splitlines() or ["no message"])[0][:200]
    return LanguageModelError(
        f"{name} could not run: {type(error).__name__}: {reason}",
        advice="check its reflection_lm, or choose another optimizer",
    )
