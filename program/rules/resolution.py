"""What the rule layer says about a turn."""

from typing import Literal

from pydantic import Field

from data.records import Record

Reason = Literal[
    "first",
    "complete",
    "social",
    "pronoun",
    "ellipsis",
    "attribute",
    "ordinal",
    "plural",
    "offer",
    "clarification",
    "unclear",
]


class Resolution(Record):
    """Outcome of resolving one turn by rules.

    ``rewrites`` lists stand-alone candidates, best first; empty when the query needs none or none was found.
    ``entities`` lists the entities named in the history, the most probable referent first.
    """

    rewrites: tuple[str, ...] = ()
    """Candidate rewrites, best first, at most three, none equal to the query."""
    confidence: float = Field(ge=0, le=1)
    """How sure the rules are of ``rewrites[0]``, or, when there is none, that the query needs no rewrite."""
    needs_lm: bool
    """Whether a language model should look at this turn."""
    reason: Reason
    """What kind of turn it is; ``attribute`` is a question that names no entity and needs one."""
    entities: tuple[str, ...] = ()
    title: str | None = None
    """The document title ("Product: Section") that the conversation quoted last, in full; assistants that name their sources do."""
    titled: str | None = None
    """``title`` and the bare question: one more query, for a question that stays within that document."""
    context: str | None = None
    """The query with topic words of the last exchange: one more query beside the original, where no known entity could be put in."""
