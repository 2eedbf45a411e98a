"""Which entity "the second one", "the other one", "前面那台" or "家庭版" points at."""

import re

from program.rules.language_rules import Slot
from program.rules.lists import items, options
from program.rules.turn import TurnContext


def point(turn: TurnContext, text: str) -> tuple[Slot, str] | None:
    """Return the first ordinal or contrast in ``text`` and the entity or list item it points at, or None."""
    rules = turn.rules
    if match := rules.other.search(text):
        other = _other(turn)
        return (Slot(match.start(), match.end()), other) if other else None
    slot = rules.ordinal(text)
    if slot is None:
        return None
    asked_which = options(turn.last_answer) if rules.asks_which.search(turn.last_answer) else ()
    candidates = (
        items(turn.last_answer, turn.gazetteer, numbered=True),
        asked_which,
        turn.focus.last_question,
        items(turn.last_answer, turn.gazetteer, numbered=False),
        tuple(turn.focus.scores),
    )
    for listed in candidates:
        index = slot.number if slot.number < 0 else slot.number - 1
        if len(listed) >= 2 and index < len(listed):
            return slot, listed[index]
    return None


def _other(turn: TurnContext) -> str | None:
    """The most recent entity that is not in focus."""
    ranked = turn.focus.ranked() if turn.focus.scores else ()
    if len(ranked) < 2:
        return None
    group = [term for term in turn.group if term != ranked[0]]
    return group[0] if len(group) == 1 else ranked[1]


def partial(turn: TurnContext, topic: str) -> str | None:
    """Return the one entity whose name contains ``topic``, of several the one most like the entity in focus."""
    bare = re.sub(
        r"^(?:the|a|an|my|our)\s+|(?:\s+(?:version|one|plan|model|policy|device)|的)$",
        "",
        topic.strip(" ?？"),
        flags=re.IGNORECASE,
    )
    stem = bare[:-1] if bare.isascii() and bare.endswith("s") and len(bare) > 4 else bare
    if len(bare) < 2 or (bare.isascii() and len(bare) < 4):
        return None
    pattern = re.compile(
        rf"(?<![A-Za-z0-9]){re.escape(stem)}s?(?![A-Za-z0-9])" if bare.isascii() else re.escape(bare), re.IGNORECASE
    )
    owners = [term for term in turn.gazetteer.terms if pattern.search(term)]
    known = [term for term in owners if term in turn.focus.scores]
    if len(known) == 1:
        return known[0]
    if len(owners) > 1 and turn.focus.scores:
        best = turn.focus.ranked()[0]
        owners = [term for term in owners if term != best and term[:2] == best[:2]]
    return owners[0] if len(owners) == 1 else None
