from collections.abc import Sequence

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from metrics.interval import Interval, paired_interval
from metrics.verdict import Evidence, evidence_of, judge, verdict

SCORES = st.lists(
    st.tuples(st.sampled_from([0.0, 0.5, 1.0]), st.sampled_from([0.0, 0.5, 1.0])), min_size=1, max_size=40
)


def measured(first: Sequence[float], second: Sequence[float], metric: str = "recall@5") -> Evidence:
    """Two turns a conversation."""
    clusters = [str(index // 2) for index in range(len(first))]
    differences = [b - a for a, b in zip(first, second, strict=True)]
    return evidence_of(metric, paired_interval(first, second, clusters, seed=7), differences, clusters, seed=7)


def said(mean: float, p: float, metric: str = "recall@5", spread: float = 0.02) -> Evidence:
    interval = Interval(mean=mean, low=mean - spread, high=mean + spread, n=120)
    return Evidence(metric=metric, difference=interval, p=p, effect=max(abs(mean), 0.01), needed_n=900)


@settings(max_examples=40)
@given(SCORES)
def test_exchanging_the_systems_turns_the_verdict_round(rows: list[tuple[float, float]]) -> None:
    first, second = [a for a, _ in rows], [b for _, b in rows]
    one, other = measured(first, second), measured(second, first)
    assert one.difference.mean == -other.difference.mean
    assert one.difference.low == pytest.approx(-other.difference.high)
    assert (one.p, one.needed_n, one.effect) == (other.p, other.needed_n, other.effect)
    assert one.difference.low <= one.difference.mean + 1e-12
    assert one.difference.mean <= one.difference.high + 1e-12
    turned = {"better": "worse", "worse": "better"}
    assert judge([other]) == turned.get(judge([one]), judge([one]))


@given(SCORES)
def test_a_system_is_not_distinguishable_from_itself(rows: list[tuple[float, float]]) -> None:
    scores = [a for a, _ in rows]
    same = measured(scores, scores)
    assert same.p == 1
    found = verdict("甲", "乙", [same])
    assert found.outcome == "not_distinguishable"
    assert "乙 and 甲 are not distinguishable: recall@5 +0.000" in found.sentence
    one = len(rows) <= 2
    assert found.sentence.endswith(
        "one conversation cannot tell how many would do" if one else "all conversations say the same"
    )


def test_better_and_worse_are_said_with_their_numbers() -> None:
    better = verdict("A", "B", [said(0.1, 0.002)])
    assert better.outcome == "better"
    assert better.sentence == "B is better than A: recall@5 +0.100 (95% +0.080 to +0.120, p 0.002) on 120 turns"
    worse = verdict("A", "B", [said(-0.1, 0.00012)])
    assert worse.outcome == "worse"
    assert "B is worse than A: recall@5 -0.100" in worse.sentence
    assert "p 0.0001" in worse.sentence


def test_what_is_not_told_apart_says_how_many_turns_would() -> None:
    found = verdict("A", "B", [said(0.012, 0.3)])
    assert found.outcome == "not_distinguishable"
    assert found.sentence.endswith("on 120 turns; n ≥ 900 would be needed to tell a difference of 0.012")


def test_the_number_needed_is_more_than_what_was_not_enough() -> None:
    found = verdict("A", "B", [said(0.012, 0.3).model_copy(update={"needed_n": 80})])
    assert "n ≥ 121 would be needed" in found.sentence


@pytest.mark.parametrize(
    ("p", "spread"), [(0.06, 0.02), (0.001, 0.2)], ids=["only the interval speaks", "only the test speaks"]
)
def test_both_the_test_and_the_interval_must_speak(p: float, spread: float) -> None:
    assert judge([said(0.1, p, spread=spread)]) == "not_distinguishable"


@pytest.mark.parametrize("second", ["B", "新的"])
@pytest.mark.parametrize("beside_the_first", [0.3, -0.3], ids=["better than A", "worse than A"])
def test_what_is_worse_than_the_original_goes_offline(second: str, beside_the_first: float) -> None:
    than_original = {second: [said(-0.05, 0.001)], "C": [said(-0.5, 0.001)], "A": [said(0.1, 0.001)]}
    found = verdict("A", second, [said(beside_the_first, 0.001)], than_original=than_original)
    assert found.outcome == "take_offline"
    assert found.sentence == (
        f"take {second} offline: it is worse than the original query (recall@5 -0.050 (95% -0.070 to -0.030, p 0.001))"
    )


def test_a_first_system_that_is_worse_than_the_original_is_named_too() -> None:
    than_original = {"A": [said(-0.2, 0.001)]}
    better = verdict("A", "B", [said(0.2, 0.001)], than_original=than_original)
    assert better.outcome == "better"
    assert better.sentence.endswith("; take A offline, it is worse than the original query")
    both = verdict("A", "B", [said(0.1, 0.2)], than_original=than_original | {"B": [said(-0.1, 0.001)]})
    assert both.outcome == "take_offline"
    assert both.sentence.endswith("; so is A")


def test_not_worse_for_certain_than_the_original_stays() -> None:
    found = verdict("A", "B", [said(0.1, 0.001)], than_original={"B": [said(-0.01, 0.4)]})
    assert found.outcome == "better"
    assert "offline" not in found.sentence


@pytest.mark.parametrize(
    ("answers", "outcome"),
    [((0.1, 0.001), "better"), ((-0.1, 0.001), "mixed"), ((-0.1, 0.4), "better"), ((0.0, 1.0), "better")],
)
def test_a_second_metric_has_a_say(answers: tuple[float, float], outcome: str) -> None:
    found = verdict("A", "B", [said(0.1, 0.001), said(*answers, metric="answers")])
    assert found.outcome == outcome
    if outcome == "mixed":
        assert "B is better than A in recall@5 +0.100" in found.sentence
        assert "and worse in answers -0.100" in found.sentence


def test_a_second_metric_decides_where_the_first_is_silent() -> None:
    found = verdict("A", "B", [said(0.0, 1.0), said(0.2, 0.001, metric="answers")])
    assert found.outcome == "better"
    assert "recall" not in found.sentence


def test_five_conversations_are_never_enough() -> None:
    found = verdict("A", "B", [measured([0.0] * 10, [1.0] * 10)])
    assert found.outcome == "not_distinguishable"


@pytest.mark.parametrize("broken", ["A", "B"])
def test_a_run_that_broke_gives_no_verdict(broken: str) -> None:
    than_original = {"B": [said(-0.2, 0.001)]}
    failures = {broken: "could not search", "C": "could not search"}
    found = verdict("A", "B", [said(-0.3, 0.001)], than_original=than_original, failures=failures)
    assert found.outcome == "no_verdict"
    assert found.sentence == f"no verdict on B and A: {broken} could not search"


def test_no_evidence_is_refused() -> None:
    with pytest.raises(ValueError, match="no evidence"):
        verdict("A", "B", [])
