"""Merging the ranked lists of several queries and engines into one.

Named strategies (``program.fusion.fuse_strategies``):

- ``best_relative``: within a query, engines are mixed by their shares of each list's normalised scores (a convex combination, Bruch et
  al., "An Analysis of Fusion Functions for Hybrid Retrieval", 2022); a passage then keeps its best weighted score over the queries.
- ``best_raw``: within an engine, a passage keeps its best weighted raw score over the queries; engines are mixed afterwards.
- ``rrf``: reciprocal rank fusion, weighted, ranks from 1 (Cormack et al., 2009).
- ``reserved``: ``best_relative`` without the original query, with the last slots kept for the original's best hits.
- ``by_confidence``: per turn, ``best_relative`` where the leading rewrite can be trusted (``program.fusion.confidence``), else ``reserved``.
"""

from collections.abc import Sequence

from program.fusion.confidence import confidence
from program.fusion.fuse_strategies import STRATEGIES, Ballot, Ranking, Strategy
from program.result import FusedHit, Kind, Query
from program.retrieval.retriever import Hit, RankedList
from program.settings import FusionSettings

Lists = Sequence[Sequence[RankedList]]


def fuse(
    queries: Sequence[Query], lists: Lists, settings: FusionSettings, k: int, *, sure: float | None = None
) -> list[FusedHit]:
    """Return the ``k`` best passages over all lists, scores 0–1, best first.

    A query of weight 0 and an engine of share 0 are as good as absent. The route of a query sets its shares: on ``keyword`` the vectors
    have ``keyword_vector_share`` where that is lower, on ``vector`` BM25 has no vote, and ``sql`` searches no passages.

    A passage absent from a list has a score of 0 from it; one that was found stays a candidate even when it scores 0 (the last of a list of
    cosines). A list votes once per passage, or once per source when ``settings.unique`` is ``"source"``: the source's votes then count
    together and its best passage stands for it. Ties go to the smaller id. The order in which queries and lists are given does not matter.

    Args:
        queries: The queries that were searched.
        lists: For each query, one ranked list per engine.
        settings: Strategy and weights.
        k: Most hits wanted.
        sure: For ``by_confidence``: how sure the rules or the guards are of the leading rewrite, 0 to 1; ``None`` where nobody says.

    Raises:
        ValueError: ``queries`` and ``lists`` differ in length.
    """
    voting = _voting(queries, lists, settings)
    if not voting:
        return []
    hits = {hit.id: hit for _, of_query in voting for ranked in of_query for hit in ranked.hits[: settings.depth]}
    strategy = _strategy(voting, settings, sure)
    scores = strategy(_ballots(voting, settings, by_source=False), settings, k)
    if settings.unique == "source":
        # The first passage of a source is its best; later ones are dropped.
        best_of = {hits[id_].source: id_ for id_ in reversed(scores)}
        by_source = strategy(_ballots(voting, settings, by_source=True), settings, k)
        scores = {best_of[source]: score for source, score in by_source.items()}
    return [
        FusedHit(
            id=id_, score=score, source=hits[id_].source, text=hits[id_].text, found_by=_found_by(id_, voting, settings)
        )
        for id_, score in list(scores.items())[:k]
    ]


def confidence_of(
    queries: Sequence[Query], lists: Lists, settings: FusionSettings, *, sure: float | None = None
) -> float | None:
    """The confidence by which ``by_confidence`` decides, 0 to 1; ``None`` where nothing was rewritten or found.

    Arguments as for ``fuse``.
    """
    return confidence(_ballots(_voting(queries, lists, settings), settings, by_source=False), sure)


_Voting = list[tuple[Query, list[RankedList]]]


def _voting(queries: Sequence[Query], lists: Lists, settings: FusionSettings) -> _Voting:
    """The queries and lists that have a vote."""
    pairs = zip(queries, lists, strict=True)
    kept = [
        (query, [ranked for ranked in of_query if ranked.hits and _share(ranked, query, settings) > 0])
        for query, of_query in pairs
        if query.weight > 0
    ]
    return [(query, of_query) for query, of_query in kept if of_query]


def _share(ranked: RankedList, query: Query, settings: FusionSettings) -> float:
    vector = settings.vector_share
    if query.route == "sql":
        return 0.0
    if query.route == "vector":
        # An engine that the settings leave out stays out.
        vector = 1.0 if vector > 0 else 0.0
        return vector if ranked.engine == "vector" else 0.0
    if query.route == "keyword":
        vector = min(vector, settings.keyword_vector_share)
    return vector if ranked.engine == "vector" else 1.0 - vector


def _strategy(voting: _Voting, settings: FusionSettings, sure: float | None) -> Strategy:
    if settings.strategy != "by_confidence":
        return STRATEGIES[settings.strategy]
    trust = confidence(_ballots(voting, settings, by_source=False), sure)
    return STRATEGIES["best_relative" if trust is None or trust >= settings.confident_from else "reserved"]


def _ballots(voting: _Voting, settings: FusionSettings, *, by_source: bool) -> list[Ballot]:
    return [
        Ballot(query, tuple(_ranking(ranked, query, settings, by_source=by_source) for ranked in of_query))
        for query, of_query in voting
    ]


def _ranking(ranked: RankedList, query: Query, settings: FusionSettings, *, by_source: bool) -> Ranking:
    hits: Sequence[Hit] = ranked.hits[: settings.depth]
    best: dict[str, float] = {}
    for hit in hits:  # the first hit of a source is its best
        best.setdefault(hit.source if by_source else hit.id, hit.score)
    found = tuple(best.items())
    return Ranking(is_vector=ranked.engine == "vector", share=_share(ranked, query, settings), found=found)


def _found_by(id_: str, voting: _Voting, settings: FusionSettings) -> tuple[Kind, ...]:
    """Kinds of the queries that found a passage, the one that ranked it highest first."""
    ranks = [
        (rank, -query.weight, query.kind)
        for query, of_query in voting
        for ranked in of_query
        for rank, hit in enumerate(ranked.hits[: settings.depth])
        if hit.id == id_
    ]
    return tuple(dict.fromkeys(kind for _, _, kind in sorted(ranks)))
