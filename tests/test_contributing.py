"""What CONTRIBUTING.md says about adding a stage, done as it says."""

import dataclasses
import re
from pathlib import Path
from typing import Any

import dspy
import pytest

from data.records import Passage
from program.pipeline import PIPELINE
from program.rewrite_program import RewriteProgram
from program.stage import Stage, run_stages

PAGE = (Path(__file__).parents[1] / "CONTRIBUTING.md").read_text(encoding="utf-8")
PASSAGES = [
    Passage(id="kettle", title="Brindle Kettle › Warranty", text="The kettle has a warranty of two years."),
    Passage(id="wheel", title="风车使用手册 › 保修", text="《风车》的保修期为三年。"),
]
ZH, EN = "《风车》的保修期多久", 'how long is the warranty of the "Brindle Kettle"?'


@pytest.fixture(scope="module")
def line() -> Stage:
    """The line of the page."""
    (source,) = re.findall(r"^```python\n(.*?)^```", PAGE, re.MULTILINE | re.DOTALL)
    names: dict[str, Any] = {}
    exec(source, names)
    return names["LINE"]


def run(retriever: Any, query: str, *stages: Stage) -> tuple[dict[str, Any], dict[str, Any]]:
    with dspy.context(rm=retriever):
        known, trace = run_stages(stages, RewriteProgram().live_turn(query))
    return known, {step.stage: step for step in trace.steps}


@pytest.mark.parametrize(("query", "found"), [(ZH, ("风车",)), (EN, ("Brindle Kettle",))])
@pytest.mark.parametrize("place", [0, 5, len(PIPELINE)])
def test_one_line_adds_a_stage_and_changes_no_other(line, toy_retriever, query, found, place) -> None:
    without, _ = run(toy_retriever(PASSAGES), query, *PIPELINE)
    known, steps = run(toy_retriever(PASSAGES), query, *PIPELINE[:place], line, *PIPELINE[place:])
    assert known.pop("quoted") == found
    assert (steps["quoted"].status, steps["quoted"].details) == ("done", {"quoted": list(found)})
    assert list(steps)[place] == "quoted"
    assert without["fuse"]
    assert known == without


@pytest.mark.parametrize(
    ("query", "reason"),
    [
        ("你好！", "gate: greeting"),
        ("thanks, bye", "gate: chitchat"),
        ("保修期多久", "nothing is in quotation marks"),
        ("how long is the warranty", "nothing is in quotation marks"),
    ],
)
def test_it_has_nothing_to_do_where_the_page_says_so(line, toy_retriever, query, reason) -> None:
    known, steps = run(toy_retriever(PASSAGES), query, *PIPELINE, line)
    assert known["quoted"] == ()
    assert (steps["quoted"].status, steps["quoted"].reason) == ("skipped", reason)


@pytest.mark.parametrize("query", [ZH, EN])
def test_another_stage_takes_its_value_by_naming_it(line, toy_retriever, query) -> None:
    def titles(quoted: tuple[str, ...]) -> int:
        return len(quoted)

    known, _ = run(toy_retriever(PASSAGES), query, Stage(titles), *PIPELINE, line)
    assert known["titles"] == 1


@pytest.mark.parametrize("query", [ZH, EN])
def test_its_switch_and_its_failure_leave_otherwise(line, toy_retriever, query) -> None:
    switched = dataclasses.replace(line, on=lambda turn: turn.settings.expand.hyde)
    known, steps = run(toy_retriever(PASSAGES), query, *PIPELINE, switched)
    assert (known["quoted"], steps["quoted"].reason) == ((), "switched off")

    def quoted() -> tuple[str, ...]:
        raise OSError("the disk is gone")

    known, steps = run(toy_retriever(PASSAGES), query, *PIPELINE, dataclasses.replace(line, run=quoted, waits=True))
    assert (known["quoted"], steps["quoted"].status) == ((), "fallback")
    assert steps["quoted"].reason == "OSError: the disk is gone"
    assert known["fuse"]
