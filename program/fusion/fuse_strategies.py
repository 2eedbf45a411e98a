"""How the votes of several queries and engines become one score per passage: one function per strategy, see ``program.fusion.fuse``.

Every strategy maps ballots to scores 0–1, best first, ties to the smaller key. What no ballot names has no score.
"""

from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from math import fsum
from typing import NamedTuple

from program.result import Query
from program.settings import FusionSettings

Scores = dict[str, float]
"""Key of a passage (or source) to its score; ordered best first where a strategy returns it."""


class Ranking(NamedTuple):
    """What one engine found for one query: (key, raw score), best first, no key twice, at least one."""

    is_vector: bool
    share: float
    """The engine's part in its query's mix, above 0."""
    found: tuple[tuple[str, float], ...]


class Ballot(NamedTuple):
    """One query with its rankings; its weight is above 0."""

    query: Query
    rankings: tuple[Ranking, ...]


Strategy = Callable[[Sequence[Ballot], FusionSettings, int], Scores]


def best_relative(ballots: Sequence[Ballot], _: FusionSettings, __: int) -> Scores:
    """Mix the engines within each query, then keep a passage's best weighted score over the queries."""
    best: Scores = {}
    for query, rankings in ballots:
        for key, score in mix(rankings).items():
            best[key] = max(best.get(key, 0.0), query.weight * score)
    return _ordered(best, max(ballot.query.weight for ballot in ballots))


def best_raw(ballots: Sequence[Ballot], _: FusionSettings, __: int) -> Scores:
    """Keep a passage's best weighted raw score over the queries within each engine, then mix the engines.

    Queries of several routes give an engine several shares; it has their mean, by weight.
    """
    best: dict[bool, Scores] = defaultdict(dict)
    shares: dict[bool, list[tuple[float, float]]] = defaultdict(list)
    for query, rankings in ballots:
        for ranking in rankings:
            of_engine = best[ranking.is_vector]
            shares[ranking.is_vector].append((query.weight, ranking.share))
            for key, score in ranking.found:
                of_engine[key] = max(of_engine.get(key, float("-inf")), query.weight * score)
    merged = [
        Ranking(is_vector, _mean(shares[is_vector]), found=tuple(_by_score(scores)))
        for is_vector, scores in best.items()
    ]
    return _ordered(mix(merged), 1.0)


def rrf(ballots: Sequence[Ballot], settings: FusionSettings, _: int) -> Scores:
    """Sum weight / (k + rank) over all rankings, ranks from 1; 1 means first everywhere.

    A query's weight is divided among the engines that found something for it, by share: no route makes a query louder.
    """
    votes: dict[str, list[float]] = defaultdict(list)
    most = []
    for query, rankings in ballots:
        total = fsum(ranking.share for ranking in rankings)
        for ranking in rankings:
            weight = query.weight * ranking.share / total
            most.append(weight / (settings.rrf_k + 1))
            for rank, (key, _score) in enumerate(ranking.found, start=1):
                votes[key].append(weight / (settings.rrf_k + rank))
    return _ordered({key: fsum(of_key) for key, of_key in votes.items()}, fsum(most))


def reserved(ballots: Sequence[Ballot], settings: FusionSettings, k: int) -> Scores:
    """``best_relative`` without the original query, its last slots among the first ``k`` given to the original's best.

    Where nothing was rewritten the original leads itself and is merged like the others.
    """
    others = [ballot for ballot in ballots if ballot.query.kind != "original"]
    originals = [ballot for ballot in ballots if ballot.query.kind == "original"]
    if not originals or leading(ballots) is None:
        return best_relative(ballots, settings, k)
    free = max(0, k - settings.reserved_slots)
    main = list(best_relative(others, settings, k))
    own = [key for key in best_relative(originals, settings, k) if key not in main[:free]]
    order = dict.fromkeys([*main[:free], *own, *main])
    # Slots decide the order, so the scores say only the place.
    return {key: 1.0 - place / len(order) for place, key in enumerate(order)}


STRATEGIES: dict[str, Strategy] = {
    "best_relative": best_relative,
    "best_raw": best_raw,
    "rrf": rrf,
    "reserved": reserved,
}


def leading(ballots: Sequence[Ballot]) -> Ballot | None:
    """The rewrite that leads: of the language model's and the rules', the one that counts most; ``None`` where nothing was rewritten."""
    rewrites = [ballot for ballot in ballots if ballot.query.kind in ("rewrite", "rules")]
    return max(rewrites, key=lambda ballot: (ballot.query.weight, ballot.query.kind, ballot.query.text), default=None)


def mix(rankings: Sequence[Ranking]) -> Scores:
    """Mix rankings by share; shares are taken over the engines that found something."""
    total = fsum(ranking.share for ranking in rankings)
    mixed: Scores = defaultdict(float)
    for ranking in rankings:
        for key, score in _normalised(ranking):
            mixed[key] += ranking.share / total * score
    return mixed


def _normalised(ranking: Ranking) -> Iterable[tuple[str, float]]:
    """Scores scaled to 0–1. BM25 is divided by the list's best; cosines, which differ in the second digit, also lose the list's floor."""
    best = ranking.found[0][1]
    floor = ranking.found[-1][1] if ranking.is_vector and len(ranking.found) > 1 else 0.0
    span = best - floor
    return ((key, (score - floor) / span if span > 0 else 1.0) for key, score in ranking.found)


def _mean(weighted: Sequence[tuple[float, float]]) -> float:
    # Of equal shares the mean is that share to the last digit.
    least, most = min(share for _, share in weighted), max(share for _, share in weighted)
    if least == most:
        return least
    total = fsum(weight for weight, _ in weighted)
    return fsum(weight * share for weight, share in weighted) / total


def _ordered(scores: Scores, most: float) -> Scores:
    return {key: min(score / most, 1.0) for key, score in _by_score(scores)}


def _by_score(scores: Scores) -> list[tuple[str, float]]:
    return sorted(scores.items(), key=lambda pair: (-pair[1], pair[0]))
