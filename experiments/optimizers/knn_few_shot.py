"""KNN few-shot: a pool of demos is saved with the program, and each turn is shown the few that are most like it.

DSPy's ``KNNFewShot`` replaces the program's ``forward`` by a closure over an embedder and compiles anew at every call; that cannot be saved
without a pickle. Here the pool is the prompt's demos, and ``program.nearest_demos`` chooses among them.
"""

from collections.abc import Iterator
from dataclasses import dataclass

from data.errors import ConfigError
from experiments.demos import with_demos
from experiments.optimizers.gain_demos import gains, varied
from experiments.optimizers.optimizer import Candidate, Task


@dataclass(frozen=True)
class KnnDemos:
    """One candidate with at most ``pool`` demos, of which a turn is shown ``max_demos``."""

    max_demos: int
    pool: int
    unchanged_share: float

    def candidates(self, task: Task) -> Iterator[Candidate]:
        """See ``Optimizer``."""
        chosen = varied(gains(task), self.pool if self.max_demos else 0, self.unchanged_share)
        if self.max_demos and not chosen:
            raise ConfigError(
                "no training turn has a rewrite that finds its passages",
                advice="label turns with gold_rewrite, or use the optimizer bootstrap_few_shot",
            )
        program = with_demos(task.student, [one.demo for one in chosen])
        shown = program.settings.rewrite.model_copy(update={"demos_per_turn": self.max_demos})
        program.settings = program.settings.model_copy(update={"rewrite": shown})
        yield Candidate("knn", program)
