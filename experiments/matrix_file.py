"""A matrix of experiments as one YAML file: sets × language models × optimizers × stages over what they share."""

import fnmatch
import itertools
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Annotated, Any

import yaml
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from data.errors import ConfigError
from data.records import Record
from experiments.experiment import Experiment

_Name = Annotated[str, Field(pattern=r"^[\w.-]+$")]
_Fields = dict[str, Any]


class Matrix(BaseModel):
    """The file. Each axis names its values; a value is a part of an experiment."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    name: _Name
    output: Path
    """Folder of the results, and of a program for each cell."""
    shared: _Fields = Field(default_factory=dict)
    """Fields that all experiments have, as in an experiment file."""
    sets: dict[_Name, _Fields] = Field(min_length=1)
    """``data`` and whatever else belongs to a set: ``retriever``, ``store``, ``limits`` …"""
    lms: dict[_Name, str | None] = Field(min_length=1)
    """Language models by short names; ``null`` is none."""
    optimizers: dict[_Name, _Fields] = Field(min_length=1)
    stages: dict[_Name, _Fields] = Field(default={"default": {}}, min_length=1)
    """Changes of ``settings``, by name."""


class Cell(Record):
    """One experiment of a matrix."""

    set: str
    lm: str
    optimizer: str
    stage: str
    experiment: Experiment

    @property
    def name(self) -> str:
        """``set/lm/optimizer/stage``."""
        return f"{self.set}/{self.lm}/{self.optimizer}/{self.stage}"


def load_matrix(path: Path) -> tuple[Matrix, tuple[Cell, ...]]:
    """Read a matrix and make all of its experiments, so that a mistake in the last one shows before the first one runs.

    Cells are in the order of the file: sets, then language models (one stays loaded), then optimizers, then stages.

    Raises:
        ConfigError: Missing, not YAML, unknown keys or wrong values: a line for each, with the file, the cell and the key.
    """
    try:
        matrix = Matrix.model_validate(yaml.safe_load(path.read_text(encoding="utf-8")) or {})
    except FileNotFoundError as error:
        raise ConfigError(
            f"there is no file {path}", advice="experiments/matrices/sample.yaml is an example", path=str(path)
        ) from error
    except (yaml.YAMLError, UnicodeDecodeError) as error:
        raise ConfigError(f"{path} is not YAML: {' '.join(str(error).split())}", path=str(path)) from error
    except ValidationError as error:
        raise _wrong(path, list(_problems(error, ""))) from error
    cells: list[Cell] = []
    problems: list[str] = []
    for names in itertools.product(matrix.sets, matrix.lms, matrix.optimizers, matrix.stages):
        try:
            cells.append(_cell(matrix, *names))
        except ValidationError as error:
            problems += _problems(error, f"{'/'.join(names)}: ")
    if problems:
        raise _wrong(path, problems)
    return matrix, tuple(cells)


def chosen(cells: tuple[Cell, ...], only: str | None) -> tuple[Cell, ...]:
    """Return the cells whose name matches the shell pattern ``only``, or all.

    Raises:
        ConfigError: None does.
    """
    found = tuple(cell for cell in cells if only is None or fnmatch.fnmatchcase(cell.name, only))
    if not found:
        raise ConfigError(f"no cell matches {only!r}", advice=f"names look like {cells[0].name}")
    return found


def _cell(matrix: Matrix, set_: str, lm: str, optimizer: str, stage: str) -> Cell:
    fields = _merged(matrix.shared, matrix.sets[set_])
    fields["settings"] = _merged(fields.get("settings", {}), matrix.stages[stage])
    name = f"{matrix.name}-{set_}-{lm}-{optimizer}-{stage}"
    fields |= {"name": name, "lm": matrix.lms[lm], "optimizer": matrix.optimizers[optimizer]}
    fields["output"] = matrix.output / "programs" / name
    return Cell(set=set_, lm=lm, optimizer=optimizer, stage=stage, experiment=Experiment.model_validate(fields))


def _merged(first: Mapping[str, Any], second: Mapping[str, Any]) -> _Fields:
    """``second`` over ``first``; mappings in both are merged in turn."""
    found = dict(first)
    for name, value in second.items():
        both = isinstance(value, Mapping) and isinstance(found.get(name), Mapping)
        found[name] = _merged(found[name], value) if both else value
    return found


def _problems(error: ValidationError, where: str) -> Iterator[str]:
    for one in error.errors():
        yield f"{where}{'.'.join(map(str, one['loc'])) or 'top level'}: {one['msg']}"


def _wrong(path: Path, problems: list[str]) -> ConfigError:
    # The same mistake in a shared field shows in every cell: once is enough to mend it.
    lines = [f"{path}: {problem}" for problem in problems[:10]]
    more = [f"{path}: and {len(problems) - 10} more like these"] if len(problems) > 10 else []
    return ConfigError("\n".join([*lines, *more]), path=str(path), problems=problems)
