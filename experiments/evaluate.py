"""Running a system over labelled turns."""

import time
from collections.abc import Callable, Iterator, Sequence

from data.records import Record, Turn
from experiments.budget import Budget
from experiments.systems import System
from metrics.outcome import TurnOutcome
from program.result import Retrieved


class Evaluated(Record):
    """One turn: what the system gave back, and its outcome in numbers."""

    turn: Turn
    retrieved: Retrieved
    outcome: TurnOutcome


def evaluate(
    system: System,
    turns: Sequence[Turn],
    *,
    budget: Budget | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> Iterator[Evaluated]:
    """Yield each turn as it is done, in order; stop iterating at any time and keep what came.

    Args:
        system: What to run.
        turns: Labelled turns (``data.check`` sorts out the others).
        budget: Charged after each turn.
        progress: Receives (turns done, turns in all).

    Raises:
        BudgetError: The budget is spent; the turn that spent it has been yielded.
    """
    for done, turn in enumerate(turns, start=1):
        start = time.perf_counter()
        retrieved = system(turn)
        elapsed_ms = (time.perf_counter() - start) * 1000
        evaluated = Evaluated(turn=turn, retrieved=retrieved, outcome=outcome_of(turn, retrieved, elapsed_ms))
        yield evaluated
        if progress:
            progress(done, len(turns))
        if budget:
            budget.charge(evaluated.outcome.lm_calls, evaluated.outcome.lm_tokens)


def outcome_of(turn: Turn, retrieved: Retrieved, elapsed_ms: float) -> TurnOutcome:
    """Bring turn and result down to what metrics need."""
    return TurnOutcome(
        turn_id=turn.id,
        conversation_id=turn.conversation_id,
        turn=turn.turn,
        language=turn.language,
        phenomena=turn.phenomena,
        has_history=bool(turn.history),
        relevant_ids=turn.relevant_ids,
        retrieved_ids=tuple(hit.id for hit in retrieved.hits),
        rewritten=any(query.text != turn.query for query in retrieved.queries),
        lm_calls=sum(step.lm_calls for step in retrieved.trace),
        lm_tokens=sum(step.lm_tokens for step in retrieved.trace),
        elapsed_ms=elapsed_ms,
        fallbacks=tuple(f"{fallback.stage}: {fallback.reason}" for fallback in retrieved.fallbacks),
    )
