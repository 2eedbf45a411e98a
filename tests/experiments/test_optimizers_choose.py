"""From an experiment file to an optimizer."""

from pathlib import Path
from typing import Any

import pytest

from data.errors import ConfigError
from experiments.experiment import Experiment, load_experiment, reflection_models
from experiments.optimizers.choose import NoOptimizer, choose_optimizer
from experiments.optimizers.gain_demos import GainDemos
from experiments.optimizers.gepa import Gepa
from experiments.optimizers.knn_few_shot import KnnDemos
from experiments.optimizers.mipro import Mipro
from experiments.optimizers.sequence import OptimizerSequence


def experiment(**optimizer: Any) -> Experiment:
    return Experiment.model_validate({"name": "x", "data": "d", "output": "o", "optimizer": optimizer})


@pytest.mark.parametrize(
    ("config", "kind"),
    [
        ({"name": "none"}, NoOptimizer),
        ({"name": "gain_demos", "max_demos": 3}, GainDemos),
        ({"name": "knn_few_shot", "pool": 20}, KnnDemos),
        ({"name": "mipro", "trials": 3}, Mipro),
        ({"name": "gepa", "reflection_lm": "openai/big"}, Gepa),
        ({"name": "sequence", "steps": [{"name": "none"}, {"name": "gain_demos"}]}, OptimizerSequence),
    ],
)
def test_each_name_is_its_optimizer(config: dict[str, Any], kind: type) -> None:
    assert isinstance(choose_optimizer(experiment(**config).optimizer), kind)


def test_the_models_that_write_are_named_once() -> None:
    steps = [
        {"name": "gepa", "reflection_lm": "openai/big"},
        {"name": "mipro", "reflection_lm": "openai/other"},
        {"name": "mipro"},
        {"name": "gepa", "reflection_lm": "openai/big"},
    ]
    assert reflection_models(experiment(name="sequence", steps=steps).optimizer) == ("openai/big", "openai/other")
    assert reflection_models(experiment(name="none").optimizer) == ()


@pytest.mark.parametrize(
    ("optimizer", "says"),
    [
        ("{name: gepa}", r"optimizer\.gepa.*needs a reflection_lm"),
        ("{name: sequence, steps: []}", r"optimizer\.sequence\.steps"),
        ("{name: sequence, steps: [{name: gepa}]}", r"steps\.0\.gepa.*needs a reflection_lm"),
        ("{name: sequence, steps: [{name: sequence, steps: [{name: none}]}]}", r"steps\.0"),
        ("{name: knn_few_shot, pol: 3}", r"optimizer\.knn_few_shot\.pol"),
        ("{name: gain_demos, unchanged_shares: [2]}", r"unchanged_shares\.0"),
    ],
)
def test_a_mistake_is_a_line_with_file_and_key(tmp_path: Path, optimizer: str, says: str) -> None:
    path = tmp_path / "x.yaml"
    path.write_text(f"name: x\ndata: d\noutput: o\noptimizer: {optimizer}\n", encoding="utf-8")
    with pytest.raises(ConfigError, match=says) as caught:
        load_experiment(path)
    assert str(caught.value).startswith(f"{path}: ")
    assert len(str(caught.value).splitlines()) == 1
