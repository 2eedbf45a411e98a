"""Systems beside each other on the same turns: what differs, how sure that is, and on which turns."""

import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence

import dspy

from data.records import Language, Record, Turn
from experiments.compare_systems import ORIGINAL, Contestant
from experiments.compare_variables import METHOD, Variable, differing
from experiments.evaluate import Evaluated, evaluate
from metrics.interval import Interval, paired_interval
from metrics.paired import McNemar, holm, mcnemar
from metrics.ranking import recall_at_k, success_at_k
from metrics.summary import GroupSummary, Summary, summarise
from metrics.verdict import Evidence, Verdict, evidence_of, verdict
from program.result import Query
from program.trace import Step

RECALL = "recall@5"
# So many turns without the part that is measured, and the number is about something else.
_MANY = 0.05
# An exception of the model's connection; an answer that cannot be used is the method's own fault and counts.
_BROKE = re.compile(r"(?!AdapterParseError)\w*(?:Error|Exception|Timeout)\b")


class Side(Record):
    """What one system did with a turn."""

    queries: tuple[Query, ...]
    ranks: dict[str, int | None]
    """The rank of each relevant passage among the hits, from 1; ``None`` where it is not among them."""
    recall_at_5: float


class Case(Record):
    """A turn on which the systems differ."""

    turn_id: str
    conversation_id: str
    turn: int
    language: Language
    phenomena: tuple[str, ...]
    query: str
    difference: float
    """Recall@5 of the second less the first."""
    first: Side
    second: Side


class GroupDifference(Record):
    """Recall@5 on some of the turns: means, and their difference with its interval. Too many groups to test each."""

    n: int
    first: float
    second: float
    difference: Interval


class Comparison(Record):
    """Two systems; all differences are the second less the first."""

    first: str
    second: str
    verdict: Verdict
    evidence: tuple[Evidence, ...]
    p_uncorrected: float
    """By permutation; ``evidence`` holds it corrected for the number of systems that are compared with the first (Holm)."""
    success_at_5: McNemar
    harm_rate: float | None
    """Share of the first system's finds that the second damaged."""
    differs: tuple[Variable, ...]
    warnings: tuple[str, ...]
    by_turn: dict[str, GroupDifference]
    by_language: dict[str, GroupDifference]
    by_phenomenon: dict[str, GroupDifference]
    wins: tuple[Case, ...]
    """Turns on which the second has the higher recall@5, the largest difference first."""
    losses: tuple[Case, ...]


class CompareResult(Record):
    """All of it. ``systems`` are in the order they were named; gain and harm are against the original query."""

    n: int
    conversations: int
    seed: int
    systems: dict[str, Summary]
    comparisons: tuple[Comparison, ...]
    """Each further system beside the first one."""
    notes: tuple[str, ...]


def run_contestants(
    contestants: Sequence[Contestant],
    turns: Sequence[Turn],
    progress: Callable[[str, int, int], None] | None = None,
) -> dict[str, list[Evaluated]]:
    """Run each system over the same turns; the retriever comes from ``dspy.context``.

    Args:
        contestants: Names must differ.
        turns: Labelled.
        progress: Receives (system, turns done, turns in all).
    """
    found = {}
    for one in contestants:

        def told(done: int, total: int, name: str = one.name) -> None:
            if progress:
                progress(name, done, total)

        with dspy.context(lm=one.lm, lms={}):
            found[one.name] = list(evaluate(one.system, turns, progress=told))
    return found


def compare(
    names: Sequence[str],
    evaluated: Mapping[str, Sequence[Evaluated]],
    *,
    seed: int,
    variables: Mapping[str, Mapping[str, str]] | None = None,
    notes: Sequence[str] = (),
) -> CompareResult:
    """Compare each further system with the first.

    Args:
        names: Two or more.
        evaluated: The same labelled turns, in the same order, by system: those of ``names`` and ``original``.
        seed: Of the intervals and the permutation tests.
        variables: What could make them differ, by system.
        notes: To be handed on with the result.

    Raises:
        ValueError: Fewer than two names, or systems that were not run on the same turns.
    """
    if len(names) < 2:
        raise ValueError(f"{len(names)} systems: expected two or more")
    base, *others = names
    known = variables or {}
    than_base = {name: _evidence(evaluated[base], evaluated[name], seed) for name in others}
    than_original = {
        name: [_evidence(evaluated[ORIGINAL], evaluated[name], seed)] for name in names if name != ORIGINAL
    }
    corrected = holm([one.p for one in than_base.values()])
    failures = {name: what for name in names if (what := _failure(evaluated[name]))}
    comparisons = tuple(
        _comparison(
            (base, name),
            (evaluated[base], evaluated[name]),
            raw.model_copy(update={"p": p}),
            p_uncorrected=raw.p,
            than_original=than_original,
            failures=failures,
            differs=differing(known.get(base, {}), known.get(name, {})),
            # Without the names nothing is known of what differs; that is no warning.
            tell=base in known and name in known,
            seed=seed,
        )
        for (name, raw), p in zip(than_base.items(), corrected, strict=True)
    )
    original = [row.outcome for row in evaluated[ORIGINAL]]
    return CompareResult(
        n=len(original),
        conversations=len({one.conversation_id for one in original}),
        seed=seed,
        systems={name: summarise([row.outcome for row in evaluated[name]], original, seed=seed) for name in names},
        comparisons=comparisons,
        notes=(*notes, *(note for name in names for note in _trouble(name, evaluated[name]))),
    )


