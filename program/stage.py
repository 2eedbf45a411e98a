"""The contract of a stage, and the loop that runs stages.

A stage is a function. Its parameters say what it needs: the values of other stages by their names, ``turn`` (what came in), and ``step`` (its
place in the trace, which also knows the time that is left). It returns its value, or a ``Reason`` for having none; an exception is a reason
too. Then, and when its time is over, the turn goes on with the stage's ``otherwise``.
"""

import inspect
from collections.abc import Callable, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, wait
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal, NamedTuple

from program.deadline import Deadline, in_background
from program.trace import Step, Trace, watched
from program.turn import LiveTurn


class Reason(NamedTuple):
    """Why a stage has no value."""

    text: str
    failed: bool
    """It gave up; otherwise it had nothing to do."""


def nothing_to_do(reason: str) -> Reason:
    """The stage is not needed on this turn."""
    return Reason(reason, failed=False)


def gave_up(reason: str) -> Reason:
    """The stage was needed and has nothing to show: a fallback."""
    return Reason(reason, failed=True)


_LONGEST_WAIT_S = 3600.0
"""An unlimited turn waits in pieces of an hour."""


def not_answered(step: Step) -> Reason:
    """``ask`` gave ``None`` and left the reason in ``step``: no model (nothing to do), or one that rests (a fallback)."""
    return Reason(step.reason, failed=step.status == "fallback")


@dataclass(frozen=True)
class Stage:
    """One stage of the pipeline; its function's name is its own, and the name of its value."""

    run: Callable[..., Any]
    on: Callable[[LiveTurn], object] = lambda _: True
    """Its switch. Switched off, it costs nothing."""
    otherwise: Any = None
    """Its value where it has none."""
    waits: bool = False
    """It waits for something outside (a model, an index): it runs in a thread of its own, beside the others, and is given up in time."""
    until: Literal["search", "end"] = "search"
    """Which deadline it has: the one that leaves time for searching, or the turn's."""

    @property
    def name(self) -> str:
        """Its name in the trace."""
        return self.run.__name__

    @cached_property
    def parameters(self) -> frozenset[str]:
        """Names of what its function takes."""
        return frozenset(inspect.signature(self.run).parameters)

    @cached_property
    def needs(self) -> frozenset[str]:
        """Names of the stages whose values it takes."""
        return self.parameters - {"turn", "step"}

    def deadline(self, turn: LiveTurn) -> Deadline:
        """When it must be done."""
        return turn.lm_deadline if self.until == "search" else turn.deadline


def run_stages(stages: Sequence[Stage], turn: LiveTurn) -> tuple[dict[str, Any], Trace]:
    """Run every stage as soon as what it needs is known, and return the values by stage and the trace, in the order of ``stages``.

    Stages that wait run at the same time. None holds the turn beyond its deadline: what it would have given is replaced by its
    ``otherwise``, and its thread is left to end by itself.

    Raises:
        BudgetError: A stage spent the last of a run's budget: that ends the run, not the stage.
        ValueError: ``stages`` need what none of them gives, or wait for one another.
    """
    known: dict[str, Any] = {}
    steps = {stage.name: Step(stage=stage.name) for stage in stages}
    waiting = list(stages)
    running: dict[Future[Any], Stage] = {}
    while waiting or running:
        ready = [stage for stage in waiting if stage.needs <= known.keys()]
        if ready:
            # Those that wait for something start first; the others then work beside them.
            stage = min(ready, key=lambda stage: not stage.waits)
            waiting.remove(stage)
            _start(stage, turn, known, steps, running)
        elif running:
            _collect(turn, known, steps, running)
        else:
            raise ValueError(f"nothing gives what these stages need: {[stage.name for stage in waiting]}")
    return known, Trace(steps=list(steps.values()))


def _start(
    stage: Stage, turn: LiveTurn, known: dict[str, Any], steps: dict[str, Step], running: dict["Future[Any]", Stage]
) -> None:
    """Run a stage, or set it going."""
    steps[stage.name] = step = turn.new_step(stage.name, stage.deadline(turn))
    values = {name: known[name] for name in stage.needs}
    if not stage.on(turn):
        step.skip("switched off")
        known[stage.name] = stage.otherwise
    elif not stage.waits:
        known[stage.name] = _outcome(stage, turn, step, values)
    elif step.left_ms <= 0:
        step.fall_back("no time was left")
        known[stage.name] = stage.otherwise
    else:
        try:
            running[in_background(_outcome, stage, turn, step, values)] = stage
        except RuntimeError as error:  # the process has no thread left
            step.fall_back(str(error))
            known[stage.name] = stage.otherwise


def _collect(
    turn: LiveTurn, known: dict[str, Any], steps: dict[str, Step], running: dict["Future[Any]", Stage]
) -> None:
    """Wait for the first of ``running`` to end, or to be out of time."""
    left_ms = min(steps[stage.name].left_ms for stage in running.values())
    done, _ = wait(running, timeout=min(left_ms / 1000, _LONGEST_WAIT_S), return_when=FIRST_COMPLETED)
    for future in done:
        known[running.pop(future).name] = future.result()
    for future, stage in list(running.items()):
        late = steps[stage.name]
        if late.left_ms > 0:
            continue
        # Its thread may still write to the step that it was given: the trace gets another one.
        steps[stage.name] = step = turn.new_step(stage.name, stage.deadline(turn))
        step.started_ms, step.lm_calls, step.lm_tokens = late.started_ms, late.lm_calls, late.lm_tokens
        step.elapsed_ms = round(turn.elapsed_ms - late.started_ms, 3)
        step.fall_back(f"out of time after {step.elapsed_ms:.0f} ms")
        known[running.pop(future).name] = stage.otherwise


def _outcome(stage: Stage, turn: LiveTurn, step: Step, values: dict[str, Any]) -> Any:
    value: Any = stage.otherwise
    with watched(step):
        value = stage.run(
            **values, **{name: one for name, one in (("turn", turn), ("step", step)) if name in stage.parameters}
        )
    if not isinstance(value, Reason):
        return value
    if value.failed:
        step.fall_back(value.text)
    else:
        step.skip(value.text)
    return stage.otherwise
