"""Which turns become demos, and in which order."""

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from data.records import Message, Turn
from experiments.demos import order_for_demos

HISTORY = (Message(role="user", content="Aria 300 怎么清洗"), Message(role="assistant", content="每周一次。"))


def turn(name: str, *, gold: str | None = "Aria 300 保修多久", history: tuple[Message, ...] = HISTORY) -> Turn:
    return Turn(
        id=name, conversation_id="c", turn=2, history=history, query="保修呢", gold_rewrite=gold, relevant_ids=("p",)
    )


def test_turns_that_the_original_failed_come_first() -> None:
    turns = [turn(f"t{number}") for number in range(20)]
    recall = {one.id: float(place % 2) for place, one in enumerate(turns)}
    ordered = order_for_demos(turns, recall, unchanged_share=0, rng=random.Random(1))
    assert [recall[one.id] for one in ordered] == [0.0] * 10 + [1.0] * 10


def test_a_share_of_the_first_places_goes_to_turns_to_be_left_alone() -> None:
    turns = [turn(f"t{number}") for number in range(20)] + [turn(f"u{number}", gold="保修呢") for number in range(20)]
    ordered = order_for_demos(
        turns, dict.fromkeys((one.id for one in turns), 0.0), unchanged_share=0.25, rng=random.Random(1)
    )
    unchanged = sum(one.gold_rewrite == one.query for one in ordered[:8])
    assert unchanged in (1, 2)


def test_first_turns_are_no_demos() -> None:
    assert order_for_demos([turn("t", history=())], {"t": 0.0}, unchanged_share=0, rng=random.Random(1)) == []


@given(
    st.lists(st.tuples(st.booleans(), st.sampled_from([0.0, 0.5, 1.0])), max_size=25),
    st.floats(0, 1),
    st.integers(0, 99),
)
def test_every_turn_comes_once_and_the_seed_decides(kinds: list[tuple[bool, float]], share: float, seed: int) -> None:
    turns = [turn(f"t{place}", gold="保修呢" if same else "Aria 300 保修多久") for place, (same, _) in enumerate(kinds)]
    recall = {f"t{place}": value for place, (_, value) in enumerate(kinds)}
    ordered = order_for_demos(turns, recall, unchanged_share=share, rng=random.Random(seed))
    assert sorted(one.id for one in ordered) == sorted(recall)
    assert ordered == order_for_demos(turns, recall, unchanged_share=share, rng=random.Random(seed))


@pytest.mark.parametrize("gold", [None, "Aria 300 保修多久"])
def test_a_turn_without_gold_is_not_taken_for_unchanged(gold: str | None) -> None:
    ordered = order_for_demos(
        [turn("a", gold=gold), turn("b", gold="保修呢")], {"a": 1.0, "b": 0.0}, unchanged_share=0, rng=random.Random(1)
    )
    assert [one.id for one in ordered] == ["a", "b"]
