import pytest
from hypothesis import given
from hypothesis import strategies as st

from program.lines import read_lines

TWO = ["灯多少钱", "壶多少钱"]


@pytest.mark.parametrize(
    "completion",
    [
        "灯多少钱\n壶多少钱",
        "1. 灯多少钱\n2. 壶多少钱",
        "1、灯多少钱\n2、壶多少钱",
        "一、灯多少钱\n二、壶多少钱",
        "（略）拆分如下：\n(1) 灯多少钱\n(2) 壶多少钱",
        "- 灯多少钱\n• 壶多少钱",
        "问题1：灯多少钱\n问题2：壶多少钱",
        "Here are the questions:\n\n1) 灯多少钱\n2) 壶多少钱\n\nHope this helps!",
        "```\n灯多少钱\n壶多少钱\n```",
        '```json\n["灯多少钱", "壶多少钱"]\n```\nHope this helps!',
        '["灯多少钱", "壶多少钱"]',
        '[{"question": "灯多少钱"}, {"question": "壶多少钱"}]',
        '{"questions": ["灯多少钱", "壶多少钱"]}',
        '["灯多少钱", "壶多少钱", "盒多',  # cut off
        '["\\u706f多少钱",\n "壶多少钱"',
        '"灯多少钱"\n“壶多少钱”',
        "灯多少钱\n灯多少钱 \n壶多少钱",
    ],
)
def test_every_shape_gives_the_same_list(completion: str) -> None:
    assert read_lines(completion, at_most=4) == TWO


@pytest.mark.parametrize(
    "line", ["3.5 寸硬盘多少钱", "10:30 的车还有吗", "2.4 GHz or 5 GHz?", "[1] 号文件在哪", "100 元以内的灯"]
)
def test_numbers_that_belong_to_the_question_stay(line: str) -> None:
    assert read_lines(line, at_most=4) == [line]


def test_case_and_space_make_no_new_line_and_the_first_wording_stays() -> None:
    assert read_lines("Lamp  price\nlamp price\nKettle price", at_most=4, exclude=["KETTLE price"]) == ["Lamp  price"]


def test_more_than_asked_for_is_cut() -> None:
    assert read_lines("\n".join(f"- question {n}" for n in range(9)), at_most=3) == [
        "question 0",
        "question 1",
        "question 2",
    ]


@pytest.mark.parametrize("completion", ["", " \n", "[]", "```\n```", "以下是子问题：", '["灯多少'])
def test_nothing_to_read(completion: str) -> None:
    assert read_lines(completion, at_most=4) == []


@given(st.text(), st.integers(0, 4))
def test_any_completion_is_read(completion: str, at_most: int) -> None:
    lines = read_lines(completion, at_most=at_most, exclude=["a"])
    assert len(lines) <= at_most
    assert all(line.strip() for line in lines)
    assert "a" not in lines
