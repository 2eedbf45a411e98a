"""The retriever port: what the program asks of whatever searches a corpus."""

from collections.abc import Sequence
from typing import Literal, Protocol

from data.errors import StoreError
from data.records import Record
from program.rules.gazetteer import Gazetteer

Engine = Literal["bm25", "vector"]
RetrieverName = Literal["bm25", "vector", "hybrid"]


def engines_of(retriever: str) -> tuple[Engine, ...]:
    """The engines that ``bm25``, ``vector`` or ``hybrid`` needs."""
    return {"bm25": ("bm25",), "vector": ("vector",)}.get(retriever, ("bm25", "vector"))  # type: ignore[return-value]


class Hit(Record):
    """One passage found by one engine for one query.

    ``score`` is the engine's own: BM25's sum (0 and up, comparable between queries of one index) or the cosine similarity (-1 to 1).
    """

    id: str
    score: float
    source: str
    text: str


class RankedList(Record):
    """What one engine found for one query, best first, no passage twice; empty when nothing matches."""

    engine: Engine
    hits: tuple[Hit, ...]


class EngineError(StoreError):
    """One engine of several could not answer. Failed is not the same as empty, so this is raised, with what the others found.

    Attributes:
        engine: The one that failed.
        lists: For each query, the lists of the other engines; empty lists when there is no other.
    """

    code = "engine_failed"

    def __init__(self, engine: Engine, reason: str, lists: list[list[RankedList]]) -> None:
        super().__init__(f"the {engine} engine failed: {reason}", engine=engine)
        self.engine = engine
        self.lists = lists


class Retriever(Protocol):
    """Searches one corpus. Shared by threads; holds no conversation."""

    @property
    def gazetteer(self) -> Gazetteer:
        """The names that the corpus itself knows."""

    def search(self, queries: Sequence[str], depth: int) -> list[list[RankedList]]:
        """Return, for each query in order, one list per engine with at most ``depth`` hits each.

        All queries are embedded and searched in one batch. A blank query finds nothing.

        Raises:
            EngineError: An engine cannot be asked; ``lists`` holds what the others found.
        """


class NamesOnly:
    """A retriever that lends its corpus's names to the rules and finds nothing: for rewriting without searching."""

    def __init__(self, gazetteer: Gazetteer) -> None:
        self.gazetteer = gazetteer

    def search(self, queries: Sequence[str], depth: int) -> list[list[RankedList]]:
        """See ``Retriever.search``; no lists."""
        del depth
        return [[] for _ in queries]
