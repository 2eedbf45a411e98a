"""The drift guard's threshold for one embedder, from labelled turns."""

import random
from collections import defaultdict
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from data.errors import ConfigError, DataError
from data.records import Record, Turn
from data.split import sample_turns
from metrics.interval import Interval, bootstrap_interval
from program.guard.drift import drifts, turn_texts
from program.retrieval.embedding import Embedder
from program.rules.gazetteer import Gazetteer

GOOD_KEPT = 0.98
"""A false alarm costs a good rewrite, and what slips through still meets the other guards; Youden's J would refuse 6% of the good."""
FEWEST_TURNS = 50
"""With fewer a threshold that refuses 2% stands on no turn at all."""
_FEWEST_OF_A_LANGUAGE = 30
_RESAMPLES = 200


class Calibration(Record):
    """What ``calibrate`` found, to be stored with the program: ``settings.guard.drift[embedder] = threshold``."""

    embedder: str
    """Its identity."""
    threshold: float
    """Least cosine at which a rewrite is kept."""
    low: float
    """Interval of the threshold over resampled conversations, 95%."""
    high: float
    good_kept: Interval
    """Share of good rewrites kept by cosine alone. Very short turns need a second sign, so that more are kept in use."""
    others_refused: Interval
    """Share of other turns' rewrites refused."""
    n: int
    """Turns it stands on."""
    languages: dict[str, int]
    """Of them, by language."""


def calibrate(
    turns: Sequence[Turn],
    embedder: Embedder,
    gazetteer: Gazetteer,
    *,
    seed: int,
    good_kept: float = GOOD_KEPT,
    most: int = 500,
) -> Calibration:
    """Find the highest threshold that keeps the share ``good_kept`` of good rewrites, in each language that has 30 turns or more.

    Good are the gold rewrites of turns with history; bad, one for each, those of another conversation in the same language.

    Args:
        turns: Any; those without history or gold rewrite are left out.
        embedder: The one that will judge.
        gazetteer: The corpus's entities, as in use.
        seed: Of the sample, of the bad rewrites and of the intervals.
        good_kept: From 0.5 up to 1.
        most: Turns that are looked at; more are sampled.

    Raises:
        ConfigError: ``good_kept`` is out of range.
        DataError: Fewer than 50 usable turns, or no language with two conversations.
    """
    if not 0.5 <= good_kept <= 1:
        raise ConfigError(f"good_kept {good_kept}: expected 0.5 to 1")
    usable = pairs(turns, seed=seed, most=most)
    if len(usable) < FEWEST_TURNS:
        raise DataError(
            f"{len(usable)} turns with history, a gold rewrite and another conversation in their language: "
            f"expected {FEWEST_TURNS} or more",
            advice="label gold_rewrite in more turns, or leave the drift guard off",
            turns=len(usable),
        )
    texts = [turn_texts(turn.query, turn.history, gazetteer) for turn, _ in usable]
    both = drifts(
        [*texts, *texts], [*(str(turn.gold_rewrite) for turn, _ in usable), *(bad for _, bad in usable)], embedder
    )
    good, bad = both[: len(usable)], both[len(usable) :]
    languages = np.array([turn.language for turn, _ in usable])
    clusters = [turn.conversation_id for turn, _ in usable]
    threshold = _threshold(good, languages, good_kept)
    low, high = _interval(good, languages, clusters, good_kept, seed)
    return Calibration(
        embedder=embedder.identity,
        threshold=threshold,
        low=low,
        high=high,
        good_kept=bootstrap_interval((good >= threshold).astype(float).tolist(), clusters, seed=seed),
        others_refused=bootstrap_interval((bad < threshold).astype(float).tolist(), clusters, seed=seed),
        n=len(usable),
        languages={
            str(name): int(count) for name, count in zip(*np.unique(languages, return_counts=True), strict=True)
        },
    )


def pairs(turns: Sequence[Turn], *, seed: int, most: int) -> list[tuple[Turn, str]]:
    """Return turns with history and gold rewrite, each with the gold rewrite of another conversation in its language.

    A turn without such a partner is left out.
    """
    usable = sorted((turn for turn in turns if turn.history and turn.gold_rewrite), key=lambda turn: turn.id)
    by_language: dict[str, list[Turn]] = defaultdict(list)
    for turn in usable:
        by_language[turn.language].append(turn)
    chosen = random.Random(seed)
    found = []
    for turn in sample_turns(usable, most, seed):
        others = [
            other.gold_rewrite
            for other in by_language[turn.language]
            if other.conversation_id != turn.conversation_id and other.gold_rewrite != turn.gold_rewrite
        ]
        if others:
            found.append((turn, str(chosen.choice(others))))
    return found


def _threshold(good: npt.NDArray[np.float64], languages: npt.NDArray[np.str_], good_kept: float) -> float:
    """The lowest of the languages' thresholds; languages with few turns are not looked at apart."""
    parts = [good[languages == language] for language in np.unique(languages)]
    judged = [part for part in parts if len(part) >= _FEWEST_OF_A_LANGUAGE] or [good]
    return min(_quantile(part, good_kept) for part in judged)


def _quantile(values: npt.NDArray[np.float64], good_kept: float) -> float:
    """The highest value, rounded down to three places, that the share ``good_kept`` of ``values`` reaches."""
    refused = int((1 - good_kept) * len(values) + 1e-9)
    return float(np.floor(np.sort(values)[refused] * 1000) / 1000)


def _interval(
    good: npt.NDArray[np.float64], languages: npt.NDArray[np.str_], clusters: Sequence[str], good_kept: float, seed: int
) -> tuple[float, float]:
    """Thresholds of resampled conversations, 2.5% and 97.5% quantile."""
    members: dict[str, list[int]] = defaultdict(list)
    for row, name in enumerate(clusters):
        members[name].append(row)
    rows = [np.array(members[name]) for name in sorted(members)]
    generator = np.random.default_rng(seed)
    found = []
    for drawn in generator.integers(len(rows), size=(_RESAMPLES, len(rows))):
        chosen = np.concatenate([rows[index] for index in drawn])
        found.append(_threshold(good[chosen], languages[chosen], good_kept))
    low, high = np.quantile(found, [0.025, 0.975])
    return round(float(low), 3), round(float(high), 3)
