"""What every command shares: errors, exit codes, help, and what the process does around them."""

import json
import math
import os
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path

import pytest
import typer
from pydantic import BaseModel
from rich.table import Table
from typer.main import get_command
from typer.testing import CliRunner

from cli.failures import FailingClearly
from cli.main import app
from cli.output import JsonOption, emit, progress
from cli.privacy import switch_telemetry_off
from data.errors import DataError


def app_that(does: Callable[[], None]) -> typer.Typer:
    """An app built like the real one, with ``group run`` doing what is given."""
    group = typer.Typer()

    @group.command("run")
    def run(as_json: JsonOption = False) -> None:
        does()

    @group.command("other")
    def other() -> None:
        pass

    root = typer.Typer(cls=FailingClearly, pretty_exceptions_enable=False)
    root.add_typer(group, name="group")
    return root


def fail() -> None:
    raise DataError("第 3 行 [not JSON] " + "x" * 200, advice="fix it", path=Path("turns.jsonl"), score=math.nan)


class TestFailures:
    def test_known_error_is_one_line_on_stderr(self) -> None:
        result = CliRunner().invoke(app_that(fail), ["group", "run"])
        assert result.exit_code == 2
        assert result.stdout == ""
        assert result.stderr == f"error[bad_data]: 第 3 行 [not JSON] {'x' * 200}; fix it\n"

    def test_known_error_as_json_is_all_of_stdout(self) -> None:
        result = CliRunner().invoke(app_that(fail), ["group", "run", "--json"])
        assert result.exit_code == 2
        assert result.stderr == ""
        assert json.loads(result.stdout) == {
            "error": {
                "code": "bad_data",
                "message": "第 3 行 [not JSON] " + "x" * 200,
                "advice": "fix it",
                "fields": {"path": "turns.jsonl", "score": None},
            }
        }

    def test_ctrl_c_is_one_line_and_130(self) -> None:
        def interrupt() -> None:
            raise KeyboardInterrupt

        result = CliRunner().invoke(app_that(interrupt), ["group", "run"])
        assert result.exit_code == 130
        assert result.stderr == "interrupted\n"

    def test_a_bug_is_not_dressed_up(self) -> None:
        result = CliRunner().invoke(app_that(lambda: typer.echo(1 // 0)), ["group", "run", "--json"])
        assert result.exit_code == 1
        assert isinstance(result.exception, ZeroDivisionError)


class TestEmit:
    def shown(self, payload: BaseModel | dict[str, object], rendering: object, *arguments: str) -> str:
        def show(as_json: JsonOption = False) -> None:
            emit(payload, as_json, lambda: rendering)  # type: ignore[arg-type, return-value]

        one = typer.Typer()
        one.command()(show)
        return CliRunner().invoke(one, list(arguments)).stdout

    def test_json_keeps_chinese_readable_and_stays_valid(self) -> None:
        class Answer(BaseModel):
            text: str
            score: float

        out = self.shown(Answer(text="多久保修", score=math.inf), "", "--json")
        assert "多久保修" in out
        assert json.loads(out) == {"text": "多久保修", "score": None}

    def test_text_is_printed_exactly(self) -> None:
        text = "[red]a[/red] " + "长" * 300
        assert self.shown({}, text) == f"{text}\n"

    def test_table_is_whole_in_a_pipe(self) -> None:
        table = Table("query", "id")
        table.add_row("how long is the warranty " * 10, "x" * 100)
        out = self.shown({}, table)
        assert ("how long is the warranty " * 10).strip() in out
        assert "x" * 100 in out


def test_progress_is_silent_off_a_terminal(capsys: pytest.CaptureFixture[str]) -> None:
    with progress("compiling", as_json=False) as update:
        threads = [threading.Thread(target=update, args=(n, 4)) for n in range(1, 5)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    captured = capsys.readouterr()
    assert (captured.out, captured.err) == ("", "")


def test_every_command_explains_itself_with_examples() -> None:
    pending = [("anaphora", get_command(app))]
    while pending:
        name, command = pending.pop()
        assert command.help, name
        children = getattr(command, "commands", {})
        pending += [(f"{name} {child}", found) for child, found in children.items()]
        if not children:
            assert name in (command.epilog or ""), f"{name}: an example that calls it"
            assert any("--json" in parameter.opts for parameter in command.params), f"{name}: --json"


def test_help_imports_nothing_heavy() -> None:
    heavy = {"dspy", "chromadb", "mlflow", "datasets", "httpx", "numpy", "xllamacpp", "duckdb", "sqlglot", "jieba"}
    code = (
        "import sys, cli.main\n"
        "try: cli.main.app(['--help'])\n"
        "except SystemExit: pass\n"
        f"print(sorted({heavy!r} & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == "[]"


def test_closed_pipe_is_quiet() -> None:
    read, write = os.pipe()
    os.close(read)
    with os.fdopen(write, "wb") as closed:
        command = [sys.executable, "-m", "cli.main", "model", "list"]
        done = subprocess.run(command, stdout=closed, stderr=subprocess.PIPE, text=True, check=False)
    assert done.stderr == ""
    assert done.returncode == 1


def test_telemetry_is_off_unless_the_user_wants_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "environ", {"ANONYMIZED_TELEMETRY": "True"})
    switch_telemetry_off()
    assert os.environ["MLFLOW_DISABLE_TELEMETRY"] == "true"
    assert os.environ["ANONYMIZED_TELEMETRY"] == "True"
