"""The time that a turn has, and the work that is left behind when it is over."""

import contextvars
import threading
import time
from collections.abc import Callable
from concurrent.futures import Future
from dataclasses import dataclass
from typing import Any, TypeVar

_T = TypeVar("_T")


@dataclass(frozen=True)
class Deadline:
    """A moment on the monotonic clock. ``lm_rest_ms``: how long a language model that missed it is left alone."""

    at_s: float
    lm_rest_ms: float = 0.0

    @classmethod
    def after_ms(cls, budget_ms: float, lm_rest_ms: float = 0.0) -> "Deadline":
        """The moment ``budget_ms`` from now; ``math.inf`` never comes."""
        return cls(time.monotonic() + budget_ms / 1000, lm_rest_ms)

    @property
    def left_ms(self) -> float:
        """Milliseconds until then, 0 when it is over."""
        return max(0.0, (self.at_s - time.monotonic()) * 1000)


def in_background(function: Callable[..., _T], *arguments: Any) -> "Future[_T]":
    """Run ``function`` in a thread of its own, with the caller's context, and return its future.

    A daemon thread, not a pool's: one that hangs holds up neither the next turn nor the end of the process.
    """
    future: Future[_T] = Future()
    future.set_running_or_notify_cancel()  # a task that awaits it may be cancelled; the work goes on, and its result is dropped
    context = contextvars.copy_context()

    def work() -> None:
        try:
            future.set_result(context.run(function, *arguments))
        except BaseException as error:
            future.set_exception(error)

    threading.Thread(target=work, daemon=True, name=f"anaphora-{getattr(function, '__name__', 'work')}").start()
    return future
