"""What the ablation compares: the default settings with one strategy changed, and combinations of them."""

import itertools
from typing import Any

from experiments.systems import without_lm
from program.settings import ExpandSettings, Settings

BASE = "plain rewrite"
"""What every other variant is compared with: rules, the language model where they are unsure, guards, both queries searched."""


def variants(start: Settings) -> dict[str, Settings]:
    """Return settings by name; ``start`` is a set's tuned ones, with every further strategy off.

    Variants that need many calls come last: an interrupted run has the others.
    """
    base = _with(start, rewrite={"ask_lm": "unsure"}).model_copy(update={"expand": ExpandSettings(), "rerank": "off"})
    no_guards = dict.fromkeys(("answer", "language", "numbers", "negation", "entities", "old_topic"), False)
    made = {
        "rules alone": without_lm(base),
        BASE: base,
        "without rules": _with(base, rewrite={"rules": False}),
        "without guards": _with(base, guard=no_guards | {"longest_ratio": 1000.0}),
        "without gate": _with(base, gate={"rules": False}),
        "without routes": _with(base, route={"rules": False}),
    }
    for strategy in ("best_relative", "best_raw", "rrf", "reserved", "by_confidence"):
        if strategy != base.fusion.strategy:
            made[f"fusion: {strategy}"] = _with(base, fusion={"strategy": strategy})
    made["rrf, k = 60, equal votes"] = _with(
        base, fusion={"strategy": "rrf", "rrf_k": 60, "original": 1.0, "rules": 1.0}
    )
    made["model on every follow-up"] = _with(base, rewrite={"ask_lm": "follow_ups"})
    made["model on every turn"] = _with(base, rewrite={"ask_lm": "every_turn"})
    for name, change in EXPANSIONS.items():
        made[name] = _with(base, expand=change)
    for name, change in EXPANSIONS.items():
        kinds = ("multi_query", "keywords") if name == "one-call plan" else (_KINDS[name],)
        made[f"{name}, weight 0.9"] = _with(base, expand=change, fusion=dict.fromkeys(kinds, 0.9))
    return made


EXPANSIONS: dict[str, dict[str, Any]] = {
    "step-back": {"step_back": True},
    "decomposition": {"decomposition": True},
    "multi-query, 3": {"multi_query": 3},
    "HyDE": {"hyde": True},
    "one-call plan": {"plan": True},
}


def combinations(base: Settings) -> dict[str, Settings]:
    """Every set of two or more expansions (but the plan, which stands for all), by name."""
    alone = {name: change for name, change in EXPANSIONS.items() if name != "one-call plan"}
    return {
        " + ".join(names): _with(base, expand={key: on for name in names for key, on in alone[name].items()})
        for size in range(2, len(alone) + 1)
        for names in itertools.combinations(alone, size)
    }


_KINDS = {"step-back": "step_back", "decomposition": "decomposition", "multi-query, 3": "multi_query", "HyDE": "hyde"}


def _with(settings: Settings, **groups: dict[str, Any]) -> Settings:
    changed = {name: getattr(settings, name).model_copy(update=values) for name, values in groups.items()}
    return settings.model_copy(update=changed)
