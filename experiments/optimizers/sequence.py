"""Optimizers one after the other, each from the best that was there before."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from experiments.optimizers.optimizer import Candidate, Optimizer, Task
from program.rewrite_program import RewriteProgram


@dataclass(frozen=True)
class OptimizerSequence:
    """All candidates of each step. The next begins with the best scored so far; with the last one where nobody scores."""

    steps: Sequence[Optimizer]

    def candidates(self, task: Task) -> Iterator[Candidate]:
        """See ``Optimizer``."""
        start = task.student
        for number, step in enumerate(self.steps, start=1):
            last: RewriteProgram | None = None
            for candidate in step.candidates(replace(task, student=start)):
                last = candidate.program
                yield Candidate(f"{number}-{candidate.name}", candidate.program)
            start = _fresh(task.best() or last or start)


def _fresh(program: RewriteProgram) -> RewriteProgram:
    """DSPy refuses to teach what it has marked as taught."""
    copied: RewriteProgram = program.deepcopy()
    copied._compiled = False
    return copied
