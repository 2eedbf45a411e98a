"""Labelled few-shot: gold rewrites as demos, as they are."""

import random
from collections.abc import Iterator
from dataclasses import dataclass

from data.errors import ConfigError
from experiments.demos import demo, order_for_demos, with_demos
from experiments.optimizers.optimizer import Candidate, Task
from program.rewrite_program import RewriteProgram


@dataclass(frozen=True)
class LabeledDemos:
    """One candidate with at most ``max_demos`` demos."""

    max_demos: int
    unchanged_share: float

    def candidates(self, task: Task) -> Iterator[Candidate]:
        """See ``Optimizer``."""
        yield Candidate("labeled", labelled(task, self.max_demos, self.unchanged_share, random.Random(task.seed)))


def labelled(task: Task, max_demos: int, unchanged_share: float, rng: random.Random) -> RewriteProgram:
    """Return a copy of the student with gold demos.

    Raises:
        ConfigError: No training turn has a gold rewrite.
    """
    gold = [turn for turn in task.trainset if turn.gold_rewrite]
    if not gold:
        raise ConfigError("no training turn has a gold_rewrite", advice="use the optimizer bootstrap_few_shot")
    ordered = order_for_demos(gold, task.original_recall, unchanged_share=unchanged_share, rng=rng)
    demos = [demo(turn, turn.gold_rewrite or "", task.student, task.retriever) for turn in ordered[:max_demos]]
    return with_demos(task.student, demos)
