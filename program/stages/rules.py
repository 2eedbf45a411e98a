"""Coreference and ellipsis without a language model."""

from program.rules.resolution import Resolution
from program.rules.resolve import resolve
from program.trace import Step
from program.turn import LONGEST_READ, LiveTurn
from program.window import Window

UNCLEAR = Resolution(confidence=0.0, needs_lm=True, reason="unclear")


def rules(turn: LiveTurn, window: Window, step: Step) -> Resolution:
    """The rules' rewrites, and whether the language model should look."""
    resolution = resolve(turn.asked, window.messages, turn.gazetteer)
    if not turn.settings.rewrite.rules:
        # Without its rewrite, a turn that the rules had solved is one for the language model.
        needs_lm = resolution.needs_lm or bool(resolution.rewrites)
        resolution = resolution.model_copy(update={"rewrites": (), "titled": None, "needs_lm": needs_lm})
        step.skip("switched off")
    step.details = resolution.model_dump(exclude={"entities"})
    return resolution


def lead_of(turn: LiveTurn, rules: Resolution, rewrite: str | None = None) -> str:
    """The query that says best what is wanted: the model's, else the rules' first, else the user's own."""
    return rewrite or next(iter(rules.rewrites), turn.query)


def lead_read(turn: LiveTurn, rules: Resolution, rewrite: str | None = None) -> str:
    """``lead_of`` as far as it is read by what works on it."""
    return lead_of(turn, rules, rewrite)[:LONGEST_READ]
