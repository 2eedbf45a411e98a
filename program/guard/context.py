"""What a rewrite is checked against, and which part of the query it must keep."""

import re
from functools import cached_property

from data.records import Record
from program.guard.quantities import Quantity, numbers
from program.guard.reading import Reading
from program.rules.gazetteer import Gazetteer
from program.rules.turn import rules_for

_CLAUSE_END = re.compile(r"[，。！？；,;!?]|\.(?!\d)")
_QUESTION_END = re.compile(r"[?？]\s*$|[吗呢么]\s*[。？?]?\s*$")

_RECENT = 10_000
"""Characters of the history that are looked at."""


class Context(Record):
    """What a rewrite is checked against."""

    query: str
    history: str
    """What was said before, or what of it the model saw."""
    assistant_asked: bool = False
    """Whether the last assistant message is a question: the user's first clauses then answer it, and may be dropped."""
    gazetteer: Gazetteer = Gazetteer()
    """The corpus's entities; without any, only codes, quoted spans and Latin proper nouns are known as names."""

    @cached_property
    def before(self) -> Reading:
        """The end of the history: no model sees more of it."""
        return Reading(self.history[-_RECENT:], self.gazetteer)

    @cached_property
    def said(self) -> Reading:
        """The same and the query."""
        return Reading(f"{self.before.text}\n{self.query}", self.gazetteer)

    @cached_property
    def said_numbers(self) -> list[Quantity]:
        """Every number that may be meant in either."""
        return numbers(self.query) + numbers(self.before.text)


def asks(text: str) -> bool:
    """Whether ``text`` ends as a question does."""
    return bool(_QUESTION_END.search(text.strip()))


def clauses(text: str) -> list[str]:
    """The clauses of ``text`` that are not blank."""
    return [clause for clause in _CLAUSE_END.split(text) if clause.strip()]


def last_clause(text: str) -> str:
    """The last clause of ``text``, or all of it where there is none."""
    return (clauses(text) or [text])[-1]


def core(context: Context) -> str:
    """The part of the query that must survive: all of it, or its last clause when the others answer the assistant's question."""
    return last_clause(context.query) if context.assistant_asked else context.query


def describes(query: str) -> bool:
    """Whether the query points at something by a description or its place ("the one cheaper than the K3", "前面那台"), not by its name."""
    rules = rules_for(query, "")
    return bool(rules.described.search(query) or rules.other.search(query))
