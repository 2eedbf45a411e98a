"""From the experiment's words to an optimizer."""

from collections.abc import Iterator

from experiments.experiment import (
    BootstrapConfig,
    LabeledConfig,
    NoneConfig,
    OptimizerConfig,
    RandomSearchConfig,
    RuleTaughtConfig,
)
from experiments.optimizers.bootstrap_few_shot import BootstrappedDemos
from experiments.optimizers.labeled_few_shot import LabeledDemos
from experiments.optimizers.optimizer import Candidate, Optimizer, Task
from experiments.optimizers.random_search import RandomSearch
from experiments.optimizers.rule_taught import RuleTaughtDemos


class NoOptimizer:
    """The student as it is."""

    def candidates(self, task: Task) -> Iterator[Candidate]:
        """See ``Optimizer``."""
        yield Candidate("as-given", task.student.deepcopy())


def choose_optimizer(config: OptimizerConfig) -> Optimizer:
    """Return the optimizer that ``config`` describes."""
    match config:
        case NoneConfig():
            return NoOptimizer()
        case LabeledConfig():
            return LabeledDemos(config.max_demos, config.unchanged_share)
        case RuleTaughtConfig():
            return RuleTaughtDemos(config.max_demos, config.unchanged_share)
        case BootstrapConfig():
            return BootstrappedDemos(config.max_demos, config.unchanged_share)
        case RandomSearchConfig():
            return RandomSearch(config.max_demos, config.candidates, config.unchanged_share)
