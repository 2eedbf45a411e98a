"""What a source of weights is: the port that the hub and the package index fill."""

from collections.abc import Callable
from pathlib import Path
from typing import Protocol

from program.language_model.catalog import Weights

Progress = Callable[[int, int], None]
"""Called with (bytes that are there, bytes in all), bytes kept from an earlier try included."""


class SourceError(Exception):
    """This source cannot deliver now; the message is the reason shown to the user, and the next source is tried."""


class Source(Protocol):
    """Fetches the bytes of one weights file, resuming what an earlier call left behind."""

    def __call__(self, weights: Weights, folder: Path, progress: Progress) -> Path:
        """Fetch into ``folder`` and return the complete file, whose length and hash the caller checks.

        Whatever is left in ``folder`` when this raises is resumed by the next call. The source only touches files that
        bear its own name: a bad start from one source never spoils another's.

        Raises:
            SourceError: This source cannot deliver.
            OSError: The disk is full or not writable; no other source would fare better.
        """
