from itertools import product
from math import ceil, comb, sqrt
from statistics import NormalDist, pvariance

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from metrics.paired import holm, mcnemar, needed_turns, permutation_p

OUTCOMES = st.lists(st.tuples(st.booleans(), st.booleans()), min_size=1, max_size=40)
# Eighths are exact in floating point; names in both scripts, so that order by name is not order of appearance.
ROWS = st.lists(
    st.tuples(st.integers(-8, 8).map(lambda eighths: eighths / 8), st.sampled_from(["甲", "乙", "c", "d", "e", "f"])),
    min_size=1,
    max_size=30,
)


def columns(rows: list[tuple[float, str]]) -> tuple[list[float], list[str]]:
    return [value for value, _ in rows], [name for _, name in rows]


@given(OUTCOMES)
def test_mcnemar_is_symmetric_and_a_probability(rows: list[tuple[bool, bool]]) -> None:
    first, second = [a for a, _ in rows], [b for _, b in rows]
    one, other = mcnemar(first, second), mcnemar(second, first)
    assert 0 < one.p <= 1
    assert (one.p, one.first_only, one.second_only) == (other.p, other.second_only, other.first_only)
    assert mcnemar(first, first).p == 1


@pytest.mark.parametrize(("first_only", "second_only"), [(1, 9), (5, 5), (0, 6), (20, 4), (0, 1)])
def test_mcnemar_is_twice_the_tail_of_a_fair_coin(first_only: int, second_only: int) -> None:
    first = [True] * first_only + [False] * second_only + [True, False]
    second = [False] * first_only + [True] * second_only + [True, False]
    n = first_only + second_only
    tail = sum(comb(n, k) for k in range(min(first_only, second_only) + 1)) / 2**n
    assert mcnemar(first, second).p == pytest.approx(min(1, 2 * tail))


def test_mcnemar_holds_for_thousands_of_turns() -> None:
    found = mcnemar([True] * 1500 + [False] * 1700, [False] * 1500 + [True] * 1700)
    # The normal approximation with continuity correction is good at this size.
    assert found.p == pytest.approx(2 * NormalDist().cdf(-199 / sqrt(3200)), rel=0.01)


@settings(max_examples=60)
@given(rows=ROWS, seed=st.integers(0, 2**32), data=st.data())
def test_a_permutation_p_is_symmetric_seeded_and_blind_to_order(
    rows: list[tuple[float, str]], seed: int, data: st.DataObject
) -> None:
    values, clusters = columns(rows)
    shuffled = columns(data.draw(st.permutations(rows)))
    for most in (10, 10_000):  # drawn, and exact
        p = permutation_p(values, clusters, seed=seed, permutations=most)
        assert 0 < p <= 1
        assert permutation_p([-value for value in values], clusters, seed=seed, permutations=most) == p
        assert permutation_p(*shuffled, seed=seed, permutations=most) == p


@given(ROWS)
def test_few_conversations_are_permuted_exactly(rows: list[tuple[float, str]]) -> None:
    values, clusters = columns(rows)
    sums = [sum(value for value, own in rows if own == name) for name in set(clusters)]
    observed = abs(sum(sums))
    flips = [abs(sum(sign * total for sign, total in zip(signs, sums, strict=True))) for signs in _signs(len(sums))]
    assert permutation_p(values, clusters, seed=0) == pytest.approx(np.mean([flip >= observed for flip in flips]))


def _signs(n: int) -> list[tuple[int, ...]]:
    return list(product((1, -1), repeat=n))


def test_many_conversations_are_drawn_and_come_close() -> None:
    values = [1.0] * 12 + [-1.0] * 4
    clusters = [str(index) for index in range(16)]
    exact = 2 * sum(comb(16, k) for k in range(5)) / 2**16
    assert permutation_p(values, clusters, seed=1, permutations=100_000) == pytest.approx(exact)
    assert permutation_p(values, clusters, seed=1, permutations=20_000) == pytest.approx(exact, rel=0.1)
    drawn = {permutation_p(values, clusters, seed=seed, permutations=500) for seed in range(8)}
    assert len(drawn) > 1


def test_a_drawn_p_is_never_zero() -> None:
    assert permutation_p([1.0] * 40, [str(index) for index in range(40)], seed=0, permutations=99) == 0.01


