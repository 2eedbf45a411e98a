"""Rows of registered tables, for questions that count, rank or filter."""

from program.ask import ask
from program.gate.classify import GateDecision
from program.result import FusedHit
from program.routing.route import Routed
from program.rules.resolution import Resolution
from program.sql.answer import answer_with_sql
from program.stage import Reason, gave_up, nothing_to_do
from program.stages.expand import not_expanded
from program.stages.guard import Accepted
from program.stages.rules import lead_read
from program.trace import Step
from program.turn import LiveTurn


def sql(
    turn: LiveTurn, gate: GateDecision, rules: Resolution, guard: Accepted, route: Routed, step: Step
) -> list[FusedHit] | Reason:
    """The rows that the model's query finds; whatever fails or finds nothing leaves the turn to the passages."""
    if reason := not_expanded(turn, gate, rules):
        return nothing_to_do(reason)
    if "sql" not in route.routes:
        return nothing_to_do(f"route: {', '.join(route.routes)}")
    settings = turn.settings.route
    lead = " ".join(lead_read(turn, rules, guard.rewrite).split())
    answer = answer_with_sql(
        lead,
        turn.tables,
        lambda schema, query: ask(turn.prompts.text_to_sql, "text_to_sql", step, tables=schema, query=query),
        rows=settings.sql_rows,
        timeout_ms=min(settings.sql_timeout_ms, max(step.left_ms, 1.0)),
    )
    step.details |= {"sql": answer.sql}
    return list(answer.hits) or gave_up(answer.reason or "no rows")
