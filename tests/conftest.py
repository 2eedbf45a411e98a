"""Fixtures for every test of the project: isolation, a scripted language model, a server to call one, a retriever in memory.

- ``isolated`` (autouse): fresh DSPy settings and cache, our own folders under ``tmp_path``, no telemetry.
- ``scripted_lm``: makes a ``dspy.LM`` that answers from a script and shouts when surprised.
- ``model_server``: an OpenAI-compatible server on loopback that answers, fails or hangs as told.
- ``toy_retriever``: makes a retriever over a few passages, BM25 in memory.
- ``small_model``, ``small_lm``: the real 0.5B model, for tests marked ``lm``.
- ``browser``: headless Chromium, for tests marked ``browser``.
"""

import json
import os
import sys
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import hypothesis
import pytest

# The same examples every time, and no limits of time: machines differ.
hypothesis.settings.register_profile(
    "anaphora", deadline=None, derandomize=True, suppress_health_check=[hypothesis.HealthCheck.too_slow]
)
hypothesis.settings.load_profile("anaphora")

SMALL_MODEL = "qwen2.5-coder-0.5b"
_MODELS = os.environ.get("ANAPHORA_MODELS")  # read before a test's own folder replaces it
_TELEMETRY_OFF = {
    "ANONYMIZED_TELEMETRY": "False",
    "DO_NOT_TRACK": "1",
    "HAYSTACK_TELEMETRY_ENABLED": "False",
    "LANGSMITH_TRACING": "false",
    "RAY_USAGE_STATS_ENABLED": "0",
    "HF_HUB_DISABLE_TELEMETRY": "1",
    "MLFLOW_DISABLE_TELEMETRY": "true",
}
os.environ.update(_TELEMETRY_OFF)  # some libraries read theirs when they are imported


@pytest.fixture(autouse=True)
def isolated(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Nothing of one test reaches another, or the user's own folders.

    ``ANAPHORA_CACHE``, ``ANAPHORA_MODELS`` and DSPy's disk cache lie under ``tmp_path``; keys and addresses of hosted models are unset.
    DSPy (where it is loaded: importing it takes seconds) gets an empty cache in memory and its default settings.
    """
    monkeypatch.setenv("ANAPHORA_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("ANAPHORA_MODELS", str(tmp_path / "models"))
    monkeypatch.setenv("DSPY_CACHEDIR", str(tmp_path / "dspy"))
    for name in ("OPENAI_API_KEY", "OPENAI_API_BASE", "OPENAI_BASE_URL"):
        monkeypatch.delenv(name, raising=False)
    _reset_dspy()
    yield
    _reset_dspy()
    if "program.breaker" in sys.modules:
        sys.modules["program.breaker"].breaker.reset()


def _reset_dspy() -> None:
    if "dspy" not in sys.modules:
        return
    import copy

    import dspy

    module = sys.modules["dspy.dsp.utils.settings"]  # its package has an object of that name
    dspy.configure_cache(enable_disk_cache=False)
    module.main_thread_config.clear()
    module.main_thread_config.update(copy.deepcopy(module.DEFAULT_CONFIG))
    module.config_owner_thread_id = module.config_owner_async_task = None


Answer = str | Exception | tuple[str, str]


class Script:
    """The engine behind a scripted model. A custom engine is how DSPy 3.4 wants a model of one's own to be made."""

    def __init__(self, answers: Sequence[Answer], reply: Callable[[str], str] | None) -> None:
        self.answers = list(answers)
        self.reply = reply
        self.prompts: list[str] = []
        self.surprise: str | None = None
        self._lock = threading.Lock()

    def complete(self, request: Any) -> Any:
        from dspy.lm15 import Message, Response, TextPart, Usage

        prompt = "\n\n".join(f"[{role}]\n{text}" for role, text in _said(request))
        with self._lock:
            self.prompts.append(prompt)
            scripted = self.answers.pop(0) if self.answers else None
        answer: Answer = self._default(prompt) if scripted is None else scripted
        if isinstance(answer, Exception):
            raise answer
        if isinstance(answer, tuple):
            fragment, answer = answer
            if fragment not in prompt:
                self._shout(f"expected {fragment!r} in this prompt:\n{prompt}")
        usage = Usage(input_tokens=len(prompt) // 4, output_tokens=len(answer) // 4 + 1)
        message = Message.assistant([TextPart(answer)])
        return Response(id=None, model=request.model, message=message, finish_reason="stop", usage=usage)

    def _default(self, prompt: str) -> str:
        if self.reply is None:
            self._shout(f"no answer left for this prompt:\n{prompt}")
        return self.reply(prompt)  # type: ignore[misc]

    def _shout(self, what: str) -> None:
        self.surprise = what
        # An outcome, not an Exception: a program that survives any failing model must not survive this one.
        pytest.fail(what)


def _said(request: Any) -> Iterator[tuple[str, str]]:
    if request.system is not None:
        text = request.system if isinstance(request.system, str) else "".join(part.text for part in request.system)
        yield "system", text
    for message in request.messages:
        yield message.role, message.text or ""


@pytest.fixture
def scripted_lm() -> Iterator[Callable[..., Any]]:
    """Make a language model that answers from a script: ``lm = scripted_lm("first answer", "second answer")``.

    Each positional argument answers one call: a string is the completion; an exception is raised; a pair ``(fragment, completion)``
    checks first that the prompt contains the fragment. After them ``reply=lambda prompt: ...`` answers any number of calls; without it
    a further call fails the test. So do answers that were never asked for. ``cache=True`` puts DSPy's cache before the script.

    The model is a real ``dspy.LM`` with a custom engine. ``lm.script.prompts`` lists the prompts that reached it (roles and texts as one
    string each), so ``len(lm.script.prompts)`` counts the calls.
    """
    import dspy

    made: list[Script] = []

    def make(*answers: Answer, reply: Callable[[str], str] | None = None, cache: bool = False) -> Any:
        script = Script(answers, reply)
        made.append(script)
        lm = dspy.LM("scripted/model", engine=script, cache=cache, num_retries=0, temperature=0.0)
        lm.script = script
        return lm

    yield make
    for script in made:
        assert script.surprise is None, script.surprise
        assert not script.answers, f"never asked for: {script.answers}"


class ModelServer:
    """See ``model_server``."""

    def __init__(self) -> None:
        self.requests: list[dict[str, Any]] = []
        self.authorizations: list[str | None] = []
        self.answer: Callable[[str], str] | None = None
        self.status = 200
        self.released = threading.Event()
        server = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                server.requests.append(body)
                server.authorizations.append(self.headers.get("Authorization"))
                if server.answer is None:
                    server.released.wait()
                    return
                text = server.answer(body["messages"][-1]["content"])
                choice = {"index": 0, "message": {"role": "assistant", "content": text}, "finish_reason": "stop"}
                usage = {"prompt_tokens": 20, "completion_tokens": 5, "total_tokens": 25}
                reply = {"id": "1", "object": "chat.completion", "created": 0, "model": body["model"]}
                content = json.dumps(reply | {"choices": [choice], "usage": usage}).encode()
                self.send_response(server.status)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(content)))
                self.end_headers()
                self.wfile.write(content)

            def log_message(self, *_: Any) -> None:
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        self.api_base = f"http://127.0.0.1:{self._server.server_address[1]}/v1"
        self._thread = threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
        self._thread.start()

    def close(self) -> None:
        self.released.set()
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()


