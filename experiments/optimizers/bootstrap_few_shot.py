"""Bootstrap few-shot: the student's own rewrites as demos, where they passed strictly (DSPy's ``BootstrapFewShot``)."""

import contextlib
import random
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import dspy
from dspy.teleprompt import BootstrapFewShot

from experiments.demos import order_for_demos, program_example
from experiments.optimizers.optimizer import Candidate, Task
from metrics.ranking import recall_at_k
from program.rewrite_program import RewriteProgram, retrieved_of


@dataclass(frozen=True)
class BootstrappedDemos:
    """One candidate with at most ``max_demos`` demos."""

    max_demos: int
    unchanged_share: float

    def candidates(self, task: Task) -> Iterator[Candidate]:
        """See ``Optimizer``."""
        program = bootstrapped(task, self.max_demos, self.unchanged_share, random.Random(task.seed))
        yield Candidate("bootstrap", program)


def bootstrapped(task: Task, max_demos: int, unchanged_share: float, rng: random.Random) -> RewriteProgram:
    """Return a copy of the student with demos that it made itself; fewer than asked where fewer passed."""
    ordered = order_for_demos(task.trainset, task.original_recall, unchanged_share=unchanged_share, rng=rng)
    student = task.student.reset_copy()
    if max_demos == 0 or not ordered:
        return student

    def metric(example: dspy.Example, prediction: dspy.Prediction, _trace: Any = None) -> bool:
        steps = retrieved_of(prediction).trace
        task.charge(sum(step.lm_calls for step in steps), sum(step.lm_tokens for step in steps))
        return strict_pass(example, prediction)

    # max_errors=1: the program itself never raises, so an exception is a spent budget and ends the search.
    optimizer = BootstrapFewShot(
        metric=metric, max_bootstrapped_demos=max_demos, max_labeled_demos=0, max_rounds=1, max_errors=1
    )
    # DSPy reports on stdout, which belongs to results.
    with contextlib.redirect_stdout(sys.stderr):
        compiled: RewriteProgram = optimizer.compile(
            student, teacher=task.student.deepcopy(), trainset=[program_example(turn) for turn in ordered]
        )
    return compiled


def strict_pass(example: dspy.Example, prediction: dspy.Prediction) -> bool:
    """Whether the rewrite is worth showing: every relevant passage is among the first five, found best by the rewrite or the query.

    A turn that the rules or another candidate saved, that never reached the model, or whose rewrite a guard refused, says nothing good
    about the rewrite.
    """
    retrieved = retrieved_of(prediction)
    if not any(step.lm_calls for step in retrieved.trace):
        return False
    if recall_at_k(example.relevant_ids, [hit.id for hit in retrieved.hits]) < 1:
        return False
    if any(fallback.stage in ("rewrite", "guard") for fallback in retrieved.fallbacks):
        return False
    relevant = [hit for hit in retrieved.hits if hit.id in example.relevant_ids]
    return all(hit.found_by[0] in ("rewrite", "original") for hit in relevant)
