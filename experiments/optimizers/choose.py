"""From the experiment's words to an optimizer."""

from collections.abc import Iterator

from experiments.experiment import (
    BootstrapConfig,
    GainConfig,
    GepaConfig,
    KnnConfig,
    LabeledConfig,
    MiproConfig,
    NoneConfig,
    OptimizerConfig,
    RandomSearchConfig,
    RuleTaughtConfig,
    SequenceConfig,
)
from experiments.optimizers.bootstrap_few_shot import BootstrappedDemos
from experiments.optimizers.gain_demos import GainDemos
from experiments.optimizers.gepa import Gepa
from experiments.optimizers.knn_few_shot import KnnDemos
from experiments.optimizers.labeled_few_shot import LabeledDemos
from experiments.optimizers.mipro import Mipro
from experiments.optimizers.optimizer import Candidate, Optimizer, Task
from experiments.optimizers.random_search import RandomSearch
from experiments.optimizers.rule_taught import RuleTaughtDemos
from experiments.optimizers.sequence import OptimizerSequence


class NoOptimizer:
    """The student as it is."""

    def candidates(self, task: Task) -> Iterator[Candidate]:
        """See ``Optimizer``."""
        yield Candidate("as-given", task.student.deepcopy())


def choose_optimizer(config: OptimizerConfig) -> Optimizer:
    """Return the optimizer that ``config`` describes."""
    optimizer: Optimizer
    match config:
        case NoneConfig():
            optimizer = NoOptimizer()
        case LabeledConfig():
            optimizer = LabeledDemos(config.max_demos, config.unchanged_share)
        case RuleTaughtConfig():
            optimizer = RuleTaughtDemos(config.max_demos, config.unchanged_share)
        case GainConfig():
            optimizer = GainDemos(config.max_demos, tuple(config.unchanged_shares))
        case BootstrapConfig():
            optimizer = BootstrappedDemos(config.max_demos, config.unchanged_share)
        case RandomSearchConfig():
            optimizer = RandomSearch(config.max_demos, config.candidates, config.unchanged_share)
        case KnnConfig():
            optimizer = KnnDemos(config.max_demos, config.pool, config.unchanged_share)
        case MiproConfig():
            optimizer = Mipro(
                config.max_demos, config.candidates, config.trials, config.check_turns, config.reflection_lm
            )
        case GepaConfig():
            optimizer = Gepa(config.reflection_lm, config.metric_calls, config.check_turns)
        case SequenceConfig():
            optimizer = OptimizerSequence([choose_optimizer(step) for step in config.steps])
    return optimizer
