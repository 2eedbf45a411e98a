import pytest
from hypothesis import given
from hypothesis import strategies as st

from program.gate.arithmetic import arithmetic


@pytest.mark.parametrize(
    "query",
    [
        "3+5",
        "3+5 等于多少",
        "３＋５＝？",
        "what is 12% of 80?",
        "3 乘以 7",
        "帮我算一下128*45",
        "一百二十除以八等于几",
        "80的百分之十二是多少",
        "(12+8)÷4=?",
        "seven times eight",
        "What's 1,250 + 380?",
        "square root of 144",
        "2的10次方",
        "100 - 37",
        "what is 500-100?",
        "100元加50元是多少",
        "3和5的和是多少",
        "3+5等于8吗",
        "你好，1+1等于几",
    ],
)
def test_sums(query: str) -> None:
    assert arithmetic(query) == "yes"


@pytest.mark.parametrize(
    "query",
    [
        "3+5 套餐多少钱",
        "100 元的套餐加 50 元的流量一共多少",
        "24/7",
        "what is 24/7?",
        "24/7 support",
        "2024-01-15",
        "2024-01-15 是什么",
        "15/01/2024",
        "what is 2024-11-15?",
        "15/11/2024 是什么",
        "192.168.0.1",
        "400-820-8820",
        "what is 1-800-555-1147?",
        "555-0199",
        "WF-1000XM4",
        "version 3.11",
        "3.11",
        "一加 12",
        "C++11",
        "20% off",
        "16 平方",
        "how much is 2 x 500 GB",
        "calculate my refund",
        "算一下运费",
        "5",
        "加",
        "",
    ],
)
def test_other_uses_of_numbers_and_signs(query: str) -> None:
    assert arithmetic(query) == "no"


@pytest.mark.parametrize(
    "query", ["10-20", "100-37", "1/2", "4x4", "1920*1080", "1920x1080", "30*40*50", "(202)-555-1147"]
)
def test_signs_that_may_be_operators(query: str) -> None:
    assert arithmetic(query) == "maybe"


@given(st.text(alphabet="0123456789.,+-*/×x÷^%()= 加减乘除以百一的是多少 ofplustimes"))
def test_any_text_of_signs_is_read(query: str) -> None:
    assert arithmetic(query) in ("yes", "maybe", "no")


@given(
    st.integers(0, 10**6),
    st.sampled_from(["+", " + ", "加", " plus ", " times ", "乘以", "÷", "除以"]),
    st.integers(1, 10**6),
)
def test_every_sum_with_a_clear_operator_is_one(left: int, operator: str, right: int) -> None:
    assert arithmetic(f"{left}{operator}{right}") == "yes"
