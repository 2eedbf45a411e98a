"""Further queries by the language model, each on its own. They run beside the rewrite: they see the conversation themselves."""

from collections.abc import Callable
from typing import Any, TypeVar

from program.ask import ask
from program.gate.classify import GateDecision
from program.reading.hops import Hop, read_hops
from program.reading.lines import read_lines
from program.reading.passage_reader import read_passage
from program.rules.resolution import Resolution
from program.stage import Reason, gave_up, not_answered, nothing_to_do
from program.stages.gate import decided
from program.stages.rewrite import history_text
from program.stages.rules import lead_of, lead_read
from program.trace import Step
from program.turn import LiveTurn
from program.window import Window

_T = TypeVar("_T")
_MOST_SUB_QUESTIONS = 4


def multi_query(
    turn: LiveTurn, window: Window, summary: str, gate: GateDecision, rules: Resolution, step: Step
) -> list[str] | Reason:
    """Other phrasings of the same need."""
    count = turn.settings.expand.multi_query
    asked = lead_of(turn, rules)
    return _expand(
        turn, "multi_query", window, summary, gate, rules, step,
        lambda answer: read_lines(answer, at_most=count, exclude=[turn.query, asked]), count=count,
    )  # fmt: skip


def decomposition(
    turn: LiveTurn, window: Window, summary: str, gate: GateDecision, rules: Resolution, step: Step
) -> list[Hop] | Reason:
    """Sub-questions; a later one may need the answer of an earlier one."""
    return _expand(
        turn, "decomposition", window, summary, gate, rules, step,
        lambda answer: read_hops(answer, at_most=_MOST_SUB_QUESTIONS, query=lead_of(turn, rules)),
    )  # fmt: skip


def step_back(
    turn: LiveTurn, window: Window, summary: str, gate: GateDecision, rules: Resolution, step: Step
) -> list[str] | Reason:
    """One more general question."""
    asked = lead_of(turn, rules)
    return _expand(
        turn, "step_back", window, summary, gate, rules, step,
        lambda answer: read_lines(answer, at_most=1, exclude=[turn.query, asked]),
    )  # fmt: skip


def hyde(
    turn: LiveTurn, window: Window, summary: str, gate: GateDecision, rules: Resolution, step: Step
) -> list[str] | Reason:
    """A passage that could hold the answer."""
    return _expand(
        turn, "hypothetical", window, summary, gate, rules, step,
        lambda answer: [text for text in [read_passage(answer)] if text],
    )  # fmt: skip


def not_expanded(turn: LiveTurn, gate: GateDecision, rules: Resolution) -> str | None:
    """Why there is nothing to expand, or ``None``."""
    if not turn.query.strip():
        return "blank query"
    if (intent := decided(gate)) != "retrieval":
        return f"gate: {intent}"
    return "rules: social" if rules.reason == "social" else None


def _expand(
    turn: LiveTurn,
    signature: str,
    window: Window,
    summary: str,
    gate: GateDecision,
    rules: Resolution,
    step: Step,
    read: Callable[[str], list[_T]],
    **extra: Any,
) -> list[_T] | Reason:
    if reason := not_expanded(turn, gate, rules):
        return nothing_to_do(reason)
    asked = " ".join(lead_read(turn, rules).split())
    answer = ask(
        getattr(turn.prompts, signature), signature, step, history=history_text(window, summary), query=asked, **extra
    )
    if answer is None:
        return not_answered(step)
    if not answer.strip():
        return gave_up("empty")
    found = read(answer)
    step.details |= {"proposed": [str(getattr(one, "text", one)) for one in found]}
    return found or nothing_to_do("nothing new in the answer")
