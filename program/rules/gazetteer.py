"""The entities a corpus speaks of, and where a text names them."""

import re
from collections.abc import Iterable
from typing import Any, NamedTuple, Self

from pydantic import PrivateAttr

from data.records import Passage, Record
from program.rules.elsewhere import words_elsewhere
from program.rules.key_words import key_words
from program.rules.rarity import RAREST, frequent_words, stem
from program.rules.surfaces import aliases
from program.rules.titles import components, entities_and_sections
from program.rules.word_use import WordUse

_NAME_KEYS = ("name", "entity", "product", "model", "article")
_CAPITAL_AFTER = re.compile(r"[ -][A-Z][a-z]")
# Not after a full stop: there any word has a capital.
_CAPITAL_BEFORE = re.compile(r"(?:(?<=[a-z,] )|(?<=\())[A-Z][a-z]+ $")
_FIRST_IDEOGRAPH = "\u2e80"
_CJK_SPACE = re.compile(r"(?<=[\u4e00-\u9fff])\s+|\s+(?=[\u4e00-\u9fff])")


class Mention(NamedTuple):
    """A place in a text that names an entity: ``text[start:end]`` is ``term`` or a shorter form of it."""

    term: str
    start: int
    end: int


class Gazetteer(Record):
    """Names of entities and of the sections documents share. Immutable plain data.

    ``aliases`` pairs a shorter form with the term it stands for; ``sections`` are attribute names ("Warranty").
    """

    terms: tuple[str, ...] = ()
    aliases: tuple[tuple[str, str], ...] = ()
    sections: tuple[str, ...] = ()
    titles: tuple[str, ...] = ()
    """Document titles of several parts ("Product: Section")."""

    frequent: tuple[tuple[str, ...], ...] = ()
    """Words of the corpus by rarity, without the rarest; see ``program.rules.rarity``."""

    elsewhere: tuple[str, ...] = ()
    """Words of documents that speak of no entity, and of those alone; see ``program.rules.elsewhere``."""

    _rarities: dict[str, int] = PrivateAttr(default_factory=dict)
    _elsewhere: frozenset[str] = PrivateAttr(default=frozenset())
    _titles: "Gazetteer | None" = PrivateAttr(default=None)
    _names: frozenset[str] = PrivateAttr(default=frozenset())
    _terms_by_form: dict[str, str] = PrivateAttr(default_factory=dict)
    _capitalised: frozenset[str] = PrivateAttr(default=frozenset())
    """One-word forms whose first letter is a capital, lower-cased."""
    _lengths_by_start: dict[str, tuple[int, ...]] = PrivateAttr(default_factory=dict)

    def model_post_init(self, _context: Any, /) -> None:
        """Index the forms by their first two characters, longest first."""
        self._names = frozenset(self.terms)
        self._rarities = {word: level for level, words in enumerate(self.frequent) for word in words}
        self._elsewhere = frozenset(self.elsewhere)
        self._titles = Gazetteer(terms=self.titles) if self.titles else None
        lengths: dict[str, set[int]] = {}
        pairs = [*self.aliases, *((term, term) for term in self.terms)]
        self._capitalised = frozenset(form.lower() for form, _ in pairs if form.isalpha() and form[0].isupper())
        for form, term in pairs:
            for written in {form, _CJK_SPACE.sub("", form)}:
                folded = _fold(written)
                if len(folded) > 1:
                    self._terms_by_form[folded] = term
                    lengths.setdefault(folded[:2], set()).add(len(folded))
        self._lengths_by_start.update((start, tuple(sorted(sizes, reverse=True))) for start, sizes in lengths.items())

    @classmethod
    def from_passages(cls, passages: Iterable[Passage], extra_terms: Iterable[str] = ()) -> Self:
        """Collect entities from titles and name-like metadata, and the shorter forms that stay unambiguous.

        Args:
            passages: The corpus.
            extra_terms: Further names, for example from a user's dictionary; blank ones are skipped.

        Returns:
            The gazetteer, in order of first appearance.
        """
        titles: dict[str, None] = {}
        names: dict[str, None] = {}
        words = WordUse()
        texts: list[tuple[str, str]] = []
        for passage in passages:
            texts.append((passage.title or "", passage.text))
            titles.setdefault(passage.title or "")
            words.read(passage.text)
            for key in _NAME_KEYS:
                value = passage.metadata.get(key)
                if isinstance(value, str) and value.strip():
                    names.setdefault(value.strip())
        entities, sections = entities_and_sections(titles)
        wanted = (*entities, *names, *(term.strip() for term in extra_terms))
        terms = tuple(dict.fromkeys(term for term in wanted if len(term) > 1))
        shared = {section.lower() for section in sections}
        words_for = {word: term for word, term in key_words(terms, texts).items() if word not in shared}
        forms = words_for | aliases(terms, words.names())
        several_parts = tuple(title for title in titles if len(components(title)) > 1)
        frequent = frequent_words([f"{title}\n{text}" for title, text in texts])
        plain = cls(
            terms=terms, aliases=tuple(forms.items()), sections=sections, titles=several_parts, frequent=frequent
        )
        elsewhere = words_elsewhere(texts, lambda text: bool(plain.find(text, careful=True)))
        return plain if not elsewhere else cls(**{**plain.model_dump(), "elsewhere": elsewhere})

    def find(self, text: str, *, careful: bool = False) -> list[Mention]:
        """Return the entities named in ``text`` from left to right, the longest name at each place, none overlapping.

        Latin names are matched as whole words whatever their case; Chinese ones anywhere.

        Args:
            text: Any text.
            careful: Whether its writer minds capitals (documents and assistants do, users do not): a name of one word with a capital
                ("Journey") then needs it, for without it is the ordinary word.
        """
        folded = _fold(text)
        terms, lengths_by_start = self._terms_by_form, self._lengths_by_start
        found: list[Mention] = []
        free_from = 0
        for start in range(len(folded) - 1):
            lengths = lengths_by_start.get(folded[start : start + 2])
            if lengths is None or start < free_from or _inside_word(folded, start):
                continue
            for length in lengths:
                end = start + length
                term = terms.get(folded[start:end])
                if (
                    term
                    and not _inside_word(folded, end)
                    and not (careful and self._is_ordinary(text, start, end))
                    and not self._is_part_of_another_name(text, start, end)
                ):
                    found.append(Mention(term, start, end))
                    free_from = end
                    break
        return found

    def rarity(self, word: str) -> int:
        """Return how rare a word is in the corpus: 0 in more than half of the passages, then a step for each halving, at most 7."""
        return self._rarities.get(stem(word), RAREST)

    def is_elsewhere(self, word: str) -> bool:
        """Whether only documents that speak of no entity have ``word``."""
        return stem(word) in self._elsewhere

    def last_title(self, texts: Iterable[str]) -> str | None:
        """Return the title of several parts that ``texts``, newest first, quote last and in full."""
        if self._titles is None:
            return None
        return next((found[-1].term for text in texts if (found := self._titles.find(text))), None)

    def _is_ordinary(self, text: str, start: int, end: int) -> bool:
        """Whether a one-word Latin form that is written with a capital stands here without one."""
        word = text[start:end]
        return word.isascii() and word.isalpha() and word.islower() and word in self._capitalised

    def _is_part_of_another_name(self, text: str, start: int, end: int) -> bool:
        """Whether a one-word short form stands beside a further capitalised word: "Ada Reed" is not "Ada Marsh"."""
        word = text[start:end]
        if not word.isalpha() or not word[0].isupper() or not word.isascii() or word in self._names:
            return False
        return (
            _CAPITAL_AFTER.match(text, end) is not None
            or _CAPITAL_BEFORE.search(text[max(0, start - 30) : start]) is not None
        )

    def to_json(self) -> str:
        """Serialise to JSON."""
        return self.model_dump_json()

    @classmethod
    def from_json(cls, text: str) -> Self:
        """Read what :meth:`to_json` wrote."""
        return cls.model_validate_json(text)


def _inside_word(folded: str, position: int) -> bool:
    """Whether a Latin word or number goes on across ``position``."""
    if not 0 < position < len(folded):
        return False
    before, after = folded[position - 1], folded[position]
    return before.isalnum() and after.isalnum() and before < _FIRST_IDEOGRAPH and after < _FIRST_IDEOGRAPH


def _fold(text: str) -> str:
    """Lower-case without changing the length, so that positions stay those of ``text``."""
    lowered = text.lower()
    if len(lowered) == len(text):
        return lowered
    return "".join(c.lower() if len(c.lower()) == 1 else c for c in text)
