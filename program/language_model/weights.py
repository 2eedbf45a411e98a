"""The store of model weights: files named by their hash, fetched once, checked before they are put in place."""

import os
import shutil
from collections.abc import Mapping
from pathlib import Path

import platformdirs
from filelock import FileLock

from data.errors import ModelStoreError
from program.language_model.catalog import KNOWN, Weights
from program.language_model.fetch import fetch, sha256_of, source_order
from program.language_model.sources import Progress


def store_root() -> Path:
    """Return the folder of all weights: ``ANAPHORA_MODELS``, else ``models`` in the user's data folder."""
    chosen = os.environ.get("ANAPHORA_MODELS")
    return Path(chosen).expanduser().absolute() if chosen else platformdirs.user_data_path("anaphora") / "models"


class ModelStore:
    """Weights on this machine, under ``root/sha256/<hash>.gguf``.

    Safe for any number of threads and processes: one fetches, the others wait and find the file. An interrupted fetch
    leaves its bytes under ``root/.partial/<hash>`` and is resumed by the next one.
    """

    def __init__(self, root: Path | None = None, known: Mapping[str, Weights] | None = None) -> None:
        """Open the store; nothing is created until something is pulled.

        Args:
            root: The folder; default ``store_root()``.
            known: The models that can be asked for, by name; default ``catalog.KNOWN``.
        """
        self.root = root or store_root()
        self.known = KNOWN if known is None else known

    def weights(self, name: str) -> Weights:
        """Return what is known of the model ``name``.

        Raises:
            ModelStoreError: No such model.
        """
        if name not in self.known:
            names = sorted(self.known)
            raise ModelStoreError(f"no model named {name!r}", advice=f"known: {', '.join(names)}", known=names)
        return self.known[name]

    def path(self, name: str) -> Path:
        """Return the file of ``name``. Its length is checked, not its hash: that was checked when it was put in place.

        Raises:
            ModelStoreError: Unknown name, or not pulled yet.
        """
        weights = self.weights(name)
        if not self._is_there(weights):
            raise ModelStoreError(
                f"the weights of {name} are not on this machine", advice=f"run: anaphora model pull {name}", name=name
            )
        return self._place(weights)

    def installed(self) -> dict[str, Path]:
        """Return the files that are there, by model name."""
        return {name: self._place(weights) for name, weights in self.known.items() if self._is_there(weights)}

    def pull(self, name: str, progress: Progress | None = None) -> Path:
        """Return the file of ``name``, fetched if it is missing or damaged (a file that is there is hashed again).

        Args:
            name: A known model.
            progress: Called with (bytes done, bytes in all) while fetching.

        Raises:
            ModelStoreError: Unknown name; every source failed (``fields["reasons"]``: reason by source); or no room.
            ConfigError: ``ANAPHORA_MODEL_SOURCES`` is wrong.
        """
        weights, order = self.weights(name), source_order()
        place, partial = self._place(weights), self.root / ".partial" / weights.sha256
        if self._is_intact(weights):
            return place
        try:
            partial.parent.mkdir(parents=True, exist_ok=True)
            with FileLock(partial.with_suffix(".lock")):
                if not self._is_intact(weights):  # another process may have put it there while this one waited
                    partial.mkdir(exist_ok=True)
                    file = fetch(weights, order, partial, progress or _no_progress)
                    place.parent.mkdir(exist_ok=True)
                    os.replace(file, place)
                shutil.rmtree(partial, ignore_errors=True)
        except OSError as error:
            raise ModelStoreError(
                f"cannot store {name} under {self.root}: {error.strerror or error}",
                advice="make room or set ANAPHORA_MODELS to another folder",
                root=str(self.root),
            ) from error
        return place

    def _place(self, weights: Weights) -> Path:
        return self.root / "sha256" / f"{weights.sha256}.gguf"

    def _is_there(self, weights: Weights) -> bool:
        place = self._place(weights)
        return place.is_file() and place.stat().st_size == weights.size_bytes

    def _is_intact(self, weights: Weights) -> bool:
        return self._is_there(weights) and sha256_of(self._place(weights)) == weights.sha256


def path(name: str) -> Path:
    """``ModelStore.path`` of this user's store."""
    return ModelStore().path(name)


def pull(name: str, progress: Progress | None = None) -> Path:
    """``ModelStore.pull`` of this user's store."""
    return ModelStore().pull(name, progress)


def installed() -> dict[str, Path]:
    """``ModelStore.installed`` of this user's store."""
    return ModelStore().installed()


def _no_progress(done_bytes: int, total_bytes: int) -> None:
    """Tell nobody."""
    del done_bytes, total_bytes
