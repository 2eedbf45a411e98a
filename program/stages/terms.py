"""The user's dictionary, and dates where a clock is given: the leading query with what the corpus calls it added."""

from program.normalise.dates import added_dates
from program.normalise.terms import added_terms, with_added
from program.rules.resolution import Resolution
from program.stage import Reason, nothing_to_do
from program.stages.guard import Accepted
from program.stages.rules import lead_read
from program.trace import Step
from program.turn import LiveTurn


def terms(turn: LiveTurn, rules: Resolution, guard: Accepted, step: Step) -> str | Reason:
    """A query of its own beside the others: nothing is taken away."""
    lead = lead_read(turn, rules, guard.rewrite)
    added = added_terms(lead, turn.settings.terms)
    if turn.today is not None:
        added += added_dates(lead, turn.today)
    step.details = {"added": list(added)}
    return with_added(lead, added) if added else nothing_to_do("no term of the dictionary")
