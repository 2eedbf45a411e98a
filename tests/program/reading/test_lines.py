import pytest
from hypothesis import given
from hypothesis import strategies as st

from program.reading.lines import read_lines
from program.reading.variants import variant_key

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
        '灯多少钱"\n"壶多少钱',  # the adapter took the outer pair
        "灯多少钱\n灯多少钱 \n壶多少钱",
        "灯多少钱\n壶多少钱\n灯多少钱\n壶多少钱\n灯多",  # a loop, cut off
        "1. **灯多少钱**\n2. **壶多少钱**",
        "**1.** 灯多少钱\n**2.** 壶多少钱",
        "### 1. 灯多少钱\n### 2. 壶多少钱",
        "① 灯多少钱\n② 壶多少钱",
        "1️⃣ 灯多少钱\n2️⃣ 壶多少钱",
        "（1）灯多少钱\n（2）壶多少钱",
        "子查询1：灯多少钱\n子查询2：壶多少钱",
        "1. 灯多少钱 2. 壶多少钱",
        "1、灯多少钱；2、壶多少钱",
        "好的，拆成两个问题\n灯多少钱\n壶多少钱\n希望这对您有帮助！",
        "<think>要拆成两个：\n1. 灯\n2. 别的</think>\n灯多少钱\n壶多少钱",
        "要拆成两个。</think>\n\n灯多少钱\n壶多少钱",
        "['灯多少钱', '壶多少钱',]",
        "['灯多少钱', '壶多少钱', '盒多",
        "[“灯多少钱”，“壶多少钱”]",
        '{"1": "灯多少钱", "2": "壶多少钱"}',
        '{"sub_questions": [{"id": "a", "question": "灯多少钱", "reason": "价格"}, {"id": "b", "question": "壶多少钱"}]}',
        '当然！\n{"questions": ["1. 灯多少钱", "2. 壶多少钱"]}\n以上。',
    ],
)
def test_every_shape_gives_the_same_list(completion: str) -> None:
    assert read_lines(completion, at_most=4) == TWO


@pytest.mark.parametrize(
    "line",
    [
        "3.5 寸硬盘多少钱",
        "10:30 的车还有吗",
        "10：30 的车还有吗",
        "2.4 GHz or 5 GHz?",
        "[1] 号文件在哪",
        "100 元以内的灯",
        "-5℃ 能开机吗",
        "+86 开头的号码能注册吗",
        "*.txt 文件怎么批量删",
        "Q1、Q2 哪个季度退货多",
        "Note 12 price",
        "如果下雨怎么退票",
        "A. Lindqvist 写了哪些书",
        "does plan 1 or plan 2 include backups?",
    ],
)
def test_numbers_that_belong_to_the_question_stay(line: str) -> None:
    assert read_lines(line, at_most=4) == [line]


def test_case_and_space_make_no_new_line_and_the_first_wording_stays() -> None:
    assert read_lines("Lamp  price\nlamp price\nKettle price", at_most=4, exclude=["KETTLE price"]) == ["Lamp price"]


def test_more_than_asked_for_is_cut() -> None:
    assert read_lines("\n".join(f"- question {n}" for n in range(9)), at_most=3) == [
        "question 0",
        "question 1",
        "question 2",
    ]


ENGLISH = ["How much is the lamp?", "How much is the kettle?"]


@pytest.mark.parametrize(
    "completion",
    [
        "How much is the lamp?\nHow much is the kettle?",
        "Sure! Here are the questions\nHow much is the lamp?\nHow much is the kettle?\nLet me know if you need more.",
        "Sub-question 1: How much is the lamp?\nSub-question 2: How much is the kettle?",
        "1) How much is the lamp? 2) How much is the kettle?",
        "Variant 1: How much is the lamp?\n\nVariant 2: How much is the kettle?",
        "+ How much is the lamp?\n+ How much is the kettle?",
        "How much is the lamp?\nHOW MUCH IS THE LAMP\nHow much is the kettle?",
        "```python\nquestions = ['How much is the lamp?', 'How much is the kettle?']\n```\nHope this helps!",
        '["How much is the lamp?", "How much is the kettle?", "How mu',
    ],
)
def test_every_shape_gives_the_same_english_list(completion: str) -> None:
    assert read_lines(completion, at_most=4) == ENGLISH


@pytest.mark.parametrize(
    "completion", ["", " \n", "[]", "```\n```", "以下是子问题：", "<think>\n1. 灯多少钱", '["' * 4000, '["灯多少']
)
def test_nothing_to_read(completion: str) -> None:
    assert read_lines(completion, at_most=4) == []


@given(st.text() | st.text(alphabet="[]{}\"'`,:1.)（、a灯\n -*#"), st.integers(0, 4))
def test_any_completion_is_read(completion: str, at_most: int) -> None:
    lines = read_lines(completion, at_most=at_most, exclude=["a"])
    assert len(lines) <= at_most
    assert len({variant_key(line) for line in lines}) == len(lines)
    assert all(line.strip() for line in lines)
    assert "a" not in lines
