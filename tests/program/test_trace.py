import pytest

from data.errors import BudgetError, StoreError
from program.trace import Trace


def test_a_step_is_done_unless_it_says_otherwise() -> None:
    trace = Trace()
    with trace.step("window"):
        pass
    with trace.step("rewrite") as step:
        step.skip("first turn")
    assert [(step.stage, step.status, step.reason) for step in trace.steps] == [
        ("window", "done", ""),
        ("rewrite", "skipped", "first turn"),
    ]
    assert trace.fallbacks == []


def test_an_exception_becomes_a_fallback_with_one_short_line() -> None:
    trace = Trace()
    with trace.step("retrieve"):
        raise StoreError("索引坏了\n第二行" + "x" * 500, advice="build it again")
    with trace.step("fuse"):
        raise KeyError
    assert [(step.stage, step.reason) for step in trace.fallbacks] == [
        ("retrieve", "StoreError: 索引坏了"),
        ("fuse", "KeyError: no message"),
    ]


@pytest.mark.parametrize("error", [BudgetError("spent"), KeyboardInterrupt()])
def test_what_ends_the_run_ends_it(error: BaseException) -> None:
    trace = Trace()
    with pytest.raises(type(error)), trace.step("rewrite"):
        raise error
    assert trace.steps[0].elapsed_ms >= 0
