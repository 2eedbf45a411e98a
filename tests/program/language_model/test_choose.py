import logging
import os
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import dspy
import pytest

from data.errors import LanguageModelError, ModelStoreError
from program.language_model import choose as module
from program.language_model import local
from program.language_model.choose import choose


@pytest.fixture
def served(monkeypatch: pytest.MonkeyPatch, model_server) -> list[Path]:
    """The files that were served, in a process where nothing is loaded: all of them answer at ``model_server``."""
    files: list[Path] = []

    def serve(path: Path) -> SimpleNamespace:
        files.append(path)
        return SimpleNamespace(api_base=model_server.api_base)

    monkeypatch.setattr(local, "serve", serve)
    return files


def gguf(folder: Path, content: bytes, name: str = "model.gguf") -> Path:
    folder.mkdir(exist_ok=True)
    path = folder / name
    path.write_bytes(content)
    return path


class TestServer:
    def test_it_answers_without_a_key_and_is_told_none(self, model_server, monkeypatch) -> None:
        model_server.answer = lambda prompt: f"echo {prompt}"
        assert choose("openai/anything", api_base=model_server.api_base)("保修") == ["echo 保修"]
        assert model_server.authorizations == ["Bearer none"]
        request = model_server.requests[0]
        assert (request["model"], request["temperature"]) == ("anything", 0.0)
        assert 64 <= request.get("max_tokens", request.get("max_completion_tokens")) <= 256

    def test_a_key_in_the_environment_is_used(self, model_server, monkeypatch) -> None:
        monkeypatch.setenv("OPENAI_API_KEY", "sk-mine")
        model_server.answer = lambda _: "ok"
        choose("openai/anything", api_base=model_server.api_base)("hi")
        assert model_server.authorizations == ["Bearer sk-mine"]

    def test_a_server_that_hangs_is_given_up_once(self, model_server) -> None:
        lm = choose("openai/anything", api_base=model_server.api_base, timeout_s=0.2)
        with pytest.raises(Exception, match=r"(?i)time"):
            lm("hi")
        assert len(model_server.requests) == 1

    @pytest.mark.parametrize("status", [400, 429, 500, 503])
    def test_an_error_is_raised_at_once(self, model_server, status) -> None:
        model_server.answer, model_server.status = lambda _: "no", status
        with pytest.raises(dspy.utils.exceptions.LMError):
            choose("openai/anything", api_base=model_server.api_base)("hi")
        assert len(model_server.requests) == 1

    def test_the_same_prompt_is_answered_from_the_cache(self, model_server) -> None:
        model_server.answer = lambda _: "ok"
        for _ in range(2):
            choose("openai/anything", api_base=model_server.api_base)("hi")
        assert len(model_server.requests) == 1


class TestNames:
    @pytest.mark.parametrize("name", ["", " ", "openai/", "local:nonsense.gguf"])
    def test_what_names_nothing_is_refused_with_advice(self, name: str) -> None:
        with pytest.raises(LanguageModelError) as caught:
            choose(name)
        assert caught.value.advice

    def test_unknown_and_missing_weights_say_how_to_get_them(self) -> None:
        with pytest.raises(ModelStoreError, match=r"qwen2\.5-coder-0\.5b"):
            choose("local:nonsense")
        with pytest.raises(ModelStoreError, match=r"anaphora model pull qwen2\.5-coder-1\.5b"):
            choose("local")

    def test_the_embedded_model_has_no_address(self) -> None:
        with pytest.raises(LanguageModelError, match="no address"):
            choose("local", api_base="http://127.0.0.1:1/v1")

    def test_a_colon_belongs_to_a_hosted_name(self) -> None:
        assert choose("ollama_chat/qwen2.5:7b").model == "ollama_chat/qwen2.5:7b"

    @pytest.mark.parametrize("name", ["openai/gpt-5-mini", "openai/o3"])
    def test_models_that_reason_set_their_own_temperature(self, name: str) -> None:
        assert choose(name).kwargs.get("temperature") is None


class TestEmbedded:
    def test_weights_of_the_store_go_by_their_name(self, served, monkeypatch, tmp_path, model_server) -> None:
        monkeypatch.setattr(module.weights, "path", lambda name: tmp_path / name)
        assert choose("local").model == "openai/qwen2.5-coder-1.5b"
        assert choose("local:qwen2.5-coder-0.5b").model == "openai/qwen2.5-coder-0.5b"
        assert served == [tmp_path / "qwen2.5-coder-1.5b", tmp_path / "qwen2.5-coder-0.5b"]

    def test_files_go_by_their_content(self, served, tmp_path, model_server) -> None:
        """Two files of one name must not share cached answers; one file in two places must."""
        answers = iter(["first", "second"])
        model_server.answer = lambda _: next(answers)
        one, other = gguf(tmp_path / "a", b"one"), gguf(tmp_path / "b", b"other")
        copy = gguf(tmp_path / "c", b"one")
        said = [choose(f"local:{path}")("hi") for path in (one, other, copy)]
        assert said == [["first"], ["second"], ["first"]]
        assert served == [one, other, copy]

    def test_a_file_replaced_in_place_is_another_model(self, served, tmp_path) -> None:
        path = gguf(tmp_path, b"old")
        before = choose(f"local:{path}").model
        path.write_bytes(b"new")
        assert choose(f"local:{path}").model != before

    def test_a_gateway_in_the_environment_does_not_get_its_calls(
        self, served, tmp_path, model_server, monkeypatch
    ) -> None:
        monkeypatch.setenv("OPENAI_BASE_URL", "http://gateway.invalid/v1")
        monkeypatch.setitem(sys.modules, "litellm", None)  # DSPy's client for gateways, which need not be installed
        monkeypatch.setenv("OPENAI_API_KEY", "sk-mine")
        model_server.answer = lambda _: "ok"
        assert choose(f"local:{gguf(tmp_path, b'x', '模型 1.GGUF')}")("hi") == ["ok"]
        assert model_server.authorizations == ["Bearer none"]


def test_nobody_is_asked_for_model_prices(model_server, caplog) -> None:
    """DSPy fetches a list from GitHub at the first call unless told not to; told it is, before any model can be called."""
    code = (
        "import sys, urllib.request\n"
        "def refuse(*a, **k): print('ASKED', a[0].full_url); raise OSError\n"
        "urllib.request.urlopen = refuse\n"
        "from program.language_model.choose import choose\n"
        "print(choose('openai/anything', api_base=sys.argv[1])('hi'))"
    )
    model_server.answer = lambda _: "ok"
    environment = {name: value for name, value in os.environ.items() if not name.startswith("LITELLM")}
    done = subprocess.run(
        [sys.executable, "-c", code, model_server.api_base], env=environment, capture_output=True, text=True, check=True
    )
    assert done.stdout == "['ok']\n"
    assert "refresh failed" not in done.stderr
    assert logging.getLogger("dspy").level <= logging.WARNING
