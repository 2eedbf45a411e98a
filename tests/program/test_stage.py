"""The contract of stages: what they need, what happens when they have nothing, fail, hang, or are switched off."""

import math
import threading
import time
from collections.abc import Callable, Sequence
from typing import Any

import dspy
import pytest
from hypothesis import given
from hypothesis import strategies as st

from data.errors import BudgetError
from program.deadline import Deadline
from program.settings import Settings
from program.stage import Reason, Stage, gave_up, nothing_to_do, run_stages
from program.turn import LiveTurn


def turn(budget_ms: float = math.inf, lm_ms: float | None = None) -> LiveTurn:
    return LiveTurn(
        query="灯多少钱",
        history=None,
        settings=Settings(),
        prompts=None,
        deadline=Deadline.after_ms(budget_ms),
        lm_deadline=Deadline.after_ms(budget_ms if lm_ms is None else lm_ms),
    )


def stage(name: str, needs: Sequence[str], work: Callable[..., Any], **options: Any) -> Stage:
    """A stage out of a name and a function of the values it needs."""
    namespace: dict[str, Any] = {"work": work}
    exec(f"def {name}({', '.join(needs)}): return work({', '.join(needs)})", namespace)
    return Stage(namespace[name], **options)


def run(*stages: Stage, budget_ms: float = math.inf, lm_ms: float | None = None):
    known, trace = run_stages(stages, turn(budget_ms, lm_ms))
    return known, {step.stage: step for step in trace.steps}


def test_each_stage_gets_the_values_it_names_in_whatever_order_they_are_listed() -> None:
    known, steps = run(
        stage("c", ["a", "b"], lambda a, b: a + b), stage("b", ["a"], lambda a: a * 2), stage("a", [], lambda: 3)
    )
    assert known == {"a": 3, "b": 6, "c": 9}
    assert list(steps) == ["c", "b", "a"]
    assert {step.status for step in steps.values()} == {"done"}


def test_a_stage_may_ask_for_the_turn_and_its_step() -> None:
    def work(turn: LiveTurn, step: Any) -> str:
        step.details = {"left": step.left_ms > 0}
        return turn.query

    known, steps = run(stage("a", ["turn", "step"], work), budget_ms=60_000)
    assert known["a"] == "灯多少钱"
    assert steps["a"].details == {"left": True}


@pytest.mark.parametrize(
    ("outcome", "status", "reason"),
    [
        (nothing_to_do("first turn"), "skipped", "first turn"),
        (gave_up("guard: empty"), "fallback", "guard: empty"),
        (ValueError("bad\nworse"), "fallback", "ValueError: bad"),
        (ConnectionError(), "fallback", "ConnectionError: no message"),
    ],
)
@pytest.mark.parametrize("waits", [True, False])
def test_a_stage_without_a_value_leaves_its_otherwise_and_its_reason(outcome, status, reason, waits) -> None:
    def work() -> Reason:
        if isinstance(outcome, Exception):
            raise outcome
        return outcome

    known, steps = run(stage("a", [], work, otherwise="o", waits=waits), stage("b", ["a"], lambda a: a + "!"))
    assert known == {"a": "o", "b": "o!"}
    assert (steps["a"].status, steps["a"].reason) == (status, reason)


def test_switched_off_it_never_runs() -> None:
    def work() -> None:
        pytest.fail("it ran")

    known, steps = run(stage("a", [], work, on=lambda turn: turn.settings.expand.hyde, otherwise=(), waits=True))
    assert known == {"a": ()}
    assert (steps["a"].status, steps["a"].reason) == ("skipped", "switched off")


def test_stages_that_wait_wait_at_the_same_time() -> None:
    """Each waits for the others to have started: one after another they would never end."""
    together = threading.Barrier(4, timeout=30)
    waiting = [stage(name, [], together.wait, waits=True) for name in "abcd"]
    _, steps = run(*waiting)
    assert {step.status for step in steps.values()} == {"done"}


def test_what_needs_nothing_slow_goes_on_beside_it() -> None:
    free = threading.Event()
    slow = stage("slow", [], lambda: free.wait(30), waits=True)
    known, _ = run(slow, stage("quick", [], free.set), stage("last", ["slow", "quick"], lambda slow, quick: slow))
    assert known["last"] is True


