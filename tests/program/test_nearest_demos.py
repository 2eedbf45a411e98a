"""The demos most like a turn, the nearest last."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from program.nearest_demos import nearest_demos

DEMOS = [
    {"query": "它的保修期多久", "history": "user: 台灯怎么样"},
    {"query": "那清洁呢", "history": "user: 水壶怎么样"},
    {"query": "how long is its warranty?", "history": "user: tell me about the lamp"},
    {"query": "and the price?", "history": "user: tell me about the kettle"},
]
DEMO_LISTS = st.lists(
    st.fixed_dictionaries({"query": st.text(max_size=12), "history": st.text(max_size=12)}), max_size=8
)


@pytest.mark.parametrize(
    ("query", "nearest"),
    [("这个保修多久啊", 0), ("清洁一次多久", 1), ("what is the warranty of that one", 2), ("PRICE of the second?", 3)],
)
def test_shared_words_make_a_demo_near_in_either_language(query: str, nearest: int) -> None:
    assert nearest_demos(DEMOS, {"query": query, "history": ""}, 1) == [DEMOS[nearest]]


def test_the_history_breaks_a_tie_of_questions() -> None:
    demos = [{"query": "它多少钱", "history": "user: 相机"}, {"query": "它多少钱", "history": "user: 门锁"}]
    assert nearest_demos(demos, {"query": "它多少钱", "history": "user: 门锁怎么样"}, 1) == [demos[1]]


def test_the_nearest_is_last() -> None:
    shown = nearest_demos(DEMOS, {"query": "how long is its warranty?", "history": ""}, 3)
    assert shown[-1] is DEMOS[2]


@given(DEMO_LISTS, st.text(max_size=12), st.integers(0, 10))
def test_as_many_as_asked_for_and_none_twice(demos: list[dict[str, Any]], query: str, k: int) -> None:
    shown = nearest_demos(demos, {"query": query}, k)
    assert len(shown) == min(k, len(demos))
    assert len({id(one) for one in shown}) == len(shown)
    assert shown == nearest_demos(demos, {"query": query}, k)


def test_without_a_number_all_are_shown_in_their_order() -> None:
    assert nearest_demos(DEMOS, {"query": "PRICE"}, None) == DEMOS


def test_zero_is_none_and_less_is_an_error() -> None:
    assert nearest_demos(DEMOS, {"query": "q"}, 0) == []
    with pytest.raises(ValueError, match="expected 0 or more"):
        nearest_demos(DEMOS, {"query": "q"}, -1)


def test_demos_without_the_fields_are_just_far_away() -> None:
    assert nearest_demos([{"rewrite": "x"}, DEMOS[0]], {"query": "保修"}, 1) == [DEMOS[0]]
