"""The command ``anaphora``.

Each file ``cli/<group>.py`` adds its commands with a function ``register(app)``. All of them are imported at every
start, so whatever is slow to import (dspy, chromadb, mlflow, httpx) is imported inside the commands that need it.
"""

import typer

from cli import calibrate, chat, compare, compile, data, evaluate, index, matrix, model, rewrite  # noqa: A004 - named after its command
from cli.failures import FailingClearly
from cli.privacy import switch_telemetry_off

app = typer.Typer(
    cls=FailingClearly,
    name="anaphora",
    help="Turn a follow-up question into queries that a retriever can answer.",
    no_args_is_help=True,
    rich_markup_mode="markdown",
    # A bug's plain traceback can be copied into a report, and shows no values of variables.
    pretty_exceptions_enable=False,
)

for group in (model, data, index, rewrite, evaluate, compare, compile, matrix, calibrate, chat):
    group.register(app)


def main() -> None:
    """Run the command line; the entry point of the installed script."""
    switch_telemetry_off()
    app()


if __name__ == "__main__":
    main()
