"""The turns of a search that scores its own trials: some to learn from, others to check on, all of them training turns."""

from typing import NamedTuple

import dspy

from data.errors import ConfigError
from data.records import Turn
from data.split import sample_turns, split_by_conversation
from experiments.demos import read_turn
from experiments.optimizers.optimizer import Task
from program.stages.gate import gate
from program.stages.rewrite import no_need
from program.trace import Step

FEWEST_TURNS = 5
"""In each part."""
_SHARE = 0.4


class Parts(NamedTuple):
    """Turns on which the model is asked; no conversation is in both."""

    learn: list[Turn]
    check: list[Turn]


def divide(task: Task, name: str, most_checked: int) -> Parts:
    """Divide the training turns on which the model is asked. The experiment's dev and test turns are never among them.

    Args:
        task: Its seed decides.
        name: Of the optimizer, for the error.
        most_checked: Turns to check on at most: each trial runs all of them.

    Raises:
        ConfigError: No language model, or too few such turns in either part.
    """
    if dspy.settings.lm is None and "coreference" not in (dspy.settings.get("lms") or {}):
        raise ConfigError(
            f"{name} needs a language model", advice="give the experiment an lm, or use the optimizer none"
        )
    asked = [turn for turn in task.trainset if _is_asked(turn, task)]
    learn, check, _ = split_by_conversation(asked, seed=task.seed, dev_share=_SHARE, test_share=0)
    if min(len(learn), len(check)) < FEWEST_TURNS:
        raise ConfigError(
            f"too few training turns for {name}: the model is asked on {len(learn)} to learn from and {len(check)} to check on, "
            f"each needs {FEWEST_TURNS} or more",
            advice="label more conversations, give train a larger share, or use gain_demos",
        )
    return Parts(list(learn), sample_turns(check, most_checked, task.seed))


def _is_asked(turn: Turn, task: Task) -> bool:
    live, seen, resolution = read_turn(turn, task.student, task.retriever)
    decision = gate(live, seen, Step(stage="gate"))
    return live.settings.rewrite.ask_lm != "never" and no_need(live, seen, decision, resolution) is None
