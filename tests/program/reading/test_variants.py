import pytest
from hypothesis import given
from hypothesis import strategies as st

from program.reading.variants import distinct_variants, variant_key


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Lamp price", "lamp  PRICE?"),
        ("灯多少钱？", "灯 多少钱"),
        ("ＡＢＣ１２３", "abc123"),
        ("暖汐 K3 台灯", "暖汐K3台灯"),
        ("灯，多少钱", "灯多少钱。"),
        ("what's the price", "whats the price"),
        ("《潮汐街》作者", "潮汐街作者"),
    ],
)
def test_the_same_query_in_other_clothes(one: str, other: str) -> None:
    assert variant_key(one) == variant_key(other)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("C++ 教程", "C# 教程"),
        ("3.5 寸", "35 寸"),
        ("比例 3:5", "比例 3.5"),
        ("5-10 人", "510 人"),
        ("-5 度能用吗", "5 度能用吗"),
        ("降价 5%", "降价 5"),
        ("10:30 出发", "1030 出发"),
        ("light house", "lighthouse"),
        ("买灯", "灯"),
    ],
)
def test_another_query(one: str, other: str) -> None:
    assert variant_key(one) != variant_key(other)


def test_more_than_asked_for_repeats_and_blanks_are_left_out() -> None:
    candidates = ["a", "A", " ", "？？", "b", "c", "B!", "d", "e", "f"]
    assert distinct_variants(candidates, at_most=3, exclude=["c"]) == ["a", "b", "d"]
    assert distinct_variants(candidates, at_most=0) == []


@given(st.lists(st.text()), st.integers(0, 5), st.lists(st.text()))
def test_distinct_capped_and_from_the_candidates(candidates: list[str], at_most: int, exclude: list[str]) -> None:
    kept = distinct_variants(candidates, at_most=at_most, exclude=exclude)
    assert len(kept) <= at_most
    keys = [variant_key(text) for text in kept]
    assert len(set(keys)) == len(keys)
    assert not set(keys) & {variant_key(text) for text in exclude}
    assert set(kept) <= {text.strip() for text in candidates}
