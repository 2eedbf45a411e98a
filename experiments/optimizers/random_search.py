"""Random search over demo sets: the prompt without demos, then rule-taught, labelled and bootstrapped sets in turn, each from another shuffle.

DSPy's own ``BootstrapFewShotWithRandomSearch`` scores its candidates itself, all of them, and can neither stop early nor report them one
by one to a tracker; the demo sets here are made by the same optimizers. See docs/decisions/0004-random-search.md.
"""

import random
from collections.abc import Iterator
from dataclasses import dataclass

from data.errors import ConfigError
from experiments.optimizers.bootstrap_few_shot import bootstrapped
from experiments.optimizers.labeled_few_shot import labelled
from experiments.optimizers.optimizer import Candidate, Task
from experiments.optimizers.rule_taught import rule_taught


@dataclass(frozen=True)
class RandomSearch:
    """``candidates`` programs besides the student itself, with ``max_demos`` demos at most and half of that at least."""

    max_demos: int
    candidate_count: int
    unchanged_share: float

    def candidates(self, task: Task) -> Iterator[Candidate]:
        """See ``Optimizer``."""
        yield Candidate("no-demos", task.student.reset_copy())
        if task.student.coreference.demos:
            yield Candidate("start", task.student.deepcopy())
        kinds = [("taught", rule_taught), ("bootstrap", bootstrapped)]
        if any(turn.gold_rewrite for turn in task.trainset):
            kinds.insert(1, ("labeled", labelled))
        for number in range(self.candidate_count):
            rng = random.Random(f"{task.seed}/{number}")
            demos = rng.randint((self.max_demos + 1) // 2, self.max_demos)
            name, make = kinds[number % len(kinds)]
            try:
                program = make(task, demos, self.unchanged_share, rng)
            except ConfigError:
                continue  # this kind has nothing to work with here; the others may
            yield Candidate(f"{name}-{number}", program)
