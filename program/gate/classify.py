"""The gate's rules: what kind of turn this is, and whether that is sure."""

import re

from data.records import Record
from program.gate.about_chat import asks_about_chat
from program.gate.arithmetic import arithmetic
from program.gate.offers import waits_for
from program.gate.social import polite_opening, social_kinds
from program.gate.units import spelling, units
from program.gate.words import Kind
from program.result import Intent
from program.rules.chinese_patterns import CHINESE
from program.rules.english_patterns import ENGLISH
from program.settings import GateWords

_NO_WORDS = GateWords()
_FEW_UNITS = 3
_SHORT_REMARK = 8
_TO_YOU = re.compile(r"\b(?:you|your|you're|u)\b|(?<!谢)[你您](?!好)", re.IGNORECASE)
_DOUBTFUL = frozenset[Kind](["acknowledgement", "praise", "denial"])
_OWN: tuple[Intent, ...] = ("retrieval", "greeting", "chitchat", "history_question")


class GateDecision(Record):
    """What a turn is."""

    intent: Intent
    sure: bool
    """Where it is not, ``intent`` is ``retrieval`` and a language model may be asked."""
    reason: str
    """In a few words, none of the user's among them."""


def classify(query: str, last_answer: str = "", words: GateWords = _NO_WORDS) -> GateDecision:
    """Return what kind of turn ``query`` is, by rules alone.

    Args:
        query: The user's turn, any text.
        last_answer: The assistant's message right before, empty if none: "yes" to its offer is a question.
        words: The user's own whole messages; they come first, those that retrieve before the others.

    Returns:
        ``retrieval`` unless the whole message is something else; a blank one retrieves too. Deterministic; raises nothing.
    """
    if not query.strip():
        return _retrieve("blank")
    spelt = spelling(query)
    for intent in _OWN:
        if any(spelling(one) == spelt for one in getattr(words, intent)):
            return GateDecision(intent=intent, sure=True, reason="the user's own expression")
    if kinds := social_kinds(query):
        return _social(query, kinds, last_answer)
    if asks_about_chat(query, last_answer):
        return GateDecision(intent="history_question", sure=True, reason="asks about the chat")
    sum_ = arithmetic(query)
    if sum_ == "yes":
        return GateDecision(intent="calculation", sure=True, reason="arithmetic")
    return _unsure("perhaps arithmetic") if sum_ == "maybe" else _other(query)


def _social(query: str, kinds: frozenset[Kind], last_answer: str) -> GateDecision:
    """A message of polite words alone: does it answer the assistant?"""
    if kinds & {"farewell", "decline"} or {"denial", "thanks"} <= kinds:
        return _skip(kinds)
    if kinds <= _DOUBTFUL and any(mark in query for mark in "?？"):
        return _unsure("doubts the answer")
    answers = kinds & {"acknowledgement", "praise", "denial", "thanks"}
    waiting = waits_for(last_answer) if answers else None
    if waiting is None or (waiting == "consent" and "acknowledgement" not in kinds):
        return _skip(kinds)
    if kinds == {"acknowledgement"} or (waiting == "answer" and "acknowledgement" in kinds):
        return _retrieve("answers the assistant")
    return _unsure("may answer the assistant")


def _other(query: str) -> GateDecision:
    said = units(query)
    if not said:
        return _unsure("no words")
    if any(mark in query for mark in "?？") or CHINESE.question.search(query) or ENGLISH.question.search(query):
        return _retrieve("asks something")
    if 0 < polite_opening(query) <= _FEW_UNITS:
        return _unsure("a greeting and a few words")
    if len(said) <= _SHORT_REMARK and _TO_YOU.search(query):
        return _unsure("a short remark to the assistant")
    return _retrieve("says something")


def _skip(kinds: frozenset[Kind]) -> GateDecision:
    greets = "greeting" in kinds and kinds <= {"greeting", "small_talk", "acknowledgement"}
    return GateDecision(intent="greeting" if greets else "chitchat", sure=True, reason="polite words alone")


def _retrieve(reason: str) -> GateDecision:
    return GateDecision(intent="retrieval", sure=True, reason=reason)


def _unsure(reason: str) -> GateDecision:
    return GateDecision(intent="retrieval", sure=False, reason=reason)
