"""Reading public files as they are published: plain, .gz or .zip, with or without a BOM, of any size, a piece at a time."""

import gzip
import json
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any, NamedTuple

from pydantic_core import from_json

from data.errors import DataError
from data.problems import Problem, cut, shown

PACKED = ("", ".gz", ".zip")
"""What may follow the name of any file."""

_UTF8_BOM = b"\xef\xbb\xbf"
_UTF16_BOMS = (b"\xff\xfe", b"\xfe\xff")
_PIECE = _HEAD = 1 << 16


class Place(NamedTuple):
    """Where something stands in a file; lines count from 1."""

    file: str
    line: int

    def problem(self, field: str, expected: str, got: str) -> Problem:
        """Say what is wrong here."""
        return Problem(file=self.file, line=self.line, field=field, expected=expected, got=got)


def plain_name(path: Path) -> str:
    """Return the file's name without ``.gz`` or ``.zip``."""
    return path.name.removesuffix(".gz").removesuffix(".zip")


def find(folder: Path, name: str) -> Path | None:
    """Return ``name`` in ``folder``, packed or not; None when it is not there."""
    return next((folder / f"{name}{end}" for end in PACKED if (folder / f"{name}{end}").is_file()), None)


def files(folder: Path, pattern: str) -> list[Path]:
    """Return all files below ``folder`` whose names match ``pattern``, packed or not, sorted; a file packed and not counts once."""
    found: dict[str, Path] = {}
    for end in PACKED:
        for path in sorted(folder.rglob(pattern + end)):
            if path.is_file():
                found.setdefault(str(path.with_name(plain_name(path))), path)
    return [found[name] for name in sorted(found)]


def read_lines(path: Path, problems: list[Problem]) -> Iterator[tuple[Place, str]]:
    """Yield the lines that are not blank, without their ends; lines that are no UTF-8 become problems."""
    with _opened(path) as file:
        for number, raw in enumerate(file, start=1):
            place = Place(path.name, number)
            if number == 1 and raw.startswith(_UTF16_BOMS):
                problems.append(place.problem("", "UTF-8", "UTF-16"))
                return
            try:
                text = (raw.removeprefix(_UTF8_BOM) if number == 1 else raw).decode("utf-8")
            except UnicodeDecodeError as error:
                problems.append(place.problem("", f"UTF-8 ({error.reason})", cut(repr(raw))))
                continue
            if text.strip():
                yield place, text.rstrip("\r\n")


def read_items(path: Path, problems: list[Problem]) -> Iterator[tuple[Place, Any]]:
    """Yield the items of a JSON array, or the lines of JSON Lines, one at a time.

    A bad line of JSON Lines is a problem and the rest is read; after a bad item of an array nothing can be, so that is the last problem.
    """
    with _opened(path) as file:
        head = file.read(_HEAD).removeprefix(_UTF8_BOM).lstrip()
    if not head:
        problems.append(Problem(file=path.name, line=None, field="", expected="JSON", got="an empty file"))
    elif head.startswith(b"["):
        yield from ((place, value) for place, _, value in _read_whole(path, "[", problems))
    else:
        for place, text in read_lines(path, problems):
            try:
                yield place, from_json(text)
            except ValueError as error:
                problems.append(place.problem("", f"JSON ({error})", cut(text)))


def read_members(path: Path, problems: list[Problem]) -> Iterator[tuple[Place, str, Any]]:
    """Yield the members of one JSON object, one at a time: (place, key, value)."""
    yield from _read_whole(path, "{", problems)


def read_objects(path: Path, problems: list[Problem]) -> Iterator[tuple[Place, dict[str, Any]]]:
    """Yield the objects of an array or of JSON Lines; what is no object becomes a problem."""
    for place, value in read_items(path, problems):
        if isinstance(value, dict):
            yield place, value
        else:
            problems.append(place.problem("", "a JSON object", shown(value)))


@contextmanager
def _opened(path: Path) -> Iterator[IO[bytes]]:
    """Open ``path`` for reading bytes, unpacked.

    Raises:
        DataError: It cannot be read, or a .zip holds another number of files than one.
    """
    try:
        if path.suffix == ".gz":
            with gzip.open(path) as unpacked:
                yield unpacked  # type: ignore[misc]
        elif path.suffix == ".zip":
            with zipfile.ZipFile(path) as archive:
                names = [name for name in archive.namelist() if not name.endswith("/") and "__MACOSX" not in name]
                if len(names) != 1:
                    raise DataError(
                        f"{path}: expected a .zip with one file, got {len(names)}", advice="unpack it", path=str(path)
                    )
                with archive.open(names[0]) as member:
                    yield member
        else:
            with path.open("rb") as file:
                yield file
    except (OSError, EOFError, zipfile.BadZipFile) as error:
        reason = getattr(error, "strerror", None) or str(error) or type(error).__name__
        raise DataError(f"{path}: cannot be read: {reason}", path=str(path)) from error


