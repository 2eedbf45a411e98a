from collections.abc import Callable
from typing import Any

import dspy
import pytest

from program.answer import Answerer, answer_of
from program.reading.answer_reader import NOT_FOUND
from program.result import FusedHit


def hit(id_: str, text: str) -> FusedHit:
    return FusedHit(id=id_, score=0.5, source=id_, text=text, found_by=("original",))


HITS = [hit("k1", "布林德水壶保修\n三年。"), hit("k2", "布林德水壶售价 39 欧元。")]
HISTORY = [{"role": "user", "content": "布林德水壶怎么样"}, {"role": "assistant", "content": "不错。"}]


def test_the_original_question_is_answered_from_the_numbered_passages(scripted_lm: Callable[..., Any]) -> None:
    lm = scripted_lm("保修三年【1】，39 欧元[2][9]。")
    with dspy.context(lm=lm):
        result = answer_of(Answerer()("它保修多久\n多少钱", HITS, HISTORY))
    assert (result.text, result.cited, result.in_passages) == ("保修三年[1]，39 欧元[2]。", ("k1", "k2"), True)
    assert (result.step.status, result.step.lm_calls) == ("done", 1)
    (prompt,) = lm.script.prompts
    assert "[1] 布林德水壶保修 三年。\n[2] 布林德水壶售价 39 欧元。" in prompt
    assert "布林德水壶怎么样" in prompt
    assert "query: 它保修多久 多少钱\n" in prompt


@pytest.mark.parametrize("said", ["NOT IN THE PASSAGES", "资料中没有提到。"])
def test_not_in_the_passages(scripted_lm: Callable[..., Any], said: str) -> None:
    with dspy.context(lm=scripted_lm(said)):
        result = answer_of(Answerer()("它多重", HITS))
    assert (result.cited, result.in_passages, result.step.status) == ((), False, "done")
    assert result.text in (NOT_FOUND["zh"], said)


def test_a_model_that_fails_or_says_nothing_is_not_the_same_as_not_found(scripted_lm: Callable[..., Any]) -> None:
    with dspy.context(lm=scripted_lm(RuntimeError("down"))):
        failed = answer_of(Answerer()("它多重", HITS))
    with dspy.context(lm=scripted_lm("  ")):
        empty = answer_of(Answerer()("它多重", HITS))
    for result in (failed, empty):
        assert (result.text, result.in_passages, result.step.status) == ("", False, "fallback")
    assert "down" in failed.step.reason
    assert empty.step.reason


@pytest.mark.parametrize(("query", "hits"), [("  ", HITS), ("它多重", [])])
def test_nothing_to_ask_or_to_read_asks_no_model(
    scripted_lm: Callable[..., Any], query: str, hits: list[FusedHit]
) -> None:
    lm = scripted_lm()
    with dspy.context(lm=lm):
        result = answer_of(Answerer()(query, hits))
    assert (result.text, result.in_passages, result.step.status, result.step.lm_calls) == ("", False, "skipped", 0)


def test_without_a_model_there_is_no_answer_and_no_error() -> None:
    result = answer_of(Answerer()("它多重", HITS))
    assert (result.text, result.step.status, result.step.reason) == ("", "skipped", "no language model")


def test_long_passages_are_cut_by_an_equal_budget_of_tokens(scripted_lm: Callable[..., Any]) -> None:
    lm = scripted_lm("x [1]")
    with dspy.context(lm=lm):
        Answerer()("多重", [hit("z", "灯" * 900), hit("e", "lamp " * 900)], passage_characters=20)
    assert f"[1] {'灯' * 20}…\n[2] {'lamp ' * 10}…" in lm.script.prompts[0]


def test_one_answerer_serves_two_conversations(scripted_lm: Callable[..., Any]) -> None:
    answerer = Answerer()
    lm = scripted_lm("甲 [1]", "乙 [1]")
    with dspy.context(lm=lm):
        answerer("它多重", HITS, HISTORY)
        answerer("它多重", HITS)
    assert "布林德水壶怎么样" not in lm.script.prompts[1]
    assert not answerer.history
