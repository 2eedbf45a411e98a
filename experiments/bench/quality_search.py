"""Searching what the systems ask, once per text, and counting it under any engine and any fusion.

A rewrite does not depend on the engine: each system rewrites each turn once, against a retriever that knows the corpus's names and finds
nothing; its queries are then searched and fused for every engine, exactly as the program itself would.
"""

from collections.abc import Callable, Sequence

from experiments.evaluate import Evaluated
from metrics.outcome import TurnOutcome
from program.fusion.fuse import fuse
from program.result import Query
from program.retrieval.retriever import RankedList, Retriever
from program.settings import Settings

_BATCH = 32


class Searcher:
    """Remembers the ranked lists of every text it has searched, ``depth`` hits each."""

    def __init__(self, retriever: Retriever, depth: int) -> None:
        self._retriever = retriever
        self._depth = depth
        self._lists: dict[str, list[RankedList]] = {}

    def prepare(self, texts: Sequence[str], progress: Callable[[int, int], None] | None = None) -> None:
        """Search all ``texts`` that are new, in batches."""
        new = [text for text in dict.fromkeys(texts) if text not in self._lists]
        for start in range(0, len(new), _BATCH):
            batch = new[start : start + _BATCH]
            self._lists.update(zip(batch, self._retriever.search(batch, self._depth), strict=True))
            if progress:
                progress(start + len(batch), len(new))

    def found(self, queries: Sequence[Query], settings: Settings) -> tuple[str, ...]:
        """The ids of the best passages for ``queries`` together, best first."""
        self.prepare([query.text for query in queries])
        hits = fuse(queries, [self._lists[query.text] for query in queries], settings.fusion, settings.k)
        return tuple(hit.id for hit in hits)


QueriesOf = Callable[[Evaluated], Sequence[Query]]


def all_queries(one: Evaluated) -> Sequence[Query]:
    """What the system asks, with its own weights."""
    return one.retrieved.queries


def rewrite_alone(one: Evaluated) -> Sequence[Query]:
    """The leading query and nothing else: the language model's, else the rules', else the one typed."""
    text = one.retrieved.rewritten
    return [Query(text=text, kind="original" if text == one.turn.query else "rewrite", weight=1.0)] if text else []


def original_alone(one: Evaluated) -> Sequence[Query]:
    """The query as typed and nothing else."""
    return [query.model_copy(update={"weight": 1.0}) for query in one.retrieved.queries if query.kind == "original"]


def outcomes(
    evaluated: Sequence[Evaluated], searcher: Searcher, settings: Settings, queries_of: QueriesOf = all_queries
) -> list[TurnOutcome]:
    """Return what becomes of each turn when ``queries_of`` it are searched under ``settings``; cost is the rewriting's."""
    return [
        one.outcome.model_copy(update={"retrieved_ids": searcher.found(queries_of(one), settings)}) for one in evaluated
    ]
