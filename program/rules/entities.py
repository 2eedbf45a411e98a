"""What a conversation is about: the entities named in it, the most probable referent first."""

import re
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field

from program.rules.gazetteer import Gazetteer, Mention
from program.rules.language_rules import LanguageRules

# One message back counts four fifths. Values chosen on development data (KdConv dev, the sample set).
_DECAY = 0.8
_USER, _CARRIED = 1.0, 0.95
_INTRODUCED, _ANSWERED, _PLAIN, _LISTED, _PASSING, _ADDRESS = 1.1, 1.05, 0.72, 0.6, 0.3, 0.15
_ASIDE = 0.85
"""Factor for what a user's message names beside what it asks about."""
_NAME = 0.45
LOOK_BACK = 40
"""Characters before a name that can say how it is mentioned."""
_SENTENCE = re.compile(r"[。！？!?\n]|\.(?=\s|$)")
_QUOTED = re.compile(r"[「『《“\"]([^「」『』《》“”\"]{2,30})[」』》”\"]")
_PROPER = re.compile(
    r"(?<![.!?:\n]\s)(?<!^)\b[A-Z][\w-]*(?:\s+(?:(?:of|the|and|de|von|van)\s+){0,2}[A-Z][\w-]*)*"
    r"|\b[A-Za-z]+-?\d[\w-]*\b"
)
_COMMON = frozenset(
    re.findall(
        r"\S+",
        "A An And April Are At August But Can December Did Do Does February For Friday He How I If In Is It "
        "January July June March May Monday No November OK October On Or Saturday September She Sunday That "
        "The These They This Those Thursday Tuesday We Wednesday What When Where Which Who Why Yes You ",
    )
)
"""Words with a capital that are no names."""


@dataclass
class Focus:
    """Scores of the entities named so far, higher is more probable, and what the last exchange named."""

    scores: dict[str, float] = field(default_factory=dict)
    """Entities of the gazetteer, in order of first mention."""
    names: dict[str, float] = field(default_factory=dict)
    """Quoted spans, proper nouns and codes the gazetteer does not know."""
    said_by_user: set[str] = field(default_factory=set)
    """Those of ``names`` that a user message has."""
    last_answer: tuple[str, ...] = ()
    last_question: tuple[str, ...] = ()
    asks_for_entities: bool = False
    left_open: bool = False
    """Whether the last user message named nothing itself, so that the answer may tell what it was about."""

    def ranked(self) -> tuple[str, ...]:
        """Known entities by score, ties by first mention; without any, the other names."""
        scores = self.scores or self.names
        return tuple(sorted(scores, key=lambda term: -scores[term]))

    def margin(self) -> float:
        """How far the best entity is ahead of the second, 0 to 1; 1 when it is alone."""
        ordered = sorted((self.scores or self.names).values(), reverse=True)
        if len(ordered) < 2:
            return float(len(ordered))
        return (ordered[0] - ordered[1]) / ordered[0]

    def hear_user(self, text: str, stand_alone: str, gazetteer: Gazetteer, rules: LanguageRules) -> None:
        """Take in a user message and what it means on its own; one that names nothing carries the best entity on."""
        self._age()
        said = gazetteer.find(text)
        meant = gazetteer.find(stand_alone)
        picked = {mention.term for mention in meant} & {mention.term for mention in said}
        for mention in said:
            aside = _ASIDE if picked and mention.term not in picked else 1.0
            self._raise(mention.term, aside * self._strength(text, mention, _USER, rules))
        for mention in meant:
            self._raise(
                mention.term, _USER if not said else _CARRIED * self._strength(stand_alone, mention, 1.0, rules)
            )
        if not said and not meant and self.scores:
            self._raise(self.ranked()[0], _CARRIED)
        self._note_names(text, said)
        folded = text.lower()
        self.said_by_user.update(name for name in self.names if name.lower() in folded)
        self.last_question = tuple(dict.fromkeys(mention.term for mention in meant))
        self.asks_for_entities = rules.asks_for_entities.search(text) is not None
        self.left_open = not said

    def hear_assistant(self, text: str, gazetteer: Gazetteer, rules: LanguageRules) -> None:
        """Take in an answer: what it was asked for, recommends or is about counts, what it mentions in passing little."""
        self._age()
        mentions = gazetteer.find(text, careful=True)
        terms = tuple(dict.fromkeys(mention.term for mention in mentions))
        ends = [match.start() for match in _SENTENCE.finditer(text)] + [len(text)]
        sentence_of = [bisect_left(ends, mention.start) for mention in mentions]
        named_in: dict[int, set[str]] = defaultdict(set)
        for mention, sentence in zip(mentions, sentence_of, strict=True):
            named_in[sentence].add(mention.term)
        for index, (mention, sentence) in enumerate(zip(mentions, sentence_of, strict=True)):
            alone = len(named_in[sentence]) == 1
            words = text[ends[sentence - 1] + 1 if sentence else 0 : ends[sentence]]
            base = _LISTED if len(terms) > 1 else _PLAIN
            if self.left_open and index == 0 and sentence == 0 and (alone or not self.asks_for_entities):
                base = _ANSWERED
            recommended = rules.recommends.search(words) and not rules.conditional.search(words)
            if alone and (recommended or (self.asks_for_entities and len(terms) == 1)):
                base = _INTRODUCED
            self._raise(mention.term, self._strength(text, mention, base, rules))
        self._note_names(text, mentions)
        self.last_answer = terms
        self.asks_for_entities = rules.asks_for_entities.search(text) is not None

    def _strength(self, text: str, mention: Mention, base: float, rules: LanguageRules) -> float:
        before = text[max(0, mention.start - LOOK_BACK) : mention.start]
        if rules.address.search(before):
            return min(base, _ADDRESS)
        return min(base, _PASSING) if rules.passing.search(before) else base

    def _age(self) -> None:
        for scores in (self.scores, self.names):
            for term in scores:
                scores[term] *= _DECAY

    def _raise(self, term: str, weight: float) -> None:
        self.scores[term] = max(self.scores.get(term, 0.0), weight)

    def _note_names(self, text: str, mentions: Sequence[Mention]) -> None:
        for name in names(text, mentions):
            self.names[name] = max(self.names.get(name, 0.0), _NAME)


def names(text: str, mentions: Sequence[Mention] = ()) -> tuple[str, ...]:
    """Return quoted spans, proper nouns and codes of a text that no mention covers, in order, at most eight."""
    found: dict[str, None] = {}
    spans = [(match.start(1), match.group(1)) for match in _QUOTED.finditer(text)]
    spans += [(match.start(), match.group(0)) for match in _PROPER.finditer(text)]
    for start, name in sorted(spans):
        covered = any(mention.start < start + len(name) and start < mention.end for mention in mentions)
        if not covered and name not in _COMMON and len(name) > 2:
            found.setdefault(name)
    return tuple(found)[:8]
