import pytest
from hypothesis import given
from hypothesis import strategies as st

from program.guard.quantities import numbers, quantities


@pytest.mark.parametrize(
    ("text", "value", "unit"),
    [
        ("3 天", "3", "day"),
        ("３天", "3", "day"),
        ("三天", "3", "day"),
        ("3 days", "3", "day"),
        ("three-day trip", "3", "day"),
        ("一周", "1", "week"),
        ("两个星期", "2", "week"),
        ("二十一个月", "21", "month"),
        ("3月", "3", None),  # a month's name, not three months
        ("一百零五公里", "105", "kilometre"),
        ("一千二百元", "1200", "yuan"),
        ("两千五百块钱", "2500", "yuan"),
        ("一百二十三万四千人", "1234000", "person"),
        ("二〇一九年", "2019", "year"),
        ("210万", "2100000", None),
        ("2.1 million people", "2100000", "person"),
        ("twenty-five minutes", "25", "minute"),
        ("百分之十", "10", "percent"),
        ("10%", "10", "percent"),
        ("1,250,000", "1250000", None),
        ("10：30", "10:30", None),
        ("2.50", "2.5", None),
        ("K3", "3", None),
        ("四个孩子", "4", None),
    ],
)
def test_what_is_counted(text: str, value: str, unit: str | None) -> None:
    assert [(one.value, one.unit) for one in quantities(text)] == [(value, unit)]


@pytest.mark.parametrize(
    "text",
    [
        "等一下",
        "一位客人",
        "哪一款",
        "这三个哪个好",
        "他们两个",
        "万一下雨",
        "第三天",
        "四周都有什么",
        "the second one",
        "三亚",
        "百度",
        "",
    ],
)
def test_what_only_looks_counted(text: str) -> None:
    assert quantities(text) == []


@pytest.mark.parametrize(
    ("text", "value"),
    [("三亚", "3"), ("一万二", "12000"), ("一千五", "1500"), ("the third one", "3"), ("210万", "210")],
)
def test_every_reading_can_be_looked_up(text: str, value: str) -> None:
    assert value in {one.value for one in numbers(text)}


def _in_chinese(value: int) -> str:
    """Spell a value below 10,000 with scales."""
    digits, scales = "零一二三四五六七八九", ["千", "百", "十", ""]
    written, gap = "", False
    for digit, scale in zip(f"{value:04}", scales, strict=True):
        if digit == "0":
            gap = bool(written)
            continue
        written += ("零" if gap else "") + digits[int(digit)] + scale
        gap = False
    return written


@given(st.integers(min_value=1, max_value=9999))
def test_chinese_numerals_read_as_spelled(value: int) -> None:
    assert str(value) in {one.value for one in numbers(_in_chinese(value) + "公里")}


@given(st.text())
def test_any_text_is_read(text: str) -> None:
    assert {one.value for one in quantities(text)} <= {one.value for one in numbers(text)}
