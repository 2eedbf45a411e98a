"""The sample corpus indexed without embeddings, conversations about it, and ways to call the command line."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from cli.main import app

SAMPLE = Path(__file__).parents[2] / "data" / "sample"
TURNS = {
    "zh": (
        [{"role": "user", "content": "润谷 H2 怎么清洗"}, {"role": "assistant", "content": "每周除垢一次。"}],
        "它的保修期多久",
        "润谷 H2",
    ),
    "en": (
        [
            {"role": "user", "content": "How do I set up the Aria 300S?"},
            {"role": "assistant", "content": "Fill the tank first."},
        ],
        "and its warranty?",
        "Aria 300S",
    ),
}

Run = Callable[..., Any]


@pytest.fixture(params=["zh", "en"])
def turn(request: pytest.FixtureRequest) -> tuple[list[dict[str, str]], str, str]:
    """The messages so far, a follow-up, and the entity it is about; once in each language."""
    return TURNS[request.param]


@pytest.fixture
def run() -> Run:
    """Call the command line and return its JSON; a failure shows what was printed."""

    def call(*arguments: Any, stdin: str | None = None) -> Any:
        result = CliRunner().invoke(app, [*map(str, arguments), "--json"], input=stdin)
        assert result.exit_code == 0, (result.stdout, result.stderr, result.exception)
        return json.loads(result.stdout)

    return call


@pytest.fixture
def refusal() -> Callable[..., str]:
    """Call the command line, expect it to refuse before it prints a result, and return what it says on stderr."""

    def call(*arguments: Any, stdin: str | None = None) -> str:
        result = CliRunner().invoke(app, [*map(str, arguments)], input=stdin)
        assert result.exit_code == 2, (result.stdout, result.stderr, result.exception)
        assert result.stdout == ""
        return result.stderr

    return call


@pytest.fixture(scope="session")
def store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The sample corpus, BM25 alone."""
    folder = tmp_path_factory.mktemp("store")
    result = CliRunner().invoke(
        app, ["index", str(SAMPLE / "corpus.jsonl"), "--store", str(folder), "--embedder", "none", "--json"]
    )
    assert json.loads(result.stdout)["passages"] == 506, result.output
    return folder


@pytest.fixture
def history(tmp_path: Path) -> Callable[[Any], Path]:
    """Write messages to a file for ``--history``."""

    def write(messages: Any) -> Path:
        path = tmp_path / "history.json"
        path.write_text(json.dumps(messages, ensure_ascii=False), encoding="utf-8")
        return path

    return write
