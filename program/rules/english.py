"""English: pronouns, ordinals and word order for the resolver."""

import re
from collections.abc import Sequence

from program.rules.english_words import ADJECTIVES, BEFORE_THAT, FUNCTION_WORDS, NOUNS, ORDINALS, TIME
from program.rules.language_rules import LanguageRules, Slot

_I = re.IGNORECASE
_DUMMY = re.compile(
    rf"\bit(?:'s| is| was|’s)?\s+(?:not\s+)?(?:{ADJECTIVES})\s+(?:to|that|if|for|when)\b"
    rf"|\b(?:is|was|isn't)\s+it\s+(?:{ADJECTIVES})\s+(?:to|that|if|for|when)\b"
    r"|\b(?:does|will|would|did)\s+it\s+(?:take|matter|help|cost|make sense)\s+(?:\S+\s+){0,2}?(?:to"
    r"|if|when)\b|\bit\s+(?:rains?|snows?|takes?\s+to|seems|turns out)\b|\b(?:what"
    r"|which)\s+(?:time|day)\s+is\s+it\b",
    _I,
)
_SUBJECT = (
    r"\b(?:do|does|did|can|could|should|would|will|must|may)\s+(?:(?!they\b)\w+\s+)?"
    r"(?!(?:this|his|its|does|was|is)\b)[a-z]{2,}[a-rt-z]s\s+[a-z]+\b"
)
_BOUND = re.compile(
    # "how do companies hire their people": the subject is at hand.
    rf"{_SUBJECT}[^,;.?]*?\b(?P<they>their|them)\b"
    # "I updated my card, but it fails": a noun of the same sentence, new in it.
    r"|\b(?i:my|an?|any)\s+[a-z-]+(?:\s+[a-z-]+)?,?\s+(?:and|but|or|so|if|because|since|when|while)\s+(?:[a-z]+\s+){0,2}?(?P<clause>it|they|them)\b"
    # A pronoun inside a name.
    r"|\b[A-Z][\w'’]*\s+(?:(?:and|of|in|for|to|with|on|or)\s+|&\s+)(?P<name>(?i:his|her|its|their|this|that))\s+(?=[A-Z])"
    # "can I do that": an action, not an entity.
    r"|\b(?i:i|you|we|they|he|she|to|can|could|should|would|will|must|not|people|someone)\s+(?i:do|doing|done)\s+(?P<act>(?i:that|this|it))\b"
)
"""Pronouns that do not point back at an entity; each in a named group."""
_OWN_NAME = re.compile(r"(?<=[a-z,] )(?!(?:I|OK)\b)[A-Z][a-z]{2,}\b")
_DEFINITION = re.compile(
    r"(?:what|who)(?:\s+(?:is|are|was|were)|'s)\s+(?:(?:an?|meant\s+by)\s+)?(?!(?:not"
    r"|included|covered|allowed|needed|required|wrong|new|different|next|he|she|it"
    r"|they|you|we|this|that|these|those|the|his|her|its|their|my|your|our|some|any"
    r"|there)\b)[\"“]?[\w-]+(?:\s+(?!of\b|in\b)[\w-]+){0,2}[\"”]?\s*\??$",
    _I,
)


