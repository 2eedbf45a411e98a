"""``anaphora chat``: answers, memory, and its ends."""

import json
import os
import pty
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from cli.main import app

QUESTIONS = {
    "zh": ("润谷 H2 怎么清洗", "保修呢", "润谷 H2"),
    "en": ("How do I set up the Aria 300S?", "and its warranty?", "Aria 300S"),
}


@pytest.fixture(params=["zh", "en"])
def questions(request: pytest.FixtureRequest) -> tuple[str, str, str]:
    """A question, a follow-up, and what both are about."""
    return QUESTIONS[request.param]


@pytest.fixture
def talk(store: Path) -> Callable[..., list[Any]]:
    """Say lines and return a turn's JSON for each."""

    def say(*lines: str, options: tuple[str, ...] = ()) -> list[Any]:
        arguments = ["chat", "--store", str(store), "--json", *options]
        result = CliRunner().invoke(app, arguments, input="\n".join(lines) + "\n")
        assert result.exit_code == 0, (result.stderr, result.exception)
        decoder, turns, text = json.JSONDecoder(), [], result.stdout.strip()
        while text:
            turn, end = decoder.raw_decode(text)
            turns.append(turn)
            text = text[end:].strip()
        return turns

    return say


def with_model(server: Any, answer: Callable[[str], str]) -> tuple[str, ...]:
    server.answer = answer
    return ("--lm", "openai/x", "--api-base", server.api_base)


def test_it_remembers_until_it_is_told_not_to(talk: Any, questions: tuple[str, str, str]) -> None:
    first, second, entity = questions
    turns = talk(first, second, "", "/new", second, "/quit", "never read")
    assert [turn["query"] for turn in turns] == [first, second, second]
    assert entity in turns[1]["rewritten"]
    assert entity not in turns[2]["rewritten"]


def test_without_a_model_the_best_passage_answers(talk: Any, questions: tuple[str, str, str]) -> None:
    (turn,) = talk(questions[0])
    best = turn["hits"][0]
    assert turn["answer"] == best["text"][:300]
    assert turn["cited"] == [best["id"]]
    assert turn["trace"][-1]["reason"] == "no language model"


def test_a_model_answers_with_citations(talk: Any, questions: tuple[str, str, str], model_server: Any) -> None:
    first, second, _ = questions
    one, two = talk(first, second, options=with_model(model_server, lambda _: "见第二段 [2]。"))
    assert one["answer"] == "见第二段 [2]。"
    assert one["cited"] == [one["hits"][1]["id"]]
    assert one["trace"][-1]["stage"] == "answer"
    assert one["trace"][-1]["lm_tokens"] == 25
    # What it said is part of the conversation that the next turn sees.
    assert "见第二段" in json.dumps(model_server.requests[-1], ensure_ascii=False)
    assert two["query"] == second


def test_a_model_that_fails_leaves_the_best_passage_and_says_so(
    talk: Any, questions: tuple[str, str, str], model_server: Any
) -> None:
    model_server.status = 400
    (turn,) = talk(questions[0], options=with_model(model_server, lambda _: "x"))
    assert turn["answer"] == turn["hits"][0]["text"][:300]
    assert [one["stage"] for one in turn["fallbacks"]] == ["answer"]


def test_citations_are_the_numbers_of_the_hits_shown(
    store: Path, questions: tuple[str, str, str], model_server: Any
) -> None:
    arguments = ["chat", "--store", str(store), *with_model(model_server, lambda _: "In [1].")]
    shown = CliRunner().invoke(app, arguments, input=f"{questions[0]}\n").stdout
    assert "In [1]." in shown
    assert [line.split()[0] for line in shown.splitlines() if line.startswith("[")] == [f"[{n}]" for n in range(1, 6)]


