from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from program.fusion.confidence import GUARDED, agreement, confidence, gap, sure_of
from program.fusion.fuse_strategies import Ballot, Ranking
from program.result import Kind, Query
from program.rules.resolution import Resolution


def ranking(*scores: float, start: str = "a", is_vector: bool = False) -> Ranking:
    found = tuple((chr(ord(start) + place), score) for place, score in enumerate(scores))
    return Ranking(is_vector=is_vector, share=0.5, found=found)


def ballot(kind: Kind, *rankings: Ranking, weight: float = 1.0, text: str = "") -> Ballot:
    return Ballot(Query(text=text or kind, kind=kind, weight=weight), rankings)


PEAK, FLAT = (9.0, 1.0, 1.0, 1.0), (9.0, 8.9, 8.8, 8.7)


def test_without_a_rewrite_there_is_nothing_to_trust() -> None:
    assert confidence([], 1.0) is None
    assert confidence([ballot("original", ranking(*PEAK)), ballot("step_back", ranking(*PEAK))], 1.0) is None


def test_by_hand() -> None:
    lists = [ballot("original", ranking(*PEAK)), ballot("rules", ranking(*PEAK))]
    # 0.6 * 0.5 + 0.2 * 1 + 0.2 * 0.5: the same lists agree fully and have the same shape.
    assert confidence(lists, 0.5) == pytest.approx(0.6)
    assert confidence(lists, None) == pytest.approx(0.75)


def test_each_sign_counts() -> None:
    def trust(sure: float, scores: tuple[float, ...], start: str) -> float:
        value = confidence([ballot("original", ranking(*PEAK)), ballot("rewrite", ranking(*scores, start=start))], sure)
        assert value is not None
        return value

    assert trust(0.9, PEAK, "a") > trust(0.3, PEAK, "a")
    assert trust(0.9, PEAK, "a") > trust(0.9, PEAK, "p")
    assert trust(0.9, PEAK, "a") > trust(0.9, FLAT, "a")


def test_an_original_that_found_nothing_neither_agrees_nor_has_a_shape() -> None:
    assert confidence([ballot("rules", ranking(*PEAK))], 0.5) == pytest.approx(0.6 * 0.5 + 0.2 * 1.0)


def test_the_rewrite_that_counts_most_is_the_one_judged() -> None:
    own, good, bad = (ballot("original", ranking(*PEAK)), ranking(*PEAK), ranking(*PEAK, start="p"))
    led_by_good = [own, ballot("rewrite", good), ballot("rules", bad, weight=0.5)]
    led_by_bad = [own, ballot("rewrite", bad), ballot("rules", good, weight=0.5)]
    assert confidence(led_by_good, 0.5) > confidence(led_by_bad, 0.5)


@pytest.mark.parametrize(
    ("one", "other", "expected"),
    [("abcde", "abcde", 1.0), ("abcde", "vwxyz", 0.0), ("", "abc", 0.0), ("a", "a", 1.0), ("", "", 0.0)],
)
def test_agreement(one: str, other: str, expected: float) -> None:
    assert agreement(one, other) == pytest.approx(expected)


def test_agreement_by_hand() -> None:
    # The same two passages, turned around: overlap 1; rank-biased (1 * 0 + 0.9 * 1) / (1 + 0.9).
    assert agreement("ab", "ba") == pytest.approx((1 + 0.9 / 1.9) / 2)


def test_agreement_weighs_the_top() -> None:
    assert agreement("abcdef", "abcxyz") > agreement("abcdef", "xyzabc") > agreement("abcdef", "uvwxya")


def test_gap_is_relative_to_the_floor_of_cosines() -> None:
    assert gap(ranking(8, 4, 2)) == pytest.approx(0.5)
    assert gap(ranking(0.9, 0.85, 0.8, is_vector=True)) == pytest.approx(0.5)
    assert gap(ranking(5, 5, 5)) == gap(ranking(0.9, is_vector=True)) == 0.0


def test_the_guards_vouch_for_the_model_and_the_rules_for_themselves() -> None:
    resolution = Resolution(confidence=0.4, needs_lm=True, reason="pronoun")
    assert sure_of(resolution, by_model=True) == GUARDED
    assert sure_of(resolution, by_model=False) == 0.4


rankings = st.builds(
    lambda scores, is_vector, start: ranking(*sorted(scores, reverse=True), is_vector=is_vector, start=start),
    st.lists(st.floats(0, 40, width=16), min_size=1, max_size=8),
    st.booleans(),
    st.sampled_from("adgm"),
)
ballots = st.lists(
    st.tuples(st.sampled_from(["original", "rewrite", "rules", "hyde"]), rankings, st.sampled_from([0.3, 1.0])),
    max_size=4,
    unique_by=lambda one: one[0],
).map(lambda rows: [ballot(kind, one, weight=weight) for kind, one, weight in rows])


@given(ballots, st.none() | st.floats(0, 1), st.integers(0, 5))
def test_trust_is_a_share_and_blind_to_order(given_ballots, sure, seed) -> None:
    trust = confidence(given_ballots, sure)
    assert trust is None or 0 <= trust <= 1
    assert confidence(Random(seed).sample(given_ballots, len(given_ballots)), sure) == trust


@given(ballots, st.floats(0, 1), st.floats(0, 1))
def test_who_is_surer_is_trusted_no_less(given_ballots, one, other) -> None:
    low, high = (confidence(given_ballots, sure) for sure in sorted([one, other]))
    assert low is None or low <= high