class English(LanguageRules):
    """The English rules; :data:`program.rules.english_patterns.ENGLISH` is the one instance."""

    @property
    def joiner(self) -> str:
        """A comma."""
        return ", "

    def reference(self, text: str, heads: Sequence[str]) -> Slot | None:
        """Return the first pronoun or demonstrative; dummy "it", conjunctions and "this week" are none."""
        nouns = "|".join([*(re.escape(head) for head in heads), NOUNS])
        blocked = [match.span() for match in _DUMMY.finditer(text)]
        bound = {match.start(match.lastgroup) for match in _BOUND.finditer(text) if match.lastgroup}
        pattern = (
            rf"\b(?:this|that|these|those|the same)\s+(?:{nouns})s?\b(?P<p0>'s)?"
            + (rf"|\bthe\s+(?:{'|'.join(re.escape(head) for head in heads)})\b(?P<p1>'s)?" if heads else "")
            + r"|\b(?P<poss>its|their|theirs|his|hers)\b|\b(?P<her>her)\s+(?=[a-z])"
            r"|\b(?:it|they|them|he|she|him|her)(?P<p2>'s(?!\s+(?:a|an|the|not|ok|been|going)\b))?\b(?!')"
            rf"|\b(?:this|that|these|those)\b(?!\s+(?:{TIME}|i|you|we|they|he|she|the|a|an|it|my)\b)"
            r"|(?<=get )there\b|(?<=go )there\b|(?<=stay )there\b|(?<=eat )there\b|(?<=from )there\b"
            r"|(?<=do )there\b|(?<=around )there\b|\bthere(?=\s*[?.!]*$)"
        )
        for match in re.finditer(pattern, text, _I):
            word = match.group(0).lower().split()[0]
            if any(start <= match.start() < end for start, end in blocked) or match.start() in bound:
                continue
            if word == "that" and not self._points(text, match):
                continue
            if word in ("this", "these", "those", "that") and re.match(rf"\s+(?:{TIME})s?\b", text[match.end() :], _I):
                continue
            return Slot(match.start(), match.end())
        return None

    @staticmethod
    def _points(text: str, match: re.Match[str]) -> bool:
        """Whether "that" is a demonstrative rather than a conjunction ("the plan that has", "know that")."""
        before = text[: match.start()].rstrip().rsplit(" ", 1)[-1].lower().strip(",.;:!?")
        return before == "" or re.fullmatch(BEFORE_THAT, before) is not None or text[match.end() :].strip(" ?.!") == ""

    def ordinal(self, text: str) -> Slot | None:
        """Return "the second one", "number 2", "the latter", "the last option"; "the first half" is no place in a list."""
        match = re.search(
            rf"\b(?:the\s+)?(?:(?P<word>{'|'.join(ORDINALS)})|(?P<digit>\d{{1,2}})(?:st|nd|rd|th)|(?P<last>last))"
            rf"(?:\s+(?:option|point|step|item|choice|method|{NOUNS})\b|(?=\s*[?.!,]*$))"
            r"|\b(?:number|option|point|step|item|no\.)\s*(?P<number>\d{1,2})\b|\bthe\s+(?:(?P<former>former)"
            r"|(?P<latter>latter))\b",
            text,
            _I,
        )
        if match is None:
            return None
        if match["word"]:
            number = ORDINALS.index(match["word"].lower()) + 1
        elif match["digit"] or match["number"]:
            number = int(match["digit"] or match["number"])
        else:
            number = 1 if match["former"] else -1
        return Slot(match.start(), match.end(), number)

    def fill(self, text: str, slot: Slot, referent: str) -> str:
        """Put the referent in place, with 's for a possessive pronoun."""
        phrase = text[slot.start : slot.end].strip().lower()
        after = text[slot.end :]
        if (
            phrase in ("its", "their", "his", "theirs", "hers")
            or phrase.endswith("'s")
            or (phrase == "her" and after.strip(" ?.!"))
        ):
            referent += "'" if referent.endswith("s'") else "'s"
        elif phrase == "there":
            referent = ("to " if re.search(r"\b(?:get|go)\s*$", text[: slot.start], _I) else "in ") + referent
        gap = " " if text[slot.end - 1 : slot.end].isspace() or (after and after[0].isalnum()) else ""
        return f"{text[: slot.start]}{referent}{gap}{after}".strip()

    def attach(self, referent: str, question: str) -> str:
        """Append the referent: "how long is the warranty for X?"; a bare noun phrase follows the name instead."""
        bare = question.rstrip(" ?.!")
        mark = "?" if question.rstrip().endswith("?") else ""
        if re.match(
            r"(?:how|what|when|where|who|whom|whose|which|why|is|are|was|were|do|does|did"
            r"|can|could|will|would|should|has|have|had|any)\b",
            bare,
            _I,
        ):
            return f"{bare} for {referent}{mark}"
        return f"{referent} {bare}{mark}"

    def topic(self, question: str) -> str:
        """Keep at most six words that are no function words."""
        words = re.findall(r"[\w][\w'-]*", question)
        return " ".join([word for word in words if word.lower() not in FUNCTION_WORDS][:6])

    def enumerate(self, names: Sequence[str]) -> str:
        """Return "a, b and c"."""
        return names[0] if len(names) == 1 else ", ".join(names[:-1]) + " and " + names[-1]

    def heads(self, term: str) -> tuple[str, ...]:
        """Return the last one and two words of a name of several words, unless they are codes."""
        words = term.split()
        if len(words) < 2 or not words[-1].isalpha():
            return ()
        return (*((" ".join(words[-2:]),) if len(words) > 2 and words[-2].isalpha() else ()), words[-1])

    def stands_alone(self, text: str, *, needs: bool) -> bool:
        """Many words of its own; without an entity in focus a few, or "what is X", are enough."""
        words = [word for word in re.findall(r"[a-z0-9][a-z0-9'-]*", text.lower()) if word not in FUNCTION_WORDS]
        if _OWN_NAME.search(text):
            return True
        if needs and not _DEFINITION.match(text):
            return len(words) >= 8
        if re.match(r"(?:what|who)(?:\s+is|\s+are|'s)\s+(?:an?\s+)?(?!the\b|my\b|our\b)\S", text, _I) and words:
            return True
        return len(words) >= (4 if re.search(r"\bthe\b", text, _I) else 3)