def _evidence(first: Sequence[Evaluated], second: Sequence[Evaluated], seed: int) -> Evidence:
    ids, others = [row.turn.id for row in first], [row.turn.id for row in second]
    if ids != others:
        raise ValueError(f"the systems were run on other turns: {sorted(set(ids) ^ set(others))[:10]}")
    before, after = _recalls(first), _recalls(second)
    clusters = [row.turn.conversation_id for row in first]
    interval = paired_interval(before, after, clusters, seed=seed)
    differences = [b - a for a, b in zip(before, after, strict=True)]
    return evidence_of(RECALL, interval, differences, clusters, seed=seed)


def _comparison(
    names: tuple[str, str],
    rows: tuple[Sequence[Evaluated], Sequence[Evaluated]],
    evidence: Evidence,
    *,
    p_uncorrected: float,
    than_original: Mapping[str, Sequence[Evidence]],
    failures: Mapping[str, str],
    differs: tuple[Variable, ...],
    tell: bool,
    seed: int,
) -> Comparison:
    first, second = rows
    summary = summarise([row.outcome for row in second], [row.outcome for row in first], seed=seed)
    cases = [case for pair in zip(first, second, strict=True) if (case := _case(*pair)).difference]
    cases.sort(key=lambda case: (-abs(case.difference), case.turn_id))
    return Comparison(
        first=names[0],
        second=names[1],
        verdict=verdict(*names, [evidence], than_original=than_original, failures=failures),
        evidence=(evidence,),
        p_uncorrected=p_uncorrected,
        success_at_5=mcnemar(_successes(first), _successes(second)),
        harm_rate=summary.harm_rate,
        differs=differs,
        warnings=tuple(_warnings(differs)) if tell else (),
        by_turn=_differences(summary.by_turn),
        by_language=_differences(summary.by_language),
        by_phenomenon=_differences(summary.by_phenomenon),
        wins=tuple(case for case in cases if case.difference > 0),
        losses=tuple(case for case in cases if case.difference < 0),
    )


def _differences(groups: Mapping[str, GroupSummary]) -> dict[str, GroupDifference]:
    found = {}
    for name, group in groups.items():
        after = group.recall_at_5.mean
        if group.gain is not None:
            # Rounded: a mean less a mean is 0.2999… where it is 0.3.
            before = round(after - group.gain.mean, 12)
            found[name] = GroupDifference(n=group.n, first=before, second=after, difference=group.gain)
    return found


def _case(first: Evaluated, second: Evaluated) -> Case:
    turn, before, after = first.turn, _side(first), _side(second)
    return Case(
        turn_id=turn.id,
        conversation_id=turn.conversation_id,
        turn=turn.turn,
        language=turn.language,
        phenomena=turn.phenomena,
        query=turn.query,
        difference=after.recall_at_5 - before.recall_at_5,
        first=before,
        second=after,
    )


def _side(row: Evaluated) -> Side:
    ranks = {id_: rank for rank, id_ in enumerate(dict.fromkeys(row.outcome.retrieved_ids), start=1)}
    return Side(
        queries=row.retrieved.queries,
        ranks={id_: ranks.get(id_) for id_ in row.turn.relevant_ids},
        recall_at_5=_recall(row),
    )


def _warnings(differs: Sequence[Variable]) -> Iterator[str]:
    names = [one.name for one in differs]
    if not names:
        yield "nothing that is on record differs between the two"
    elif METHOD in names and len(names) > 1:
        yield f"beside the method these differ: {', '.join(names[1:])}; what makes the difference is not known"
    elif len(names) > 1:
        yield f"{len(names)} variables differ: {', '.join(names)}; which of them makes the difference is not known"


def _failure(rows: Sequence[Evaluated]) -> str:
    """What broke on too many turns for the numbers to be about the system; empty where nothing did."""
    degraded = sum(row.retrieved.degraded for row in rows)
    if degraded > _MANY * len(rows):
        return f"could not search on {degraded} of {len(rows)} turns"
    broke = [row for row in rows if any(_broke(step) for step in row.retrieved.trace)]
    if len(broke) > _MANY * len(rows):
        return f"got no answer from its language model on {len(broke)} of {len(rows)} turns"
    return ""


def _broke(step: Step) -> bool:
    return step.status == "fallback" and step.lm_calls > 0 and _BROKE.match(step.reason) is not None


def _trouble(name: str, rows: Sequence[Evaluated]) -> Iterator[str]:
    degraded = sum(row.retrieved.degraded for row in rows)
    if degraded:
        yield f"{name}: searching failed on {degraded} of {len(rows)} turns, which count as not found"
    reasons = Counter(row.outcome.fallbacks[0] for row in rows if row.outcome.fallbacks)
    share = reasons.total() / len(rows)
    if share > _MANY:
        reason, times = reasons.most_common(1)[0]
        yield f"{name}: some stage fell back on {share:.0%} of the turns, most often (on {times}) for: {reason}"


def _recalls(rows: Sequence[Evaluated]) -> list[float]:
    return [_recall(row) for row in rows]


def _recall(row: Evaluated) -> float:
    return recall_at_k(row.outcome.relevant_ids, row.outcome.retrieved_ids)


def _successes(rows: Sequence[Evaluated]) -> list[bool]:
    return [success_at_k(row.outcome.relevant_ids, row.outcome.retrieved_ids) > 0 for row in rows]
