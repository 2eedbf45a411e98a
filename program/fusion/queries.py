"""Which queries a turn searches, what each one counts, and where it is sent."""

from collections.abc import Callable, Iterator, Sequence

from program.result import Kind, Query, Route
from program.rules.resolution import Resolution
from program.settings import FusionSettings

EXPANSIONS: tuple[Kind, ...] = ("multi_query", "decomposition", "step_back", "hyde", "keywords")
"""Kinds of further queries; ``FusionSettings`` has a weight of that name for each."""


def plan_queries(
    query: str,
    *,
    settings: FusionSettings,
    rewrite: str | None = None,
    resolution: Resolution | None = None,
    expansions: Sequence[tuple[str, Kind]] = (),
    terms: str | None = None,
    routes: Callable[[str], Route] | None = None,
) -> tuple[Query, ...]:
    """Return the queries to search, the original first, without repeats.

    The leading rewrite (the language model's, else the rules' first) counts 1, the original ``settings.original``. With no rewrite at all
    the original counts 1, expansions or not. A text proposed twice (case and white space aside) keeps its first wording and kind and its
    highest weight; a blank one is left out.

    Args:
        query: What the user typed. A blank one gives no queries.
        settings: The weights.
        rewrite: The language model's, if there is one that passed the guards.
        resolution: The rules' candidates; the further ones are searched only where the rules are less sure than ``settings.hedge_below``.
        expansions: Further queries with their kind, one of ``EXPANSIONS``.
        terms: The leading query with the corpus's own terms added.
        routes: The route of a text; without it all are hybrid. The original is hybrid unless this says ``keyword``; a ``hyde`` passage
            goes to the vectors alone; ``sql`` is not for passages and means hybrid here.

    Raises:
        ValueError: An expansion has a kind that is none.
    """
    if not query.strip():
        return ()
    rewrites = [Query(text=rewrite, kind="rewrite", weight=1.0)] if rewrite is not None else []
    if resolution is not None:
        rewrites += _by_rules(resolution, settings, lead=1.0 if rewrite is None else settings.rules)
    original = Query(text=query, kind="original", weight=settings.original if rewrites else 1.0)
    others = [Query(text=terms, kind="terms", weight=settings.terms)] if terms is not None else []
    others += [Query(text=text, kind=kind, weight=_weight(kind, settings)) for text, kind in expansions]
    if resolution is not None and resolution.context and rewrite is None:
        others.append(Query(text=resolution.context, kind="context", weight=settings.context))
    if resolution is not None and resolution.titled:
        others.append(Query(text=resolution.titled, kind="title", weight=settings.title))
    merged: dict[str, Query] = {}
    for proposal in (_routed(one, routes) for one in [original, *rewrites, *others]):
        key = " ".join(proposal.text.casefold().split())
        if not key:
            continue
        known = merged.get(key, proposal)
        # A made-up passage goes to the vectors alone; what somebody asked in the same words does not.
        route = proposal.route if known.route == "vector" else known.route
        merged[key] = known.model_copy(update={"weight": max(known.weight, proposal.weight), "route": route})
    return tuple(merged.values())


def _by_rules(resolution: Resolution, settings: FusionSettings, lead: float) -> Iterator[Query]:
    hedged = resolution.confidence < settings.hedge_below
    for place, text in enumerate(resolution.rewrites if hedged else resolution.rewrites[:1]):
        yield Query(text=text, kind="rules", weight=lead * settings.further**place)


def _weight(kind: Kind, settings: FusionSettings) -> float:
    if kind not in EXPANSIONS:
        raise ValueError(f"an expansion of kind {kind}: expected one of {', '.join(EXPANSIONS)}")
    return float(getattr(settings, kind))


def _routed(query: Query, routes: Callable[[str], Route] | None) -> Query:
    route = routes(query.text) if routes is not None else "hybrid"
    if query.kind == "hyde":
        route = "vector"
    elif route == "sql" or (query.kind == "original" and route == "vector"):
        route = "hybrid"
    return query.model_copy(update={"route": route})
