"""The language model's coreference rewrite."""

from program.ask import ask
from program.gate.classify import GateDecision
from program.nearest_demos import nearest_demos
from program.reading.plan_reader import Plan
from program.rules.resolution import Resolution
from program.stage import Reason, gave_up, not_answered, nothing_to_do
from program.stages.gate import decided
from program.trace import Step
from program.turn import LiveTurn
from program.window import Window


def rewrite(
    turn: LiveTurn, window: Window, summary: str, gate: GateDecision, rules: Resolution, plan: Plan | None, step: Step
) -> str | Reason:
    """What the model proposes; whether it may be searched is the guard's business."""
    if reason := no_need(turn, window, gate, rules):
        return nothing_to_do(reason)
    if turn.settings.expand.plan:
        if plan is None or not plan.rewrite:
            return nothing_to_do("the plan has none")
        proposed: str | None = plan.rewrite
    else:
        prompt, inputs = turn.prompts.coreference, rewrite_inputs(turn, window, summary, rules)
        demos = nearest_demos(prompt.demos, inputs, turn.settings.rewrite.demos_per_turn)
        proposed = ask(prompt, "coreference", step, demos=demos, **inputs)
    if proposed is None:
        return not_answered(step)
    # A model that explains itself does so on further lines.
    proposed = " ".join(next(iter(proposed.strip().splitlines()), "").split())
    step.details |= {"proposed": proposed}
    return proposed or gave_up("guard: empty")


def rewrite_inputs(turn: LiveTurn, window: Window, summary: str, rules: Resolution) -> dict[str, str]:
    """The input fields of the coreference signature for a turn; demos are built from the same."""
    return {
        "scene": " ".join(turn.scene.split())[:200],
        "history": history_text(window, summary),
        "entities": "; ".join([*([rules.title] if rules.title else []), *rules.entities[:5]]),
        # On one line, as the window's messages are: a line of the user's own must not pass for a field of the prompt.
        "query": " ".join(turn.asked.split()),
    }


def history_text(window: Window, summary: str) -> str:
    """The summary of what is older, if there is one, and the last turns."""
    return "\n".join(part for part in (summary, window.text) if part)


def no_need(turn: LiveTurn, window: Window, gate: GateDecision, rules: Resolution) -> str | None:
    """Why the model is not asked about this turn, or ``None``."""
    intent, asked = decided(gate), turn.settings.rewrite.ask_lm
    complete = rules.reason == "complete" and not rules.needs_lm
    reasons = {
        "blank query": not turn.query.strip(),
        f"gate: {intent}": intent != "retrieval",
        "rules: social": rules.reason == "social",
        "first turn": not window.messages and asked != "every_turn",
        "rules: complete": complete and asked != "every_turn",
        "rules are sure": asked == "unsure" and not rules.needs_lm,
    }
    return next((reason for reason, holds in reasons.items() if holds), None)
