"""Progress of a long run as plain lines on stderr: readable in a terminal and in a log."""

import time
from collections.abc import Callable

import typer

_EVERY_S = 10.0


class ProgressLines:
    """Prints a line for each task at most every ten seconds, and when it is done if that took longer."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        """``clock`` returns seconds."""
        self._clock = clock
        self._task = ""
        self._started = self._said = 0.0
        self._already = 0

    def __call__(self, task: str, done: int, total: int) -> None:
        """Report ``done`` of ``total``; the first report of a task starts its clock."""
        now = self._clock()
        if task != self._task:
            self._task, self._started, self._said, self._already = task, now, now, done
            return
        waited = now - self._said
        if waited >= _EVERY_S or (done == total and self._said > self._started):
            self._said = now
            typer.echo(f"{task} {done}/{total}{self._left(now, done, total)}", err=True)

    def _left(self, now: float, done: int, total: int) -> str:
        worked = done - self._already
        if done >= total or worked <= 0:
            return ""
        seconds = (now - self._started) / worked * (total - done)
        return f", {seconds / 60:.0f} min left" if seconds >= 90 else f", {seconds:.0f} s left"
