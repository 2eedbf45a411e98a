"""Experiment files are strict, and say every mistake at once."""

from pathlib import Path

import pytest

from data.errors import ConfigError
from experiments.experiment import RandomSearchConfig, load_experiment

GOOD = "name: tiny\ndata: data/sample\noutput: out\n"


def written(folder: Path, text: str) -> Path:
    path = folder / "tiny.yaml"
    path.write_text(text, encoding="utf-8")
    return path


def test_defaults_are_a_random_search_with_the_embedded_model(tmp_path: Path) -> None:
    experiment = load_experiment(written(tmp_path, GOOD))
    assert experiment.lm == "local"
    assert isinstance(experiment.optimizer, RandomSearchConfig)


def test_every_mistake_is_one_line_with_file_and_key(tmp_path: Path) -> None:
    path = written(
        tmp_path,
        GOOD + "sed: 3\noptimizer: {name: random_search, candidats: 3}\nsettings: {fusion: {vector_share: 2}}\n",
    )
    with pytest.raises(ConfigError) as caught:
        load_experiment(path)
    lines = str(caught.value).splitlines()
    assert len(lines) == 3
    assert all(line.startswith(f"{path}: ") for line in lines)
    assert any(line.startswith(f"{path}: sed:") for line in lines)
    assert any("candidats" in line for line in lines)
    assert any("settings.fusion.vector_share" in line for line in lines)


@pytest.mark.parametrize("text", ["", "- a\n- b\n", "name: [unclosed", "name: 词\nname2: 1\n"])
def test_what_is_no_experiment_is_refused(tmp_path: Path, text: str) -> None:
    with pytest.raises(ConfigError, match=r"tiny\.yaml"):
        load_experiment(written(tmp_path, text))


def test_missing_file_names_itself(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"no file .*nowhere\.yaml"):
        load_experiment(tmp_path / "nowhere.yaml")


def test_a_name_cannot_leave_the_folder_of_runs(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="name"):
        load_experiment(written(tmp_path, GOOD.replace("tiny", "../tiny")))
