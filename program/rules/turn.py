"""One turn on its way through the rules."""

import re
from dataclasses import dataclass
from functools import cached_property

from data.records import language_of
from program.rules.chinese_patterns import CHINESE
from program.rules.english_patterns import ENGLISH
from program.rules.entities import Focus
from program.rules.gazetteer import Gazetteer, Mention
from program.rules.language_rules import LanguageRules
from program.rules.resolution import Reason

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
        return self.rules.core(self.query, answers=bool(re.search(r"[?？]", self.last_answer)))

    @cached_property
    def mentions(self) -> list[Mention]:
        """Entities the bare question names."""
        return self.gazetteer.find(self.core)

    @cached_property
    def referents(self) -> tuple[str, ...]:
        """Probable referents, best first: one whose common noun stands in the query goes before the others."""
        ranked = self.focus.ranked()
        folded = self.core.lower()
        fits = [term for term in ranked if any(head.lower() in folded for head in self.rules.heads(term))]
        return tuple(dict.fromkeys([*fits, *ranked]))

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
