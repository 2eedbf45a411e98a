"""Multi-hop: sub-questions that need the answer of an earlier one."""

from collections.abc import Sequence

from program import guard as guards
from program.answer import answer_of
from program.fusion.fuse import fuse
from program.reading.hops import Hop, fill, in_waves, to_answer
from program.result import Query
from program.retrieval.retriever import Retriever
from program.rules.resolution import Resolution
from program.stage import Reason, gave_up, nothing_to_do
from program.stages.guard import Accepted
from program.stages.rules import lead_of
from program.trace import Step
from program.turn import LiveTurn


def hops(
    turn: LiveTurn, rules: Resolution, guard: Accepted, decomposition: Sequence[Hop], step: Step
) -> tuple[str, ...] | Reason:
    """Answer what later sub-questions build on, from passages, and return those with the answers in their places.

    A call for each sub-question that others need. One that cannot be answered takes those that need it along.
    """
    needed = to_answer(decomposition)
    if not needed:
        return nothing_to_do("no sub-question builds on another")
    if turn.retriever is None:
        return nothing_to_do("no retriever")
    lead = lead_of(turn, rules, guard.rewrite)
    answers: dict[int, str] = {}
    filled: list[str] = []
    for wave in in_waves(decomposition):
        for number in wave:
            hop = decomposition[number - 1]
            text = fill(hop, answers)
            if text is None or guards.refuse_part(text, lead, turn.settings.guard) is not None:
                continue
            if hop.needs:
                filled.append(text)
            if number in needed:
                answers[number] = _answer(text, turn, turn.retriever, step)
    step.details = {"answered": sum(map(bool, answers.values())), "filled": filled}
    return tuple(filled) or gave_up(step.reason or "the passages do not answer what it builds on")


def _answer(question: str, turn: LiveTurn, retriever: Retriever, step: Step) -> str:
    """The answer, or nothing where the passages do not hold it."""
    settings = turn.settings
    (lists,) = retriever.search([question], settings.fusion.depth)
    hits = fuse([Query(text=question, kind="decomposition", weight=1.0)], [lists], settings.fusion, settings.k)
    asked = Step(stage=step.stage)
    asked.give_time(step.deadline)
    calls_before = step.lm_calls
    step.lm_calls += bool(hits)  # in advance: the turn may have gone on before the answer is there
    found = answer_of(turn.prompts.answerer(question, hits, step=asked))
    step.lm_calls = calls_before + asked.lm_calls
    step.lm_tokens += asked.lm_tokens
    if asked.status == "fallback":
        step.reason = asked.reason
    return found.text if found.in_passages else ""
