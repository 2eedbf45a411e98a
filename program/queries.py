"""Which queries a turn searches, and what each one counts."""

from collections.abc import Iterator, Sequence

from program.result import Kind, Query
from program.rules.resolution import Resolution
from program.settings import FusionSettings


def plan_queries(
    query: str,
    *,
    settings: FusionSettings,
    rewrite: str | None = None,
    resolution: Resolution | None = None,
    expansions: Sequence[tuple[str, Kind]] = (),
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
        expansions: Further queries with their kind.
    """
    if not query.strip():
        return ()
    rewrites = [Query(text=rewrite, kind="rewrite", weight=1.0)] if rewrite is not None else []
    if resolution is not None:
        rewrites += _by_rules(resolution, settings, lead=1.0 if rewrite is None else settings.rules)
    original = Query(text=query, kind="original", weight=settings.original if rewrites else 1.0)
    others = [Query(text=text, kind=kind, weight=settings.expansion) for text, kind in expansions]
    if resolution is not None and resolution.titled:
        others.append(Query(text=resolution.titled, kind="title", weight=settings.title))
    merged: dict[str, Query] = {}
    for proposal in [original, *rewrites, *others]:
        key = " ".join(proposal.text.casefold().split())
        if not key:
            continue
        known = merged.get(key, proposal)
        merged[key] = known.model_copy(update={"weight": max(known.weight, proposal.weight)})
    return tuple(merged.values())


def _by_rules(resolution: Resolution, settings: FusionSettings, lead: float) -> Iterator[Query]:
    hedged = resolution.confidence < settings.hedge_below
    for place, text in enumerate(resolution.rewrites if hedged else resolution.rewrites[:1]):
        yield Query(text=text, kind="rules", weight=lead * settings.further**place)
