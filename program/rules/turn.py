"""One turn on its way through the rules."""

import re
from dataclasses import dataclass
from functools import cached_property

from data.records import language_of
from program.rules.chinese_patterns import CHINESE
from program.rules.english_patterns import ENGLISH
from program.rules.entities import LOOK_BACK, Focus
from program.rules.gazetteer import Gazetteer, Mention
from program.rules.language_rules import LanguageRules
from program.rules.resolution import Reason

_NO_SUBJECT = re.compile(r"\b(?:in|on|at|to|from|after|before|during|for|under|with|by)\s+(?:the\s+)?$", re.IGNORECASE)
"""Right before a name: it says where or when, not what the question is about."""
_AND = re.compile(r"\s+(?:and|&)\s+")
_CODES_ONLY = re.compile(r"[A-Z0-9][\w\s.-]{0,20}[?？!.。]*")


@dataclass(frozen=True)
class Draft:
    """A proposal: rewrites, best first, and how sure the rule behind them is (0 to 1)."""

    rewrites: tuple[str, ...]
    confidence: float
    reason: Reason


@dataclass(frozen=True)
class TurnContext:
    """The query with everything the rules look at, computed once."""

    query: str
    gazetteer: Gazetteer
    rules: LanguageRules
    focus: Focus
    asked: str
    """The user's last question, made stand-alone."""
    last_answer: str
    """The assistant's last message when it comes right before the query, else ""."""

    @cached_property
    def core(self) -> str:
        """The bare question."""
        asked = re.search(r"[?？]", self.last_answer) or self.rules.requests.search(self.last_answer)
        return self.rules.core(self.query, answers=bool(asked))

    @cached_property
    def mentions(self) -> list[Mention]:
        """Entities the bare question names."""
        return self.gazetteer.find(self.core)

    @cached_property
    def own_names(self) -> list[tuple[int, int]]:
        """Where the bare question names what the conversation named before, though the gazetteer does not know it: (start, end)."""
        parts = [part for name in self.focus.names if name.isascii() for part in _AND.split(name.lower())]
        words = [part.split() for part in parts]
        # "British Fourteenth Army" is spoken of as "the fourteenth army" as well.
        known = dict.fromkeys(" ".join(one[at:]) for one in words for at in range(max(1, len(one) - 1)))
        found = [
            match.span()
            for name in known
            if len(name) > 3
            for match in re.finditer(rf"(?<!\w){re.escape(name)}(?!\w)", self.core.lower())
        ]
        aside = [span for span in found if _NO_SUBJECT.search(self.core[: span[0]])]
        return [
            (start, end)
            for start, end in found
            if self._is_name((start, end)) and not any(first <= start < last for first, last in aside)
        ]

    def _is_name(self, span: tuple[int, int]) -> bool:
        """A single word after "the" is a noun ("the treaty"), not a name."""
        start, end = span
        return " " in self.core[start:end] or not re.search(r"\b(?:the|a|an)\s+$", self.core[:start], re.IGNORECASE)

    @cached_property
    def stated(self) -> str | None:
        """The entity that the utterance settles on before it asks ("I'd rather see X. How old is it?"), None without one."""
        before = self.query[: max(0, self.query.rfind(self.core.split(self.rules.joiner)[0]))]
        clauses = [clause for clause in self.rules.clause_break.split(before) if clause]
        for clause in reversed(clauses):
            if self.rules.chooses.search(clause) and (named := self._settled(clause)):
                return named[-1]
        return None

    def _settled(self, clause: str) -> list[str]:
        """Entities that a clause names for their own sake."""
        found = []
        for mention in self.gazetteer.find(clause):
            lead = clause[max(0, mention.start - LOOK_BACK) : mention.start]
            if not (self.rules.address.search(lead) or self.rules.compares_with.search(lead)):
                found.append(mention.term)
        return found

    @cached_property
    def referents(self) -> tuple[str, ...]:
        """Probable referents, best first: what the utterance itself states, then those whose common noun stands in the question."""
        ranked = self.focus.ranked()
        folded = self.core.lower()
        fits = [term for term in ranked if any(head.lower() in folded for head in self.rules.heads(term))]
        return tuple(dict.fromkeys([*([self.stated] if self.stated else []), *fits, *ranked]))

    @cached_property
    def heads(self) -> tuple[str, ...]:
        """Common nouns of the most probable referents."""
        return tuple(dict.fromkeys(head for term in self.referents[:4] for head in self.rules.heads(term)))

    @cached_property
    def group(self) -> tuple[str, ...]:
        """Entities "they" can stand for: those of the last question, else of the last answer, else the two in focus."""
        for named in (self.focus.last_question, self.focus.last_answer):
            if 2 <= len(named) <= 4:
                return named
        best = self.focus.ranked()[:2] if self.focus.scores else ()
        return tuple(term for term in self.focus.scores if term in best)


def rules_for(query: str, last_user_text: str) -> LanguageRules:
    """Return the rules of the query's language; a query of codes only follows the user's last message."""
    text = query
    if _CODES_ONLY.fullmatch(query.strip()) and len(query.split()) <= 3 and last_user_text:
        text = last_user_text
    return CHINESE if language_of(text) == "zh" else ENGLISH
