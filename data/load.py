"""Reading passages and turns from JSON lines, with every bad line reported at once.

We read the lines ourselves: ``datasets.load_dataset`` stops at the first bad line and does not say which.
``data.hub`` is the way to and from the ``datasets`` library.
"""

import hashlib
from collections.abc import Iterator
from pathlib import Path

from data.errors import DataError
from data.problems import Problem, data_error
from data.records import Passage, Record, Turn
from data.validate import AnyRecord, read_records

CORPUS_FILE = "corpus.jsonl"
TURNS_FILE = "turns.jsonl"

_UTF8_BOM = b"\xef\xbb\xbf"
_UTF16_BOMS = (b"\xff\xfe", b"\xfe\xff")


class DataSet(Record):
    """A corpus and the turns asked of it.

    ``content_sha256`` is what ``cat corpus.jsonl turns.jsonl | sha256sum`` prints.
    """

    name: str
    passages: tuple[Passage, ...]
    turns: tuple[Turn, ...]
    content_sha256: str


def load_passages(path: str | Path) -> list[Passage]:
    """Read a JSONL file of passages, in file order.

    Raises:
        DataError: Missing or empty file, or bad lines; one line of the message per problem.
    """
    return _all_good(Path(path), *_read(Path(path), Passage))


def load_turns(path: str | Path) -> list[Turn]:
    """Read a JSONL file of turns, in file order.

    Raises:
        DataError: Missing or empty file, or bad lines; one line of the message per problem.
    """
    return _all_good(Path(path), *_read(Path(path), Turn))


def load_data_dir(folder: str | Path) -> DataSet:
    """Read ``corpus.jsonl`` and ``turns.jsonl`` of a folder; the data set is named after it.

    Raises:
        DataError: The folder is missing, or either file has problems (those of both are reported together).
    """
    folder = Path(folder)
    if not folder.is_dir():
        raise DataError(
            f"{folder}: no such folder", advice=f"give one that holds {CORPUS_FILE} and {TURNS_FILE}", path=str(folder)
        )
    corpus, questions = folder / CORPUS_FILE, folder / TURNS_FILE
    passages, corpus_problems = _read(corpus, Passage)
    turns, turn_problems = _read(questions, Turn)
    if corpus_problems or turn_problems:
        raise data_error(folder, corpus_problems + turn_problems)
    content = hashlib.sha256(corpus.read_bytes() + questions.read_bytes())
    return DataSet(
        name=folder.resolve().name,
        passages=tuple(passages),
        turns=tuple(turns),
        content_sha256=content.hexdigest(),
    )


def _all_good(path: Path, records: list[AnyRecord], problems: list[Problem]) -> list[AnyRecord]:
    if problems:
        raise data_error(path, problems)
    return records


def _read(path: Path, model: type[AnyRecord]) -> tuple[list[AnyRecord], list[Problem]]:
    try:
        content = path.read_bytes()
    except OSError as error:
        # The whole path, not the name alone: where we looked is the news.
        unreadable = error.strerror or type(error).__name__
        return [], [Problem(file=str(path), line=None, field="", expected="a file to read", got=unreadable.lower())]
    if content.startswith(_UTF16_BOMS):
        return [], [Problem(file=path.name, line=1, field="", expected="UTF-8", got="UTF-16")]
    lines = list(_numbered(content.removeprefix(_UTF8_BOM)))
    if not lines:
        return [], [Problem(file=path.name, line=None, field="", expected="JSON lines", got="an empty file")]
    return read_records(path.name, lines, model)


def _numbered(content: bytes) -> Iterator[tuple[int, bytes]]:
    r"""Yield lines that are not blank with their numbers.

    Only ``\n`` ends a line: ``str.splitlines`` would also cut at U+2028, which JSON strings may hold.
    """
    for number, line in enumerate(content.split(b"\n"), start=1):
        if line.strip():
            yield number, line
