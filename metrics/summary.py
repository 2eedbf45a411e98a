"""From the outcomes of single turns to the numbers of a run."""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import Literal

from data.records import Record
from metrics.harm import harm_rate
from metrics.interval import Interval, bootstrap_interval, paired_interval
from metrics.outcome import TurnOutcome
from metrics.ranking import ndcg_at_k, recall_at_k, reciprocal_rank, success_at_k

# Later turns share a bucket: conversations thin out, and the public sets report them so.
_LAST_BUCKET = 8
_NAMED = 10


class GroupSummary(Record):
    """One group of turns; ``gain`` and ``harm_rate`` are None without a baseline."""

    n: int
    recall_at_5: Interval
    gain: Interval | None
    harm_rate: float | None


class Summary(GroupSummary):
    """All turns, and the same by group.

    Scores are means from 0 to 1 over turns; ``gain`` is -1 to 1. ``harm_rate`` is None too when the baseline found
    nothing. ``mrr`` looks at the whole retrieved list, the other scores at its first five.

    Attributes:
        rewritten_share: Share of turns where a query other than the original was searched.
        lm_share: Share of turns with a language-model call.
        fallback_rate: Share of turns where some stage fell back.
        by_turn: "1" to "7" and "8+", in this order.
        by_phenomenon: A turn counts under each of its phenomena, and under none if it has none.
        by_history: "first" (nothing was said before) and "with_history".
    """

    success_at_5: float
    mrr: float
    ndcg_at_5: float
    rewritten_share: float
    lm_share: float
    fallback_rate: float
    lm_tokens_per_turn: float
    elapsed_ms_per_turn: float
    by_turn: dict[str, GroupSummary]
    by_language: dict[str, GroupSummary]
    by_phenomenon: dict[str, GroupSummary]
    by_history: dict[str, GroupSummary]


@dataclass(frozen=True)
class _Scored:
    """A turn with its recall, and the baseline's where there is one."""

    outcome: TurnOutcome
    recall: float
    original: float | None


def summarise(
    outcomes: Sequence[TurnOutcome],
    baseline: Sequence[TurnOutcome] | None = None,
    *,
    k: Literal[5] = 5,
    seed: int = 0,
    resamples: int = 1000,
) -> Summary:
    """Summarise the outcomes of labelled turns.

    Args:
        outcomes: At least one, each turn once, all with relevant ids (``data.check`` leaves the others out).
        baseline: Outcomes of the original query for the same turns, in any order.
        k: The cut. The field names say 5, so nothing else is accepted; ``metrics.ranking`` has the other cuts.
        seed: Of the bootstrap, the same for each interval.
        resamples: Of the bootstrap, for each interval.

    Raises:
        ValueError: No outcomes, unlabelled or repeated turns, or a baseline of other turns or labels (ids are named).
    """
    if k != 5:
        raise ValueError(f"k is {k}: expected 5, as the field names say")
    if not outcomes:
        raise ValueError("no outcomes to summarise")
    _refuse("repeated turns", _repeated(outcomes))
    _refuse("turns without relevant ids", (outcome.turn_id for outcome in outcomes if not outcome.relevant_ids))
    originals = {} if baseline is None else _aligned(outcomes, baseline)
    turns = [_Scored(outcome, _recall(outcome), originals.get(outcome.turn_id)) for outcome in outcomes]

    def groups(keys_of: Callable[[TurnOutcome], Iterable[str]]) -> dict[str, GroupSummary]:
        members: dict[str, list[_Scored]] = defaultdict(list)
        for turn in turns:
            for key in keys_of(turn.outcome):
                members[key].append(turn)
        return {key: _group(members[key], seed, resamples) for key in sorted(members)}

    total = _group(turns, seed, resamples)
    return Summary(
        n=total.n,
        recall_at_5=total.recall_at_5,
        gain=total.gain,
        harm_rate=total.harm_rate,
        success_at_5=fmean(success_at_k(outcome.relevant_ids, outcome.retrieved_ids) for outcome in outcomes),
        mrr=fmean(reciprocal_rank(outcome.relevant_ids, outcome.retrieved_ids) for outcome in outcomes),
        ndcg_at_5=fmean(ndcg_at_k(outcome.relevant_ids, outcome.retrieved_ids) for outcome in outcomes),
        rewritten_share=fmean(outcome.rewritten for outcome in outcomes),
        lm_share=fmean(outcome.lm_calls > 0 for outcome in outcomes),
        fallback_rate=fmean(bool(outcome.fallbacks) for outcome in outcomes),
        lm_tokens_per_turn=fmean(outcome.lm_tokens for outcome in outcomes),
        elapsed_ms_per_turn=fmean(outcome.elapsed_ms for outcome in outcomes),
        by_turn=groups(lambda outcome: [str(outcome.turn) if outcome.turn < _LAST_BUCKET else f"{_LAST_BUCKET}+"]),
        by_language=groups(lambda outcome: [outcome.language]),
        by_phenomenon=groups(lambda outcome: set(outcome.phenomena)),
        by_history=groups(lambda outcome: ["with_history" if outcome.has_history else "first"]),
    )


def _group(turns: Sequence[_Scored], seed: int, resamples: int) -> GroupSummary:
    recalls = [turn.recall for turn in turns]
    originals = [turn.original for turn in turns if turn.original is not None]
    clusters = [turn.outcome.conversation_id for turn in turns]
    return GroupSummary(
        n=len(turns),
        recall_at_5=bootstrap_interval(recalls, clusters, seed=seed, resamples=resamples),
        gain=paired_interval(originals, recalls, clusters, seed=seed, resamples=resamples) if originals else None,
        harm_rate=harm_rate(originals, recalls) if originals else None,
    )


def _aligned(outcomes: Sequence[TurnOutcome], baseline: Sequence[TurnOutcome]) -> dict[str, float]:
    """Return the baseline's recall by turn id, after checking that it speaks of the same turns and labels."""
    _refuse("repeated turns in the baseline", _repeated(baseline))
    labels = {outcome.turn_id: set(outcome.relevant_ids) for outcome in baseline}
    ours = {outcome.turn_id: set(outcome.relevant_ids) for outcome in outcomes}
    _refuse("turns the baseline lacks", ours.keys() - labels.keys())
    _refuse("turns only the baseline has", labels.keys() - ours.keys())
    _refuse("turns labelled otherwise in the baseline", (name for name, ids in ours.items() if labels[name] != ids))
    return {outcome.turn_id: _recall(outcome) for outcome in baseline}


def _recall(outcome: TurnOutcome) -> float:
    return recall_at_k(outcome.relevant_ids, outcome.retrieved_ids)


def _repeated(outcomes: Sequence[TurnOutcome]) -> set[str]:
    return {name for name, times in Counter(outcome.turn_id for outcome in outcomes).items() if times > 1}


def _refuse(what: str, turn_ids: Iterable[str]) -> None:
    names = sorted(turn_ids)
    if names:
        more = f" and {len(names) - _NAMED} more" if len(names) > _NAMED else ""
        raise ValueError(f"{what}: {', '.join(names[:_NAMED])}{more}")