class _Text:
    """The text of a file as far as it has been read, and the place in it."""

    def __init__(self, file: IO[bytes]) -> None:
        self._file = file
        self._raw = b""
        self._buffer = ""
        self._at = 0
        self._ended = False
        self.line = 1
        self._decoder = json.JSONDecoder()
        while not self._buffer and not self._ended:
            self._read(_PIECE)
        self._buffer = self._buffer.removeprefix("\ufeff")

    def peek(self) -> str:
        """Skip white space; return the next character, or an empty string at the end."""
        while True:
            while self._at < len(self._buffer) and self._buffer[self._at] in " \t\r\n":
                self.line += self._buffer[self._at] == "\n"
                self._at += 1
            if self._at < len(self._buffer) or self._ended:
                return self._buffer[self._at : self._at + 1]
            self._read(_PIECE)

    def skip(self) -> None:
        """Go past the next character."""
        self._at += 1

    def value(self) -> Any:
        """Read one JSON value.

        Raises:
            ValueError: There is none.
        """
        self.peek()
        size = _PIECE
        while True:
            try:
                value, end = self._decoder.raw_decode(self._buffer, self._at)
                # A number may go on in what is not yet read.
                if end < len(self._buffer) or self._ended:
                    self.line += self._buffer.count("\n", self._at, end)
                    self._at = end
                    return value
            except json.JSONDecodeError:
                if self._ended:
                    raise
            self._read(size)
            # Doubled, so that a long value is not tried again for each piece.
            size *= 2

    def rest(self) -> str:
        """Return a little of what comes next."""
        return self._buffer[self._at : self._at + 60]

    def _read(self, size: int) -> None:
        piece = self._file.read(size)
        self._ended = not piece
        raw = self._raw + piece
        # A character may be cut at the end of a piece.
        keep = 0 if self._ended else _cut_character(raw)
        self._raw = raw[len(raw) - keep :]
        self._buffer = self._buffer[self._at :] + raw[: len(raw) - keep].decode("utf-8")
        self._at = 0


def _cut_character(raw: bytes) -> int:
    """Return how many bytes at the end of ``raw`` begin a UTF-8 character that is not complete, 0 to 3."""
    for back in range(1, min(4, len(raw) + 1)):
        byte = raw[-back]
        if byte >= 0xC0:
            length = 2 if byte < 0xE0 else 3 if byte < 0xF0 else 4
            return back if length > back else 0
        if byte < 0x80:
            return 0
    return 0


def _read_whole(path: Path, opening: str, problems: list[Problem]) -> Iterator[tuple[Place, str, Any]]:
    """Yield the items of one array (with the key ""), or the members of one object."""
    with _opened(path) as file:
        try:
            text = _Text(file)
        except UnicodeDecodeError as error:
            problems.append(Place(path.name, 1).problem("", f"UTF-8 ({error.reason})", "other bytes"))
            return
        close = {"[": "]", "{": "}"}[opening]
        try:
            _expect(text, opening)
            while text.peek() not in (close, ""):
                place = Place(path.name, text.line)
                key = ""
                if close == "}":
                    key = str(text.value())
                    _expect(text, ":")
                yield place, key, text.value()
                if text.peek() == ",":
                    text.skip()
                elif text.peek() != close:
                    raise ValueError(f"Expecting ',' or '{close}'")
            _expect(text, close)
        except UnicodeDecodeError as error:
            problems.append(Place(path.name, text.line).problem("", f"UTF-8 ({error.reason})", "other bytes"))
        except (ValueError, RecursionError) as error:
            reason = error.msg if isinstance(error, json.JSONDecodeError) else str(error)
            problems.append(Place(path.name, text.line).problem("", f"JSON ({reason})", cut(text.rest()) or "the end"))


def _expect(text: _Text, character: str) -> None:
    if text.peek() != character:
        raise ValueError(f"Expecting '{character}'")
    text.skip()
