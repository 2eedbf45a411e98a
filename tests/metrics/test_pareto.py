"""The Pareto front: nothing on it is beaten, everything off it is."""

from hypothesis import given
from hypothesis import strategies as st

from metrics.pareto import pareto_front

_POINTS = st.lists(st.tuples(st.integers(0, 5).map(float), st.integers(0, 5).map(float)), max_size=12)


def test_what_is_worse_and_dearer_is_off_the_front() -> None:
    assert pareto_front([(0.5, 10.0), (0.9, 100.0), (0.4, 20.0), (0.9, 200.0)]) == [True, True, False, False]


@given(_POINTS)
def test_a_point_is_off_the_front_when_and_only_when_another_beats_it(points: list[tuple[float, float]]) -> None:
    for (quality, cost), on_front in zip(points, pareto_front(points), strict=True):
        better = [one for one in points if one[0] >= quality and one[1] <= cost and one != (quality, cost)]
        assert on_front is (not better)


@given(_POINTS)
def test_the_best_quality_at_its_lowest_cost_is_always_on_it(points: list[tuple[float, float]]) -> None:
    if points:
        best = max(points, key=lambda one: (one[0], -one[1]))
        assert pareto_front(points)[points.index(best)]
