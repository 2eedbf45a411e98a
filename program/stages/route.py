"""Where each query is sent."""

from program.ask import ask
from program.gate.classify import GateDecision
from program.result import Route
from program.routing.route import Routed, read_routes, routes_of
from program.rules.resolution import Resolution
from program.stage import Reason, not_answered, nothing_to_do
from program.stages.expand import not_expanded
from program.stages.guard import Accepted
from program.stages.rules import lead_read
from program.trace import Step
from program.turn import LiveTurn

HYBRID = Routed(routes=("hybrid",), reason="default", sure=False)


def router(turn: LiveTurn, gate: GateDecision, rules: Resolution, step: Step) -> tuple[Route, ...] | Reason:
    """The language model's choice, where the rules see nothing special; what it does not know is hybrid."""
    if reason := not_expanded(turn, gate, rules):
        return nothing_to_do(reason)
    lead = lead_read(turn, rules)
    if turn.settings.route.rules and routes_of(lead, has_tables=turn.tables is not None).sure:
        return nothing_to_do("rules are sure")
    tables = ", ".join(turn.tables.names) if turn.tables is not None else ""
    answer = ask(turn.prompts.router, "router", step, tables=tables, query=" ".join(lead.split()))
    if answer is None:
        return not_answered(step)
    return read_routes(answer)


def route(turn: LiveTurn, rules: Resolution, guard: Accepted, router: tuple[Route, ...] | None, step: Step) -> Routed:
    """The routes of the leading query."""
    lead = lead_read(turn, rules, guard.rewrite)
    routed = routes_of(lead, has_tables=turn.tables is not None) if turn.settings.route.rules else HYBRID
    if router is not None and not routed.sure:
        # All that either names; rows of a table are never waited for alone.
        named = dict.fromkeys([*router, *routed.routes] if "sql" in routed.routes else router)
        routes = [one for one in named if one != "sql" or turn.tables is not None]
        routes += ["hybrid"] if set(routes) <= {"sql"} else []
        routed = Routed(routes=tuple(routes), reason="language model", sure=False)
    step.details = routed.model_dump()
    return routed
