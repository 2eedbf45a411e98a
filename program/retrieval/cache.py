"""Where things that can be made again are kept, and the vectors among them."""

import logging
import os
import sqlite3
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import diskcache
import platformdirs

_BYTES = 4 * 2**30

_log = logging.getLogger(__name__)


def cache_folder() -> Path:
    """Return ``$ANAPHORA_CACHE`` or the user's cache folder; it need not exist, nor be writable."""
    try:
        named = os.environ.get("ANAPHORA_CACHE")
        return Path(named).expanduser() if named else Path(platformdirs.user_cache_dir("anaphora"))
    except RuntimeError:  # a user without a home; nothing can be made below the null device
        return Path(os.devnull, "anaphora")


class _PlainDisk(diskcache.Disk):
    """Texts and bytes alone: a pickle that someone else put there is not loaded, nor is a damaged text."""

    def fetch(self, mode: int, filename: str | None, value: Any, read: bool) -> Any:
        try:
            return None if mode == diskcache.core.MODE_PICKLE else super().fetch(mode, filename, value, read)
        except UnicodeDecodeError:
            return None


class DiskCache:
    """Texts or bytes on disk by key, safe for several threads and processes; the oldest go when it is full.

    It never fails: where the folder cannot be used (read-only, full, damaged, a user without a home), that is logged once and the cache
    stays empty.
    """

    def __init__(self, folder: Path, *, most_bytes: int, timeout_s: float = 60, folder_mode: int = 0o755) -> None:
        """Open or make the cache.

        Args:
            folder: Where; made with its parents.
            most_bytes: What it may take, give or take a few values.
            timeout_s: How long to wait for another process that writes.
            folder_mode: Permissions of a folder that is made.
        """
        self._folder = folder
        self._cache: diskcache.Cache | None = None
        try:
            folder.mkdir(mode=folder_mode, parents=True, exist_ok=True)
            # Without memory-mapped reads: where a disk fails, those kill the process instead of raising.
            self._cache = diskcache.Cache(
                str(folder), size_limit=most_bytes, timeout=timeout_s, disk=_PlainDisk, sqlite_mmap_size=0
            )
        except (OSError, sqlite3.Error, diskcache.Timeout) as error:
            self._give_up(error)

    def get(self, keys: Iterable[str]) -> dict[str, Any]:
        """Return what is stored, by key."""
        if (cache := self._cache) is None:
            return {}
        try:
            return {key: row for key in keys if (row := cache.get(key)) is not None}
        except (OSError, sqlite3.Error, diskcache.Timeout) as error:
            self._give_up(error)
            return {}

    def put(self, rows: Mapping[str, Any]) -> None:
        """Store ``rows``, all or none."""
        if (cache := self._cache) is None:
            return
        try:
            with cache.transact():
                for key, row in rows.items():
                    cache.set(key, row)
        except (OSError, sqlite3.Error, diskcache.Timeout) as error:
            self._give_up(error)

    def _give_up(self, reason: Exception) -> None:
        self._cache = None
        _log.warning("%s (%s)", self._advice(), reason)

    def _advice(self) -> str:
        return f"the cache in {self._folder} cannot be used"


class VectorCache(DiskCache):
    """Vectors by key, at most 4 GiB."""

    def __init__(self, folder: Path) -> None:
        super().__init__(folder, most_bytes=_BYTES)

    def _advice(self) -> str:
        return (
            f"the embedding cache in {self._folder} cannot be used, so texts are embedded anew; "
            "ANAPHORA_CACHE names another folder"
        )
