"""The compiled program against the other systems and against the parts of its own result."""

from collections.abc import Mapping, Sequence

from experiments.bench.quality_open import Opened
from experiments.bench.quality_results import Difference
from experiments.bench.quality_search import QueriesOf, all_queries, original_alone, outcomes, rewrite_alone
from experiments.bench.quality_sets import RetrieverName
from experiments.evaluate import Evaluated
from experiments.systems import with_engine
from metrics.interval import Interval, paired_interval
from metrics.outcome import TurnOutcome
from metrics.ranking import recall_at_k

PARTS: dict[str, tuple[QueriesOf, RetrieverName | None]] = {
    "part: rewrite alone": (rewrite_alone, None),
    "part: original alone": (original_alone, None),
    "part: bm25 alone": (all_queries, "bm25"),
    "part: vector alone": (all_queries, "vector"),
}
"""What the fused result must not be worse than: one query with the same retriever, or all queries with one engine of the mix."""


def compare(opened: Opened, evaluated: Mapping[str, Sequence[Evaluated]], seed: int) -> list[Difference]:
    """Return the differences of ``compiled`` to every other system and to its parts, for each retriever.

    Args:
        opened: The set.
        evaluated: The same turns in the same order by system; nothing is compared where ``compiled`` is not among them.
        seed: Of the intervals.
    """
    if "compiled" not in evaluated:
        return []
    differences = []
    for retriever in opened.retrievers:
        settings = with_engine(opened.settings, retriever)
        others = {
            name: outcomes(rows, opened.searcher, settings) for name, rows in evaluated.items() if name != "compiled"
        }
        for name, (queries_of, engine) in PARTS.items():
            if engine is None or retriever == "hybrid":
                of_part = with_engine(settings, engine) if engine else settings
                others[name] = outcomes(evaluated["compiled"], opened.searcher, of_part, queries_of)
        fused = outcomes(evaluated["compiled"], opened.searcher, settings)
        differences += [
            Difference(data=opened.name, retriever=retriever, than=name, difference=_gain(rows, fused, seed))
            for name, rows in others.items()
        ]
    return differences


def _gain(before: Sequence[TurnOutcome], after: Sequence[TurnOutcome], seed: int) -> Interval:
    return paired_interval(_recalls(before), _recalls(after), [one.conversation_id for one in after], seed=seed)


def _recalls(rows: Sequence[TurnOutcome]) -> list[float]:
    return [recall_at_k(one.relevant_ids, one.retrieved_ids) for one in rows]
