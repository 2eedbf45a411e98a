"""What is wrong with a data file: one record and one readable line per problem."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from data.errors import DataError
from data.records import Record

# A screenful: the message is for a person, ``fields["problems"]`` has them all.
_PRINTED = 20
_GOT_LENGTH = 40


class Problem(Record):
    """One thing wrong at one place.

    ``line`` counts from 1 and is None when the whole file is meant; ``field`` is a dotted path
    (``relevant_ids.0``), empty when the whole line is meant.
    """

    file: str
    line: int | None
    field: str
    expected: str
    got: str

    def __str__(self) -> str:
        """``turns.jsonl:17: field turn: expected at least 1, got 0``."""
        place = self.file if self.line is None else f"{self.file}:{self.line}"
        field = f"field {self.field}: " if self.field else ""
        return f"{place}: {field}expected {self.expected}, got {self.got}"


def shown(value: Any) -> str:
    """Return ``value`` as JSON, cut to 40 characters."""
    return cut(json.dumps(value, ensure_ascii=False))


def cut(text: str) -> str:
    """Return ``text``, or its first 39 characters and an ellipsis when it is longer than 40."""
    return text if len(text) <= _GOT_LENGTH else text[: _GOT_LENGTH - 1] + "…"


def data_error(path: Path, problems: Sequence[Problem]) -> DataError:
    """Return the error that reports all ``problems``.

    Args:
        path: The file or folder that was read; ends up in ``fields["path"]``.
        problems: At least one. The message prints the first 20, ``fields["problems"]`` holds every one as a dict.
    """
    lines = [str(problem) for problem in problems[:_PRINTED]]
    if len(problems) > _PRINTED:
        lines.append(f"… and {len(problems) - _PRINTED} more")
    return DataError("\n".join(lines), path=str(path), problems=[problem.model_dump() for problem in problems])
