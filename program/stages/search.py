"""Searching: the original at once, the others together."""

from collections.abc import Sequence

from program.gate.classify import GateDecision
from program.result import Query
from program.retrieval.retriever import EngineError, RankedList
from program.stage import Reason, gave_up, nothing_to_do
from program.stages.gate import decided
from program.trace import Step
from program.turn import LiveTurn

Lists = list[list[RankedList]]


def search_original(turn: LiveTurn, gate: GateDecision, step: Step) -> Lists | Reason:
    """What the user typed, searched as it is, as soon as the rules of the gate (microseconds) do not forbid it."""
    if not turn.query.strip():
        return nothing_to_do("blank query")
    # Where a model may still forbid it, it is searched already: it can be thrown away.
    if gate.sure and (intent := decided(gate)) != "retrieval":
        return nothing_to_do(f"gate: {intent}")
    return _search([turn.query], turn, step)


def search(turn: LiveTurn, queries: Sequence[Query], step: Step) -> Lists | Reason:
    """All other queries in one batch."""
    others = [query.text for query in queries[1:]]
    return _search(others, turn, step) if others else nothing_to_do("no other query")


def _search(texts: list[str], turn: LiveTurn, step: Step) -> Lists | Reason:
    if turn.retriever is None:
        return nothing_to_do("no retriever")
    try:
        found = turn.retriever.search(texts, turn.settings.fusion.depth)
    except EngineError as error:
        found = error.lists  # what the other engines found is better than nothing
        step.fall_back(str(error))
    if len(found) != len(texts):
        return gave_up(f"{len(texts)} queries were searched, {len(found)} answered")
    step.details = {"hits": [[len(ranked.hits) for ranked in of_query] for of_query in found]}
    return found
