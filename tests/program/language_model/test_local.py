import os
import signal
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

import dspy
import httpx
import pytest

from data.errors import LanguageModelError
from program.language_model import local
from program.rewrite_program import RewriteProgram, rewritten_of
from program.settings import RewriteSettings, Settings


class Fake:
    """Stands for ``LocalServer``: counts how often a file is loaded and whether it was closed."""

    made: list["Fake"]

    def __init__(self, weights: Path) -> None:
        self.weights, self.closed = weights, 0
        self.made.append(self)

    def close(self) -> None:
        self.closed += 1


@pytest.fixture
def fakes(monkeypatch: pytest.MonkeyPatch) -> list[Fake]:
    Fake.made = []
    monkeypatch.setattr(local, "LocalServer", Fake)
    monkeypatch.setattr(local, "_servers", {})
    return Fake.made


def test_a_model_is_loaded_once_whoever_asks_for_it(fakes: list[Fake], tmp_path: Path) -> None:
    (tmp_path / "link.gguf").symlink_to(tmp_path / "model.gguf")
    threads = [
        threading.Thread(target=local.serve, args=(tmp_path / name,)) for name in ("model.gguf", "link.gguf") * 10
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [fake.weights.name for fake in fakes] == ["model.gguf"]


def test_closing_stops_every_model_once_and_a_later_one_starts_afresh(fakes: list[Fake], tmp_path: Path) -> None:
    for name in ("a.gguf", "b.gguf"):
        local.serve(tmp_path / name)
    local.close_all()
    local.close_all()
    assert [fake.closed for fake in fakes] == [1, 1]
    local.serve(tmp_path / "a.gguf")
    assert len(fakes) == 3


def test_without_the_extra_it_says_what_to_install(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setitem(sys.modules, "xllamacpp", None)
    with pytest.raises(LanguageModelError, match=r"pip install 'anaphora\[local\]'"):
        local.LocalServer(tmp_path / "model.gguf")


def test_a_file_that_is_no_model_is_refused(tmp_path: Path) -> None:
    pytest.importorskip("xllamacpp")
    (tmp_path / "text.gguf").write_text("no model", encoding="utf-8")
    with pytest.raises(LanguageModelError, match="check that it is a GGUF file"):
        local.LocalServer(tmp_path / "text.gguf")


@pytest.mark.lm
class TestReal:
    def test_it_rewrites_in_both_languages_and_says_the_same_twice(self, small_lm: Any) -> None:
        program = RewriteProgram(Settings(rewrite=RewriteSettings(rules=False, ask_lm="follow_ups")))
        fields = ("history", "entities", "query", "rewrite")
        shown = [
            ("用户: 有落地灯吗\n助手: 有，云栖落地灯。", "云栖落地灯", "它多重", "云栖落地灯 多重"),
            (
                "User: lamps?\nAssistant: The Fenwick lamp.",
                "Fenwick lamp",
                "is it heavy?",
                "Is the Fenwick lamp heavy?",
            ),
        ]
        program.coreference.demos = [dspy.Example(**dict(zip(fields, values, strict=True))) for values in shown]
        turns = [
            ("它保修多久", [("user", "有暖汐台灯吗"), ("assistant", "有，暖汐台灯有现货。")], "暖汐台灯"),
            (
                "how long is its warranty?",
                [("user", "Any kettles?"), ("assistant", "Yes, the Brindle kettle.")],
                "Brindle",
            ),
        ]
        for query, said, name in turns:
            history = [{"role": role, "content": text} for role, text in said]
            results = []
            for _ in range(2):
                dspy.cache.reset_memory_cache()
                with dspy.context(lm=small_lm):
                    results.append(rewritten_of(program(query=query, history=history)))
            assert results[0].fallbacks == ()
            assert name in results[0].rewritten
            assert results[0].rewritten == results[1].rewritten
            assert sum(step.lm_tokens for step in results[0].trace if step.stage == "rewrite") > 0

    def test_a_prompt_beyond_its_context_is_an_error_not_a_crash(self, small_lm: Any) -> None:
        with pytest.raises(dspy.utils.exceptions.LMError):
            small_lm("很长的话。" * local.CONTEXT_TOKENS)
        assert small_lm("Say ok.", max_tokens=2, cache=False)

    @pytest.mark.parametrize("ending", ["close", "exit", "interrupt"])
    def test_it_ends_with_the_process_however_that_ends(self, small_model: Path, ending: str) -> None:
        code = (
            "import sys, httpx\n"
            "from pathlib import Path\n"
            "from program.language_model import local\n"
            "server = local.serve(Path(sys.argv[1]))\n"
            "assert server is local.serve(Path(sys.argv[1]))\n"
            "print(server.api_base, flush=True)\n"
            "if sys.argv[2] == 'close':\n"
            "    server.close(); server.close(); print('closed', flush=True); sys.stdin.read()\n"
            "elif sys.argv[2] == 'interrupt':\n"
            "    body = {'messages': [{'role': 'user', 'content': 'Count to 1000.'}], 'max_tokens': 3000, 'stream': True}\n"
            "    with httpx.stream('POST', server.api_base + '/chat/completions', json=body, timeout=600) as reply:\n"
            "        for _ in reply.iter_bytes():\n"
            "            print('answering', flush=True)\n"
        )
        process = subprocess.Popen(
            [sys.executable, "-c", code, str(small_model), ending],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
            env={**os.environ, "PYTHONUNBUFFERED": "1"},
        )  # fmt: skip
        assert process.stdout is not None
        address = process.stdout.readline().strip()
        if ending == "close":
            assert process.stdout.readline() == "closed\n"
            with pytest.raises(httpx.ConnectError):
                httpx.get(f"{address}/models")
        if ending == "interrupt":
            assert process.stdout.readline() == "answering\n"
            process.send_signal(signal.SIGINT)
        _, errors = process.communicate(timeout=120)
        expected = -signal.SIGINT if ending == "interrupt" else 0
        assert process.returncode == expected, errors
        with pytest.raises(httpx.ConnectError):
            httpx.get(f"{address}/models")
