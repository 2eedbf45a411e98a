"""The order of the hits, judged anew by the original query and the rewrite together."""

from collections.abc import Sequence

from program.ask import ask
from program.reranking.rerank import listwise, settle
from program.result import FusedHit
from program.rules.resolution import Resolution
from program.stage import Reason, gave_up, nothing_to_do
from program.stages.guard import Accepted
from program.stages.rules import lead_of
from program.trace import Step
from program.turn import LiveTurn


def rerank(
    turn: LiveTurn, rules: Resolution, guard: Accepted, fuse: Sequence[FusedHit], step: Step
) -> list[FusedHit] | Reason:
    """The same hits in another order; whatever fails leaves the order of fusion."""
    if len(fuse) < 2:
        return nothing_to_do("nothing to order")
    lead = lead_of(turn, rules, guard.rewrite)
    if turn.settings.rerank == "given":
        if turn.reranker is None:
            return nothing_to_do("no reranker")
        # A list of its own: one that sorts in place, or late, must not touch the order of fusion.
        return settle(turn.reranker(turn.query, lead, list(fuse)), fuse)
    read = listwise(turn.query, lead, fuse, lambda fields: ask(turn.prompts.rerank, "rerank", step, **fields))
    if read is None:
        return Reason(step.reason, failed=True) if step.status != "done" else gave_up("no order in the answer")
    return read
