"""What commands print: results on stdout (for people or as JSON), everything else on stderr."""

import sys
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Annotated, Any, Literal

import typer
from pydantic import BaseModel
from pydantic_core import to_json
from rich.console import Console, RenderableType
from rich.progress import (
    BarColumn,
    DownloadColumn,
    MofNCompleteColumn,
    Progress,
    ProgressColumn,
    TaskID,
    TextColumn,
    TimeRemainingColumn,
    TransferSpeedColumn,
)

_JSON_WANTED = "anaphora.json"


def _remember(context: typer.Context, value: bool) -> bool:
    # The place where errors are reported sees the context only, not the command's arguments.
    context.meta[_JSON_WANTED] = value
    return value


JsonOption = Annotated[
    bool, typer.Option("--json", callback=_remember, is_eager=True, help="Print JSON on stdout, errors included.")
]
"""The option every command has: ``as_json: JsonOption = False``."""


def json_wanted(context: typer.Context) -> bool:
    """Return whether the command that ``context`` belongs to was called with ``--json``."""
    return bool(context.meta.get(_JSON_WANTED, False))


def emit(payload: BaseModel | Mapping[str, Any], as_json: bool, render: Callable[[], RenderableType]) -> None:
    """Print a command's result on stdout.

    Args:
        payload: The result as data; in JSON a NaN or infinite number becomes null.
        as_json: Print ``payload`` instead of the rendering.
        render: Makes the rendering for people, called only when needed. A string is printed exactly as it is, so that
            ``$(anaphora …)`` works in a shell; anything else is laid out by rich.
    """
    if as_json:
        print_json(payload)
        return
    rendered = render()
    if isinstance(rendered, str):
        typer.echo(rendered)
        return
    print_wide(rendered)


def print_wide(rendered: RenderableType) -> None:
    """Print ``rendered`` on stdout; in a pipe or log, which has no width to fit in, nothing is cut off or folded."""
    console = Console()
    if not console.is_terminal:
        natural = console.measure(rendered, options=console.options.update(max_width=10_000)).maximum
        console.width = max(console.width, natural)
    console.print(rendered)


def print_json(value: object, indent: int | None = 2) -> None:
    """Print ``value`` (models, mappings, sequences, paths) as JSON, in UTF-8 whatever the locale; on one line without ``indent``."""
    typer.echo(to_json(value, indent=indent, inf_nan_mode="null"))


def stderr_console() -> Console:
    """Return a console for notices and errors; made at each call, so that it follows a redirected stderr."""
    return Console(stderr=True, highlight=False)


@contextmanager
def progress(
    description: str, *, as_json: bool = False, unit: Literal["items", "bytes"] = "items"
) -> Iterator[Callable[[int, int], None]]:
    """Show a bar with the time left on stderr; nothing when stderr is no terminal or with ``as_json``.

    Yields:
        ``update(done, total)``, to be called with what is done so far, from any thread. What is done at the first call
        counts as done before (a resumed download), not as speed.
    """
    bar = _bar(unit, disable=as_json)
    first_call = threading.Lock()

    def update(done: int, total: int) -> None:
        with first_call:
            if not bar.task_ids:
                bar.add_task(description, completed=done, total=total)
        bar.update(bar.task_ids[0], completed=done, total=total)

    with bar:
        yield update


@contextmanager
def stages(*, as_json: bool = False) -> Iterator[Callable[[str, int, int], None]]:
    """Show a bar for each stage of a long run, the same way as ``progress``.

    Yields:
        ``update(stage, done, total)``; a stage gets its bar at its first call.
    """
    bar = _bar("items", disable=as_json)
    tasks: dict[str, TaskID] = {}

    def update(stage: str, done: int, total: int) -> None:
        if stage not in tasks:
            tasks[stage] = bar.add_task(stage, total=total)
        bar.update(tasks[stage], completed=done, total=total)

    with bar:
        yield update


def _bar(unit: Literal["items", "bytes"], *, disable: bool) -> Progress:
    counts: list[ProgressColumn] = (
        [DownloadColumn(), TransferSpeedColumn()] if unit == "bytes" else [MofNCompleteColumn()]
    )
    columns = [TextColumn("{task.description}"), BarColumn(), *counts, TimeRemainingColumn()]
    # isatty, not rich's own guess, which FORCE_COLOR turns on in logs as well.
    return Progress(*columns, console=stderr_console(), disable=disable or not sys.stderr.isatty())
