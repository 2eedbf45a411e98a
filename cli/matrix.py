"""``anaphora matrix``: many experiments from one file."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.table import Table

from cli.help import examples
from cli.options import is_embedded, language_models
from cli.output import JsonOption, emit, stages, stderr_console
from data.errors import ConfigError

if TYPE_CHECKING:
    from experiments.compile import CompileResult, Progress
    from experiments.experiment import Experiment

MatrixFile = Annotated[
    Path, typer.Argument(metavar="MATRIX.yaml", help="See experiments/matrices/sample.yaml and docs/matrix.md.")
]
Only = Annotated[
    str | None,
    typer.Option(
        "--only", metavar="PATTERN", help="Cells by name, set/lm/optimizer/stage: 'sample/*'.", show_default=False
    ),
]
Listed = Annotated[bool, typer.Option("--list", help="Say what is done and what would run, and run nothing.")]


def register(app: typer.Typer) -> None:
    """Add the command ``matrix`` to ``app``."""
    app.command(
        "matrix",
        epilog=examples(
            "anaphora matrix experiments/matrices/sample.yaml --list",
            "anaphora matrix experiments/matrices/sample.yaml",
            "anaphora matrix experiments/matrices/sample.yaml --only 'sample/*/none/*' --json",
        ),
    )(matrix)


def matrix(matrix_file: MatrixFile, *, only: Only = None, listed: Listed = False, as_json: JsonOption = False) -> None:
    """Compile every combination of sets, language models, optimizers and stages that is not done yet; one table, two plots.

    A cell that fails is named with its reason and tried again next time. Ctrl-C keeps what is done.
    """
    try:
        from experiments.matrix import finished, run_matrix
        from experiments.matrix_file import chosen, load_matrix
        from experiments.matrix_report import pareto_picture, recall_picture, to_markdown
    except ModuleNotFoundError as error:
        raise ConfigError(
            f"matrix needs the package {error.name}", advice="install the extra: pip install 'anaphora[experiments]'"
        ) from error

    plan, cells = load_matrix(matrix_file)
    cells = chosen(cells, only)
    if listed:
        done = finished(plan.output, cells)
        names = {cell.name: cell.name in done for cell in cells}
        emit({"cells": names}, as_json, lambda: _listed(names))
        return
    with stages(as_json=as_json) as report:

        def told(cell: Any, place: int, total: int) -> None:
            stderr_console().print(f"{place + 1} of {total}: {cell.name}", markup=False)

        results = run_matrix(plan.output, cells, _compiler(plan.name, report), told)
    text = to_markdown(plan.name, results)
    plan.output.mkdir(parents=True, exist_ok=True)
    (plan.output / "matrix.md").write_text(text, encoding="utf-8")
    recall_picture(results).savefig(plan.output / "matrix.png", dpi=140)
    pareto_picture(results).savefig(plan.output / "pareto.png", dpi=140)
    emit({"name": plan.name, "cells": [one.model_dump() for one in results]}, as_json, lambda: text)


def _compiler(name: str, report: "Progress") -> Any:
    """Return a function that compiles an experiment; the models of the last one are kept, since weights take seconds to load."""
    from experiments.compile import compile_program
    from experiments.experiment import reflection_models
    from experiments.tracking import MlflowTracker

    tracker = MlflowTracker(name)
    loaded: dict[tuple[str | None, str | None], Any] = {}

    def model(lm: str | None, api_base: str | None) -> Any:
        if (lm, api_base) not in loaded:
            loaded.clear()
            loaded[lm, api_base] = language_models(lm, None, api_base)[0]
        return loaded[lm, api_base]

    def compile_one(experiment: "Experiment") -> "CompileResult":
        base = experiment.api_base
        lm = model(experiment.lm, base)
        overrides = [f"{signature}={named}" for signature, named in experiment.lms.items()]
        by_signature = language_models(None, overrides, base)[1] if overrides else {}
        writers = {
            named: lm
            if named == experiment.lm
            else language_models(named, None, None if is_embedded(named) else base)[0]
            for named in reflection_models(experiment.optimizer)
        }
        return compile_program(experiment, lm, by_signature, tracker, report, reflection_lms=writers)

    return compile_one


def _listed(names: dict[str, bool]) -> Table:
    table = Table("cell", "", box=None, pad_edge=False)
    for name, done in names.items():
        table.add_row(name, "done" if done else "to run")
    return table
