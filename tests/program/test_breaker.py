import contextlib
import math
import threading
import weakref
from collections.abc import Callable

import dspy
import pytest
from dspy.utils.exceptions import AdapterParseError, ContextWindowExceededError, LMInvalidRequestError, LMServerError

from data.errors import BudgetError
from program.breaker import Breaker
from signatures.step_back import StepBack

REST_MS = 30_000
UNREADABLE = AdapterParseError("PlainAdapter", StepBack, "…")


class Clock:
    def __init__(self) -> None:
        self.now_s = 1000.0

    def __call__(self) -> float:
        return self.now_s

    def sleep(self, seconds: float) -> None:
        self.now_s += seconds


class Model:
    """Any object will do, one that cannot be hashed too."""

    __hash__ = None

    def __eq__(self, other: object) -> bool:
        return True


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def breaker(clock: Clock) -> Breaker:
    return Breaker(clock)


def call(breaker: Breaker, lm: object, error: BaseException | None = None, deadline_s: float | None = None) -> None:
    with contextlib.suppress(BaseException), breaker.call(lm, deadline_s, REST_MS):
        if error is not None:
            raise error


def hang(breaker: Breaker, lm: object, deadline_s: float) -> Callable[[BaseException | None], None]:
    """Start a call and leave it in flight; the function that is returned ends it."""
    flight = breaker.call(lm, deadline_s, REST_MS)
    flight.__enter__()

    def end(error: BaseException | None) -> None:
        with contextlib.suppress(Exception):
            flight.__exit__(type(error) if error else None, error, None)

    return end


def wrapped(error: Exception) -> Exception:
    try:
        try:
            raise error
        except Exception as cause:
            raise RuntimeError("the engine failed") from cause
    except RuntimeError as outer:
        return outer


def test_a_new_model_is_trusted(breaker: Breaker) -> None:
    lm = Model()
    assert all(breaker.allows(lm, REST_MS) for _ in range(3))


@pytest.mark.parametrize(
    ("error", "resting_after"),
    [
        (ConnectionRefusedError("refused"), 2),
        (LMServerError("503"), 2),
        (TimeoutError("slow"), 1),
        (wrapped(TimeoutError("slow")), 1),
        (type("ReadTimeout", (type("TimeoutException", (Exception,), {}),), {})("of another library"), 1),
        (LMInvalidRequestError("no such model", status=404), 2),
        # The model answered, or the call says nothing about it.
        (UNREADABLE, None),
        (ContextWindowExceededError(), None),
        (LMInvalidRequestError("content filter", status=400), None),
        (BudgetError("spent"), None),
        (KeyboardInterrupt(), None),
        (pytest.fail.Exception("surprise"), None),
    ],
    ids=lambda value: type(value).__name__ if isinstance(value, BaseException) else str(value),
)
def test_what_makes_a_model_rest(breaker: Breaker, error: BaseException, resting_after: int | None) -> None:
    lm, other, seen = Model(), Model(), None
    for number in range(1, 6):
        call(breaker, lm, error)
        if not breaker.allows(lm, REST_MS):
            seen = number
            break
    assert seen == resting_after
    assert breaker.allows(other, REST_MS)


def test_the_error_reaches_the_caller(breaker: Breaker) -> None:
    with pytest.raises(ConnectionError, match="refused"), breaker.call(Model(), None, REST_MS):
        raise ConnectionError("refused")


@pytest.mark.parametrize("answered", [None, UNREADABLE])
def test_an_answer_between_two_failures_starts_the_count_anew(breaker: Breaker, answered: Exception | None) -> None:
    lm = Model()
    for error in (ConnectionError(), answered, ConnectionError()):
        call(breaker, lm, error)
    assert breaker.allows(lm, REST_MS)


def test_a_spent_budget_between_two_failures_does_not(breaker: Breaker) -> None:
    lm = Model()
    for error in (ConnectionError(), BudgetError("spent"), ConnectionError()):
        call(breaker, lm, error)
    assert not breaker.allows(lm, REST_MS)


def test_after_the_rest_one_may_try_and_its_success_ends_the_rest(breaker: Breaker, clock: Clock) -> None:
    lm = Model()
    call(breaker, lm, TimeoutError())
    clock.sleep(29.9)
    assert not breaker.allows(lm, REST_MS)
    clock.sleep(0.1)
    assert breaker.allows(lm, REST_MS)
    assert not breaker.allows(lm, REST_MS)
    with breaker.call(lm, None, REST_MS):
        assert not breaker.allows(lm, REST_MS)
    assert all(breaker.allows(lm, REST_MS) for _ in range(3))
    call(breaker, lm, ConnectionError())
    assert breaker.allows(lm, REST_MS), "the count starts anew"


