"""A turn's outcome in words, for a language model that is to write a better instruction: what was missed, and what was wrong with the rewrite.

Pure: texts in, text out. In English, with the quoted texts in their own language.
"""

from collections.abc import Collection, Sequence
from typing import NamedTuple

_MOST = 3
"""Passages, rivals or names told of at most: the reader has several turns to look at."""
_CHARACTERS = 160
"""Of a passage or query."""


class Rival(NamedTuple):
    """A passage that stands where a relevant one should."""

    text: str
    query: str
    """The query that found it best."""


def missed_ids(relevant_ids: Collection[str], retrieved_ids: Sequence[str], k: int = 5) -> tuple[str, ...]:
    """Return the relevant passages that are not among the first ``k``, in the order of ``relevant_ids``, each once.

    Raises:
        ValueError: ``k`` is below 1.
    """
    if k < 1:
        raise ValueError(f"k is {k}: expected 1 or more")
    found = set(list(dict.fromkeys(retrieved_ids))[:k])
    return tuple(one for one in dict.fromkeys(relevant_ids) if one not in found)


def rival_ids(relevant_ids: Collection[str], retrieved_ids: Sequence[str], k: int = 5) -> tuple[str, ...]:
    """Return what outranks the missed passages: those of the first ``k`` that are not relevant, best first; none where nothing is missed.

    Raises:
        ValueError: ``k`` is below 1.
    """
    if not missed_ids(relevant_ids, retrieved_ids, k):
        return ()
    return tuple(one for one in list(dict.fromkeys(retrieved_ids))[:k] if one not in set(relevant_ids))


def feedback(
    *,
    query: str,
    rewrite: str | None,
    missed: Sequence[str],
    rivals: Sequence[Rival] = (),
    lost: Sequence[str] = (),
    invented: Sequence[str] = (),
    refused: str | None = None,
    wanted: str | None = None,
) -> str:
    """Return a few sentences on one turn, one a line.

    Args:
        query: As the user typed it.
        rewrite: What the model wrote; ``None`` or blank where there is nothing.
        missed: Texts of the relevant passages that are not among the first five.
        rivals: What stands there instead, best first.
        lost: Names that the question is about and the rewrite leaves out.
        invented: Names in the rewrite that nobody has said.
        refused: Why the rewrite was not searched, where it was refused.
        wanted: A rewrite that a person wrote; told only where passages were missed or the rewrite was refused.
    """
    lines = [_verdict(rewrite, missed)]
    lines += [f"Missed: {_short(text)}" for text in missed[:_MOST]]
    lines += [
        f'Ranked above it: {_short(one.text)} (found by the query "{_short(one.query)}")' for one in rivals[:_MOST]
    ]
    if refused:
        lines.append(f"The rewrite was refused and not searched: {refused}.")
    if lost:
        lines.append(f"The rewrite leaves out what the question is about: {_named(lost)}.")
    if invented:
        lines.append(f"The rewrite names what nobody has said: {_named(invented)}.")
    if not missed and rewrite and rewrite.strip() == query.strip():
        lines.append("Leaving the question as it is was right here.")
    if wanted and (missed or refused):
        lines.append(f'A person would write: "{_short(wanted)}".')
    return "\n".join(lines)


def _verdict(rewrite: str | None, missed: Sequence[str]) -> str:
    written = (
        f'The rewrite "{_short(rewrite)}"' if rewrite and rewrite.strip() else "No rewrite was written, and the search"
    )
    if not missed:
        return f"{written} is fine: every relevant passage is among the first five."
    count = "a relevant passage" if len(missed) == 1 else f"{len(missed)} relevant passages"
    return f"{written} leaves {count} out of the first five."


def _named(names: Sequence[str]) -> str:
    return ", ".join(list(dict.fromkeys(names))[:_MOST])


def _short(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= _CHARACTERS else f"{line[: _CHARACTERS - 1]}…"
