"""Which of several candidates nobody needs to consider: those that another one beats in quality and in cost."""

from collections.abc import Sequence


def pareto_front(points: Sequence[tuple[float, float]]) -> list[bool]:
    """Return for each point whether it is on the front.

    A point is off the front when another one is at least as good in both and better in one. Points that are equal in both stay together.

    Args:
        points: (quality, cost) each; more of the first and less of the second is better.
    """

    def beaten(point: tuple[float, float]) -> bool:
        quality, cost = point
        return any(other != point and other[0] >= quality and other[1] <= cost for other in points)

    return [not beaten(point) for point in points]