def test_a_failed_try_begins_another_rest(breaker: Breaker, clock: Clock) -> None:
    lm = Model()
    call(breaker, lm, TimeoutError())
    clock.sleep(30)
    assert breaker.allows(lm, REST_MS)
    clock.sleep(5)
    call(breaker, lm, ConnectionError())
    clock.sleep(29.9)
    assert not breaker.allows(lm, REST_MS)
    clock.sleep(0.1)
    assert breaker.allows(lm, REST_MS)


@pytest.mark.parametrize("error", [None, BudgetError("spent"), KeyboardInterrupt()])
def test_a_try_that_says_nothing_leaves_it_to_the_next(
    breaker: Breaker, clock: Clock, error: BaseException | None
) -> None:
    lm = Model()
    call(breaker, lm, TimeoutError())
    clock.sleep(30)
    assert breaker.allows(lm, REST_MS)
    with contextlib.suppress(BaseException), breaker.call(lm, None, REST_MS) as one:
        one.counts = False
        if error:
            raise error
    assert breaker.allows(lm, REST_MS)
    assert not breaker.allows(lm, REST_MS)


def test_a_try_that_was_never_made_is_replaced_after_another_rest(breaker: Breaker, clock: Clock) -> None:
    lm = Model()
    call(breaker, lm, TimeoutError())
    clock.sleep(30)
    assert breaker.allows(lm, REST_MS)
    clock.sleep(29.9)
    assert not breaker.allows(lm, REST_MS)
    clock.sleep(0.1)
    assert breaker.allows(lm, REST_MS)


def test_a_try_that_is_longer_than_the_rest_is_still_the_only_one(breaker: Breaker, clock: Clock) -> None:
    lm, rest_ms = Model(), 1000
    call(breaker, lm, TimeoutError())
    clock.sleep(1)
    assert breaker.allows(lm, rest_ms)
    end = hang(breaker, lm, clock.now_s + 5)
    clock.sleep(3)
    assert not breaker.allows(lm, rest_ms)
    end(None)
    assert breaker.allows(lm, rest_ms)


def test_a_try_without_a_deadline_that_never_ends_is_replaced(breaker: Breaker, clock: Clock) -> None:
    lm = Model()
    call(breaker, lm, TimeoutError())
    clock.sleep(30)
    assert breaker.allows(lm, REST_MS)
    end = hang(breaker, lm, math.inf)
    clock.sleep(29.9)
    assert not breaker.allows(lm, REST_MS)
    clock.sleep(0.1)
    assert breaker.allows(lm, REST_MS)
    end(None)


def test_an_answer_from_a_cache_does_not_speak_for_the_model(breaker: Breaker) -> None:
    lm = Model()
    call(breaker, lm, ConnectionError())
    with breaker.call(lm, None, REST_MS) as cached:
        cached.counts = False
    call(breaker, lm, ConnectionError())
    assert not breaker.allows(lm, REST_MS)


def test_a_call_that_hangs_past_its_deadline_makes_the_model_rest_from_then_on(breaker: Breaker, clock: Clock) -> None:
    lm = Model()
    ends = [hang(breaker, lm, clock.now_s + 8)]
    clock.sleep(8)
    assert breaker.allows(lm, REST_MS)
    clock.sleep(1)
    assert not breaker.allows(lm, REST_MS)
    clock.sleep(28.9)
    assert not breaker.allows(lm, REST_MS)
    clock.sleep(0.1)
    assert breaker.allows(lm, REST_MS), "although it still hangs"
    ends.append(hang(breaker, lm, clock.now_s + 8))
    clock.sleep(8.1)
    assert not breaker.allows(lm, REST_MS)


def test_a_hang_is_counted_once(breaker: Breaker, clock: Clock) -> None:
    """The library's own timeout comes long after the turn gave the call up; it must not begin another rest."""
    lm = Model()
    end = hang(breaker, lm, clock.now_s + 8)
    clock.sleep(30)
    end(TimeoutError())
    clock.sleep(8)
    assert breaker.allows(lm, REST_MS)


def test_a_slow_model_is_busy_and_not_broken(breaker: Breaker, clock: Clock) -> None:
    lm = Model()
    end = hang(breaker, lm, clock.now_s + 1)
    clock.sleep(2)
    assert not breaker.allows(lm, REST_MS)
    end(None)
    assert breaker.allows(lm, REST_MS)


def test_what_hung_unnoticed_before_a_success_is_over(breaker: Breaker, clock: Clock) -> None:
    lm = Model()
    end = hang(breaker, lm, clock.now_s + 8)
    clock.sleep(20)
    call(breaker, lm)
    assert breaker.allows(lm, REST_MS)
    end(TimeoutError())
    assert breaker.allows(lm, REST_MS)


