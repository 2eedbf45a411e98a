"""What the resolver asks of a language; :mod:`program.rules.chinese` and :mod:`program.rules.english` answer."""

import re
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class Slot:
    """A place in a question to put a referent in: ``text[start:end]`` with ``number`` for ordinals (-1 is the last)."""

    start: int
    end: int
    number: int = 0


@dataclass(frozen=True)
class LanguageRules(ABC):
    """Patterns and word order of one language. All patterns ignore case; ``social`` and ``affirmation`` match whole."""

    opener: re.Pattern[str]
    """Chatter at the start of a question, dropped again and again."""
    closer: re.Pattern[str]
    """Chatter at the end."""
    clause_break: re.Pattern[str]
    """Between clauses."""
    question: re.Pattern[str]
    """Marks a clause that asks."""
    social: re.Pattern[str]
    affirmation: re.Pattern[str]
    ellipsis: re.Pattern[str]
    """"what about X": the group ``topic`` is X."""
    offer: re.Pattern[str]
    """An assistant's offer: the group ``topic`` is what it offers."""
    asks_which: re.Pattern[str]
    """An assistant's clarifying question."""
    requests: re.Pattern[str]
    """An assistant asks for something without a question mark ("please tell me ...")."""
    asks_for_entities: re.Pattern[str]
    """A question whose answer names new entities ("which", "recommend")."""
    recommends: re.Pattern[str]
    """An assistant brings a new entity into focus."""
    passing: re.Pattern[str]
    """Right before a name: it is mentioned in passing ("than", "不像")."""
    chooses: re.Pattern[str]
    """A user says what the talk is about from here on ("I'd rather see X")."""
    conditional: re.Pattern[str]
    """Before a recommendation: it is for another case than the user's."""
    compares_with: re.Pattern[str]
    """Right before a name: the question compares it with what is in focus."""
    address: re.Pattern[str]
    """Around a name: part of an address or a place description."""
    plural: re.Pattern[str]
    comparison: re.Pattern[str]
    """Asks to compare without saying what."""
    pair: re.Pattern[str]
    """Says that two or more are meant, list or no list ("both", "这两个")."""
    other: re.Pattern[str]
    """"the other one", "前面那台": not the one in focus."""
    described: re.Pattern[str]
    """A demonstrative that a description picks out ("期限长的那个"): beyond the rules, though they guess."""
    same: re.Pattern[str]
    """"same question", "as well": adds nothing to an elliptical topic."""
    about_chat: re.Pattern[str]
    """Asks about the conversation itself; no document answers that."""
    modifier: re.Pattern[str]
    """An elliptical topic that narrows the last question instead of replacing a part ("on weekends")."""

    @abstractmethod
    def reference(self, text: str, heads: Sequence[str]) -> Slot | None:
        """Return the first pronoun or demonstrative that points back; ``heads`` are nouns of the likely referents."""

    @abstractmethod
    def ordinal(self, text: str) -> Slot | None:
        """Return the first "the second one" that can point into a list."""

    @abstractmethod
    def fill(self, text: str, slot: Slot, referent: str) -> str:
        """Put ``referent`` in the slot, as a possessive where the slot is one."""

    @abstractmethod
    def attach(self, referent: str, question: str) -> str:
        """Say what a bare question is about."""

    def prefix(self, words: str, question: str) -> str:
        """Narrow a question by words that are no entity: as :meth:`attach`, unless the language runs words together."""
        return self.attach(words, question)

    @abstractmethod
    def topic(self, question: str) -> str:
        """Return the content words of a question, for a follow-up that has no entity to refer to."""

    @abstractmethod
    def enumerate(self, names: Sequence[str]) -> str:
        """Return "a, b and c"."""

    @abstractmethod
    def heads(self, term: str) -> tuple[str, ...]:
        """Return the common nouns in an entity's name ("Router" of "Meshline R60 Router")."""

    @abstractmethod
    def stands_alone(self, text: str, *, needs: bool) -> bool:
        """Whether a question without any known name is probably complete; ``needs`` when a known entity is in focus."""

    def fill_span(self, text: str, start: int, end: int, referent: str) -> str:
        """Put ``referent`` in ``text[start:end]``."""
        return self.fill(text, Slot(start, end), referent)

    def core(self, text: str, *, answers: bool) -> str:
        """Return the bare question of an utterance.

        Args:
            text: The utterance.
            answers: Whether it may begin with an answer (the other side asked something): statements before the first
                asking clause are then dropped, else only acknowledgements are.

        Returns:
            The question without chatter; the text itself when nothing would be left.
        """
        clauses = [clause.strip() for clause in self.clause_break.split(text) if clause.strip()]
        clauses = [bare for bare in (self._strip_openers(clause) for clause in clauses) if bare]
        asking = [index for index, clause in enumerate(clauses) if self.question.search(clause)]
        if answers and asking:
            clauses = clauses[asking[0] :]
        bare = self.joiner.join(clauses)
        return self.closer.sub("", bare).strip() or text.strip()

    @property
    @abstractmethod
    def joiner(self) -> str:
        """Between clauses kept."""

    def _strip_openers(self, clause: str) -> str:
        while match := self.opener.match(clause):
            if match.end() == 0:
                break
            clause = clause[match.end() :].lstrip()
        return clause
