"""Confidence intervals that respect conversations.

Turns of one conversation are not independent: one hard topic makes them all fail. Drawing turns one by one would make
intervals too narrow, so whole conversations are drawn with replacement (the cluster bootstrap: Davison and Hinkley,
"Bootstrap Methods and their Application", 1997, section 3.8; Field and Welsh, "Bootstrapping clustered data", JRSS B
69(3), 2007). Below some twenty conversations such intervals still tend to be too narrow.
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from data.records import Record


class Interval(Record):
    """A mean over ``n`` turns and its bootstrap interval."""

    mean: float
    low: float
    high: float
    n: int


def bootstrap_interval(
    values: Sequence[float],
    clusters: Sequence[str],
    *,
    seed: int,
    resamples: int = 1000,
    level: float = 0.95,
    bounds: tuple[float, float] = (0.0, 1.0),
) -> Interval:
    """Return the mean of ``values`` with a percentile interval from resampled clusters.

    Every resample draws as many clusters as there are, with replacement, and takes the mean of all turns in them.

    Args:
        values: One number a turn.
        clusters: The conversation of each value, same length. With one conversation nothing is known of the spread
            between conversations: the interval is then ``bounds``, the widest there is.
        seed: Of the numpy generator; the same input in any order gives the same interval.
        resamples: How many; 1000 is the usual choice for percentile intervals (Efron and Tibshirani, "An Introduction
            to the Bootstrap", 1993, section 14.3).
        level: Coverage aimed at, above 0 and below 1.
        bounds: Lowest and highest value there can be.

    Raises:
        ValueError: No values, lengths that differ, values outside ``bounds`` (NaN included), ``level`` not inside 0
            to 1, or ``resamples`` below 1.
    """
    if len(values) != len(clusters):
        raise ValueError(f"{len(values)} values and {len(clusters)} clusters: expected one cluster a value")
    if not values:
        raise ValueError("no values: an interval needs at least one")
    if not all(bounds[0] <= value <= bounds[1] for value in values):
        raise ValueError(f"values from {min(values)} to {max(values)}: expected {bounds[0]} to {bounds[1]}")
    if not 0 < level < 1 or resamples < 1:
        raise ValueError(f"level {level} and {resamples} resamples: expected a level inside 0 to 1, 1 resample or more")
    sums, counts = _per_cluster(values, clusters)
    mean = float(sums.sum() / counts.sum())
    if len(counts) == 1:
        return Interval(mean=mean, low=bounds[0], high=bounds[1], n=len(values))
    drawn = np.random.default_rng(seed).integers(len(counts), size=(resamples, len(counts)))
    means = sums[drawn].sum(axis=1) / counts[drawn].sum(axis=1)
    low, high = np.quantile(means, [(1 - level) / 2, (1 + level) / 2])
    return Interval(mean=mean, low=float(low), high=float(high), n=len(values))


def paired_interval(
    original: Sequence[float],
    program: Sequence[float],
    clusters: Sequence[str],
    *,
    seed: int,
    resamples: int = 1000,
    level: float = 0.95,
) -> Interval:
    """Return the mean of ``program`` less ``original``, turn by turn, with its interval: -1 to 1, positive is better.

    Args:
        original: A score from 0 to 1 for each turn.
        program: The other score of the same turns, in the same order.
        clusters: The conversation of each pair; with one conversation the interval is -1 to 1.
        seed: Of the numpy generator.
        resamples: How many.
        level: Coverage aimed at, above 0 and below 1.

    Raises:
        ValueError: Lengths that differ, and whatever ``bootstrap_interval`` refuses.
    """
    if len(original) != len(program):
        raise ValueError(f"{len(original)} values of the original and {len(program)} of the program: expected pairs")
    differences = [after - before for before, after in zip(original, program, strict=True)]
    return bootstrap_interval(differences, clusters, seed=seed, resamples=resamples, level=level, bounds=(-1.0, 1.0))


def _per_cluster(values: Sequence[float], clusters: Sequence[str]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Sum and number of values of each cluster, by cluster name.

    Sorted before they are summed: floating-point sums depend on order, and the result must not.
    """
    pairs = sorted(zip(clusters, values, strict=True))
    place = {name: index for index, name in enumerate(dict.fromkeys(name for name, _ in pairs))}
    index = np.array([place[name] for name, _ in pairs])
    sums = np.bincount(index, weights=[value for _, value in pairs])
    return sums.astype(np.float64), np.bincount(index).astype(np.float64)
