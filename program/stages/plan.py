"""Everything in one call: rewrite, variants and key words."""

from program.ask import ask
from program.gate.classify import GateDecision
from program.reading.plan_reader import Plan, read_plan
from program.rules.resolution import Resolution
from program.stage import Reason, gave_up, not_answered, nothing_to_do
from program.stages.expand import not_expanded
from program.stages.rewrite import rewrite_inputs
from program.trace import Step
from program.turn import LiveTurn
from program.window import Window


def plan(
    turn: LiveTurn, window: Window, summary: str, gate: GateDecision, rules: Resolution, step: Step
) -> Plan | Reason:
    """The model's plan. It is asked about every turn that is searched: a first turn has variants too."""
    if reason := not_expanded(turn, gate, rules):
        return nothing_to_do(reason)
    fields = rewrite_inputs(turn, window, summary, rules)
    answer = ask(turn.prompts.plan, "plan", step, **fields)
    if answer is None:
        return not_answered(step)
    read = read_plan(answer, turn.asked)
    if read is None:
        return gave_up("no plan in the answer")
    step.details |= read.model_dump()
    return read
