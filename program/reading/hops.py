"""Sub-questions that build on one another's answers."""

import re
from collections.abc import Mapping, Sequence

from data.records import Record
from program.reading.lines import split_lines
from program.reading.variants import variant_key

# "#1", "【1】", "[answer 1]", "{答案1}", "the answer to question 1", "问题1的答案".
_MARK = re.compile(
    r"(?:the\s+answers?\s+(?:to|of|from)\s+)?(?<![A-Za-z0-9])[#＃]\s?(\d{1,2})(?!\d)(?:\s*的(?:答案|结果))?|"
    r"[【\[{<「]+\s*(?:(?:the\s+)?(?:answers?|results?|答案|结果)\s*(?:to|of|from)?\s*)?"
    r"(?:问题|(?:sub-?)?question|q|step|hop)?[\s_#]*(\d{1,2})(?:的(?:答案|结果))?\s*[】\]}>」]+|"
    r"(?:the\s+)?answers?\s+(?:to|of|from)\s+(?:(?:sub-?)?question|q|step|line)\s*(\d{1,2})\b|"
    r"(?:问题\s*(\d{1,2})|第\s*(\d{1,2})\s*个?问题)\s*的(?:答案|结果)",
    re.IGNORECASE,
)
_PREVIOUS = re.compile(
    r"(?:the\s+)?(?:previous|above)\s+answer\b|(?:the\s+)?answer\s+(?:to|of|from)\s+the\s+previous\s+(?:question|line|step)\b|"
    r"上(?:一个?|个)(?:问题)?的?(?:答案|结果)",
    re.IGNORECASE,
)
_FILLED = re.compile(r"#(\d{1,2})(?!\d)")
_CITATION = re.compile(r"[\[【]\s*\d{1,2}(?:\s*[,，、]\s*\d{1,2})*\s*[\]】]")
_ANSWER_CHARACTERS = 100
"""A longer answer is cut where it stands in a question: what it names comes first, and the question must not drown in it."""


class Hop(Record):
    """One sub-question."""

    text: str
    """What to ask; ``#2`` in it stands for the answer of the second sub-question."""
    needs: tuple[int, ...] = ()
    """Numbers of the sub-questions whose answers it needs, from 1, ascending; all of them come before it."""


def read_hops(completion: str, *, at_most: int = 4, query: str = "") -> list[Hop]:
    """Return the distinct sub-questions of ``completion``, in order, at most ``at_most``.

    A reference to an earlier line becomes ``#n`` and a need, whatever brackets it has; one to a line that was a repeat means the line it
    repeats. A reference to a later line can never be filled and is taken out; a question that is nothing else is left out, and so are those
    that build on it. A number that is no line's (or the line's own, or stands in ``query``) is text.

    Args:
        completion: What the language model wrote, in any shape that ``program.reading.lines`` reads.
        at_most: Sub-questions kept, from the first.
        query: The question that was split; a "#1" in it is no reference. It is not kept out of the list.
    """
    lines = split_lines(completion)
    hops: list[Hop] = []
    number_of: dict[int, int] = {}  # by the line's own number: the number of the hop it became
    known: dict[str, int] = {}
    for own, line in enumerate(lines, start=1):
        hop = _read_hop(line, own, len(lines), number_of, query)
        if hop is None:
            continue
        key = variant_key(hop.text)
        if key and key not in known and len(hops) < at_most:
            hops.append(hop)
            known[key] = len(hops)
        if key in known:
            number_of[own] = known[key]
    return hops


def fill(hop: Hop, answers: Mapping[int, str]) -> str | None:
    """Return the question with the answers that it needs in their places, or ``None`` while one is missing or blank.

    Args:
        hop: The sub-question.
        answers: Answers by the number of their sub-question, from 1. Citations and the final stop are left out; 100 characters are taken.
    """
    said = {number: _inline(answers.get(number, "")) for number in hop.needs}
    if not all(said.values()):
        return None
    return _FILLED.sub(lambda mark: said.get(int(mark.group(1)), mark.group()), hop.text)


def in_waves(hops: Sequence[Hop]) -> list[list[int]]:
    """Return the numbers of ``hops`` in groups: each group needs only answers of the groups before it, and can be worked on at once."""
    wave_of: dict[int, int] = {}
    waves: list[list[int]] = []
    for number, hop in enumerate(hops, start=1):
        wave_of[number] = wave = 1 + max((wave_of[one] for one in hop.needs), default=-1)
        waves += [[] for _ in range(wave + 1 - len(waves))]
        waves[wave].append(number)
    return waves


def to_answer(hops: Sequence[Hop]) -> frozenset[int]:
    """Return the numbers of the sub-questions whose answers others need: only these cost a call."""
    return frozenset(number for hop in hops for number in hop.needs)


def _read_hop(line: str, own: int, lines: int, number_of: Mapping[int, int], query: str) -> Hop | None:
    """``None`` where the line builds on one that is not there."""
    needs: set[int] = set()
    lost = False

    def referred(mark: re.Match[str], number: int) -> str:
        nonlocal lost
        if number < 1 or number == own or number > lines or (mark.group() in query):
            return mark.group()
        if number > own:
            return ""
        lost = lost or number not in number_of
        needs.add(number_of.get(number, 0))
        return f"#{number_of.get(number, 0)}"

    text = _MARK.sub(lambda mark: referred(mark, int(next(filter(None, mark.groups())))), line)
    text = _PREVIOUS.sub(lambda mark: referred(mark, own - 1), text)
    return None if lost else Hop(text=" ".join(text.split()), needs=tuple(sorted(needs)))


def _inline(answer: str) -> str:
    text = " ".join(_CITATION.sub("", answer).split())
    return text[:_ANSWER_CHARACTERS].rstrip("。.；;，,！! ")
