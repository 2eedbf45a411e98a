"""What the files of a public set are called and where they lie, and ids for what has none."""

import hashlib
from collections.abc import Sequence
from pathlib import Path

from data.errors import DataError
from data.importers.raw import files


def inputs(path: Path, patterns: Sequence[str]) -> list[Path]:
    """Return the files to read: ``path`` itself, or those below it that match one of ``patterns``, packed or not.

    Raises:
        DataError: ``path`` is not there, or holds no such file.
    """
    if path.is_file():
        return [path]
    if not path.is_dir():
        raise DataError(f"{path}: no such file or folder", path=str(path))
    found = list(dict.fromkeys(file for pattern in patterns for file in files(path, pattern)))
    if not found:
        raise DataError(
            f"{path}: holds none of the files of this format", advice=f"expected {', '.join(patterns)}", path=str(path)
        )
    return found


def short_hash(*parts: str) -> str:
    """Return 12 hex digits that stand for ``parts``: the same in every run."""
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()[:12]