@pytest.mark.parametrize(("greeting", "intent"), [("你好", "greeting"), ("hello", "greeting"), ("谢谢", "chitchat")])
def test_a_greeting_searches_nothing_and_asks_nobody(
    talk: Any, store: Path, model_server: Any, greeting: str, intent: str
) -> None:
    options = with_model(model_server, lambda _: "x")
    (turn,) = talk(greeting, options=options)
    assert (turn["intent"], turn["queries"], turn["hits"], turn["answer"]) == (intent, [], [], "")
    assert model_server.requests == []
    shown = CliRunner().invoke(app, ["chat", "--store", str(store)], input=f"{greeting}\n").stdout
    assert f"No query: {intent}." in shown


def test_an_unknown_command_names_those_there_are(store: Path) -> None:
    result = CliRunner().invoke(app, ["chat", "--store", str(store)], input="/help\n")
    assert result.stdout == ""
    assert "/new, /quit" in result.stderr


def test_input_of_another_encoding_is_one_clear_line(store: Path) -> None:
    command = [sys.executable, "-m", "cli.main", "chat", "--store", str(store)]
    environment = os.environ | {"PYTHONIOENCODING": "utf-8:strict"}
    done = subprocess.run(command, input="保修\n".encode("gbk"), capture_output=True, env=environment, check=False)
    assert done.returncode == 2
    assert done.stderr.decode() == "error[bad_data]: stdin is not UTF-8; convert it, for example with iconv\n"


@pytest.mark.parametrize(("typed", "code"), [(b"\x04", 0), (b"\x03", 130)], ids=["Ctrl-D", "Ctrl-C"])
def test_it_ends_cleanly_in_a_terminal(store: Path, typed: bytes, code: int) -> None:
    process, terminal = in_terminal("chat", "--store", str(store))
    shown = read_until(terminal, b"you> ")
    os.write(terminal, typed)
    shown += read_until(terminal, None)
    assert process.wait() == code
    assert b"Traceback" not in shown
    assert (b"interrupted" in shown) == (code == 130)


def test_ctrl_c_ends_a_turn_whose_model_hangs(store: Path, model_server: Any) -> None:
    options = ("--lm", "openai/x", "--api-base", model_server.api_base)
    process, terminal = in_terminal("chat", "--store", str(store), *options)
    read_until(terminal, b"you> ")
    os.write(terminal, "润谷 H2 怎么清洗\n".encode())
    while not model_server.requests:
        time.sleep(0.05)
    process.send_signal(signal.SIGINT)
    shown = read_until(terminal, None)
    assert process.wait() == 130
    assert b"Traceback" not in shown
    assert b"interrupted" in shown


def in_terminal(*arguments: str) -> tuple["subprocess.Popen[bytes]", int]:
    """Start the command in a terminal of its own; the process and our end of the terminal."""
    ours, theirs = pty.openpty()
    command = [
        sys.executable,
        "-c",
        # The terminal must be the controlling one for Ctrl-C to be a signal.
        "import fcntl, termios; fcntl.ioctl(0, termios.TIOCSCTTY, 0); from cli.main import main; main()",
        *arguments,
    ]
    process = subprocess.Popen(command, stdin=theirs, stdout=theirs, stderr=theirs, start_new_session=True)
    os.close(theirs)
    return process, ours


def read_until(terminal: int, what: bytes | None) -> bytes:
    """Read from the terminal until it shows ``what``, or until it is closed."""
    shown = b""
    while what is None or what not in shown:
        try:
            more = os.read(terminal, 4096)
        except OSError:  # Linux, once the other end is closed
            break
        if not more:
            break
        shown += more
    if what is None:
        os.close(terminal)
    return shown


def test_a_model_that_hung_while_rewriting_is_not_waited_for_once_more(
    talk: Any, model_server: Any, questions: tuple[str, str, str]
) -> None:
    """The server never answers: one request is given up with the budget, and the answer does without the model."""
    options = ("--lm", "openai/x", "--api-base", model_server.api_base)
    settings = ("--set", "rewrite.ask_lm=every_turn", "--set", "time.budget_ms=3000")
    (turn,) = talk(questions[0], options=(*options, *settings))
    assert len(model_server.requests) == 1
    assert turn["answer"] == turn["hits"][0]["text"][:300]
    assert {one["stage"] for one in turn["fallbacks"]} == {"rewrite", "answer"}
