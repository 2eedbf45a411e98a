"""Leaving a language model alone for a while after it hung or failed: a circuit breaker (M. Nygard, *Release It!*, 2007).

Without it every turn waits again for a server that is down. One for the whole process, because what it knows is about the model and not
about a program or a user; and outside the compiled module, which holds prompts and settings alone.
"""

import math
import threading
import time
import weakref
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from dspy.utils.exceptions import AdapterParseError, ContextWindowExceededError, LMInvalidRequestError

from data.errors import BudgetError

_FAILURES_IN_A_ROW = 2
"""One refused connection or 429 is an accident; a timeout is not waited for twice."""
# DSPy, litellm, openai, httpx, requests, sockets and asyncio each have their own, and DSPy wraps them under several names.
_TIMEOUTS = {"TimeoutError", "LMTimeoutError", "APITimeoutError", "TimeoutException", "Timeout"}
# Bad request, too large, cannot be processed: the model is well, and other prompts will do.
_FAULTS_OF_THE_PROMPT = {400, 413, 422}


@dataclass(eq=False)
class Call:
    """A call in flight."""

    deadline_s: float
    is_trial: bool
    counts: bool = True
    """Set it to false inside the ``with`` where no model was asked after all (the answer came from a cache): then it says nothing."""
    overdue: bool = False


@dataclass(eq=False)
class _Health:
    """What is known of one model."""

    failures: int = 0
    failed_s: float | None = None
    """When its rest began; ``None`` while it is trusted."""
    trial_s: float = -math.inf
    """When someone was last allowed to try it again; for all others the rest begins anew."""
    calls: list[Call] = field(default_factory=list)

    def fail(self, at_s: float, *, at_once: bool) -> None:
        self.failures += 1
        if at_once or self.failures >= _FAILURES_IN_A_ROW:
            self.failed_s = max(at_s, self.failed_s or -math.inf)

    def succeed(self) -> None:
        self.failures, self.failed_s, self.trial_s = 0, None, -math.inf

    def look_at_clock(self, now_s: float) -> None:
        """Count the calls whose deadline has passed as failed then."""
        late = [call for call in self.calls if not call.overdue and call.deadline_s < now_s]
        for call in sorted(late, key=lambda call: call.deadline_s):
            call.overdue = True
            self.fail(call.deadline_s, at_once=True)


class Breaker:
    """Which language models may be asked. Safe for threads; knows models by identity and forgets them with their last reference.

    A model rests after a timeout, after two other failures in a row, and when a call is still in flight past its deadline (the turn has
    gone on without it). After the rest one call may try; the others rest on until it succeeds, which ends the rest, or fails, which begins
    another one. What says nothing about the model does not count: a spent budget, Ctrl-C, a test's outcome. A completion that cannot be
    parsed and a prompt that is refused (too long, for one) are answers.
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._lock = threading.Lock()
        # By id, since a model of the user's own need not be hashable.
        self._models: dict[int, _Health] = {}

    def allows(self, lm: object, rest_ms: float) -> bool:
        """Return whether ``lm`` may be called now; ask right before the call, because after a rest the first to ask is the one to try.

        Args:
            lm: The language model, any object that can be weakly referenced.
            rest_ms: How long it rests; 0 switches the breaker off.
        """
        if rest_ms <= 0:
            return True
        with self._lock:
            now_s = self._clock()
            health = self._health(lm)
            health.look_at_clock(now_s)
            if health.failed_s is None:
                return True
            resting = now_s < max(health.failed_s, health.trial_s) + rest_ms / 1000
            # A rest may be shorter than a call; one without a deadline could be in flight for ever.
            tried = any(call.is_trial and now_s <= call.deadline_s < math.inf for call in health.calls)
            if resting or tried:
                return False
            health.trial_s = now_s
            return True

    @contextmanager
    def call(self, lm: object, deadline_s: float | None, rest_ms: float) -> Iterator[Call]:
        """Watch one call of ``lm``: how it ends, and whether it ends in time.

        One that succeeds after its deadline was slow, not hung: it ends the rest that its deadline began.

        Args:
            lm: The same as in ``allows``.
            deadline_s: When its answer is of no more use, on the breaker's clock; ``None`` and ``math.inf`` for never.
            rest_ms: 0 switches the breaker off: nothing is watched.
        """
        if rest_ms <= 0:
            yield Call(math.inf, is_trial=False)
            return
        with self._lock:
            health = self._health(lm)
            call = Call(math.inf if deadline_s is None else deadline_s, is_trial=health.failed_s is not None)
            health.calls.append(call)
        try:
            yield call
        except BaseException as error:
            self._end(health, call, error)
            raise
        else:
            self._end(health, call, None)

    def reset(self) -> None:
        """Forget everything, as in a new process."""
        with self._lock:
            self._models.clear()

    def _health(self, lm: Any) -> _Health:
        if (known := self._models.get(id(lm))) is not None:
            return known
        health = self._models[id(lm)] = _Health()
        # Without the lock: the garbage collector may run this anywhere, under the lock too.
        weakref.finalize(lm, self._models.pop, id(lm), None).atexit = False
        return health

    def _end(self, health: _Health, call: Call, error: BaseException | None) -> None:
        with self._lock:
            now_s = self._clock()
            health.look_at_clock(now_s)
            health.calls.remove(call)
            if not call.counts or isinstance(error, BudgetError) or not isinstance(error, Exception | None):
                if call.is_trial:
                    health.trial_s = -math.inf  # nothing was learned: the next one may try
            elif error is None or _is_an_answer(error):
                health.succeed()
            elif not call.overdue:  # else it was counted at its deadline
                health.fail(now_s, at_once=_is_timeout(error))


def _is_an_answer(error: BaseException) -> bool:
    if isinstance(error, LMInvalidRequestError):
        return isinstance(error, ContextWindowExceededError) or error.status in _FAULTS_OF_THE_PROMPT
    return isinstance(error, AdapterParseError)


def _is_timeout(error: BaseException) -> bool:
    """Whether ``error``, or what it was raised from, is some library's timeout."""
    seen: set[int] = set()
    at: BaseException | None = error
    while at is not None and id(at) not in seen:
        if any(base.__name__ in _TIMEOUTS for base in type(at).__mro__):
            return True
        seen.add(id(at))
        at = at.__cause__ or at.__context__
    return False


breaker = Breaker()
"""The one of this process."""
