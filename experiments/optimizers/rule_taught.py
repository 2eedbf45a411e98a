"""Rule-taught few-shot: rewrites that the rules made and that found everything, as demos for the turns where the rules are unsure.

Needs neither gold rewrites nor a single model call. Such demos say the entity and the bare question and nothing else, which is what a
retriever wants and what human rewrites ("besides …, did …") often are not.
"""

import random
from collections.abc import Iterator
from dataclasses import dataclass

import dspy

from data.errors import ConfigError
from data.records import Turn
from experiments.demos import demo, order_for_demos, read_turn, with_demos
from experiments.optimizers.optimizer import Candidate, Task
from metrics.ranking import recall_at_k
from program.fusion.fuse import fuse
from program.result import Query
from program.rewrite_program import RewriteProgram


@dataclass(frozen=True)
class RuleTaughtDemos:
    """One candidate with at most ``max_demos`` demos."""

    max_demos: int
    unchanged_share: float

    def candidates(self, task: Task) -> Iterator[Candidate]:
        """See ``Optimizer``."""
        yield Candidate("taught", rule_taught(task, self.max_demos, self.unchanged_share, random.Random(task.seed)))


def rule_taught(task: Task, max_demos: int, unchanged_share: float, rng: random.Random) -> RewriteProgram:
    """Return a copy of the student with demos that the rules made.

    Turns to be left alone are those whose gold rewrite says so; without gold there are none.

    Raises:
        ConfigError: The rules' rewrites found everything on no training turn.
    """
    ordered = order_for_demos(task.trainset, task.original_recall, unchanged_share=unchanged_share, rng=rng)
    demos: list[dspy.Example] = []
    for turn in ordered:
        if len(demos) == max_demos:
            break
        rewrite = _taught(turn, task)
        if rewrite is not None:
            demos.append(demo(turn, rewrite, task.student, task.retriever))
    if max_demos and not demos:
        raise ConfigError("the rules found everything on no training turn", advice="use the optimizer labeled_few_shot")
    return with_demos(task.student, demos)


def _taught(turn: Turn, task: Task) -> str | None:
    """The rules' rewrite where it alone finds every relevant passage, the query itself where it must stay, else None."""
    if turn.gold_rewrite == turn.query:
        return turn.query
    *_, resolution = read_turn(turn, task.student, task.retriever)
    rewrites = resolution.rewrites
    if not rewrites:
        return None
    settings = task.student.settings
    query = Query(text=rewrites[0], kind="rules", weight=1.0)
    hits = fuse([query], task.retriever.search([query.text], settings.fusion.depth), settings.fusion, settings.k)
    return rewrites[0] if recall_at_k(turn.relevant_ids, [hit.id for hit in hits]) == 1 else None
