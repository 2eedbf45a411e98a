"""A question about something new stays with it: nothing that was spoken of before is put beside it."""

import re

from program.guard.context import Context, last_clause
from program.guard.names import Name, is_in, names
from program.guard.reading import Reading
from program.rules.gazetteer import Gazetteer
from program.rules.language_rules import LanguageRules
from program.rules.turn import rules_for

# Besides pronouns: what sets the new thing in relation to an old one.
_RELATES = re.compile(
    r"[跟和与比较]|同(?!时)|相比|一样|相同|都|区别|不同|哪[个款家]|之间|上面|前面|刚才|之前|另|兼容|搭配|换成|升级|"
    r"\b(?:same|both|either|neither|each|versus|vs|between|compar\w*|differ\w*|other|another|else|similar|instead|compatible|"
    r"upgrad\w*|switch\w*|work with|(?:more|less)(?! than \d)|(?:bett|cheap|nic|bigg|small|larg|long|short|fast|slow|quiet|loud|"
    r"light|heavi|new|old|clos|near|farth|furth|easi|hard|strong|high|low|saf|warm|cool)er)\b", re.IGNORECASE
)  # fmt: skip
# "that purple lamp", "这个代码": they point at the noun that follows.
_ALONE = re.compile(
    r"(?:it|its|they|them|their|theirs|he|him|his|she|her|hers|there)\b|.*\s|[它他她其该]", re.IGNORECASE
)
_NO_NOUN_FOLLOWS = re.compile(
    r"\s*(?:$|[的，。？?,.!呢吗多怎是能有要会在和跟比离]|(?:from|to|than|for|in|on|at|with|of|is|was|are|do|does|did|can|will|works?|costs?|takes?|"
    r"ha[sve]+|and|or)\b)", re.IGNORECASE
)  # fmt: skip
_COMPARES = re.compile(r"[比较]|区别|\b(?:than|versus|vs|compar\w*|differ\w*)\b", re.IGNORECASE)
_FILLER = re.compile(r"^\s*[那这]个[，,]")
_TAIL = 300
"""Characters of the history in which an ellipsis may find a comparison to go on with."""


def refuse_old_topic(rewrite: str, context: Context) -> str | None:
    """Return which earlier entity ``rewrite`` drags into a question that names its own, or ``None``.

    Where the query points back (a pronoun, a comparison, "the other one") the earlier one may
    be meant.
    """
    query, gazetteer = context.query, context.gazetteer
    own = _judged(last_clause(query), gazetteer)
    if not own or _points_back(query, own, context.history[-_TAIL:]):
        return None
    dragged = (
        name
        for name in _judged(rewrite, gazetteer)
        if not is_in(name, Reading(query, gazetteer))
        and is_in(name, context.before)
        and not any(_related(name, one) for one in own)
    )
    return next((f"old topic: {name.written} is dragged in" for name in dragged), None)


def _judged(text: str, gazetteer: Gazetteer) -> list[Name]:
    """Entities of the corpus; without a corpus, names with a digit: the models of things."""
    found = names(text, gazetteer)
    if gazetteer.terms:
        return [name for name in found if name.term is not None]
    return [name for name in found if any(character.isdigit() for character in name.written)]


def _points_back(query: str, own: list[Name], tail: str) -> bool:
    rules = rules_for(query, tail)
    rest = _FILLER.sub("", query)
    for name in own:
        rest = rest.replace(name.written, " ")
    patterns = (_RELATES, rules.plural, rules.pair, rules.other, rules.described, rules.comparison)
    if any(pattern.search(rest) for pattern in patterns) or rules.ordinal(rest) or _pronoun(rest, rules):
        return True
    return rules.ellipsis.match(query) is not None and _COMPARES.search(tail) is not None


def _pronoun(rest: str, rules: LanguageRules) -> bool:
    """Whether ``rest`` has a pronoun or demonstrative that no noun follows."""
    while slot := rules.reference(rest, ()):
        after = rest[slot.end :]
        if _ALONE.match(rest[slot.start : slot.end]) or _NO_NOUN_FOLLOWS.match(after):
            return True
        rest = after
    return False


def _related(one: Name, other: Name) -> bool:
    """Whether one name holds the other: a part, a version or a fuller form of the same thing."""
    forms = [{name.written.casefold(), (name.term or name.written).casefold()} for name in (one, other)]
    return any(a in b or b in a for a in forms[0] for b in forms[1])
