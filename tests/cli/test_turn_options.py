"""Each option of the commands that run turns, called as a shell calls it, in Chinese and English."""

import json
import stat
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from cli.main import app

Run = Callable[..., Any]
Turn = tuple[list[dict[str, str]], str, str]
LM = ("--lm", "openai/rewriter")
REWRITES = {"润谷 H2": "润谷 H2 的保修期是多久", "Aria 300S": "How long is the warranty of the Aria 300S?"}


def kinds(answer: Any) -> list[str]:
    return [query["kind"] for query in answer["queries"]]


def step(answer: Any, stage: str) -> Any:
    return next(step for step in answer["trace"] if step["stage"] == stage)


def prompt_of(request: Any) -> str:
    return "\n".join(message["content"] for message in request["messages"])


class TestSet:
    def test_a_setting_is_changed(self, run: Run, turn: Turn, history: Run, store: Path) -> None:
        messages, query, _ = turn
        common = ("retrieve", query, "--history", history(messages), "--store", store)
        answer = run(*common, "--set", "fusion.original=0.1", "--set", "k=2")
        assert answer["queries"][0]["weight"] == 0.1
        assert len(answer["hits"]) == 2
        assert kinds(run(*common, "--set", "rewrite.rules=false")) == ["original"]

    def test_it_comes_after_those_of_the_program(self, run: Run, turn: Turn, tmp_path: Path) -> None:
        from program import artefact
        from program.rewrite_program import RewriteProgram
        from program.settings import FusionSettings, Settings

        folder = artefact.save(RewriteProgram(Settings(k=1, fusion=FusionSettings(original=0.2))), tmp_path / "program")
        answer = run("rewrite", turn[1], "--program", folder, "--set", "fusion.original=0.1", "--set", "k=3")
        assert answer["queries"][0]["weight"] in {0.1, 1.0}  # alone it counts fully

    @pytest.mark.parametrize(
        ("assignment", "says"),
        [
            ("expand.hyde", "NAME=VALUE"),
            ("expand.hide=true", "expand.hyde"),
            ("k=many", "integer"),
            ("k=0", "greater than or equal to 1"),
            ("fusion.strategy=best", "best_relative"),
            ("fusion.vector_share=[", "YAML"),
            ("重排=lm", "docs/settings.md"),
        ],
    )
    @pytest.mark.parametrize("command", ["rewrite", "explain"])
    def test_a_bad_one_is_refused_in_one_line(self, refusal: Run, command: str, assignment: str, says: str) -> None:
        said = refusal(command, "它呢", "--set", assignment)
        assert said.startswith("error[bad_config]: ")
        assert assignment.split("=", maxsplit=1)[0] in said
        assert says in said
        assert said.count("\n") == 1

    def test_it_is_refused_before_a_model_is_looked_for(self, refusal: Run) -> None:
        assert "'nope'" in refusal("rewrite", "它呢", "--set", "nope", "--lm", "local:unknown")

    def test_evaluate_takes_it_too(self, refusal: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.chdir(tmp_path)
        (tmp_path / "corpus.jsonl").write_text('{"id": "a", "text": "保修两年"}\n', encoding="utf-8")
        row = {"id": "t", "conversation_id": "c", "turn": 1, "query": "保修", "relevant_ids": ["a"]}
        (tmp_path / "turns.jsonl").write_text(json.dumps(row), encoding="utf-8")
        assert "'k=x'" in refusal("evaluate", tmp_path, "--retriever", "bm25", "--set", "k=x")


class TestTerms:
    @pytest.mark.parametrize(
        ("query", "target"), [("小雾怎么清洗", "加湿器"), ("how do I clean the humi", "humidifier")], ids=["zh", "en"]
    )
    @pytest.mark.parametrize(
        ("name", "content"),
        [
            ("terms.yaml", "小雾: 加湿器\nhumi: [humidifier]\n"),
            ("terms.csv", "says,means\n小雾,加湿器\nhumi,humidifier\n"),
        ],
    )
    def test_what_the_corpus_calls_it_is_searched_as_well(
        self, run: Run, tmp_path: Path, name: str, content: str, *, query: str, target: str
    ) -> None:
        path = tmp_path / name
        path.write_text(content, encoding="utf-8")
        answer = run("rewrite", query, "--terms", path)
        assert kinds(answer) == ["original", "terms"]
        assert target in answer["queries"][1]["text"]
        assert kinds(run("rewrite", query)) == ["original"]

    def test_they_are_added_to_those_of_the_settings(self, run: Run, tmp_path: Path) -> None:
        path = tmp_path / "terms.csv"
        path.write_text("小雾,加湿器\n", encoding="utf-8")
        own = "terms=[{says: 回血, means: [退款]}]"
        (added,) = run("rewrite", "小雾怎么回血", "--terms", path, "--set", own)["queries"][1:]
        assert "加湿器" in added["text"]
        assert "退款" in added["text"]

    @pytest.mark.parametrize(
        ("name", "content", "says"),
        [
            ("terms.csv", "小雾,加湿器\nhumi,humidifier,x\n", "terms.csv:2"),
            ("terms.yaml", "小雾: {a: b}\n", "terms.yaml:1"),
            ("terms.txt", "小雾,加湿器\n", ".yaml, .yml or .csv"),
            ("terms.yaml", "", "at least one term"),
            (None, "", "No such file"),
        ],
    )
    def test_a_bad_file_is_refused(
        self, refusal: Run, tmp_path: Path, name: str | None, content: str, says: str
    ) -> None:
        path = tmp_path / (name or "none.csv")
        if name:
            path.write_text(content, encoding="utf-8")
        said = refusal("rewrite", "小雾呢", "--terms", path)
        assert says in said
        assert said.count("\n") == 1


class TestGateWords:
    @pytest.mark.parametrize("query", ["妥妥儿的嘞", "righty-ho matey"])
    def test_these_are_not_searched(self, run: Run, store: Path, tmp_path: Path, query: str) -> None:
        path = tmp_path / "words.yaml"
        path.write_text("chitchat: [妥妥儿的嘞, righty-ho matey]\n", encoding="utf-8")
        answer = run("retrieve", query, "--store", store, "--gate-words", path)
        assert (answer["intent"], answer["queries"], answer["hits"]) == ("chitchat", [], [])
        assert run("retrieve", query, "--store", store)["intent"] == "retrieval"

    def test_they_are_added_to_those_of_the_settings(self, run: Run, tmp_path: Path) -> None:
        path = tmp_path / "words.yaml"
        path.write_text("chitchat: [妥妥儿的嘞]\n", encoding="utf-8")
        own = "gate.words.chitchat=[righty-ho matey]"
        assert run("rewrite", "righty-ho matey", "--gate-words", path, "--set", own)["intent"] == "chitchat"

    @pytest.mark.parametrize(
        ("content", "says"), [("thanks: [谢啦]", "thanks"), ("a: [", "not YAML"), (None, "no such")]
    )
    def test_a_bad_file_is_refused(self, refusal: Run, tmp_path: Path, content: str | None, says: str) -> None:
        path = tmp_path / "words.yaml"
        if content is not None:
            path.write_text(content, encoding="utf-8")
        said = refusal("rewrite", "谢啦", "--gate-words", path)
        assert says in said
        assert str(path) in said
        assert said.count("\n") == 1


class TestTable:
    @pytest.mark.parametrize(
        ("query", "sql", "row"),
        [
            ("台灯的平均价格是多少", 'SELECT avg("价格") AS "平均" FROM "灯具"', "182"),
            ("what is the average price of the lamps", 'SELECT avg("价格") AS mean FROM "灯具"', "182"),
        ],
        ids=["zh", "en"],
    )
    def test_rows_come_with_the_passages(
        self, run: Run, store: Path, tmp_path: Path, model_server: Any, *, query: str, sql: str, row: str
    ) -> None:
        (tmp_path / "灯具.csv").write_text("名称,价格\n暖汐台灯,264\n星屑台灯,100\n", encoding="utf-8")
        model_server.answer = lambda _: sql
        answer = run(
            "retrieve",
            query,
            "--store",
            store,
            "--table",
            tmp_path / "灯具.csv",
            *LM,
            "--api-base",
            model_server.api_base,
        )
        assert "灯具" in prompt_of(model_server.requests[-1])
        (found,) = [hit for hit in answer["hits"] if "sql" in hit["found_by"]]
        assert row in found["text"]
        assert step(answer, "sql")["details"]["sql"]

    def test_without_a_model_the_passages_are_left(self, run: Run, store: Path, tmp_path: Path) -> None:
        (tmp_path / "lamps.csv").write_text("name,price\nAria,264\n", encoding="utf-8")
        answer = run("retrieve", "加湿器的平均价格是多少", "--store", store, "--table", f"t={tmp_path / 'lamps.csv'}")
        assert answer["hits"]
        assert "no language model" in step(answer, "sql")["reason"]

    def test_a_missing_file_is_refused(self, refusal: Run, store: Path) -> None:
        said = refusal("retrieve", "平均价格", "--store", store, "--table", "none.csv")
        assert "none.csv" in said
        assert said.count("\n") == 1


class TestToday:
    @pytest.mark.parametrize(
        ("query", "date"),
        [("昨天的会议改到几点", "2026年2月28日"), ("what was changed yesterday", "February 28, 2026")],
        ids=["zh", "en"],
    )
    def test_relative_days_are_searched_by_date_too(self, run: Run, query: str, date: str) -> None:
        (added,) = run("rewrite", query, "--today", "2026-03-01")["queries"][1:]
        assert added["kind"] == "terms"
        assert added["text"].endswith(date)
        assert len(run("rewrite", query)["queries"]) == 1

    @pytest.mark.parametrize("written", ["yesterday", "2026-02-30", "01.03.2026"])
    def test_anything_but_a_date_is_refused(self, refusal: Run, written: str) -> None:
        assert "--today" in refusal("rewrite", "昨天呢", "--today", written)


class TestLanguageModel:
    @pytest.fixture
    def call(self, run: Run, turn: Turn, history: Run, store: Path, model_server: Any) -> Run:
        """``anaphora rewrite`` of the follow-up with the model always asked; it rewrites well."""
        messages, query, entity = turn
        model_server.answer = lambda _: REWRITES[entity]
        always = ("--set", "rewrite.ask_lm=follow_ups", "--api-base", model_server.api_base)
        return lambda *more: run("rewrite", query, "--history", history(messages), "--store", store, *always, *more)

    def test_its_rewrite_leads(self, call: Run, turn: Turn, model_server: Any) -> None:
        answer = call(*LM)
        assert answer["rewritten"] == REWRITES[turn[2]]
        assert kinds(answer)[:2] == ["original", "rewrite"]
        assert step(answer, "rewrite")["lm_calls"] == len(model_server.requests) == 1

    @pytest.mark.parametrize("scene", ["家电客服", "support of an appliance shop"])
    def test_the_scene_is_in_its_prompt(self, call: Run, model_server: Any, scene: str) -> None:
        call(*LM, "--scene", scene)
        assert scene in prompt_of(model_server.requests[-1])

    def test_a_repeated_turn_asks_nothing_with_a_rewrite_cache(
        self, call: Run, model_server: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        answers = []
        # Another folder for DSPy's own cache each time, which would answer as well.
        for other in ("a", "b"):
            monkeypatch.setenv("ANAPHORA_CACHE", str(tmp_path / other))
            answers.append(call(*LM, "--rewrite-cache", tmp_path / "rewrites"))
        assert len(model_server.requests) == 1
        assert answers[0]["queries"] == answers[1]["queries"]
        assert step(answers[1], "rewrite")["details"]["cached"] is True
        assert step(answers[1], "rewrite")["lm_calls"] == 0
        monkeypatch.setenv("ANAPHORA_CACHE", str(tmp_path / "c"))
        call(*LM)
        assert len(model_server.requests) == 2

    def test_one_signature_can_have_a_model_of_its_own(self, call: Run, turn: Turn, model_server: Any) -> None:
        call(*LM, "--lm-for", "step_back=openai/thinker", "--set", "expand.step_back=true")
        assert sorted(request["model"] for request in model_server.requests) == ["rewriter", "thinker"]

    def test_alone_it_is_the_only_one_asked(self, call: Run, turn: Turn, model_server: Any) -> None:
        answer = call("--lm-for", "step_back=openai/thinker", "--set", "expand.step_back=true")
        assert [request["model"] for request in model_server.requests] == ["thinker"]
        assert step(answer, "rewrite")["reason"] == "no language model"

    def test_a_model_that_answers_with_an_error_leaves_the_rules(
        self, call: Run, turn: Turn, model_server: Any
    ) -> None:
        model_server.status = 400
        answer = call(*LM)
        assert turn[2] in answer["rewritten"]
        assert [one["stage"] for one in answer["fallbacks"]] == ["rewrite"]

    @pytest.mark.parametrize("pair", ["sumary=local", "answer", "answer="])
    def test_what_is_no_signature_is_refused(self, refusal: Run, pair: str) -> None:
        said = refusal("rewrite", "它呢", "--lm-for", pair)
        assert "text_to_sql" in said
        assert said.count("\n") == 1

    def test_an_address_without_a_model_is_refused(self, refusal: Run) -> None:
        assert "--lm" in refusal("rewrite", "它呢", "--api-base", "http://127.0.0.1:1/v1")

    def test_the_address_is_for_hosted_models_alone(self, monkeypatch: pytest.MonkeyPatch) -> None:
        from cli.options import language_models

        monkeypatch.setattr("program.language_model.choose.choose", lambda name, api_base: (name, api_base))
        mixed = language_models("local", ["answer=openai/x"], "http://here/v1")
        assert mixed == (("local", None), {"answer": ("openai/x", "http://here/v1")})
        # Alone, the embedded one is told of it, and says that it has none.
        assert language_models("local", None, "http://here/v1")[0] == ("local", "http://here/v1")


class TestLog:
    def test_each_turn_is_a_line(self, run: Run, store: Path, turn: Turn, history: Run, tmp_path: Path) -> None:
        messages, query, entity = turn
        log = tmp_path / "turns.jsonl"
        for _ in range(2):
            answer = run("retrieve", query, "--history", history(messages), "--store", store, "--log", log)
        lines = [json.loads(line) for line in log.read_text(encoding="utf-8").splitlines()]
        assert len(lines) == 2
        assert lines[0]["query"] == query
        assert entity in lines[0]["rewritten"]
        assert lines[0]["queries"] == answer["queries"]
        assert stat.S_IMODE(log.stat().st_mode) == 0o600

    @pytest.mark.parametrize("command", ["rewrite", "explain"])
    def test_a_share_of_nothing_keeps_nothing(self, run: Run, tmp_path: Path, command: str) -> None:
        log = tmp_path / "turns.jsonl"
        run(command, "保修多久", "--log", log, "--log-share", 0)
        assert not log.exists()
        run(command, "保修多久", "--log", log)
        assert log.exists()

    @pytest.mark.parametrize("share", ["1.5", "-1", "half"])
    def test_a_share_is_a_share(self, refusal: Run, share: str) -> None:
        assert "--log-share" in refusal("rewrite", "保修多久", "--log", "x.jsonl", "--log-share", share)

    def test_nothing_is_written_unless_asked_for(
        self, run: Run, store: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        here = tmp_path / "here"
        here.mkdir()
        monkeypatch.chdir(here)
        before = sorted(store.rglob("*"))
        for command in ("rewrite", "retrieve", "explain"):
            run(command, "一句谁也不会说的话", "--store", store)
        assert list(here.rglob("*")) == []
        assert sorted(store.rglob("*")) == before
        written = [path for path in tmp_path.rglob("*") if path.is_file()]
        assert [path for path in written if "一句谁也不会说的话".encode() in path.read_bytes()] == []

    def test_a_log_that_cannot_be_written_is_a_warning(self, tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
        log = str(tmp_path / "none" / "x.jsonl")
        result = CliRunner().invoke(app, ["rewrite", "保修多久", "--log", log])
        assert result.exit_code == 0
        assert "rewrites are not logged" in caplog.text


def test_a_program_may_name_models_of_its_own_and_the_command_line_wins(run: Run, model_server: Any) -> None:
    model_server.answer = lambda _: "暖汐台灯的价格\n暖汐台灯的用途"
    common = (
        "rewrite",
        "介绍一下暖汐台灯",
        "--set",
        "expand.decomposition=true",
        "--set",
        "lms={decomposition: openai/large}",
    )
    address = ("--api-base", model_server.api_base)
    run(*common, "--lm", "openai/small", *address)
    run(*common, "--lm", "openai/small", "--lm-for", "decomposition=openai/other", *address)
    assert [request["model"] for request in model_server.requests] == ["large", "other"]
    run(*common)  # without a model at all the rules do it
    assert len(model_server.requests) == 2
