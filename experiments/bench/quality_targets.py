"""What the quality benchmark is to reach, and whether it did. The targets are the project's own, from before any result."""

from collections.abc import Iterator
from typing import Literal

from data.records import Record
from experiments.bench.quality_results import Results, Row
from experiments.bench.quality_sets import SETS, RetrieverName
from experiments.bench.quality_systems import WITH_LM

Group = Literal["all", "first", "with_history", "complete"]

PARTS_MARGIN = 0.01
"""A fused result may be this much below its best part: one turn in a hundred."""
_ROUNDING = 1e-9
"""Floating-point sums of recalls must not decide at the very edge."""


class Target(Record):
    """One thing to reach.

    Attributes:
        data: Name of the set.
        retrievers: With any of these; the best one counts.
        system: Which system.
        group: Which turns.
        reach: Lowest recall@5 that is enough.
        of: Take ``reach`` as a share of this system's recall@5 on the same turns.
        ahead_of: Instead: recall@5 above this system's on the same turns.
        unharmed: Instead: no turn of the group may lose what the original query found.
    """

    data: str
    retrievers: tuple[RetrieverName, ...]
    system: str = "compiled"
    group: Group = "all"
    reach: float | None = None
    of: str | None = None
    ahead_of: str | None = None
    unharmed: bool = False


class Verdict(Record):
    """A target and what came of it; ``reached`` is ``None`` where it was not measured."""

    data: str
    target: str
    got: str
    reached: bool | None


TARGETS: tuple[Target, ...] = (
    Target(data="sample", retrievers=("hybrid",), reach=0.9, of="reference"),
    Target(data="sample", retrievers=("hybrid",), group="first", unharmed=True),
    Target(data="sample", retrievers=("hybrid",), group="complete", unharmed=True),
    Target(data="kdconv_travel", retrievers=("vector", "hybrid"), system="rules", group="with_history", reach=0.69),
    Target(data="kdconv_travel", retrievers=("vector", "hybrid"), group="with_history", reach=0.85),
    Target(data="kdconv_travel", retrievers=("bm25",), system="rules", reach=0.34),
    Target(data="kdconv_travel", retrievers=("bm25",), reach=0.46),
    Target(data="canard_dev", retrievers=("bm25",), reach=0.80),
    Target(data="canard_dev", retrievers=("bm25",), ahead_of="reference"),
    Target(data="canard_dev", retrievers=("hybrid",), ahead_of="reference"),
    Target(data="mtrag_clapnq", retrievers=("bm25",), ahead_of="reference"),
    Target(data="mtrag_clapnq", retrievers=("hybrid",), ahead_of="reference"),
    *(
        Target(data=one.name, retrievers=(retriever,), ahead_of=peer)
        for one in SETS.values()
        for retriever in one.retrievers
        for peer in ("llama_index", "llama_index_fused")
    ),
)


def verdicts(results: Results) -> list[Verdict]:
    """Judge every target of the sets that were measured, then the fused result against its parts."""
    measured = [facts.data for facts in results.sets]
    judged = [_judge(target, results) for target in TARGETS if target.data in measured]
    return judged + list(_parts(results))


def _judge(target: Target, results: Results) -> Verdict:
    rows = [row for name in target.retrievers if (row := _row(target, name, results)) and row.group(target.group)]
    if not rows:
        return Verdict(data=target.data, target=_words(target), got="not measured", reached=None)
    row = max(rows, key=lambda one: _recall(one, target.group))
    if target.unharmed:
        return _judge_harm(target, row)
    if target.ahead_of is not None:
        return _judge_difference(target, row, results)
    return _judge_recall(target, row, results)


def _judge_recall(target: Target, row: Row, results: Results) -> Verdict:
    got, needed = _recall(row, target.group), target.reach or 0.0
    said = f"{got:.3f} ({row.retriever}, {row.turns} turns)"
    if target.of is not None:
        other = results.row(target.data, row.retriever, target.of, row.turns)
        if other is None:
            return Verdict(data=target.data, target=_words(target), got="not measured", reached=None)
        whole = _recall(other, target.group)
        needed *= whole
        said = f"{got:.3f} of {whole:.3f} ({row.retriever})"
    return Verdict(data=target.data, target=_words(target), got=said, reached=got >= needed - _ROUNDING)


def _judge_harm(target: Target, row: Row) -> Verdict:
    group = row.group(target.group)
    harm = group.harm_rate if group is not None else None
    said = f"harm {harm:.1%}" if harm is not None else "the original found nothing to lose"
    return Verdict(data=target.data, target=_words(target), got=said, reached=not harm)


def _judge_difference(target: Target, row: Row, results: Results) -> Verdict:
    found = results.difference(target.data, row.retriever, target.ahead_of or "")
    if found is None:
        return Verdict(data=target.data, target=_words(target), got="not measured", reached=None)
    gap = found.difference
    said = f"{gap.mean:+.3f} [{gap.low:+.3f}, {gap.high:+.3f}]"
    return Verdict(data=target.data, target=_words(target), got=said, reached=gap.mean > _ROUNDING)


def _parts(results: Results) -> Iterator[Verdict]:
    for facts in results.sets:
        for retriever in facts.retrievers:
            gaps = [
                one
                for one in results.differences
                if (one.data, one.retriever) == (facts.data, retriever) and one.than.startswith("part: ")
            ]
            words = f"compiled, {retriever}: at most {PARTS_MARGIN} below its best part"
            if not gaps:
                yield Verdict(data=facts.data, target=words, got="not measured", reached=None)
                continue
            worst = min(gaps, key=lambda one: one.difference.mean)
            gap = worst.difference
            said = f"{gap.mean:+.3f} [{gap.low:+.3f}, {gap.high:+.3f}] ({worst.than.removeprefix('part: ')})"
            yield Verdict(data=facts.data, target=words, got=said, reached=gap.mean >= -PARTS_MARGIN - _ROUNDING)


def _row(target: Target, retriever: RetrieverName, results: Results) -> Row | None:
    turns = results.lm_turns(target.data) if target.system in WITH_LM else "all"
    return results.row(target.data, retriever, target.system, turns)


def _recall(row: Row, group: str) -> float:
    found = row.group(group)
    return found.recall_at_5.mean if found is not None else 0.0


def _words(target: Target) -> str:
    turns = {
        "all": "",
        "first": ", first turns",
        "with_history": ", turns with history",
        "complete": ", complete turns",
    }
    head = f"{target.system}, {' or '.join(target.retrievers)}{turns[target.group]}: "
    if target.unharmed:
        return head + "loses nothing"
    if target.ahead_of is not None:
        return head + f"ahead of {_shown(target.ahead_of, target.data)}"
    if target.of is not None:
        return head + f"≥ {target.reach:.0%} of {_shown(target.of, target.data)}"
    return head + f"≥ {target.reach:.2f}"


def _shown(system: str, data: str) -> str:
    return SETS[data].reference if system == "reference" else system
