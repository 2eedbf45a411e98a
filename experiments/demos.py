"""Which training turns are worth showing to a model, and in which order.

Turns where the original query failed come first: a demo that changes nothing in retrieval teaches nothing about it. A share of turns
that must stay as they are is mixed in, or the model learns to rewrite everything.
"""

import random
from collections.abc import Sequence

import dspy
from dspy.teleprompt import LabeledFewShot

from data.records import Turn
from program.retrieval.retriever import Retriever
from program.rewrite_program import RewriteProgram
from program.rules.resolution import Resolution
from program.stages.rewrite import rewrite_inputs
from program.stages.rules import rules
from program.stages.window import window
from program.trace import Step
from program.turn import LiveTurn
from program.window import Window


def order_for_demos(
    turns: Sequence[Turn], original_recall: dict[str, float], *, unchanged_share: float, rng: random.Random
) -> list[Turn]:
    """Return ``turns`` with history, shuffled, in the order in which demos are to be taken from them.

    Args:
        turns: Training turns.
        original_recall: Recall@5 of the original query by turn id.
        unchanged_share: Share of places for turns to be left alone: those whose gold rewrite is the query, 0–1.
        rng: The source of the shuffle.
    """
    follow_ups = [turn for turn in turns if turn.history]
    rng.shuffle(follow_ups)
    unchanged = [turn for turn in follow_ups if turn.gold_rewrite == turn.query]
    others = [turn for turn in follow_ups if turn.gold_rewrite != turn.query]
    others.sort(key=lambda turn: original_recall[turn.id] >= 1)  # stable: the shuffle stays within both halves
    ordered: list[Turn] = []
    left_alone = 0
    while left_alone < len(unchanged) or len(ordered) - left_alone < len(others):
        changed = len(ordered) - left_alone
        due = len(ordered) * unchanged_share >= left_alone + 1
        if left_alone < len(unchanged) and (due or changed == len(others)):
            ordered.append(unchanged[left_alone])
            left_alone += 1
        else:
            ordered.append(others[changed])
    return ordered


def program_example(turn: Turn) -> dspy.Example:
    """A turn as the program takes it."""
    example = dspy.Example(query=turn.query, history=turn.history, turn_id=turn.id, relevant_ids=turn.relevant_ids)
    return example.with_inputs("query", "history")


def read_turn(turn: Turn, program: RewriteProgram, retriever: Retriever) -> tuple[LiveTurn, Window, Resolution]:
    """What the program's own stages make of a turn before the model is asked."""
    with dspy.context(rm=retriever):
        live = program.live_turn(turn.query, turn.history)
    seen = window(live, Step(stage="window"))
    return live, seen, rules(live, seen, Step(stage="rules"))


def demo(turn: Turn, rewrite: str, program: RewriteProgram, retriever: Retriever) -> dspy.Example:
    """A turn with a rewrite to show, in the fields of the coreference signature."""
    live, seen, resolution = read_turn(turn, program, retriever)
    return dspy.Example(**rewrite_inputs(live, seen, "", resolution), rewrite=rewrite)


def with_demos(program: RewriteProgram, demos: list[dspy.Example]) -> RewriteProgram:
    """A copy of ``program`` whose coreference signature shows exactly ``demos`` (DSPy's ``LabeledFewShot``)."""
    taught: RewriteProgram = program.reset_copy()
    if demos:
        taught.coreference = LabeledFewShot(k=len(demos)).compile(taught.coreference, trainset=demos, sample=False)
    return taught
