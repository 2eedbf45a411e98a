"""How a command fails: one clear line and an exit code for what was foreseen, a traceback for what was not."""

from typing import Any

import typer
from typer.core import TyperGroup

from cli.output import json_wanted, print_json, stderr_console
from data.errors import AnaphoraError

EXIT_FAILED = 2
EXIT_INTERRUPTED = 130


class FailingClearly(TyperGroup):
    """The root group: reports what its commands raise.

    An ``AnaphoraError`` becomes ``error[code]: message; advice`` on stderr, or with ``--json``
    ``{"error": {"code", "message", "advice", "fields"}}`` on stdout, and exit code 2, as for wrong usage.
    Ctrl-C becomes one line and 130. Anything else is a bug: it keeps its traceback and Python's exit code 1.
    """

    def invoke(self, ctx: Any) -> Any:
        """Run the command of ``ctx``; the name of the parameter is click's."""
        try:
            return super().invoke(ctx)
        except AnaphoraError as error:
            _report(error, as_json=json_wanted(ctx))
            raise typer.Exit(EXIT_FAILED) from error
        except KeyboardInterrupt as error:
            stderr_console().print("interrupted")
            raise typer.Exit(EXIT_INTERRUPTED) from error


def _report(error: AnaphoraError, *, as_json: bool) -> None:
    if as_json:
        report = {"code": error.code, "message": error.args[0], "advice": error.advice, "fields": error.fields}
        print_json({"error": report})
    else:
        # soft_wrap: one error is one line, also in a narrow terminal or a log; markup off: paths may hold brackets.
        stderr_console().print(f"error[{error.code}]: {error}", soft_wrap=True, markup=False)
