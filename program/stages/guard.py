"""What of the language model's proposals may be searched."""

from collections.abc import Sequence

from data.records import Record
from program import guard as guards
from program.reading.hops import Hop
from program.reading.plan_reader import Plan
from program.result import Kind
from program.rules.resolution import Resolution
from program.stage import Reason, nothing_to_do
from program.stages.rules import lead_of
from program.trace import Step
from program.turn import LiveTurn
from program.window import Window


class Accepted(Record):
    """The proposals that passed."""

    rewrite: str | None = None
    expansions: tuple[tuple[str, Kind], ...] = ()


def guard(
    turn: LiveTurn,
    window: Window,
    rules: Resolution,
    rewrite: str | None,
    plan: Plan | None,
    multi_query: Sequence[str],
    decomposition: Sequence[Hop],
    step_back: Sequence[str],
    hyde: Sequence[str],
    drift: float | None,
    step: Step,
) -> Accepted | Reason:
    """Check each proposal; one that is refused leaves the others."""
    parts: list[tuple[Kind, Sequence[str]]] = [
        ("multi_query", [*multi_query, *(plan.variants if plan else ())]),
        ("decomposition", [hop.text for hop in decomposition if not hop.needs]),
        ("step_back", step_back),
        ("keywords", [plan.keyword_query] if plan and plan.keywords else []),
        ("hyde", hyde),
    ]
    if rewrite is None and not any(texts for _, texts in parts):
        return nothing_to_do("nothing was proposed")
    refused: dict[str, str] = {}
    context = context_of(turn, window)
    if rewrite is not None and (reason := refuse_rewrite(turn, rewrite, context, drift)):
        refused["rewrite"] = reason
        rewrite = None
    lead = lead_of(turn, rules, rewrite)
    kept: list[tuple[str, Kind]] = []
    for kind, texts in parts:
        passed = [text for text in texts if guards.refuse_part(text, lead, turn.settings.guard) is None]
        kept += [(text, kind) for text in passed]
        if texts and not passed:
            refused[kind] = "nothing of it belongs to the question"
    step.details = {"rewrite": rewrite, "kept": [list(pair) for pair in kept], "refused": refused}
    if refused:
        step.fall_back("; ".join(f"{kind}: {reason}" for kind, reason in refused.items()))
    return Accepted(rewrite=rewrite, expansions=tuple(kept))


def refuse_rewrite(turn: LiveTurn, rewrite: str, context: guards.Context, drift: float | None) -> str | None:
    """Why the rewrite must not be searched, or ``None``: by its words, then by its drift where that is known."""
    settings = turn.settings.guard
    if reason := guards.refuse(rewrite, context, settings):
        return reason
    if drift is None or turn.embedder is None:
        return None
    return guards.refuse_drift(drift, settings.drift[turn.embedder.identity], rewrite, context)


def context_of(turn: LiveTurn, window: Window) -> guards.Context:
    """What a rewrite is checked against."""
    history = "\n".join(message.content for message in window.messages)
    asked = guards.asks(window.last_answer)
    return guards.Context(query=turn.query, history=history, assistant_asked=asked, gazetteer=turn.gazetteer)