@pytest.mark.parametrize("deadline_s", [None, math.inf])
def test_without_a_deadline_nothing_is_late(breaker: Breaker, clock: Clock, deadline_s: float | None) -> None:
    lm = Model()
    with breaker.call(lm, deadline_s, REST_MS):
        clock.sleep(1e9)
        assert breaker.allows(lm, REST_MS)


def test_no_rest_means_no_breaker(breaker: Breaker, clock: Clock) -> None:
    lm = Model()
    for _ in range(3):
        with contextlib.suppress(TimeoutError), breaker.call(lm, clock.now_s - 1, 0):
            raise TimeoutError
    assert breaker.allows(lm, 0)
    assert breaker.allows(lm, REST_MS), "nothing was watched"


def test_reset_forgets(breaker: Breaker) -> None:
    lm = Model()
    call(breaker, lm, TimeoutError())
    breaker.reset()
    assert breaker.allows(lm, REST_MS)


def test_a_model_is_not_kept_alive_nor_is_its_successor_blamed(breaker: Breaker) -> None:
    for _ in range(50):  # CPython soon gives a new object the id of an old one
        lm = Model()
        assert breaker.allows(lm, REST_MS)
        with contextlib.suppress(TimeoutError), breaker.call(lm, None, REST_MS):
            raise TimeoutError
        gone = weakref.ref(lm)
        del lm
        assert gone() is None


def test_of_many_threads_one_may_try(breaker: Breaker, clock: Clock) -> None:
    lm, start, allowed = Model(), threading.Barrier(16), []
    call(breaker, lm, TimeoutError())

    def ask() -> None:
        start.wait()
        allowed.append(breaker.allows(lm, REST_MS))

    for wait_s, expected in ((0, 0), (30, 1), (0, 0)):
        clock.sleep(wait_s)
        allowed.clear()
        in_parallel([ask] * 16)
        assert sum(allowed) == expected


def test_threads_that_call_at_once_leave_nothing_in_flight(breaker: Breaker) -> None:
    lm = Model()
    in_parallel([lambda: call(breaker, lm), lambda: call(breaker, lm, UNREADABLE)] * 20)
    assert breaker.allows(lm, REST_MS)
    assert breaker._health(lm).calls == []


def in_parallel(works: list[Callable[[], None]]) -> None:
    threads = [threading.Thread(target=work) for work in works]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def lm_at(api_base: str, timeout_s: float = 30) -> dspy.LM:
    return dspy.LM(
        "openai/test", api_base=api_base, api_key="none", engine="lm15", timeout=timeout_s, cache=False, num_retries=0
    )


def ask(breaker: Breaker, lm: dspy.LM) -> None:
    with contextlib.suppress(Exception), breaker.call(lm, None, REST_MS):
        lm("灯多少钱")


def test_a_server_that_hangs_rests_after_one_timeout(breaker: Breaker, clock: Clock, model_server) -> None:
    lm = lm_at(model_server.api_base, timeout_s=0.2)
    ask(breaker, lm)
    assert not breaker.allows(lm, REST_MS)
    clock.sleep(30)
    model_server.answer = lambda _: "台灯价格"
    assert breaker.allows(lm, REST_MS)
    lm.kwargs["timeout"] = 30
    ask(breaker, lm)
    assert breaker.allows(lm, REST_MS)


@pytest.mark.parametrize(
    ("status", "rests"), [(500, True), (503, True), (429, True), (401, True), (400, False), (200, False)]
)
def test_a_server_that_fails_rests_after_two_calls(breaker: Breaker, model_server, status: int, rests: bool) -> None:
    model_server.answer, model_server.status = (lambda _: "台灯价格"), status
    lm = lm_at(model_server.api_base)
    ask(breaker, lm)
    assert breaker.allows(lm, REST_MS)
    ask(breaker, lm)
    assert breaker.allows(lm, REST_MS) is not rests


def test_a_server_that_is_not_there_rests_after_two_calls(breaker: Breaker, model_server) -> None:
    model_server.answer = lambda _: "台灯价格"
    lm = lm_at(model_server.api_base)
    model_server._server.server_close()
    ask(breaker, lm)
    assert breaker.allows(lm, REST_MS)
    ask(breaker, lm)
    assert not breaker.allows(lm, REST_MS)


def test_a_call_that_hangs_in_another_thread_rests_without_waiting_for_it(
    breaker: Breaker, clock: Clock, model_server
) -> None:
    lm = lm_at(model_server.api_base)
    begun = threading.Event()

    def hang() -> None:
        with contextlib.suppress(Exception), breaker.call(lm, clock.now_s + 1, REST_MS):
            begun.set()
            lm("灯多少钱")

    thread = threading.Thread(target=hang, daemon=True)
    thread.start()
    begun.wait()
    assert breaker.allows(lm, REST_MS)
    clock.sleep(1.1)
    assert not breaker.allows(lm, REST_MS)
    model_server.released.set()
    thread.join()
