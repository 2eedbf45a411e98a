"""``anaphora compare`` as a shell calls it, on the sample set with BM25 alone."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import typer
from typer.testing import CliRunner, Result

from cli import compare
from cli.failures import FailingClearly

SAMPLE = Path(__file__).parents[2] / "data" / "sample"


@pytest.fixture
def call(store: Path) -> Callable[..., Result]:
    """Run ``compare`` with the store of the sample."""
    app = typer.Typer(cls=FailingClearly)
    app.callback()(lambda: None)
    compare.register(app)

    def run(*arguments: Any) -> Result:
        common = ["--data", SAMPLE, "--store", store, "--retriever", "bm25"]
        return CliRunner().invoke(app, [*map(str, ["compare", *arguments, *common])])

    return run


def test_the_verdict_comes_first(call: Callable[..., Result]) -> None:
    found = call("original", "rules", "--sample", 80, "--cases", 2)
    assert found.exit_code == 0, found.output
    lines = found.stdout.splitlines()
    assert lines[0] == "# original / rules on sample, all, bm25"
    assert lines[2].startswith("**rules is better than original: recall@5 +0.")
    assert "80 turns of " in found.stdout
    assert "(2 of " in found.stdout


def test_json_has_every_number_and_is_the_same_twice(call: Callable[..., Result]) -> None:
    first, second = (call("rules", "concat", "--sample", 30, "--seed", 3, "--json") for _ in range(2))
    assert first.exit_code == 0, first.output
    found = json.loads(first.stdout)
    assert list(found["systems"]) == ["rules", "concat"]
    one = found["comparisons"][0]
    assert (one["first"], one["second"]) == ("rules", "concat")
    assert set(one["verdict"]) == {"outcome", "sentence"}
    assert found["n"] == 30
    assert len(found["data_sha256"]) == 64
    assert set(found["variables"]) == {"rules", "concat"}
    assert all(case["first"]["ranks"].keys() == case["second"]["ranks"].keys() for case in one["losses"])
    assert _untimed(found) == _untimed(json.loads(second.stdout))


def _untimed(found: dict[str, Any]) -> dict[str, Any]:
    systems = {
        name: {key: value for key, value in one.items() if not key.startswith("elapsed_ms")}
        for name, one in found["systems"].items()
    }
    return found | {"systems": systems}


def test_a_split_leaves_the_others_out(call: Callable[..., Result]) -> None:
    from data.split import split_by_conversation
    from experiments.corpus import open_data

    test = split_by_conversation(open_data(SAMPLE)[1].scorable, seed=5).test
    found = json.loads(call("original", "concat", "--split", "test", "--split-seed", 5, "--json").stdout)
    assert (found["split"], found["n"]) == ("test", len(test))
    shown = {case["turn_id"] for case in found["comparisons"][0]["wins"]}
    assert shown
    assert shown <= {turn.id for turn in test}


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["rules"], "only rules to compare; name two systems or more"),
        (["rules", "nowhere"], "there is no system 'nowhere'"),
        (["rules", "rules"], "'rules' is named twice"),
        (["rules", "llama_index"], "llama_index needs a language model"),
    ],
)
def test_a_wrong_call_is_one_line_and_an_exit_code(
    call: Callable[..., Result], arguments: list[str], says: str
) -> None:
    found = call(*arguments)
    assert found.exit_code == 2
    assert found.stdout == ""
    assert says in found.stderr
    assert found.stderr.count("\n") == 1
