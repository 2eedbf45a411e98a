"""Tuning what needs no model call: fusion weights, shares, strategies, and when to ask the model.

Every dev turn was run once with the model; its rewrite, the rules' candidates and all ranked lists are kept. A trial then only plans and
fuses again, in milliseconds.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from statistics import fmean
from typing import Any

import optuna

from data.records import Turn
from experiments.evaluate import Evaluated
from metrics.ranking import recall_at_k
from program.fusion.confidence import sure_of
from program.fusion.fuse import fuse
from program.fusion.queries import EXPANSIONS, plan_queries
from program.result import Kind, Query, Route
from program.retrieval.retriever import RankedList, Retriever
from program.routing.route import routes_of, text_route
from program.rules.resolution import Resolution
from program.settings import FusionSettings, RewriteSettings, Settings

HARM_PRICE = 0.5
"""A lost passage that the original had costs this much more than one never found: the original is the user's own wording."""
LM_PRICE = 0.03
"""Recall that a model call must bring to be worth its seconds: on two cores one takes as long as a thousand turns by the rules."""
CHANGE_PRICE = 0.002
"""Recall that a changed parameter must bring. With some fifty dev turns a single turn is 0.02."""


@dataclass(frozen=True)
class TurnCase:
    """All that fusion needs to know of one turn."""

    turn: Turn
    rewrite: str | None
    """The model's, where it was asked and no guard refused."""
    asked: bool
    resolution: Resolution
    expansions: tuple[tuple[str, Kind], ...]
    lists: dict[str, list[RankedList]]
    original_recall: float
    terms: str | None = None
    """The leading query with the corpus's terms added, where that was searched."""
    routes: dict[str, Route] = field(default_factory=dict)
    """Where each text is sent; hybrid where none is given."""


def turn_cases(evaluated: Sequence[Evaluated], retriever: Retriever, settings: Settings) -> list[TurnCase]:
    """Collect the cases of evaluated turns, searching each text once; turns that the gate did not search are left out."""
    return [_case(one, retriever, settings) for one in evaluated if one.retrieved.intent == "retrieval"]


def tune(
    cases: Sequence[TurnCase], start: Settings, *, trials: int, seed: int, retriever: str, ask_lm: bool = True
) -> Settings:
    """Return the settings with the best objective on ``cases``.

    The objective is mean recall@5, less what is lost of the original's (``HARM_PRICE``), less the share of turns sent to the model
    (``LM_PRICE``), less a little for each parameter that differs from ``start`` (``CHANGE_PRICE``): dev sets are small, and the best of many
    trials is partly luck. Deterministic (TPE with a seed); ``start`` and every change of one parameter of it are among the trials.

    Args:
        cases: Dev turns, never test turns.
        start: Settings to begin with.
        trials: Points tried beyond those.
        seed: Of the sampler.
        retriever: ``bm25`` or ``vector`` fixes the engine; ``hybrid`` tunes the share.
        ask_lm: Tune when the model is asked as well; without it that stays as in ``start``.
    """
    if not cases or trials == 0:
        return start
    space = _space(cases, start, retriever)
    if not ask_lm:
        space["ask_lm"] = [start.rewrite.ask_lm]
    at_start = _point(start, space)

    def objective(trial: optuna.Trial) -> float:
        point = {name: trial.suggest_categorical(name, values) for name, values in space.items()}
        changes = sum(chosen != at_start[name] for name, chosen in point.items())
        return score(cases, _apply(start, point)) - CHANGE_PRICE * changes

    optuna.logging.set_verbosity(optuna.logging.WARNING)
    study = optuna.create_study(direction="maximize", sampler=optuna.samplers.TPESampler(seed=seed))
    neighbours = _neighbours(at_start, space)
    for point in neighbours:
        study.enqueue_trial(point)
    study.optimize(objective, n_trials=trials + len(neighbours))
    return _apply(start, study.best_params)


def score(cases: Sequence[TurnCase], settings: Settings) -> float:
    """Mean recall@5 under other settings, less the prices of harm and of model calls."""
    return fmean(_value(case, settings) for case in cases)


def _value(case: TurnCase, settings: Settings) -> float:
    recall = recall_with(case, settings)
    harm = max(0.0, case.original_recall - recall)
    return recall - HARM_PRICE * harm - LM_PRICE * _asks(case, settings.rewrite)


def recall_with(case: TurnCase, settings: Settings) -> float:
    """Recall@5 of a turn under other settings."""
    rewrite = case.rewrite if _asks(case, settings.rewrite) else None
    queries = plan_queries(
        case.turn.query,
        settings=settings.fusion,
        rewrite=rewrite,
        resolution=case.resolution,
        expansions=case.expansions,
        terms=case.terms,
        routes=lambda text: case.routes.get(text, "hybrid"),
    )
    lists = [case.lists[query.text] for query in queries]
    sure = sure_of(case.resolution, by_model=rewrite is not None)
    hits = fuse(queries, lists, settings.fusion, settings.k, sure=sure)
    return recall_at_k(case.turn.relevant_ids, [hit.id for hit in hits])


