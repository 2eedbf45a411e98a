"""Completions kept on disk, so that the same question asked again costs no language model call."""

import hashlib
from pathlib import Path

import diskcache

from data.errors import ConfigError
from program.retrieval.cache import DiskCache

_LEAST_BYTES = 2**20
# A turn waits no longer for another process that writes.
_TIMEOUT_S = 1.0


def key_of(*parts: str) -> str:
    """Return one key for ``parts`` (sha256, hexadecimal); their number, order and borders count, so ``"ab", "c"`` is not ``"a", "bc"``."""
    digest = hashlib.sha256()
    for part in parts:
        data = part.encode("utf-8", "surrogatepass")
        digest.update(len(data).to_bytes(8, "big") + data)
    return digest.hexdigest()


class RewriteCache:
    """Completions by key, safe for several threads and processes; the oldest go when it is full.

    The keys are hashes, but **the completions are users' text**: there is no cache unless someone names a folder, which is made readable for
    its owner alone. It never fails: a folder that cannot be used (read-only, full, damaged) is logged once and the cache stays empty; while
    another process holds it for longer than a second, nothing is kept.
    """

    def __init__(self, folder: str | Path, *, most_bytes: int = 256 * 2**20) -> None:
        """Open or make the cache in ``folder``.

        Raises:
            ConfigError: ``most_bytes`` is below a mebibyte.
        """
        if most_bytes < _LEAST_BYTES:
            raise ConfigError(
                f"a rewrite cache of {most_bytes} bytes is too small", advice=f"give {_LEAST_BYTES} or more"
            )
        self._disk = _Disk(Path(folder), most_bytes=most_bytes, timeout_s=_TIMEOUT_S, folder_mode=0o700)

    def get(self, key: str) -> str | None:
        """Return the completion kept under ``key``, or ``None``."""
        text = self._disk.get([key]).get(key)
        return text if isinstance(text, str) and text.strip() else None

    def put(self, key: str, text: str) -> None:
        """Keep ``text``; a blank one is no completion and is not kept."""
        if text.strip():
            self._disk.put({key: text})


class _Disk(DiskCache):
    def _give_up(self, reason: Exception) -> None:
        if not isinstance(reason, diskcache.Timeout):
            super()._give_up(reason)

    def _advice(self) -> str:
        return f"the rewrite cache in {self._folder} cannot be used, so language models are asked anew"
