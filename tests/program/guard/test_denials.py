import pytest

from program.guard.denials import keeps_negation, negates


@pytest.mark.parametrize(
    "text",
    [
        "哪些不含早餐",
        "没有发票能报吗",
        "非会员怎么买",
        "除了周末",
        "打不开",
        "which ones are not included",
        "without a visa",
        "anything except fish",
        "I can't log in",
    ],
)
def test_negates(text: str) -> None:
    assert negates(text)


@pytest.mark.parametrize(
    "text",
    ["能不能退", "有没有现货", "喜不喜欢都行吗", "到了没", "要钱不？", "在不, 问个事", "难道不收费",
     "不是免费吗", "特别便宜吗", "没关系，多少钱", "识别率多高",
     "看不了电视的那个多少钱", "Isn't it free?", "So doesn’t it rain?", "no problem, how much", "No. 5 bus",
     "the one without a lid", "note the northern knot"],
)  # fmt: skip
def test_only_looks_negative(text: str) -> None:
    assert not negates(text)


@pytest.mark.parametrize(
    "text",
    ["无法登录", "登录失败", "怎么取消续费", "Login error", "stop the subscription", "does not include breakfast"],
)
def test_keeps_a_negation(text: str) -> None:
    assert keeps_negation(text)


@pytest.mark.parametrize(
    "text", ["有没有早餐", "出差住哪里", "Which rooms include breakfast?", "Is there a university?"]
)
def test_keeps_none(text: str) -> None:
    assert not keeps_negation(text)
