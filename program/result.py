"""What the program gives back for a turn."""

from typing import Literal

from pydantic import Field

from data.records import Record
from program.trace import Step

Kind = Literal[
    "original",
    "rules",
    "rewrite",
    "title",
    "context",
    "multi_query",
    "decomposition",
    "step_back",
    "hyde",
    "keywords",
    "terms",
    "sql",
]
Intent = Literal["greeting", "chitchat", "calculation", "history_question", "retrieval"]
Route = Literal["hybrid", "keyword", "vector", "sql"]


class Query(Record):
    """One query that was searched."""

    text: str
    kind: Kind
    """Where it comes from."""
    weight: float = Field(ge=0)
    """What its hits count in fusion, relative to the others."""
    route: Route = "hybrid"
    """Where it was sent: ``keyword`` trusts BM25 more, ``vector`` leaves it out."""


class FusedHit(Record):
    """One passage of the merged result."""

    id: str
    score: float = Field(ge=0, le=1)
    source: str
    text: str
    found_by: tuple[Kind, ...]
    """The kinds of the queries that found it, best first."""


class Fallback(Record):
    """A stage that gave up, and why."""

    stage: str
    reason: str


class Rewritten(Record):
    """Outcome of rewriting one turn. ``query`` is what the user typed, for the answer model; ``rewritten`` is for retrieval alone."""

    query: str
    rewritten: str
    """The leading query: the language model's, else the rules' best, else what the user typed."""
    intent: Intent = "retrieval"
    """Why nothing was searched, where it is not ``retrieval``."""
    queries: tuple[Query, ...]
    """What to search, the original first; empty for a blank query and for a turn that needs no search."""
    fallbacks: tuple[Fallback, ...]
    trace: tuple[Step, ...]


class Retrieved(Rewritten):
    """The same with the merged hits, best first."""

    hits: tuple[FusedHit, ...]
    degraded: bool
    """True when searching or merging failed (``fallbacks`` says why): no hits then means "unknown", not "nothing found"."""
