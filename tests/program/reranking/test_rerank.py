import pytest
from hypothesis import given
from hypothesis import strategies as st

from program.reranking.rerank import listwise, read_order, settle
from program.result import FusedHit


def hits(count: int) -> list[FusedHit]:
    return [
        FusedHit(id=f"p{n}", score=1 - n / 100, source=f"p{n}", text=f"第{n}段", found_by=("original",))
        for n in range(1, count + 1)
    ]


@pytest.mark.parametrize(
    "completion",
    [
        "2 > 1 > 3",
        "2>1>3",
        "[2] > [1] > [3]",
        "[2], [1], [3]",
        "[2][1][3]",
        "【2】【1】【3】",
        "2, 1, 3",
        "2，1，3。",
        "2、1、3",
        "2\n1\n3",
        "2 1 3",
        "[2, 1, 3]",
        '{"order": [2, 1, 3]}',
        '["2", "1", "3"]',
        "```json\n[2, 1, 3]\n```",
        "1. [2]\n2. [1]\n3. [3]",
        "1. 2\n2. 1\n3. 3",
        "1. Passage 2\n2. Passage 1\n3. Passage 3",
        "Passage 2, Passage 1, Passage 3",
        "段落2 > 段落1 > 段落3",
        "Order: 2 > 1 > 3",
        "排序：2 > 1 > 3",
        "The best order is 2 > 1 > 3, since passage 3 speaks of 7 days.",
        "最相关的是[2]，其次是[1]，最后是[3]。",
        "2. 第二段的文字\n1. 第一段的文字\n3. 第三段的文字",
        "2 → 1 → 3",
        "2 > 2 > 1 > 3 > 1",
        "2 > 9 > 1 > 0 > 3",
        "<think>1 > 2 > 3</think>2 > 1 > 3",
    ],
)
def test_every_shape_gives_the_same_order(completion: str) -> None:
    assert read_order(completion, 3) == [1, 0, 2]


@pytest.mark.parametrize(
    "completion",
    [
        "",
        "  ",
        "I cannot rank these.",
        "保修期是 3 年。",
        "It costs 2 euros and weighs 1 kg.",
        "9 > 8",
        "[]",
        "```\n```",
        "2024",
    ],
)
def test_no_order_is_none(completion: str) -> None:
    assert read_order(completion, 3) is None


def test_what_is_left_out_follows_in_its_old_order_with_falling_scores() -> None:
    ranked = listwise("它多重", "灯多重", hits(4), lambda _: "3 > 1")
    assert ranked is not None
    assert [(hit.id, hit.score) for hit in ranked] == [("p3", 1.0), ("p1", 0.75), ("p2", 0.5), ("p4", 0.25)]


def test_the_model_reads_both_queries_and_numbered_passages() -> None:
    asked: list[dict[str, str]] = []

    def ask_order(inputs: dict[str, str]) -> str:
        asked.append(inputs)
        return "1"

    listwise("它\n多重", "灯多重", hits(2), ask_order)
    listwise("灯多重", "灯多重？", hits(2), ask_order)
    assert asked == [
        {"passages": "[1] 第1段\n[2] 第2段", "query": "它 多重", "rewrite": "灯多重"},
        {"passages": "[1] 第1段\n[2] 第2段", "query": "灯多重", "rewrite": ""},
    ]


@pytest.mark.parametrize("answer", [None, "", "没有"])
def test_an_unreadable_order_is_the_callers_to_fall_back_from(answer: str | None) -> None:
    assert listwise("q", "q", hits(3), lambda _: answer) is None


@pytest.mark.parametrize("count", [0, 1])
def test_nothing_to_order_asks_nothing(count: int) -> None:
    def ask_order(_: dict[str, str]) -> str:
        pytest.fail("asked")

    assert listwise("q", "q", hits(count), ask_order) == hits(count)


@given(st.text() | st.text(alphabet="0123456789[]>,. \n{}\"'"), st.integers(2, 12))
def test_any_completion_gives_a_permutation_or_none(completion: str, count: int) -> None:
    ranked = listwise("q", "r", hits(count), lambda _: completion)
    if ranked is not None:
        _is_permutation(ranked, hits(count))


@given(st.data(), st.integers(0, 8))
def test_whatever_a_reranker_returns_is_settled_to_a_permutation(data: st.DataObject, count: int) -> None:
    proposal = st.builds(
        lambda n, score: hits(12)[n].model_copy(update={"score": score, "text": "changed"}),
        st.integers(0, 11),
        st.floats(0, 1),
    )
    settled = settle(data.draw(st.lists(proposal)), hits(count))
    _is_permutation(settled, hits(count))


def test_a_reranker_keeps_its_order_and_its_scores() -> None:
    first, second, third = hits(3)
    proposed = [third.model_copy(update={"score": 0.4}), first.model_copy(update={"score": 0.6})]
    assert [(hit.id, hit.score) for hit in settle(proposed, [first, second, third])] == [
        ("p3", 0.4),
        ("p1", 0.4),
        ("p2", 0.4),
    ]


def _is_permutation(ranked: list[FusedHit], given_: list[FusedHit]) -> None:
    assert sorted(hit.id for hit in ranked) == sorted(hit.id for hit in given_)
    assert {(hit.id, hit.text) for hit in ranked} == {(hit.id, hit.text) for hit in given_}
    scores = [hit.score for hit in ranked]
    assert scores == sorted(scores, reverse=True)
    assert all(0 <= score <= 1 for score in scores)
