"""Where things that can be made again are kept, and the vectors among them."""

import logging
import os
import sqlite3
from collections.abc import Iterable, Mapping
from pathlib import Path

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


class VectorCache:
    """Vectors on disk by key, safe for several threads and processes; the oldest go when 4 GiB are full.

    It never fails: where the folder cannot be used (read-only, full, damaged, a user without a home), that is logged once and the cache
    stays empty.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._cache: diskcache.Cache | None = None
        try:
            self._cache = diskcache.Cache(str(folder), size_limit=_BYTES)
        except (OSError, sqlite3.Error, diskcache.Timeout) as error:
            self._give_up(error)

    def get(self, keys: Iterable[str]) -> dict[str, bytes]:
        """Return what is stored, by key."""
        if self._cache is None:
            return {}
        try:
            return {key: row for key in keys if (row := self._cache.get(key)) is not None}
        except (OSError, sqlite3.Error, diskcache.Timeout) as error:
            self._give_up(error)
            return {}

    def put(self, rows: Mapping[str, bytes]) -> None:
        """Store ``rows``, all or none."""
        if self._cache is None:
            return
        try:
            with self._cache.transact():
                for key, row in rows.items():
                    self._cache.set(key, row)
        except (OSError, sqlite3.Error, diskcache.Timeout) as error:
            self._give_up(error)

    def _give_up(self, reason: object) -> None:
        self._cache = None
        _log.warning(
            "the embedding cache in %s cannot be used, so texts are embedded anew (%s); ANAPHORA_CACHE names another folder",
            self._folder,
            reason,
        )
