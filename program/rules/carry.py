"""What a follow-up takes over from the exchange before it where no known entity can be put in: a few words of its topic."""

from collections import Counter

from program.retrieval.tokenize import words
from program.rules.english_words import FUNCTION_WORDS
from program.rules.rarity import RAREST, stem
from program.rules.resolution import Reason
from program.rules.turn import TurnContext

_MOST = 8
_TELLING = 5
"""Rarity from which a name tells one part of the corpus from another: less than one passage in 32 has it."""


def carried(turn: TurnContext) -> str | None:
    """Return the query with topic words of the last exchange added, None where there are none.

    The topic is what the last question and its answer share, and the word that the answer uses most for how rare it is in the corpus
    (term frequency times rarity in bits). The query stays whole: it is meant to be searched beside it, not instead of it.
    """
    answered = [word for word in words(turn.last_answer) if word not in FUNCTION_WORDS]
    times = Counter(map(stem, answered))
    known = set(map(stem, words(turn.query)))
    shared = [word for word in words(turn.asked) if stem(word) in times and word not in FUNCTION_WORDS]
    main = max(
        (word for word in answered if stem(word) not in known),
        key=lambda word: times[stem(word)] * turn.gazetteer.rarity(word),
        default=None,
    )
    added: dict[str, str] = {}
    for word in [*shared, *([main] if main else [])]:
        if stem(word) not in known:
            added.setdefault(stem(word), word)
    return " ".join([turn.query, *list(added.values())[:_MOST]]) if added else None


def vague(turn: TurnContext, reason: Reason) -> bool:
    """Whether the best referent is a name unknown to the gazetteer that tells too little to be put into the question.

    It stands all over the corpus, or only the assistant said it and nothing in the question points at it.
    """
    if turn.focus.scores or not turn.focus.names:
        return False
    best = turn.focus.ranked()[0]
    if reason == "attribute" and best not in turn.focus.said_by_user:
        return True
    return max(map(turn.gazetteer.rarity, words(best)), default=0) < _TELLING


def picks_up(turn: TurnContext) -> bool:
    """Whether the question takes a rare word of the last answer as its topic and asks something of it."""
    asked = set(words(turn.core))
    rare = [word for word in asked & set(words(turn.last_answer)) if turn.gazetteer.rarity(word) == RAREST]
    return bool(rare) and len(asked) > len(rare)