def test_turns_of_one_conversation_are_flipped_together() -> None:
    values = [1.0] * 20
    assert permutation_p(values, [str(index) for index in range(20)], seed=0) < 0.001
    assert permutation_p(values, ["one"] * 20, seed=0) == 1
    assert permutation_p(values, [str(index // 4) for index in range(20)], seed=0) == 2 / 2**5


def test_the_test_keeps_its_level_when_nothing_differs() -> None:
    generator, found = np.random.default_rng(3), []
    for _ in range(300):
        by_conversation = generator.normal(size=12) / 10
        values = [float(by_conversation[turn // 3]) for turn in range(36)]
        found.append(permutation_p(values, [str(turn // 3) for turn in range(36)], seed=0))
    assert 0.02 < np.mean([p < 0.05 for p in found]) < 0.09


def test_the_number_of_turns_is_the_textbook_one_where_turns_are_independent() -> None:
    values = [1.0] * 30 + [-1.0] * 20 + [0.0] * 150
    names = [str(index) for index in range(200)]
    z = NormalDist().inv_cdf(0.975) + NormalDist().inv_cdf(0.8)
    wanted = ceil(z**2 * pvariance(values) * 200 / 199 / 0.05**2)
    assert needed_turns(values, names, effect=0.05) == wanted
    assert needed_turns(values, names, effect=-0.05) == wanted


def test_turns_that_rise_and_fall_together_need_more_of_them() -> None:
    values = [float(index // 10 % 4 == 0) for index in range(400)]
    alone = needed_turns(values, [str(index) for index in range(400)], effect=0.02)
    together = needed_turns(values, [str(index // 10) for index in range(400)], effect=0.02)
    assert alone is not None
    assert together == pytest.approx(10 * alone, rel=0.03)


def test_that_many_turns_do_show_the_difference_four_times_in_five() -> None:
    generator = np.random.default_rng(5)
    pilot = generator.choice([-1.0, 0.0, 1.0], p=[0.1, 0.7, 0.2], size=400)
    needed = needed_turns(list(pilot), [str(index) for index in range(400)], effect=0.1)
    assert needed is not None
    shown = 0
    for seed in range(200):
        turns = generator.choice([-1.0, 0.0, 1.0], p=[0.1, 0.7, 0.2], size=needed)
        shown += permutation_p(list(turns), [str(index) for index in range(needed)], seed=seed, permutations=500) < 0.05
    assert 0.7 < shown / 200 < 0.9


def test_a_large_effect_still_needs_enough_conversations_for_the_test() -> None:
    values, clusters = [0.9, 1.0, 1.0, 0.9], ["a", "a", "b", "c"]
    needed = needed_turns(values, clusters, effect=0.95)
    assert needed == 8  # six conversations of four thirds of a turn: 2 / 2**6 is below 0.05, 2 / 2**5 is not


@pytest.mark.parametrize("clusters", [["a"] * 3, ["a", "b", "c"]])
def test_where_nothing_varies_no_number_is_named(clusters: list[str]) -> None:
    assert needed_turns([0.0, 0.0, 0.0], clusters, effect=0.01) is None


@given(st.lists(st.floats(0, 1), max_size=6))
def test_holm_corrects_upwards_and_keeps_the_order(values: list[float]) -> None:
    corrected = holm(values)
    assert all(before <= after <= 1 for before, after in zip(values, corrected, strict=True))
    by_p = [after for _, after in sorted(zip(values, corrected, strict=True))]
    assert by_p == sorted(by_p)


def test_holm_by_hand() -> None:
    assert holm([0.04, 0.01, 0.03]) == pytest.approx([0.06, 0.03, 0.06])
    assert holm([0.2]) == [0.2]


@pytest.mark.parametrize("bad", [([], []), ([True], [])])
def test_pairs_that_are_none_are_refused(bad: tuple[list[bool], list[bool]]) -> None:
    with pytest.raises(ValueError, match=r"no turns|expected pairs"):
        mcnemar(*bad)
    with pytest.raises(ValueError, match=r"no turns|expected pairs"):
        permutation_p([float(one) for one in bad[0]], [str(one) for one in bad[1]], seed=0)


def test_an_effect_of_nothing_is_refused() -> None:
    with pytest.raises(ValueError, match="effect 0"):
        needed_turns([0.1, 0.2], ["a", "b"], effect=0)
