"""What turns were rewritten to, a JSON line each, for a person to spot-check later. Off unless someone makes one."""

import hashlib
import logging
import os
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Literal

from pydantic import AwareDatetime, Field, ValidationError
from pydantic_core import from_json

from data.errors import ConfigError, DataError
from data.records import Record
from program.result import Fallback, Intent, Query, Rewritten

_MOST_CHARACTERS = 2000

_log = logging.getLogger(__name__)


class LogLine(Record):
    """One turn. Texts are cut to 2,000 characters."""

    schema_version: Literal[1]
    time: AwareDatetime
    """When it was written, UTC."""
    conversation_id: str | None = None
    query: str
    """What the user typed."""
    rewritten: str
    intent: Intent
    queries: tuple[Query, ...]
    fallbacks: tuple[Fallback, ...]
    lm_calls: int = Field(ge=0)
    lm_tokens: int = Field(ge=0)
    elapsed_ms: float = Field(ge=0)
    """From the start of the turn to the end of its last stage."""


class RewriteLog:
    """Appends a sample of turns to a file, each as one write, so that threads and processes can share it (on a local disk).

    The file holds what users said: a new one is readable for its owner alone. Nothing rotates it; it is opened anew for each line, so
    whatever moves it away may do so at any time.
    """

    def __init__(self, path: str | Path, *, share: float = 1.0, seed: int = 0) -> None:
        """Log to ``path``, in a folder that exists.

        Args:
            path: The file; made by the first line.
            share: Part of the turns that is logged, 0-1. Which ones depends on ``seed`` and on what they say, so a replay logs the same.
            seed: Another one, another sample.

        Raises:
            ConfigError: ``share`` is out of range.
        """
        if not 0 <= share <= 1:
            raise ConfigError(f"share is {share}", advice="give the part of the turns to log, from 0 to 1")
        self._path = Path(path)
        self._share = share
        self._seed = seed
        self._warned = False

    def record(self, result: Rewritten, *, conversation_id: str | None = None) -> bool:
        """Append ``result`` if it belongs to the sample; return whether a line was written.

        A file that cannot be written (no folder, full disk) never fails a turn: it is reported once through ``logging``, and tried again.
        """
        if not self._samples(result, conversation_id):
            return False
        try:
            _append(self._path, _line(result, conversation_id).model_dump_json().encode())
        except OSError as error:
            if not self._warned:
                self._warned = True
                _log.warning("rewrites are not logged: %s: %s", self._path, error.strerror or type(error).__name__)
            return False
        return True

    def _samples(self, result: Rewritten, conversation_id: str | None) -> bool:
        said = "\x1f".join([str(self._seed), conversation_id or "", result.query, result.rewritten])
        draw = int.from_bytes(hashlib.sha256(said.encode("utf-8", "replace")).digest()[:7], "big") / 2**56
        return draw < self._share


def read_log(path: str | Path) -> Iterator[LogLine]:
    """Yield the lines of a log, in file order. What is no JSON was cut off by a full disk or a crash, or is being written: it is skipped.

    Raises:
        DataError: The file cannot be read, or a line is whole and not one of a log.
    """
    try:
        with Path(path).open("rb") as file:
            for number, raw in enumerate(file, start=1):
                if (line := _read_line(raw, f"{path}, line {number}")) is not None:
                    yield line
    except OSError as error:
        raise DataError(f"cannot read {path}: {error.strerror or error}", path=str(path)) from error


def _read_line(raw: bytes, where: str) -> LogLine | None:
    try:
        values = from_json(raw)
    except ValueError:
        return None
    try:
        return LogLine.model_validate(values)
    except ValidationError as error:
        first = error.errors()[0]
        field = ".".join(str(part) for part in first["loc"]) or "line"
        raise DataError(f"{where}: {field}: {first['msg']}", advice="give a file that RewriteLog wrote") from error


def _line(result: Rewritten, conversation_id: str | None) -> LogLine:
    return LogLine(
        schema_version=1,
        time=datetime.now(UTC),
        conversation_id=conversation_id,
        query=result.query[:_MOST_CHARACTERS],
        rewritten=result.rewritten[:_MOST_CHARACTERS],
        intent=result.intent,
        queries=tuple(one.model_copy(update={"text": one.text[:_MOST_CHARACTERS]}) for one in result.queries),
        fallbacks=result.fallbacks,
        lm_calls=sum(step.lm_calls for step in result.trace),
        lm_tokens=sum(step.lm_tokens for step in result.trace),
        # Stages may run at the same time, so their times do not add up.
        elapsed_ms=max((step.started_ms + step.elapsed_ms for step in result.trace), default=0.0),
    )


def _append(path: Path, line: bytes) -> None:
    file = os.open(path, os.O_RDWR | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        size = os.fstat(file).st_size
        # A line that was cut short, by whichever process, must not take this one with it.
        start = b"\n" if size and os.pread(file, 1, size - 1) != b"\n" else b""
        data = start + line + b"\n"
        if os.write(file, data) < len(data):
            raise OSError(None, "the disk is full")
    finally:
        os.close(file)
