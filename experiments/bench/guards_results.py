"""What the guards' benchmark found, as records."""

from data.records import Record
from metrics.interval import Interval


class Row(Record):
    """One guard on one set."""

    guard: str
    good_kept: Interval
    """Share of good rewrites it lets pass."""
    refused: dict[str, float]
    """Share of bad rewrites it refuses, by kind; kinds without a case are left out."""


class SetResult(Record):
    """All guards on one set."""

    name: str
    turns: int
    """With history and a gold rewrite."""
    cases: dict[str, int]
    """Bad rewrites by kind."""
    drift_threshold: float | None
    """Calibrated on the set's training conversations; ``None`` where the drift guard was left out."""
    drift_cases: dict[str, int]
    """What the two rows with the drift guard were measured on: a sample of the other conversations, "good" among the kinds."""
    rows: tuple[Row, ...]


class GuardResults(Record):
    """The content of ``guards.json``."""

    seed: int
    drift_embedder: str | None
    drift_keeps: float
    """Share of good rewrites that the drift threshold was to keep."""
    skipped: tuple[str, ...]
    """Sets that were not there."""
    sets: tuple[SetResult, ...]
