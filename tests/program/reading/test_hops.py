import pytest
from hypothesis import given
from hypothesis import strategies as st

from program.reading.hops import Hop, fill, in_waves, read_hops, to_answer


@pytest.mark.parametrize(
    "second",
    [
        "#1 还写过什么",
        "＃1 还写过什么",
        "【1】还写过什么",
        "[1] 还写过什么",
        "{1}还写过什么",
        "[答案1]还写过什么",
        "【问题1的答案】还写过什么",
        "问题1的答案还写过什么",
        "第1个问题的答案还写过什么",
        "上一个问题的答案还写过什么",
        "#1的答案还写过什么",
    ],
)
def test_every_mark_is_the_same_need(second: str) -> None:
    first, hop = read_hops(f"1. 《潮汐街》是谁写的\n2. {second}")
    assert first == Hop(text="《潮汐街》是谁写的")
    assert hop.needs == (1,)
    assert fill(hop, {1: "《潮汐街》由林远舟所著[1]。"}).replace(" ", "") == "《潮汐街》由林远舟所著还写过什么"


@pytest.mark.parametrize(
    "second",
    [
        "What else did #1 write?",
        "What else did [1] write?",
        "What else did [answer 1] write?",
        "What else did {answer_1} write?",
        "What else did <answer to question 1> write?",
        "What else did the answer to question 1 write?",
        "What else did the answer to #1 write?",
        "What else did the previous answer write?",
    ],
)
def test_every_english_mark_is_the_same_need(second: str) -> None:
    _, hop = read_hops(f"Who wrote Tidal Street?\n{second}")
    assert hop == Hop(text="What else did #1 write?", needs=(1,))
    assert fill(hop, {1: "Ines Halloran [2]."}) == "What else did Ines Halloran write?"


@pytest.mark.parametrize(
    ("completion", "expected"),
    [
        # Later ones and its own are no needs.
        ("#2 的导演是谁\n哪部片子最贵", [("的导演是谁", ()), ("哪部片子最贵", ())]),
        ("Who owns #2?\nWhich yard is the largest?", [("Who owns ?", ()), ("Which yard is the largest?", ())]),
        ("哪首歌是 #1", [("哪首歌是 #1", ())]),
        ("哪首歌最红\n#9 是什么", [("哪首歌最红", ()), ("#9 是什么", ())]),
        # A repeat is the line that it repeats.
        ("谁写的\n谁写的？\n#2 几岁", [("谁写的", ()), ("#1 几岁", (1,))]),
        # Nothing but a reference to what comes later, and what builds on it.
        ("#2\n谁写的\n#1 几岁\n#2 住哪", [("谁写的", ()), ("#1 住哪", (1,))]),
        ("a 是谁\nb 是谁\n#1 和 #2 谁大", [("a 是谁", ()), ("b 是谁", ()), ("#1 和 #2 谁大", (1, 2))]),
        ("2024的结果如何\n考试结果3天出吗", [("2024的结果如何", ()), ("考试结果3天出吗", ())]),
    ],
)
def test_references(completion: str, expected: list[tuple[str, tuple[int, ...]]]) -> None:
    assert [(hop.text, hop.needs) for hop in read_hops(completion)] == expected


def test_a_rank_in_the_question_is_no_reference() -> None:
    lines = "Which team won the cup?\nWho coached the #1 team?"
    assert read_hops(lines, query="Who won the cup, and who coached the #1 team?")[1].needs == ()
    assert read_hops(lines)[1].needs == (1,)


def test_no_more_than_asked_for() -> None:
    assert len(read_hops("\n".join(f"- 第{name}题" for name in "甲乙丙丁戊己"), at_most=4)) == 4


def test_nothing_is_filled_before_every_answer_is_there() -> None:
    hop = Hop(text="#1 和 #2 谁大", needs=(1, 2))
    assert fill(hop, {}) is None
    assert fill(hop, {1: "林远舟"}) is None
    assert fill(hop, {1: "林远舟", 2: " 。"}) is None
    assert fill(hop, {1: "见 #2", 2: "何小满"}) == "见 #2 和 何小满 谁大"
    assert fill(Hop(text="灯多少钱"), {}) == "灯多少钱"


def test_a_long_answer_does_not_drown_the_question() -> None:
    assert len(fill(Hop(text="#1 几岁", needs=(1,)), {1: "林" * 5000}) or "") <= 110


def test_what_can_be_worked_on_at_once_and_what_must_be_answered() -> None:
    hops = [Hop(text="a"), Hop(text="b"), Hop(text="#1 c", needs=(1,)), Hop(text="#2 #3 d", needs=(2, 3))]
    assert in_waves(hops) == [[1, 2], [3], [4]]
    assert to_answer(hops) == {1, 2, 3}
    assert (in_waves([]), to_answer([])) == ([], frozenset())


LINE = st.lists(
    st.sampled_from(["#1", "#2", "#3", "#4", "[2]", "【3】", "谁", "上一个答案", "who", " ", "是"]), max_size=5
).map("".join)


@given(st.text() | st.lists(LINE, max_size=6).map("\n".join), st.integers(0, 4))
def test_any_completion_gives_hops_that_only_look_back(completion: str, at_most: int) -> None:
    hops = read_hops(completion, at_most=at_most)
    assert len(hops) <= at_most
    assert len({hop.text for hop in hops}) == len(hops)
    for number, hop in enumerate(hops, start=1):
        assert all(1 <= one < number for one in hop.needs)
        assert all(f"#{one}" in hop.text for one in hop.needs)
    assert sorted(one for wave in in_waves(hops) for one in wave) == list(range(1, len(hops) + 1))
    answers = dict.fromkeys(range(1, 5), "x")
    assert all(fill(hop, answers) for hop in hops)
