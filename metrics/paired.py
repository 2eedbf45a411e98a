"""Whether two systems differ on the same turns, or only seem to: exact tests, and how many turns a test needs.

Turns of one conversation stand and fall together (see ``metrics.interval``), so the permutation test and the number of turns go by
conversation. McNemar's test takes turns one by one, as it is always reported; where conversations are long its p is too small.
"""

import math
from collections import defaultdict
from collections.abc import Sequence
from statistics import NormalDist

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from data.records import Record

_BATCH = 1000


class McNemar(Record):
    """Turns on which one system alone succeeds, and what chance would say to that."""

    first_only: int = Field(ge=0)
    second_only: int = Field(ge=0)
    p: float = Field(ge=0, le=1)


def mcnemar(first: Sequence[bool], second: Sequence[bool]) -> McNemar:
    """Return the exact two-sided test of two systems' success on the same turns.

    Under the null hypothesis the turns on which they disagree fall to either side like a fair coin: p is twice the binomial tail of the
    smaller side, 1 at most (McNemar, Psychometrika 12, 1947; exact form: Edwards, Psychometrika 13, 1948; Dietterich, "Approximate
    Statistical Tests for Comparing Supervised Classification Learning Algorithms", Neural Computation 10(7), 1998). No disagreement gives 1.

    Raises:
        ValueError: Different lengths, or no turns.
    """
    _check_pairs(len(first), len(second))
    first_only = sum(a and not b for a, b in zip(first, second, strict=True))
    second_only = sum(b and not a for a, b in zip(first, second, strict=True))
    n, term, tail = first_only + second_only, 1, 0
    for successes in range(min(first_only, second_only) + 1):
        tail += term
        term = term * (n - successes) // (successes + 1)
    return McNemar(first_only=first_only, second_only=second_only, p=min(1.0, 2 * tail / 2**n))


def permutation_p(
    differences: Sequence[float], clusters: Sequence[str], *, seed: int, permutations: int = 10_000
) -> float:
    """Return the two-sided p of the mean difference, above 0 and at most 1, by flipping the signs of whole conversations.

    If the systems are alike, either could have been called the first in each conversation: the sum of a conversation's differences could
    as well have had the other sign. p is the share of all flips whose total is at least as far from 0 as the observed one (Fisher, "The
    Design of Experiments", 1935, section 21; Smucker, Allan and Carterette, "A Comparison of Statistical Significance Tests for Information
    Retrieval Evaluation", CIKM 2007). All flips are tried where there are at most ``permutations`` of them; else that many are drawn and the
    observed one is counted among them, so that p is never 0 (Phipson and Smyth, "Permutation P-values Should Never Be Zero", 2010).

    With five conversations that differ, or fewer, p cannot fall below 0.05.

    Args:
        differences: Second system less first, one a turn.
        clusters: The conversation of each turn.
        seed: Of the numpy generator; the same input in any order gives the same p.
        permutations: Most flips looked at.

    Raises:
        ValueError: Different lengths, no turns, or ``permutations`` below 1.
    """
    _check_pairs(len(differences), len(clusters))
    if permutations < 1:
        raise ValueError(f"{permutations} permutations: expected 1 or more")
    # A conversation that sums to 0 is the same either way.
    sums = np.array([total for total, _ in _per_cluster(differences, clusters) if total])
    if not len(sums):
        return 1.0
    # Flips that equal the observed one up to rounding count as equal.
    least = abs(math.fsum(sums)) - 1e-9 * float(np.abs(sums).sum())
    if 2 ** len(sums) <= permutations:
        places = np.arange(2 ** len(sums))[:, None] >> np.arange(len(sums)) & 1
        return float(np.mean(_totals(places, sums) >= least))
    generator, reached = np.random.default_rng(seed), 0
    for start in range(0, permutations, _BATCH):
        size = (min(_BATCH, permutations - start), len(sums))
        reached += int(np.sum(_totals(generator.integers(2, size=size), sums) >= least))
    return (reached + 1) / (permutations + 1)


def needed_turns(
    differences: Sequence[float],
    clusters: Sequence[str],
    *,
    effect: float,
    level: float = 0.05,
    power: float = 0.8,
) -> int | None:
    """Return how many turns would show a mean difference of ``effect`` with probability ``power``, conversations being like these.

    The number of conversations for a two-sided test of a mean is ((z(1 - level/2) + z(power)) · s / effect)², s² being the variance of a
    conversation's contribution to the mean: its sum less its number of turns times the mean, over the mean number of turns (normal
    approximation; Cochran, "Sampling Techniques", 1977, on clusters of unequal sizes; why to look at power at all: Card et al., "With
    Little Power Comes Great Responsibility", EMNLP 2020). It is never less than what lets ``permutation_p`` reach ``level``. An estimate
    from few conversations is rough: read it as an order of magnitude.

    Args:
        differences: Observed, one a turn.
        clusters: The conversation of each turn.
        effect: The mean difference to be found, either sign, not 0.
        level: Of the test, inside 0 to 1.
        power: Wanted, inside 0 to 1.

    Returns:
        ``None`` where nothing varies between conversations, or there is but one: then there is nothing to reckon from.

    Raises:
        ValueError: Different lengths, no turns, ``effect`` 0, or ``level`` or ``power`` not inside 0 to 1.
    """
    _check_pairs(len(differences), len(clusters))
    if not effect or not 0 < level < 1 or not 0 < power < 1:
        raise ValueError(f"effect {effect}, level {level}, power {power}: expected no 0, and shares inside 0 to 1")
    rows = _per_cluster(differences, clusters)
    if len(rows) == 1:
        return None
    mean = math.fsum(total for total, _ in rows) / len(differences)
    turns_each = len(differences) / len(rows)
    variance = math.fsum(((total - mean * count) / turns_each) ** 2 for total, count in rows) / (len(rows) - 1)
    if variance < 1e-18:
        return None
    z = NormalDist().inv_cdf(1 - level / 2) + NormalDist().inv_cdf(power)
    conversations = max(z**2 * variance / effect**2, math.ceil(1 - math.log2(level)))
    return math.ceil(conversations * turns_each)


def holm(p_values: Sequence[float]) -> list[float]:
    """Return the p-values corrected for there being several, in the same order (Holm, Scandinavian Journal of Statistics 6, 1979).

    The smallest counts as many times as there are values, the next one time less, and none gets below a smaller one's.
    """
    corrected, least = [0.0] * len(p_values), 0.0
    for place, index in enumerate(sorted(range(len(p_values)), key=lambda index: p_values[index])):
        least = max(least, min(1.0, (len(p_values) - place) * p_values[index]))
        corrected[index] = least
    return corrected


def _totals(places: NDArray[np.int64], sums: NDArray[np.float64]) -> NDArray[np.float64]:
    """The size of the total for each row of flips; 1 in ``places`` flips a sign."""
    totals: NDArray[np.float64] = np.abs((1 - 2 * places) @ sums)
    return totals


def _per_cluster(values: Sequence[float], clusters: Sequence[str]) -> list[tuple[float, int]]:
    """Sum and number of values of each cluster, by cluster name; exact sums, so that the order of turns plays no part."""
    members: dict[str, list[float]] = defaultdict(list)
    for name, value in zip(clusters, values, strict=True):
        members[name].append(value)
    return [(math.fsum(members[name]), len(members[name])) for name in sorted(members)]


def _check_pairs(first: int, second: int) -> None:
    if first != second:
        raise ValueError(f"{first} values and {second} beside them: expected pairs")
    if not first:
        raise ValueError("no turns to compare")
