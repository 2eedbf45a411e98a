"""One sentence about two systems: better, worse, not distinguishable, or to be taken offline."""

from collections.abc import Mapping, Sequence
from typing import Literal

from pydantic import Field

from data.records import Record
from metrics.interval import Interval
from metrics.paired import needed_turns, permutation_p

Outcome = Literal["better", "worse", "mixed", "not_distinguishable", "take_offline", "no_verdict"]

LEAST_EFFECT = 0.01
"""Nobody chooses between systems for less: the number of turns that would be needed is never reckoned for a smaller difference."""


class Evidence(Record):
    """What one metric says about a second system beside a first."""

    metric: str
    difference: Interval
    """Second less first; above 0 the second is better."""
    p: float = Field(ge=0, le=1)
    """Two-sided; corrected, where several systems are compared."""
    effect: float = Field(gt=0)
    """The size of difference that ``needed_n`` speaks of."""
    needed_n: int | None
    """Turns that would show a difference of that size four times in five; ``None`` where nothing varies."""


class Verdict(Record):
    """About the second of two systems."""

    outcome: Outcome
    sentence: str


def evidence_of(
    metric: str, difference: Interval, differences: Sequence[float], clusters: Sequence[str], *, seed: int
) -> Evidence:
    """Gather what a metric says.

    Args:
        metric: Its name, as it shall stand in the sentence.
        difference: Mean and interval of ``differences``.
        differences: Second system less first, one a turn, -1 to 1.
        clusters: The conversation of each turn.
        seed: Of the permutation test.

    Raises:
        ValueError: Different lengths, or no turns.
    """
    effect = max(abs(difference.mean), LEAST_EFFECT)
    return Evidence(
        metric=metric,
        difference=difference,
        p=permutation_p(differences, clusters, seed=seed),
        effect=effect,
        needed_n=needed_turns(differences, clusters, effect=effect),
    )


def judge(evidence: Sequence[Evidence], level: float = 0.05) -> Outcome:
    """Return what all metrics together say; never ``take_offline`` or ``no_verdict``.

    A metric speaks where p is below ``level`` *and* the interval leaves out 0: one of them alone is too easily had with few conversations.
    One that speaks is enough; two that disagree are ``mixed``.

    Raises:
        ValueError: No evidence.
    """
    if not evidence:
        raise ValueError("no evidence to judge by")
    found = {one.difference.mean > 0 for one in evidence if _speaks(one, level)}
    if len(found) == 2:
        return "mixed"
    return "not_distinguishable" if not found else "better" if found == {True} else "worse"


def verdict(
    first: str,
    second: str,
    evidence: Sequence[Evidence],
    *,
    than_original: Mapping[str, Sequence[Evidence]] | None = None,
    failures: Mapping[str, str] | None = None,
    level: float = 0.05,
) -> Verdict:
    """Return what to do with ``second``, where ``first`` is what there is.

    Args:
        first: Name of the one.
        second: Name of the other.
        evidence: One entry a metric, the most important first.
        than_original: The same for systems beside the original query, by name. A second system that is worse than the original is to be
            taken offline, however it stands to the first; a first one is named as well.
        failures: What broke while systems ran (a model or an engine that did not answer), by name: numbers of such a run say nothing about
            the system, so that there is ``no_verdict`` on either of the two.
        level: Of significance.

    Raises:
        ValueError: No evidence.
    """
    outcome = judge(evidence, level)
    broken = [f"{name} {what}" for name, what in (failures or {}).items() if name in (first, second)]
    if broken:
        return Verdict(outcome="no_verdict", sentence=f"no verdict on {second} and {first}: {'; '.join(broken)}")
    worse = {
        name: of_original
        for name, of_original in (than_original or {}).items()
        if name in (first, second) and judge(of_original, level) == "worse"
    }
    if second in worse:
        too = f"; so is {first}" if first in worse else ""
        told = f"take {second} offline: it is worse than the original query ({_numbers(worse[second])}){too}"
        return Verdict(outcome="take_offline", sentence=told)
    too = f"; take {first} offline, it is worse than the original query" if first in worse else ""
    return Verdict(outcome=outcome, sentence=_sentence(first, second, outcome, evidence, level) + too)


def _sentence(first: str, second: str, outcome: Outcome, evidence: Sequence[Evidence], level: float) -> str:
    n = evidence[0].difference.n
    if outcome == "mixed":
        better = [one for one in evidence if _speaks(one, level) and one.difference.mean > 0]
        worse = [one for one in evidence if _speaks(one, level) and one.difference.mean < 0]
        return f"{second} is better than {first} in {_numbers(better)} and worse in {_numbers(worse)}, on {n} turns"
    if outcome != "not_distinguishable":
        spoken = [one for one in evidence if _speaks(one, level)]
        return f"{second} is {outcome} than {first}: {_numbers(spoken)} on {n} turns"
    told = f"{second} and {first} are not distinguishable: {_numbers(evidence)} on {n} turns"
    lead = evidence[0]
    if lead.needed_n is None:
        alike = lead.difference.low == lead.difference.high
        return (
            f"{told}; {'all conversations say the same' if alike else 'one conversation cannot tell how many would do'}"
        )
    # What was measured was not enough, whatever the approximation says.
    needed = max(lead.needed_n, n + 1)
    return f"{told}; n ≥ {needed} would be needed to tell a difference of {lead.effect:.3f}"


def _speaks(one: Evidence, level: float) -> bool:
    return one.p < level and (one.difference.low > 0 or one.difference.high < 0)


def _numbers(evidence: Sequence[Evidence]) -> str:
    return " and ".join(_number(one) for one in evidence)


def _number(one: Evidence) -> str:
    gap, digits = one.difference, 4 if one.p < 0.001 else 3
    return f"{one.metric} {gap.mean:+.3f} (95% {gap.low:+.3f} to {gap.high:+.3f}, p {one.p:.{digits}f})"
