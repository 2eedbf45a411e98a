from math import sqrt
from statistics import fmean, pstdev

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from metrics.interval import Interval, bootstrap_interval, paired_interval

ROWS = st.lists(st.tuples(st.floats(0, 1), st.sampled_from(["甲", "乙", "c", "d"])), min_size=1, max_size=25)


def interval(rows: list[tuple[float, str]], seed: int = 0) -> Interval:
    return bootstrap_interval([value for value, _ in rows], [name for _, name in rows], seed=seed, resamples=200)


def width(found: Interval) -> float:
    return found.high - found.low


@settings(max_examples=50)
@given(rows=ROWS, seed=st.integers(0, 2**32), data=st.data())
def test_an_interval_is_ordered_bounded_and_blind_to_order(
    rows: list[tuple[float, str]], seed: int, data: st.DataObject
) -> None:
    found = interval(rows, seed)
    assert found.n == len(rows)
    assert found.mean == pytest.approx(fmean(value for value, _ in rows), abs=1e-12)
    assert 0 <= found.low <= found.high <= 1 + 1e-12
    assert interval(data.draw(st.permutations(rows)), seed) == found


def test_independent_turns_give_the_textbook_width() -> None:
    values = [float(index % 4 == 0) for index in range(400)]
    found = bootstrap_interval(values, [str(index) for index in range(400)], seed=7, resamples=4000)
    assert width(found) == pytest.approx(2 * 1.96 * pstdev(values) / sqrt(400), rel=0.05)
    assert found.low < 0.25 < found.high


def test_turns_that_rise_and_fall_together_count_as_one() -> None:
    values = [float(index // 10 % 4 == 0) for index in range(400)]
    as_one = bootstrap_interval(values, [str(index // 10) for index in range(400)], seed=7)
    as_many = bootstrap_interval(values, [str(index) for index in range(400)], seed=7)
    assert width(as_one) == pytest.approx(sqrt(10) * width(as_many), rel=0.15)


def test_long_conversations_weigh_by_their_turns() -> None:
    # Draws of two conversations: both long, one each, both short; their means are 1, 9/10 and 0.
    values, clusters = [1.0] * 9 + [0.0], ["long"] * 9 + ["short"]
    middle = bootstrap_interval(values, clusters, seed=0, level=0.2)
    assert (middle.low, middle.high) == (0.9, 0.9)
    assert middle.mean == 0.9


def test_a_higher_level_is_wider() -> None:
    values, clusters = [index % 7 / 6 for index in range(70)], [str(index // 2) for index in range(70)]
    narrow = bootstrap_interval(values, clusters, seed=0, level=0.5)
    wide = bootstrap_interval(values, clusters, seed=0, level=0.99)
    assert wide.low < narrow.low < narrow.high < wide.high


def test_the_seed_decides() -> None:
    values, clusters = [index % 7 / 6 for index in range(70)], [str(index) for index in range(70)]
    assert bootstrap_interval(values, clusters, seed=1) != bootstrap_interval(values, clusters, seed=2)


@pytest.mark.parametrize("values", [[0.5], [0.0, 1.0]])
def test_one_conversation_tells_nothing_of_the_spread(values: list[float]) -> None:
    clusters = ["a"] * len(values)
    found = bootstrap_interval(values, clusters, seed=0)
    assert found == Interval(mean=0.5, low=0.0, high=1.0, n=len(values))
    paired = paired_interval(values, values, clusters, seed=0)
    assert paired == Interval(mean=0.0, low=-1.0, high=1.0, n=len(values))


def test_a_pair_is_drawn_together() -> None:
    original = [index % 5 / 10 for index in range(50)]
    program = [value + 0.5 for value in original]
    found = paired_interval(original, program, [str(index) for index in range(50)], seed=0)
    assert (found.mean, found.low, found.high) == pytest.approx((0.5, 0.5, 0.5))
    worse = paired_interval(program, original, [str(index) for index in range(50)], seed=0)
    assert worse.high == pytest.approx(-0.5)


@pytest.mark.parametrize(
    ("values", "clusters", "options", "message"),
    [
        ([], [], {}, "no values"),
        ([1.0], ["a", "b"], {}, "one cluster a value"),
        ([0.5, 1.2], ["a", "b"], {}, "expected 0.0 to 1.0"),
        ([0.5, float("nan")], ["a", "b"], {}, "expected 0.0 to 1.0"),
        ([0.5], ["a"], {"level": 95}, "level 95"),
        ([0.5], ["a"], {"resamples": 0}, "0 resamples"),
    ],
)
def test_what_cannot_be_resampled(
    values: list[float], clusters: list[str], options: dict[str, int], message: str
) -> None:
    with pytest.raises(ValueError, match=message):
        bootstrap_interval(values, clusters, seed=0, **options)


def test_pairs_are_needed() -> None:
    with pytest.raises(ValueError, match="expected pairs"):
        paired_interval([1.0], [1.0, 0.0], ["a"], seed=0)
