"""One list out of many."""

from collections.abc import Sequence

from program.fusion.confidence import sure_of
from program.fusion.fuse import fuse as merge
from program.result import FusedHit, Query
from program.rules.resolution import Resolution
from program.settings import FusionSettings
from program.stage import Reason, nothing_to_do
from program.stages.guard import Accepted
from program.stages.search import Lists
from program.trace import Step
from program.turn import LiveTurn


def fuse(
    turn: LiveTurn,
    rules: Resolution,
    guard: Accepted,
    queries: Sequence[Query],
    search_original: Lists | None,
    search: Lists | None,
    sql: Sequence[FusedHit],
    step: Step,
) -> list[FusedHit] | Reason:
    """The hits, best first; rows of a table, which answer the question itself, before passages."""
    if not queries or (search_original is None and search is None and not sql):
        return nothing_to_do("nothing was searched")
    lists = [*(search_original or [[]]), *(search or [[] for _ in queries[1:]])]
    sure = sure_of(rules, by_model=guard.rewrite is not None)
    settings = turn.settings
    most = settings.k if settings.rerank == "off" else max(settings.k, settings.rerank_depth)
    found = merge(queries, lists, _for_what_answered(settings.fusion, lists), most, sure=sure)
    step.details = {"strategy": settings.fusion.strategy, "hits": len(found), "rows": len(sql)}
    return [*sql, *found][:most]


def _for_what_answered(settings: FusionSettings, lists: Lists) -> FusionSettings:
    """Where one engine alone answered (the other is down, or not there) it has all the votes, whatever share the program gives it."""
    engines = {ranked.engine for of_query in lists for ranked in of_query}
    if len(engines) != 1:
        return settings
    return settings.model_copy(update={"vector_share": 1.0 if "vector" in engines else 0.0})