def test_a_stage_that_starts_another_that_waits_does_not_hold_it_up() -> None:
    """The slow one that is ready first must be under way before quick work that it does not need."""
    order: list[str] = []
    begun = threading.Event()

    def first() -> None:
        order.append("slow")
        begun.set()

    def second() -> None:
        assert begun.wait(30)
        order.append("quick")

    run(stage("quick", [], second), stage("slow", [], first, waits=True))
    assert order == ["slow", "quick"]


def test_a_stage_that_hangs_is_given_up_and_what_it_says_later_is_not_heard() -> None:
    free, ended = threading.Event(), threading.Event()

    def hang(step: Any) -> str:
        step.lm_calls = 1
        free.wait(30)
        step.details = {"late": True}
        ended.set()
        return "late"

    hanging = stage("a", ["step"], hang, otherwise="o", waits=True)
    known, steps = run(hanging, stage("b", ["a"], lambda a: a), budget_ms=50)
    free.set()
    assert ended.wait(30)
    assert known == {"a": "o", "b": "o"}
    assert (steps["a"].status, steps["a"].lm_calls, steps["a"].details) == ("fallback", 1, {})
    assert steps["a"].reason.startswith("out of time")


def test_time_is_kept_for_what_comes_after_the_models() -> None:
    free = threading.Event()
    model = stage("model", [], lambda: free.wait(30), waits=True)
    search = stage("search", ["model"], lambda model: "hits", waits=True, until="end")
    known, steps = run(model, search, budget_ms=60_000, lm_ms=50)
    free.set()
    assert known == {"model": None, "search": "hits"}
    assert steps["model"].status == "fallback"


def test_without_time_left_a_stage_is_not_even_started() -> None:
    def work() -> None:
        pytest.fail("it ran")

    hanging = stage("a", [], lambda: time.sleep(0.2), waits=True)
    _, steps = run(hanging, stage("b", ["a"], work, waits=True), budget_ms=20)
    assert steps["b"].reason == "no time was left"


@pytest.mark.parametrize("waits", [True, False])
@pytest.mark.parametrize("error", [BudgetError("spent"), KeyboardInterrupt()])
def test_a_spent_budget_and_an_interrupt_end_the_run(waits, error) -> None:
    def work() -> None:
        raise error

    with pytest.raises(type(error)):
        run(stage("a", [], work, waits=waits))


def test_needs_that_nothing_gives_are_a_mistake_of_the_pipeline() -> None:
    with pytest.raises(ValueError, match=r"\['a'\]"):
        run(stage("a", ["missing"], lambda missing: missing))


def test_a_waiting_stage_sees_the_callers_context() -> None:
    lm = object()
    with dspy.context(lm=lm):
        known, _ = run(stage("a", [], lambda: dspy.settings.lm, waits=True))
    assert known["a"] is lm


@given(st.lists(st.tuples(st.booleans(), st.sets(st.integers(0, 11))), min_size=1, max_size=12), st.randoms())
def test_any_order_and_any_mixture_gives_the_same_values(shape, rng) -> None:
    """Values depend on what stages need, never on how they are listed or which of them wait."""

    def make(n: int, waits: bool, needs: set[int]) -> Stage:
        names = [f"s{m}" for m in sorted(needs) if m < n]
        return stage(f"s{n}", names, lambda *values: 1 + sum(values), waits=waits)

    stages = [make(n, waits, needs) for n, (waits, needs) in enumerate(shape)]
    plain = [make(n, False, needs) for n, (_, needs) in enumerate(shape)]
    rng.shuffle(stages)
    assert run(*stages)[0] == run(*plain)[0]


def test_without_a_thread_to_run_in_a_stage_falls_back(monkeypatch) -> None:
    def refuse(_: threading.Thread) -> None:
        raise RuntimeError("can't start new thread")

    monkeypatch.setattr(threading.Thread, "start", refuse)
    known, steps = run(stage("a", [], lambda: 1, otherwise="o", waits=True), stage("b", ["a"], lambda a: a + "!"))
    assert known == {"a": "o", "b": "o!"}
    assert (steps["a"].status, steps["a"].reason) == ("fallback", "can't start new thread")