@pytest.fixture
def model_server() -> Iterator[ModelServer]:
    """An OpenAI-compatible server at ``model_server.api_base``.

    ``answer`` maps the last message's text to a completion; while it is ``None`` (the start) a request hangs until the test ends.
    ``status`` is the HTTP status. ``requests`` and ``authorizations`` list what came in.
    """
    server = ModelServer()
    yield server
    server.close()


class ToyRetriever:
    """See ``toy_retriever``."""

    def __init__(self, passages: Sequence[Any]) -> None:
        from program.retrieval.bm25 import BM25Index
        from program.rules.gazetteer import Gazetteer

        self.passages = list(passages)
        self.gazetteer = Gazetteer.from_passages(self.passages)
        self.searched: list[str] = []
        self._index = BM25Index.build([passage.indexed_text for passage in self.passages])

    def search(self, queries: Sequence[str], depth: int) -> list[Any]:
        from program.retrieval.retriever import Hit, RankedList

        self.searched += queries
        lists = []
        for found in self._index.search(queries, depth):
            rows = [(self.passages[row], score) for row, score in found]
            hits = tuple(Hit(id=one.id, score=score, source=one.source, text=one.text) for one, score in rows)
            lists.append([RankedList(engine="bm25", hits=hits)])
        return lists


@pytest.fixture
def toy_retriever() -> Callable[..., ToyRetriever]:
    """Make a retriever over a few passages: ``toy_retriever({"id": "text"})``, or with titles from a list of ``Passage``.

    It is what ``program.retrieval.retriever`` asks for, with BM25 in memory as the only engine and a gazetteer from the titles.
    ``.searched`` lists the queries it was asked.
    """

    def make(passages: Mapping[str, str] | Sequence[Any]) -> ToyRetriever:
        from data.records import Passage

        if isinstance(passages, Mapping):
            passages = [Passage(id=id_, text=text) for id_, text in passages.items()]
        return ToyRetriever(passages)

    return make


@pytest.fixture(scope="session")
def small_model() -> Path:
    """The weights of the real 0.5B model, for tests marked ``lm``.

    Looked for where ``ANAPHORA_MODELS`` said when the tests were started, else in the user's own store. Without them the test is skipped;
    where ``CI`` or ``ANAPHORA_REQUIRE_LM`` is set it fails.
    """
    from data.errors import ModelStoreError
    from program.language_model.weights import ModelStore

    try:
        return ModelStore(Path(_MODELS) if _MODELS else None).path(SMALL_MODEL)
    except ModelStoreError as error:
        if os.environ.get("CI") or os.environ.get("ANAPHORA_REQUIRE_LM"):
            pytest.fail(f"the lm tests are required here: {error}")
        pytest.skip(str(error))


@pytest.fixture(scope="session")
def small_lm(small_model: Path) -> Any:
    """The real 0.5B model as ``dspy.LM``, loaded once for all tests marked ``lm``."""
    from program.language_model.choose import choose

    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("ANAPHORA_MODELS", str(small_model.parent.parent))
        return choose(f"local:{SMALL_MODEL}", timeout_s=300)


@pytest.fixture
def browser() -> Iterator[Any]:
    """Playwright's ``Browser``: the system's Chromium, headless. Make pages with ``browser.new_page()``."""
    import shutil

    from playwright.sync_api import sync_playwright

    path = os.environ.get("CHROMIUM") or shutil.which("chromium") or shutil.which("google-chrome")
    if path is None:
        if os.environ.get("ANAPHORA_REQUIRE_BROWSER"):
            pytest.fail("no Chromium on this machine")
        pytest.skip("no Chromium on this machine")
    quiet = ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking"]
    with sync_playwright() as playwright:
        opened = playwright.chromium.launch(
            executable_path=path, args=[*quiet, "--disable-component-update", "--disable-sync"]
        )
        yield opened
        opened.close()
