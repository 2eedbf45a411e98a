"""Tuning what needs no model call: fusion weights, shares, strategies, and when to ask the model.

Every dev turn was run once with the model; its rewrite, the rules' candidates and all ranked lists are kept. A trial then only plans and
fuses again, in milliseconds.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import Any

import optuna

from data.records import Turn
from experiments.evaluate import Evaluated
from metrics.ranking import recall_at_k
from program.fuse import fuse
from program.queries import plan_queries
from program.result import Kind, Query
from program.retrieval.retriever import RankedList, Retriever
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


def turn_cases(evaluated: Sequence[Evaluated], retriever: Retriever, settings: Settings) -> list[TurnCase]:
    """Collect the cases of evaluated turns, searching each text once."""
    return [_case(one, retriever, settings) for one in evaluated]


def tune(cases: Sequence[TurnCase], start: Settings, *, trials: int, seed: int, retriever: str) -> Settings:
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
    """
    if not cases or trials == 0:
        return start
    space = _space(start, retriever)
    at_start = _point(start)

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
    queries = plan_queries(
        case.turn.query,
        settings=settings.fusion,
        rewrite=case.rewrite if _asks(case, settings.rewrite) else None,
        resolution=case.resolution,
        expansions=case.expansions,
    )
    hits = fuse(queries, [case.lists[query.text] for query in queries], settings.fusion, settings.k)
    return recall_at_k(case.turn.relevant_ids, [hit.id for hit in hits])


def _asks(case: TurnCase, settings: RewriteSettings) -> bool:
    if settings.ask_lm == "unsure":
        return case.asked and case.resolution.needs_lm
    return case.asked and settings.ask_lm == "follow_ups"


def _case(one: Evaluated, retriever: Retriever, settings: Settings) -> TurnCase:
    steps = {step.stage: step for step in one.retrieved.trace}
    rewrite = steps["rewrite"]
    accepted = rewrite.details.get("proposed") if rewrite.status == "done" else None
    # Empty where the rules themselves fell back.
    resolution = Resolution.model_validate(
        steps["rules"].details or {"confidence": 0, "needs_lm": True, "reason": "unclear"}
    )
    expansions = tuple(
        (query.text, query.kind) for query in one.retrieved.queries if query.kind in ("decomposition", "step_back")
    )
    texts = [one.turn.query, *resolution.rewrites, *(text for text, _ in expansions)]
    texts += [text for text in (accepted, resolution.titled) if text]
    distinct = list(dict.fromkeys(texts))
    lists = dict(zip(distinct, retriever.search(distinct, settings.fusion.depth), strict=True))
    original = (Query(text=one.turn.query, kind="original", weight=1.0),)
    hits = fuse(original, [lists[one.turn.query]], settings.fusion, settings.k)
    return TurnCase(
        turn=one.turn,
        rewrite=accepted,
        asked=rewrite.lm_calls > 0,
        resolution=resolution,
        expansions=expansions,
        lists=lists,
        original_recall=recall_at_k(one.turn.relevant_ids, [hit.id for hit in hits]),
    )


_WEIGHTS = [0.0, 0.1, 0.3, 0.5, 0.7, 0.9, 1.0]
_SPACE: dict[str, list[Any]] = {
    "strategy": ["best_relative", "best_raw", "rrf", "reserved"],
    "vector_share": [0.0, 0.25, 0.5, 0.75, 1.0],
    "original": _WEIGHTS,
    "rules": _WEIGHTS,
    "further": _WEIGHTS,
    "hedge_below": [0.0, 0.5, 0.7, 1.0],
    "title": [0.0, 0.3, 0.7, 1.0, 1.2],
    "rrf_k": [1, 10, 60],
    "ask_lm": ["never", "unsure", "follow_ups"],
}


def _space(start: Settings, retriever: str) -> dict[str, list[Any]]:
    at_start = _point(start)
    space = {name: values if at_start[name] in values else [at_start[name], *values] for name, values in _SPACE.items()}
    if retriever != "hybrid":
        space["vector_share"] = [start.fusion.vector_share]
    if start.rewrite.ask_lm == "never":
        space["ask_lm"] = ["never"]
    return space


def _neighbours(first: dict[str, Any], space: dict[str, list[Any]]) -> list[dict[str, Any]]:
    changed = [first | {name: value} for name, values in space.items() for value in values if value != first[name]]
    return [first, *changed]


def _point(settings: Settings) -> dict[str, Any]:
    values = settings.fusion.model_dump() | {"ask_lm": settings.rewrite.ask_lm}
    return {name: values[name] for name in _SPACE}


def _apply(start: Settings, point: dict[str, Any]) -> Settings:
    fusion = FusionSettings.model_validate(
        start.fusion.model_dump() | {name: chosen for name, chosen in point.items() if name != "ask_lm"}
    )
    rewrite = start.rewrite.model_copy(update={"ask_lm": point["ask_lm"]})
    return start.model_copy(update={"fusion": fusion, "rewrite": rewrite})
