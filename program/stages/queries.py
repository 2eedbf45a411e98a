"""The queries of the turn, the original first."""

from program.fusion.queries import plan_queries
from program.gate.classify import GateDecision
from program.result import Intent, Query, Route
from program.routing.route import routes_of, text_route
from program.rules.resolution import Resolution
from program.stage import Reason, nothing_to_do
from program.stages.gate import decided
from program.stages.guard import Accepted
from program.trace import Step
from program.turn import LONGEST_READ, LiveTurn


def queries(
    turn: LiveTurn,
    gate: GateDecision,
    intent: Intent | None,
    rules: Resolution,
    guard: Accepted,
    hops: tuple[str, ...],
    terms: str | None,
    router: tuple[Route, ...] | None,
    step: Step,
) -> tuple[Query, ...] | Reason:
    """What to search, with weights and routes; nothing where the gate says so."""
    if (decision := decided(gate, intent)) != "retrieval":
        return nothing_to_do(f"gate: {decision}")
    try:
        planned = plan_queries(
            turn.query,
            settings=turn.settings.fusion,
            rewrite=guard.rewrite,
            resolution=rules,
            expansions=[*guard.expansions, *((text, "decomposition") for text in hops)],
            terms=terms,
            routes=lambda text: _engine_route(text, turn, router),
        )
    except Exception as error:
        # The original is searched already: without it in the list its hits would have no vote.
        step.fall_back(f"{type(error).__name__}: only the original query is searched")
        planned = plan_queries(turn.query, settings=turn.settings.fusion)
    step.details = {"queries": len(planned)}
    return planned or nothing_to_do("blank query")


def _engine_route(text: str, turn: LiveTurn, router: tuple[Route, ...] | None) -> Route:
    """The engines' part of a query's routes: by its own words, else as the language model said of the leading query."""
    if turn.settings.route.rules:
        own = routes_of(text[:LONGEST_READ], has_tables=False)
        if own.sure:
            return text_route(own.routes)
    return text_route(router) if router else "hybrid"