def _asks(case: TurnCase, settings: RewriteSettings) -> bool:
    if settings.ask_lm == "unsure":
        return case.asked and case.resolution.needs_lm
    if settings.ask_lm == "follow_ups":
        return (
            case.asked
            and case.resolution.reason != "first"
            and (case.resolution.reason != "complete" or case.resolution.needs_lm)
        )
    return case.asked and settings.ask_lm == "every_turn"


def _case(one: Evaluated, retriever: Retriever, settings: Settings) -> TurnCase:
    steps = {step.stage: step for step in one.retrieved.trace}
    accepted = steps["guard"].details.get("rewrite")
    # Empty where the rules themselves fell back.
    resolution = Resolution.model_validate(
        steps["rules"].details or {"confidence": 0, "needs_lm": True, "reason": "unclear"}
    )
    expansions = tuple((query.text, query.kind) for query in one.retrieved.queries if query.kind in EXPANSIONS)
    terms = next((query.text for query in one.retrieved.queries if query.kind == "terms"), None)
    texts = [one.turn.query, *resolution.rewrites, *(text for text, _ in expansions)]
    texts += [text for text in (accepted, resolution.titled, resolution.context, terms) if text]
    distinct = list(dict.fromkeys(texts))
    lists = dict(zip(distinct, retriever.search(distinct, settings.fusion.depth), strict=True))
    original = (Query(text=one.turn.query, kind="original", weight=1.0),)
    hits = fuse(original, [lists[one.turn.query]], settings.fusion, settings.k)
    return TurnCase(
        turn=one.turn,
        rewrite=accepted,
        asked=steps["rewrite"].lm_calls + steps["plan"].lm_calls > 0,
        resolution=resolution,
        expansions=expansions,
        lists=lists,
        original_recall=recall_at_k(one.turn.relevant_ids, [hit.id for hit in hits]),
        terms=terms,
        routes=_routes(distinct, one, settings),
    )


def _routes(texts: Sequence[str], one: Evaluated, settings: Settings) -> dict[str, Route]:
    """The routes that were taken, and by rules those of texts that only other settings would search."""
    by_rules = {
        text: text_route(routes_of(text, has_tables=False).routes) if settings.route.rules else "hybrid"
        for text in texts
    }
    return by_rules | {query.text: query.route for query in one.retrieved.queries if query.kind != "sql"}


_WEIGHTS = [0.0, 0.1, 0.3, 0.5, 0.7, 0.9, 1.0]
_SPACE: dict[str, list[Any]] = {
    "strategy": ["best_relative", "best_raw", "rrf", "reserved", "by_confidence"],
    "vector_share": [0.0, 0.25, 0.5, 0.75, 1.0],
    "keyword_vector_share": [0.0, 0.25, 0.5, 1.0],
    "original": _WEIGHTS,
    "rules": _WEIGHTS,
    "further": _WEIGHTS,
    "hedge_below": [0.0, 0.5, 0.7, 1.0],
    "title": [0.0, 0.3, 0.7, 1.0, 1.2],
    "context": [0.0, 0.5, 0.8, 1.0],
    "rrf_k": [1, 10, 60],
    "confident_from": [0.5, 0.6, 0.7],
    "ask_lm": ["never", "unsure", "follow_ups"],
}


def _space(cases: Sequence[TurnCase], start: Settings, retriever: str) -> dict[str, list[Any]]:
    """What is tried of each parameter, the start's value always; only what the cases can tell of."""
    kinds = {kind for case in cases for _, kind in case.expansions} | {"terms" for case in cases if case.terms}
    names = _SPACE | {kind: _WEIGHTS for kind in (*EXPANSIONS, "terms") if kind in kinds}
    at_start = _point(start, names)
    space = {name: values if at_start[name] in values else [at_start[name], *values] for name, values in names.items()}
    if retriever != "hybrid":
        space["vector_share"] = [start.fusion.vector_share]
        space["keyword_vector_share"] = [start.fusion.keyword_vector_share]
    if start.rewrite.ask_lm == "never":
        space["ask_lm"] = ["never"]
    return space


def _neighbours(first: dict[str, Any], space: dict[str, list[Any]]) -> list[dict[str, Any]]:
    changed = [first | {name: value} for name, values in space.items() for value in values if value != first[name]]
    return [first, *changed]


def _point(settings: Settings, names: Iterable[str]) -> dict[str, Any]:
    values = settings.fusion.model_dump() | {"ask_lm": settings.rewrite.ask_lm}
    return {name: values[name] for name in names}


def _apply(start: Settings, point: dict[str, Any]) -> Settings:
    fusion = FusionSettings.model_validate(
        start.fusion.model_dump() | {name: chosen for name, chosen in point.items() if name != "ask_lm"}
    )
    rewrite = start.rewrite.model_copy(update={"ask_lm": point["ask_lm"]})
    return start.model_copy(update={"fusion": fusion, "rewrite": rewrite})
