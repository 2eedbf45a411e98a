"""``anaphora compile``: find better prompts and parameters."""

from pathlib import Path
from typing import Annotated

import typer
from rich.console import Group
from rich.text import Text

from cli.evaluate import render_summaries
from cli.failures import EXIT_INTERRUPTED
from cli.help import examples
from cli.options import is_embedded, language_models
from cli.output import JsonOption, emit, stages, stderr_console
from data.errors import ConfigError

ExperimentFile = Annotated[
    Path, typer.Argument(metavar="EXPERIMENT.yaml", help="See experiments/*.yaml and docs/experiments.md.")
]


def register(app: typer.Typer) -> None:
    """Add the command ``compile`` to ``app``."""
    app.command(
        "compile",
        epilog=examples(
            "anaphora compile experiments/quickstart.yaml",
            "MLFLOW_TRACKING_URI=http://localhost:5000 anaphora compile experiments/sample.yaml --json",
        ),
    )(compile_experiment)


def compile_experiment(experiment: ExperimentFile, as_json: JsonOption = False) -> None:
    """Compile a rewriter: choose demos by recall@5 on dev, tune fusion, look at test once, track it all in MLflow.

    Ctrl-C keeps the best so far. Running again repeats no call that the model has answered.
    """
    try:
        from experiments.compile import INTERRUPTED, compile_program
        from experiments.experiment import load_experiment, reflection_models
        from experiments.tracking import MlflowTracker
    except ModuleNotFoundError as error:
        raise ConfigError(
            f"compile needs the package {error.name}", advice="install the extra: pip install 'anaphora[experiments]'"
        ) from error

    config = load_experiment(experiment)
    tracker = MlflowTracker("anaphora")
    overrides = [f"{signature}={name}" for signature, name in config.lms.items()]
    lm, lms = language_models(config.lm, overrides, config.api_base)
    writers = {
        name: language_models(name, None, None if is_embedded(name) else config.api_base)[0]
        for name in reflection_models(config.optimizer)
    }
    with stages(as_json=as_json) as report:
        result = compile_program(config, lm, lms, tracker, report, reflection_lms=writers)
    shown = result.test or result.dev
    split = "test" if result.test else "dev"
    lines = [
        f"run {result.run_id} in {tracker.uri}",
        f"saved in {result.program}" if result.program else "not saved: no better than the original query on dev",
    ]
    if result.stopped:
        stderr_console().print(f"stopped early: {result.stopped}; the test split was not looked at")
    emit(
        result, as_json, lambda: Group(render_summaries(shown, f"{config.name}, {split} split"), "", *map(Text, lines))
    )
    if result.stopped == INTERRUPTED:
        raise typer.Exit(EXIT_INTERRUPTED)
