"""What ``data check`` finds, and what it leaves in peace."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from data.audit import audit
from data.load import DataSet
from data.near_duplicates import groups_of_same, normalised
from data.records import Message, Passage, Turn

LONG = {
    "zh": "润谷 H2 加湿器建议每周用白醋浸泡水箱半小时，再用清水冲洗两遍，晾干之后才能重新加水使用。",
    "en": "Soak the tank of the Aria in white vinegar for half an hour each week, then rinse it twice and let it dry.",
}


def turn(turn_id: str, query: str, *history: str, **fields: Any) -> Turn:
    conversation = turn_id.partition(":")[0]
    said = tuple(Message(role="user" if at % 2 == 0 else "assistant", content=text) for at, text in enumerate(history))
    return Turn(
        **{"id": turn_id, "conversation_id": conversation, "turn": 1 + len(said) // 2, "history": said, "query": query}
        | fields
    )


def data(passages: list[Passage], turns: list[Turn]) -> DataSet:
    return DataSet(name="mine", passages=tuple(passages), turns=tuple(turns), content_sha256="0")


def stated(turn_id: str, query: str, split: str, *history: str, **fields: Any) -> Turn:
    return turn(turn_id, query, *history, metadata={"split": split}, **fields)


def test_counts() -> None:
    passages = [Passage(id="p1", text="甲"), Passage(id="p2", text="B")]
    turns = [
        turn(
            "a:1",
            "保修多久？",
            relevant_ids=("p1",),
            gold_rewrite="甲保修多久",
            metadata={"phenomena": ["first", "first"]},
        ),
        turn("a:9", "and then?", relevant_ids=("p1", "gone"), metadata={"phenomena": ["pronoun", "first"]}).model_copy(
            update={"turn": 9}
        ),
        turn("b:1", "hello"),
    ]
    found = audit(data(passages, turns))
    assert (found.passages, found.turns, found.conversations, found.labelled) == (2, 3, 2, 1)
    assert found.unlabelled == ("b:1",)
    assert found.missing == {"a:9": ("gone",)}
    assert (found.with_gold_rewrite, found.unused_passages) == (1, 1)
    assert found.languages == {"en": 2, "zh": 1}
    assert found.phenomena == {"first": 2, "pronoun": 1}
    assert found.turn_numbers == {"1": 2, "8+": 1}
    assert found.findings == {"turns with labels that the corpus lacks": 1, "turns without labels": 1}


def test_a_clean_set_has_no_findings() -> None:
    passages = [Passage(id="p1", text="甲"), Passage(id="p2", text="B")]
    turns = [turn("a:1", "保修多久？", relevant_ids=("p1",)), turn("b:1", "what is B", relevant_ids=("p2",))]
    assert audit(data(passages, turns)).findings == {}


def test_a_conversation_that_states_two_splits_is_a_leak_not_an_error() -> None:
    turns = [stated("a:1", "one", "train"), stated("a:2", "two", "test"), stated("b:1", "three", "train")]
    (leak,) = audit(data([], turns)).leaks
    assert (leak.kind, leak.splits, leak.turn_ids) == ("conversation", ("test", "train"), ("a:1", "a:2"))


@pytest.mark.parametrize("language", ["zh", "en"])
def test_the_same_turn_in_two_splits_is_a_leak(language: str) -> None:
    text = LONG[language]
    follow_up = {"zh": "那它保修多久", "en": "and how long is its warranty"}[language]
    turns = [
        stated("a:2", follow_up, "train", "q", text),
        stated("b:2", f"{follow_up}？！".upper(), "test", "q", text.replace("，", ", ").rstrip(".。")),
        stated("c:2", follow_up, "test", "q", "something else entirely was said before that question was asked"),
    ]
    (leak,) = audit(data([], turns)).leaks
    assert (leak.kind, leak.splits, leak.turn_ids) == ("turn", ("test", "train"), ("a:2", "b:2"))


def test_the_same_question_with_the_same_answer_after_other_histories_is_a_leak() -> None:
    turns = [
        stated("a:1", "它多久", "train", relevant_ids=("p",), gold_rewrite="甲保修多久？"),
        stated("b:1", "甲保修多久", "test", relevant_ids=("p",)),
        stated("c:1", "那个多久", "test", relevant_ids=("q",), gold_rewrite="甲保修多久"),
    ]
    leaks = audit(data([], turns)).leaks
    assert [(leak.kind, leak.turn_ids) for leak in leaks] == [("question", ("a:1", "b:1"))]


def test_neighbours_of_one_conversation_are_no_duplicates() -> None:
    text = LONG["en"]
    turns = [
        turn("a:2", "and the other one?", "q", text),
        turn("a:3", "what about this?", "q", text, "and the other one?", "No."),
    ]
    assert audit(data([], turns)).duplicate_turns == ()


@pytest.mark.parametrize("language", ["zh", "en"])
def test_passages_that_say_the_same(language: str) -> None:
    text = LONG[language]
    changed = {"zh": text.replace("白醋", "食醋"), "en": text.replace("white vinegar", "clear vinegar")}[language]
    passages = [
        Passage(id="p1", text=text),
        Passage(id="p2", text=f"  {text.upper()} "),
        Passage(id="p3", text=changed),
        Passage(id="p4", text=text, title="Another device"),
        Passage(id="p5", text=text.replace("H2", "H3").replace("Aria", "Aria 300")),
    ]
    assert audit(data(passages, [])).duplicate_passages == (("p1", "p2", "p3"),)


def test_what_is_normalised_to_nothing_is_like_nothing() -> None:
    assert groups_of_same(["？", "!", "", "ａ1", "A 1!"]) == [[3, 4]]


def test_short_texts_are_the_same_only_when_equal() -> None:
    assert groups_of_same(["it costs how much today", "it costs how much todai"]) == []


@given(st.lists(st.text("ab 中文12.", max_size=40), max_size=12), st.randoms(use_true_random=False))
def test_groups_do_not_depend_on_the_order(texts: list[str], random: Any) -> None:
    """Equal forms always meet; no text is in two groups; shuffling the texts shuffles the groups alone."""
    groups = groups_of_same(texts)
    members = [index for group in groups for index in group]
    assert len(members) == len(set(members))
    for left, first in enumerate(texts):
        for right, second in enumerate(texts):
            if left != right and normalised(first) and normalised(first) == normalised(second):
                assert any({left, right} <= set(group) for group in groups)
    order = list(range(len(texts)))
    random.shuffle(order)
    shuffled = groups_of_same([texts[index] for index in order])
    assert {frozenset(order[index] for index in group) for group in shuffled} == {frozenset(group) for group in groups}
