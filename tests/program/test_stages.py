"""Every stage of the pipeline in its place: switches, fallbacks, time, and what each may see. Examples invented, in both languages."""

import asyncio
import threading
import time
from datetime import date
from typing import Any, ClassVar

import dspy
import numpy as np
import pytest

from data.errors import ConfigError
from data.records import Passage
from program.overrides import with_overrides
from program.pipeline import PIPELINE
from program.result import FusedHit, Retrieved
from program.retrieval.retriever import Hit, RankedList
from program.rewrite_cache import RewriteCache
from program.rewrite_program import RewriteProgram, retrieved_of
from program.rules.gazetteer import Gazetteer
from program.settings import Settings
from program.sql.tables import Tables

PASSAGES = [
    Passage(id="lamp-price", title="暖汐台灯", text="暖汐台灯的价格是 259 元。"),
    Passage(id="lamp-care", title="暖汐台灯", text="暖汐台灯的保修期为三年，凭发票。"),
    Passage(id="maker", title="暖汐台灯", text="暖汐台灯由柏原电子制造。"),
    Passage(id="city", title="柏原电子", text="柏原电子的总部设在宁溪。"),
    Passage(id="kettle-price", title="Brindle kettle", text="The Brindle kettle costs 39 euros."),
    Passage(id="kettle-care", title="Brindle kettle", text="The Brindle kettle has a warranty of two years."),
]
LAMP = [{"role": "user", "content": "有暖汐台灯吗"}, {"role": "assistant", "content": "有，暖汐台灯有现货。"}]
KETTLE = [
    {"role": "user", "content": "Do you have the Brindle kettle?"},
    {"role": "assistant", "content": "Yes, the Brindle kettle is in stock."},
]
EVERYTHING = [
    "window.summary=true", "window.turns=1", "gate.ask_lm=true", "rewrite.ask_lm=follow_ups", "expand.multi_query=3",
    "expand.decomposition=true", "expand.multi_hop=true", "expand.step_back=true", "expand.hyde=true", "route.ask_lm=true", "rerank=lm",
]  # fmt: skip
LONG = [*KETTLE, *LAMP, *LAMP, *LAMP]


@pytest.fixture
def retriever(toy_retriever):
    return toy_retriever(PASSAGES)


def run(query: str, history: Any = None, *assignments: str, lm=None, rm=None, **given: Any) -> Retrieved:
    context = {name: given.pop(name) for name in list(given) if name in ("tables", "reranker", "rewrite_cache", "lms")}
    program = RewriteProgram(with_overrides(Settings(), assignments))
    with dspy.context(lm=lm, rm=rm, **context):
        return retrieved_of(program(query=query, history=history, **given))


def steps(result: Retrieved) -> dict[str, Any]:
    return {step.stage: step for step in result.trace}


def kinds(result: Retrieved) -> list[str]:
    return [query.kind for query in result.queries]


def texts(result: Retrieved, kind: str) -> list[str]:
    return [query.text for query in result.queries if query.kind == kind]


class TestTime:
    @pytest.mark.parametrize(
        ("query", "history"), [("它保修多久?", LONG), ("how long is its warranty?", [*LAMP, *KETTLE, *KETTLE])]
    )
    def test_every_model_stage_hangs_and_the_turn_still_answers_in_its_budget(
        self, scripted_lm, retriever, query, history
    ) -> None:
        run(query, history, rm=retriever)  # words are loaded now, not within the budget
        free = threading.Event()
        lm = scripted_lm(reply=lambda _: str(free.wait(60))[:0])
        try:
            start = time.monotonic()
            result = run(query, history, *EVERYTHING, "time.budget_ms=1000", lm=lm, rm=retriever)
            first_s = time.monotonic() - start
            start = time.monotonic()
            again = run(query, history, *EVERYTHING, "time.budget_ms=30000", lm=lm, rm=retriever)
            second_s = time.monotonic() - start
        finally:
            free.set()
        assert first_s < 5  # a generous margin: machines are busy
        assert result.hits
        assert result.degraded is False
        late = [one for one in result.fallbacks if one.reason.startswith(("out of time", "no time"))]
        assert {one.stage for one in late} >= {"summary", "router"}
        # Without the breaker the second turn would wait for 24 seconds.
        assert second_s < 10
        assert again.hits == result.hits
        assert any("left alone" in one.reason for one in again.fallbacks)

    def test_a_retriever_that_hangs_is_given_up_and_said(self, retriever) -> None:
        free = threading.Event()

        class Hanging:
            gazetteer = retriever.gazetteer

            def search(self, queries, depth):
                free.wait(60)

        result = run("它保修多久?", LAMP, "time.budget_ms=300", rm=Hanging())
        free.set()
        assert (result.hits, result.degraded) == ((), True)
        assert "search_original" in [one.stage for one in result.fallbacks]

    def test_independent_model_stages_are_asked_at_the_same_time(self, scripted_lm, retriever) -> None:
        """Each of the five waits for the other four: one after another they would never answer."""
        together = threading.Barrier(5, timeout=30)
        lm = scripted_lm(reply=lambda _: "暖汐台灯保修多久" if together.wait() >= 0 else "")
        asked = [
            "rewrite.ask_lm=follow_ups",
            "expand.multi_query=3",
            "expand.decomposition=true",
            "expand.step_back=true",
            "expand.hyde=true",
        ]
        result = run("它保修多久?", LAMP, *asked, lm=lm, rm=retriever)
        assert sum(step.lm_calls for step in result.trace) == 5
        assert {one.stage for one in result.fallbacks} <= {"guard"}  # none broke the barrier or ran out of time

    def test_the_original_is_searched_while_the_model_still_thinks(self, scripted_lm, retriever) -> None:
        def reply(_: str) -> str:
            for _ in range(3000):
                if retriever.searched:
                    return "暖汐台灯保修多久"
                time.sleep(0.01)
            return pytest.fail("the original was not searched")

        result = run("它保修多久?", LAMP, "rewrite.ask_lm=follow_ups", lm=scripted_lm(reply=reply), rm=retriever)
        assert retriever.searched[0] == "它保修多久?"
        assert kinds(result)[:2] == ["original", "rewrite"]

    def test_the_caller_may_lift_the_limit(self, scripted_lm, retriever) -> None:
        lm = scripted_lm(reply=lambda _: time.sleep(0.3) or "暖汐台灯保修多久")  # type: ignore[func-returns-value]
        with dspy.context(budget_ms=float("inf")):
            result = run("它保修多久?", LAMP, "rewrite.ask_lm=follow_ups", "time.budget_ms=10", lm=lm, rm=retriever)
        assert texts(result, "rewrite") == ["暖汐台灯保修多久"]


@pytest.mark.parametrize("budget_ms", [0, -1, float("nan")])
def test_a_budget_that_is_none_is_refused(budget_ms) -> None:
    with dspy.context(budget_ms=budget_ms), pytest.raises(ConfigError, match="budget_ms"):
        RewriteProgram()(query="灯")


class TestSwitches:
    def test_everything_off_costs_no_call(self, scripted_lm, retriever) -> None:
        result = run(
            "它保修多久?", LAMP, "rewrite.ask_lm=never", "rewrite.rules=false", "gate.rules=false", "route.rules=false",
            lm=scripted_lm(), rm=retriever,
        )  # fmt: skip
        assert kinds(result) == ["original"]
        off = {step.stage for step in result.trace if step.reason == "switched off"}
        assert off >= {
            "gate",
            "intent",
            "summary",
            "plan",
            "rewrite",
            "multi_query",
            "decomposition",
            "step_back",
            "hyde",
            "rerank",
            "sql",
        }

    def test_the_trace_has_every_stage_once_in_the_order_of_the_pipeline(self, retriever) -> None:
        assert [step.stage for step in run("它保修多久?", LAMP, rm=retriever).trace] == [
            stage.name for stage in PIPELINE
        ]

    @pytest.mark.parametrize(
        "query",
        ["谢谢啦", "你好", "12 乘以 7 等于多少", "把我问过的列一下", "thanks a lot", "hi there!", "what is 12 * 7?"],
    )
    def test_a_turn_that_needs_no_search_costs_nothing_whatever_is_switched_on(
        self, scripted_lm, retriever, query
    ) -> None:
        result = run(query, LONG, *EVERYTHING[2:], lm=scripted_lm(), rm=retriever)
        assert result.intent != "retrieval"
        assert (result.queries, result.hits, retriever.searched, result.rewritten) == ((), (), [], query)

    @pytest.mark.parametrize(
        "query", ["你好，请问暖汐台灯多少钱", "help", "好的，那保修呢?", "hello, what does the Brindle kettle cost?"]
    )
    def test_a_greeting_with_a_question_is_a_question(self, retriever, query) -> None:
        result = run(query, LAMP, rm=retriever)
        assert result.intent == "retrieval"
        assert retriever.searched[0] == query

    def test_the_users_own_words_reach_the_gate(self, retriever) -> None:
        assert run("歪歪", None, "gate.words.greeting=[歪歪]", rm=retriever).intent == "greeting"


class TestGateModel:
    def unsure(self) -> str:
        return "？？"

    def test_it_is_asked_only_where_the_rules_are_unsure_and_sees_no_scene_and_no_history(
        self, scripted_lm, retriever
    ) -> None:
        lm = scripted_lm("chitchat")
        result = run(
            self.unsure(), LAMP, "gate.ask_lm=true", "rewrite.ask_lm=never", lm=lm, rm=retriever, scene="暖汐客服"
        )
        assert (result.intent, result.hits) == ("chitchat", ())
        assert "客服" not in lm.script.prompts[0]
        assert "有暖汐台灯吗" not in lm.script.prompts[0]

    @pytest.mark.parametrize("answer", ["banana", "", ConnectionError("down"), "greeting or retrieval, hard to say"])
    def test_whatever_it_cannot_say_is_searched(self, scripted_lm, retriever, answer) -> None:
        result = run(
            self.unsure(), None, "gate.ask_lm=true", "rewrite.ask_lm=never", lm=scripted_lm(answer), rm=retriever
        )
        assert result.intent == "retrieval"
        assert kinds(result) == ["original"]


class TestScene:
    @pytest.mark.parametrize(("query", "history"), [("它保修多久?", LAMP), ("how long is its warranty?", KETTLE)])
    def test_it_reaches_the_rewriter_and_a_call_comes_before_the_settings(self, scripted_lm, query, history) -> None:
        for given, said in [({}, "scene: 家电客服"), ({"scene": "kettle shop"}, "scene: kettle shop")]:
            lm = scripted_lm(query)
            run(query, history, "rewrite.ask_lm=follow_ups", "rewrite.scene=家电客服", lm=lm, **given)
            assert said in lm.script.prompts[0]


class TestSummary:
    def test_what_is_older_than_the_window_is_summed_up_once_a_block(self, scripted_lm, retriever) -> None:
        lm = scripted_lm(
            ("Brindle", "用户先问了 Brindle 水壶，有现货。"), ("用户先问了 Brindle 水壶", "暖汐台灯保修多久")
        )
        run(
            "它保修多久?",
            [*KETTLE, *LAMP],
            "window.summary=true",
            "window.turns=1",
            "rewrite.ask_lm=follow_ups",
            lm=lm,
            rm=retriever,
        )
        assert len(lm.script.prompts) == 2

    def test_a_failing_summary_leaves_the_window(self, scripted_lm, retriever) -> None:
        lm = scripted_lm(ConnectionError("down"), "暖汐台灯保修多久")
        result = run(
            "它保修多久?",
            [*KETTLE, *LAMP],
            "window.summary=true",
            "window.turns=1",
            "rewrite.ask_lm=follow_ups",
            lm=lm,
            rm=retriever,
        )
        assert result.rewritten == "暖汐台灯保修多久"
        assert [one.stage for one in result.fallbacks] == ["summary"]

    def test_a_short_chat_has_none(self, scripted_lm) -> None:
        assert (
            steps(run("它保修多久?", LAMP, "window.summary=true", "rewrite.ask_lm=never", lm=scripted_lm()))[
                "summary"
            ].status
            == "skipped"
        )


class TestExpansions:
    def test_more_than_asked_repeats_other_languages_and_drift_are_dropped(self, scripted_lm, retriever) -> None:
        lines = [
            "暖汐台灯的价格是多少",
            "暖汐台灯的价格是多少？",
            "How much is the lamp?",
            "今天天气如何",
            "暖汐台灯售价",
            "台灯价格表",
        ]
        answer = "\n".join(["以下是改写：", *(f"{number}. {line}" for number, line in enumerate(lines, start=1))])
        result = run(
            "暖汐台灯多少钱", None, "expand.multi_query=3", "rewrite.ask_lm=never", lm=scripted_lm(answer), rm=retriever
        )
        variants = texts(result, "multi_query")
        assert 1 <= len(variants) <= 3
        assert len(set(variants)) == len(variants)
        assert all("台灯" in text for text in variants)
        assert result.queries[0].text == "暖汐台灯多少钱"

    def test_a_made_up_passage_is_searched_by_vectors_alone_beside_the_query(self, scripted_lm) -> None:
        searched: list[str] = []

        class Both:
            gazetteer = Gazetteer()

            def search(self, queries, depth):
                searched.extend(queries)
                bm25 = RankedList(engine="bm25", hits=(Hit(id="words", score=9.0, source="s1", text="词"),))
                vector = RankedList(engine="vector", hits=(Hit(id="sense", score=0.9, source="s2", text="义"),))
                return [[bm25, vector] for _ in queries]

        lm = scripted_lm("暖汐台灯的价格为 259 元，含两年保修。")
        result = run(
            "暖汐台灯多少钱", None, "expand.hyde=true", "fusion.original=0", "rewrite.ask_lm=never", lm=lm, rm=Both()
        )
        (passage,) = [query for query in result.queries if query.kind == "hyde"]
        assert passage.route == "vector"
        assert searched == ["暖汐台灯多少钱", passage.text]
        found = {hit.id: hit.found_by for hit in result.hits}
        assert "hyde" in found["sense"]
        assert "hyde" not in found["words"]

    def test_a_made_up_passage_in_another_language_is_dropped(self, scripted_lm, retriever) -> None:
        lm = scripted_lm("The Nuanxi desk lamp costs 259 yuan and comes with a warranty.")
        result = run("暖汐台灯多少钱", None, "expand.hyde=true", "rewrite.ask_lm=never", lm=lm, rm=retriever)
        assert kinds(result) == ["original"]
        assert [one.stage for one in result.fallbacks] == ["guard"]

    @pytest.mark.parametrize("answer", ["", "```\n```", "[", "{", ConnectionError("down"), TimeoutError()])
    @pytest.mark.parametrize(
        "switch",
        [
            "expand.multi_query=3",
            "expand.decomposition=true",
            "expand.step_back=true",
            "expand.hyde=true",
            "expand.plan=true",
        ],
    )
    def test_whatever_a_model_gives_the_original_is_searched(self, scripted_lm, retriever, switch, answer) -> None:
        result = run("暖汐台灯多少钱", None, switch, "rewrite.ask_lm=never", lm=scripted_lm(answer), rm=retriever)
        assert kinds(result) == ["original"]
        assert result.hits
        assert result.degraded is False


class TestPlan:
    def test_one_call_gives_everything_and_the_rewrite_is_guarded(self, scripted_lm, retriever) -> None:
        plan = '{"rewrite": "暖汐台灯保修多久", "variants": ["暖汐台灯的保修期", "How long?"], "keywords": ["暖汐台灯", "保修"]}'
        answer = f"Sure!\n```json\n{plan}\n```"
        result = run(
            "它保修多久?",
            LAMP,
            "expand.plan=true",
            "expand.hyde=true",
            "rewrite.ask_lm=follow_ups",
            lm=scripted_lm(answer),
            rm=retriever,
        )
        assert result.queries[0].kind == "original"
        assert result.rewritten == "暖汐台灯保修多久"
        assert texts(result, "multi_query") == ["暖汐台灯的保修期"]
        assert texts(result, "keywords") == ["暖汐台灯 保修"]
        assert sum(step.lm_calls for step in result.trace) == 1

    def test_its_bad_rewrite_leaves_the_rest(self, scripted_lm, retriever) -> None:
        answer = '{"rewrite": "约 3 年", "variants": ["暖汐台灯保修期"], "keywords": []}'
        result = run(
            "它保修多久?", LAMP, "expand.plan=true", "rewrite.ask_lm=follow_ups", lm=scripted_lm(answer), rm=retriever
        )
        assert "rewrite" not in kinds(result)
        assert texts(result, "multi_query") == ["暖汐台灯保修期"]


class TestHops:
    SWITCHES = ("expand.decomposition=true", "expand.multi_hop=true", "rewrite.ask_lm=never")

    def test_a_later_question_gets_the_answer_of_an_earlier_one(self, scripted_lm, retriever) -> None:
        lm = scripted_lm("1. 暖汐台灯由哪家公司制造\n2. #1 的总部在哪里", ("暖汐台灯由柏原电子制造", "柏原电子 [1]"))
        result = run("制造暖汐台灯的公司总部在哪里", None, *self.SWITCHES, lm=lm, rm=retriever)
        assert texts(result, "decomposition") == ["暖汐台灯由哪家公司制造", "柏原电子 的总部在哪里"]
        assert "city" in [hit.id for hit in result.hits]

    @pytest.mark.parametrize("answer", ["NOT IN THE PASSAGES", "", ConnectionError("down")])
    def test_without_the_earlier_answer_the_later_question_is_left_out(self, scripted_lm, retriever, answer) -> None:
        lm = scripted_lm("1. 暖汐台灯由哪家公司制造\n2. #1 的总部在哪里", answer)
        result = run("制造暖汐台灯的公司总部在哪里", None, *self.SWITCHES, lm=lm, rm=retriever)
        assert texts(result, "decomposition") == ["暖汐台灯由哪家公司制造"]
        assert "hops" in [one.stage for one in result.fallbacks]

    def test_a_call_that_hangs_is_counted(self, scripted_lm, retriever) -> None:
        free = threading.Event()
        plan = "1. 暖汐台灯由哪家公司制造\n2. #1 的总部在哪里"
        lm = scripted_lm(reply=lambda prompt: str(free.wait(60))[:0] if "柏原" in prompt else plan)
        result = run("制造暖汐台灯的公司总部在哪里", None, *self.SWITCHES, "time.budget_ms=1000", lm=lm, rm=retriever)
        free.set()
        assert steps(result)["hops"].reason.startswith("out of time")
        assert [steps(result)[name].lm_calls for name in ("decomposition", "hops")] == [1, 1]

    def test_switched_off_a_question_with_a_gap_is_not_searched(self, scripted_lm, retriever) -> None:
        lm = scripted_lm("1. 暖汐台灯由哪家公司制造\n2. #1 的总部在哪里")
        result = run("制造暖汐台灯的公司总部在哪里", None, self.SWITCHES[0], self.SWITCHES[2], lm=lm, rm=retriever)
        assert texts(result, "decomposition") == ["暖汐台灯由哪家公司制造"]


class TestTerms:
    def test_the_corpus_words_are_added_and_nothing_is_taken_away(self, retriever) -> None:
        result = run("那个亮玩意多少钱", None, "terms=[{says: 亮玩意, means: [暖汐台灯]}]", rm=retriever)
        (added,) = texts(result, "terms")
        assert added.startswith("那个亮玩意多少钱")
        assert "暖汐台灯" in added
        assert result.hits[0].id == "lamp-price"
        assert result.queries[0].text == "那个亮玩意多少钱"

    @pytest.mark.parametrize(
        ("query", "date_"), [("昨天的会议纪要", "2026"), ("minutes of yesterday's meeting", "2026")]
    )
    def test_relative_dates_are_left_alone_without_a_clock(self, retriever, query, date_) -> None:
        assert kinds(run(query, None, rm=retriever)) == ["original"]
        (added,) = texts(run(query, None, rm=retriever, today=date(2026, 3, 1)), "terms")
        assert added.startswith(query)
        assert date_ in added


class TestRoutes:
    @pytest.fixture
    def tables(self, tmp_path):
        path = tmp_path / "商品.csv"
        path.write_text("名称,价格\n暖汐台灯,259\n云雀打印机,899\n浅川风扇,129\n", encoding="utf-8")
        with_tables = Tables.open([path])
        yield with_tables
        with_tables.close()

    def test_a_question_about_numbers_goes_to_the_table_and_to_the_passages(
        self, scripted_lm, retriever, tables
    ) -> None:
        lm = scripted_lm('```sql\nSELECT "名称", "价格" FROM "商品" WHERE "价格" > 200 ORDER BY "价格" DESC\n```')
        result = run("价格超过 200 元的商品有哪些", None, "rewrite.ask_lm=never", lm=lm, rm=retriever, tables=tables)
        rows = [hit for hit in result.hits if hit.found_by == ("sql",)]
        assert ["云雀打印机" in rows[0].text, "暖汐台灯" in rows[1].text, len(rows)] == [True, True, 2]
        assert "SELECT" in steps(result)["sql"].details["sql"]
        assert retriever.searched

    @pytest.mark.parametrize(
        "answer",
        ["DROP TABLE 商品", "SELECT * FROM '/etc/passwd'", "我不会", "", "SELECT 1; SELECT 2", ConnectionError("down")],
    )
    def test_a_query_that_fails_leaves_the_passages(self, scripted_lm, retriever, tables, answer) -> None:
        lm = scripted_lm(answer, reply=lambda _: "")
        result = run("价格超过 200 元的商品有哪些", None, "rewrite.ask_lm=never", lm=lm, rm=retriever, tables=tables)
        assert not [hit for hit in result.hits if hit.found_by == ("sql",)]
        assert [one.stage for one in result.fallbacks] == ["sql"]
        assert result.degraded is False

    def test_without_tables_it_is_searched_as_ever(self, scripted_lm, retriever) -> None:
        result = run("价格超过 200 元的商品有哪些", None, "rewrite.ask_lm=never", lm=scripted_lm(), rm=retriever)
        assert kinds(result) == ["original"]

    def test_a_model_number_trusts_the_words_more(self, retriever) -> None:
        (query,) = run("WF-1000XM4 多少钱", None, rm=retriever).queries
        assert query.route == "keyword"

    @pytest.mark.parametrize(
        ("answer", "route"),
        [("keyword", "keyword"), ("SQL, vector", "hybrid"), ("banana", "hybrid"), (ConnectionError("down"), "hybrid")],
    )
    def test_the_model_routes_what_the_rules_do_not(self, scripted_lm, retriever, answer, route) -> None:
        result = run(
            "暖汐台灯怎么样", None, "route.ask_lm=true", "rewrite.ask_lm=never", lm=scripted_lm(answer), rm=retriever
        )
        assert result.queries[0].route == route


class TestRerank:
    def test_the_model_may_order_more_hits_than_are_returned(self, scripted_lm, retriever) -> None:
        plain = run("暖汐台灯", None, "k=5", rm=retriever)
        lm = scripted_lm(reply=lambda prompt: "3 > 2 > 1")
        result = run("暖汐台灯", None, "k=2", "rerank=lm", "rewrite.ask_lm=never", lm=lm, rm=retriever)
        assert [hit.id for hit in result.hits] == [plain.hits[2].id, plain.hits[1].id]

    @pytest.mark.parametrize("answer", ["", "no idea", ConnectionError("down")])
    def test_without_an_order_fusion_has_the_last_word(self, scripted_lm, retriever, answer) -> None:
        plain = run("暖汐台灯", None, rm=retriever)
        result = run("暖汐台灯", None, "rerank=lm", "rewrite.ask_lm=never", lm=scripted_lm(answer), rm=retriever)
        assert result.hits == plain.hits
        assert [one.stage for one in result.fallbacks] == ["rerank"]

    def test_a_reranker_of_ones_own_sees_both_queries(self, retriever) -> None:
        seen: list[Any] = []

        def backwards(query: str, rewritten: str, hits: list[FusedHit]) -> list[FusedHit]:
            seen.append((query, rewritten))
            return list(reversed(hits))

        plain = run("它保修多久?", LAMP, rm=retriever)
        result = run("它保修多久?", LAMP, "rerank=given", rm=retriever, reranker=backwards)
        assert [hit.id for hit in result.hits] == [hit.id for hit in reversed(plain.hits)][: len(result.hits)]
        assert seen == [("它保修多久?", plain.rewritten)]

    @pytest.mark.parametrize("broken", [lambda *_: [], lambda query, rewritten, hits: 1 / 0, None])
    def test_a_broken_one_changes_nothing(self, retriever, broken) -> None:
        plain = run("暖汐台灯", None, rm=retriever)
        assert [hit.id for hit in run("暖汐台灯", None, "rerank=given", rm=retriever, reranker=broken).hits] == [
            hit.id for hit in plain.hits
        ]


class TestCache:
    def test_the_same_turn_again_asks_nothing_and_gives_the_same(self, scripted_lm, retriever, tmp_path) -> None:
        switches = ("rewrite.ask_lm=follow_ups", "expand.multi_query=3")
        lm = scripted_lm(reply=lambda prompt: "暖汐台灯的保修期多久" if "rewrite:" in prompt else "1. 暖汐台灯保修年限")
        first = run("它保修多久?", LAMP, *switches, lm=lm, rm=retriever, rewrite_cache=RewriteCache(tmp_path))
        again = run("它保修多久?", LAMP, *switches, lm=lm, rm=retriever, rewrite_cache=RewriteCache(tmp_path))
        assert (again.queries, again.hits) == (first.queries, first.hits)
        assert len(lm.script.prompts) == 2
        assert [sum(step.lm_calls for step in one.trace) for one in (first, again)] == [2, 0]

    def test_another_window_query_prompt_or_scene_is_another_key(self, scripted_lm, retriever, tmp_path) -> None:
        lm = scripted_lm(reply=lambda _: "暖汐台灯的保修期多久")
        cache = RewriteCache(tmp_path)
        given: list[dict[str, Any]] = [
            {},
            {"query": "它保修几年?"},
            {"history": [*KETTLE, *LAMP]},
            {"scene": "客服"},
            {"demos": True},
        ]
        for one in given:
            program = RewriteProgram(with_overrides(Settings(), ["rewrite.ask_lm=follow_ups"]))
            if one.pop("demos", False):
                program.coreference.demos = [dspy.Example(history="", entities="", query="价格", rewrite="台灯价格")]
            with dspy.context(lm=lm, rm=retriever, rewrite_cache=cache):
                program(**{"query": "它保修多久?", "history": LAMP, **one})
        assert len(lm.script.prompts) == len(given)

    def test_a_failure_is_not_kept(self, scripted_lm, retriever, tmp_path) -> None:
        lm = scripted_lm(ConnectionError("down"), "暖汐台灯的保修期多久")
        for _ in range(2):
            result = run(
                "它保修多久?",
                LAMP,
                "rewrite.ask_lm=follow_ups",
                lm=lm,
                rm=retriever,
                rewrite_cache=RewriteCache(tmp_path),
            )
        assert texts(result, "rewrite") == ["暖汐台灯的保修期多久"]


class TestAsync:
    def test_turns_do_not_hold_up_the_loop(self, scripted_lm, retriever) -> None:
        """Four turns at once, each waiting for the model calls of the others: a loop that was held up would never get there."""
        together = threading.Barrier(4, timeout=30)

        def reply(prompt: str) -> str:
            together.wait()
            return prompt.rsplit("query: ", 1)[-1].split("\n", maxsplit=1)[0].replace("它", "暖汐台灯")

        program = RewriteProgram(with_overrides(Settings(), ["rewrite.ask_lm=follow_ups"]))
        queries = [f"它保修{name}吗" for name in ("灯罩", "电池", "插头", "底座")]

        async def all_of_them() -> list[Any]:
            return await asyncio.gather(*(program.acall(query=query, history=LAMP) for query in queries))

        with dspy.context(lm=scripted_lm(reply=reply), rm=retriever):
            results = [retrieved_of(one) for one in asyncio.run(all_of_them())]
        assert [one.rewritten for one in results] == [query.replace("它", "暖汐台灯") for query in queries]


class TestDrift:
    class Embedder:
        """Texts are alike where both speak of a term, or neither does."""

        identity = "toy/1"

        def embed(self, texts, role):
            return np.array([[1.0, 0.0] if "期限" in text else [0.0, 1.0] for text in texts], dtype=np.float32)

    @pytest.fixture
    def embedding(self, retriever):
        retriever.embedder = self.Embedder()
        return retriever

    HISTORY: ClassVar = [
        *LAMP,
        {"role": "user", "content": "暖汐台灯一共有几种颜色可以选择"},
        {"role": "assistant", "content": "三种。"},
    ]

    def ask(self, lm, rm, *assignments: str) -> Retrieved:
        return run(
            "它的保修期限从哪一天开始计算", self.HISTORY, "rewrite.ask_lm=follow_ups", *assignments, lm=lm, rm=rm
        )

    def test_a_rewrite_far_from_its_turn_is_refused_by_the_threshold_of_its_embedder(
        self, scripted_lm, embedding
    ) -> None:
        far, near = "暖汐台灯的保修从哪一天开始计算", "暖汐台灯的保修期限从哪一天开始计算"
        assert texts(self.ask(scripted_lm(far), embedding), "rewrite") == [far]
        assert texts(self.ask(scripted_lm(far), embedding, "guard.drift={another/2: 0.9}"), "rewrite") == [far]
        assert texts(self.ask(scripted_lm(near), embedding, "guard.drift={toy/1: 0.9}"), "rewrite") == [near]
        refused = self.ask(scripted_lm(far), embedding, "guard.drift={toy/1: 0.9}")
        assert texts(refused, "rewrite") == []
        assert "rewrite: drift" in steps(refused)["guard"].reason

    def test_an_embedder_that_fails_judges_nothing(self, scripted_lm, embedding) -> None:
        embedding.embedder.embed = lambda *_: 1 / 0
        near = "暖汐台灯的保修期限从哪一天开始计算"
        result = self.ask(scripted_lm(near), embedding, "guard.drift={toy/1: 0.9}")
        assert texts(result, "rewrite") == [near]
        assert [one.stage for one in result.fallbacks] == ["drift"]


class TestOneEngineLeft:
    @pytest.mark.parametrize("share", ["0.0", "0.5", "1.0"])
    def test_it_has_all_the_votes_whatever_share_the_program_gives_it(self, retriever, share) -> None:
        """A program tuned for vectors alone still answers where they are down, or were never built."""
        result = run("暖汐台灯多少钱", None, f"fusion.vector_share={share}", rm=retriever)
        assert result.hits[0].id == "lamp-price"
        assert result.hits[0].score == 1.0


class TestOddCombinations:
    """What a hostile reviewer tried."""

    def test_a_failing_plan_of_queries_leaves_the_original(self, retriever, monkeypatch) -> None:
        from program.stages import queries as stage

        def fail(query: str, **given: Any) -> Any:
            if "rewrite" in given:
                raise ValueError(query)
            return plan(query, **given)

        plan = stage.plan_queries
        monkeypatch.setattr(stage, "plan_queries", fail)
        result = run("Brindle kettle warranty", KETTLE, rm=retriever)
        assert kinds(result) == ["original"]
        assert result.hits[0].id == "kettle-care"
        assert [one.stage for one in result.fallbacks] == ["queries"]

    @pytest.mark.parametrize(
        "query", ["what is the sum of 3 and 5", "我一共问了多少个问题", "how many questions did I ask?"]
    )
    def test_a_turn_that_is_not_searched_asks_for_no_sql(self, scripted_lm, retriever, tmp_path, query) -> None:
        (tmp_path / "lamps.csv").write_text("name,price\n暖汐,259\n", encoding="utf-8")
        with Tables.open([str(tmp_path / "lamps.csv")]) as tables:
            result = run(query, LAMP, lm=scripted_lm(), rm=retriever, tables=tables)
        assert result.intent != "retrieval"
        assert steps(result)["sql"].reason == f"gate: {result.intent}"

    def test_without_its_rules_the_model_alone_routes(self, scripted_lm, retriever) -> None:
        off = ["route.rules=false", "route.ask_lm=true", "rewrite.ask_lm=never"]
        result = run("“暖汐台灯” 的价格", None, *off, lm=scripted_lm("keyword"), rm=retriever)
        assert result.queries[0].route == "keyword"

    def test_a_model_that_reports_no_tokens_and_fails_now_and_then_is_not_left_alone(self, retriever) -> None:
        from dspy.lm15 import Message, Response, TextPart, Usage

        class Engine:
            calls = 0

            def complete(self, request: Any) -> Any:
                self.calls += 1
                if self.calls in (1, 3):
                    raise ConnectionError("reset")
                said = Message.assistant([TextPart("暖汐台灯保修多久")])
                return Response(id=None, model=request.model, message=said, finish_reason="stop", usage=Usage())

        lm = dspy.LM("scripted/model", engine=Engine(), cache=False, num_retries=0)
        turns = [run("它保修多久?", LAMP, "rewrite.ask_lm=follow_ups", lm=lm, rm=retriever) for _ in range(4)]
        assert [bool(texts(turn, "rewrite")) for turn in turns] == [False, True, False, True]

    def test_a_cancelled_task_leaves_no_error_behind(self, scripted_lm, retriever, monkeypatch) -> None:
        thinking, free = threading.Event(), threading.Event()
        left: list[Any] = []
        monkeypatch.setattr(threading, "excepthook", left.append)

        def reply(_: str) -> str:
            thinking.set()
            free.wait(30)
            return "暖汐台灯保修多久"

        async def cancelled() -> None:
            program = RewriteProgram(with_overrides(Settings(), ["rewrite.ask_lm=follow_ups"]))
            with dspy.context(lm=scripted_lm(reply=reply), rm=retriever):
                task = asyncio.create_task(program.acall(query="它保修多久?", history=LAMP))
            await asyncio.to_thread(thinking.wait, 30)
            task.cancel()
            with pytest.raises(asyncio.CancelledError):
                await task

        before = {one for one in threading.enumerate() if one.name.startswith("anaphora-")}
        asyncio.run(cancelled())
        free.set()
        for thread in set(threading.enumerate()) - before:
            if thread.name.startswith("anaphora-"):
                thread.join(30)
        assert left == []

    @pytest.mark.parametrize(
        ("reason", "needs_lm", "asking"),
        [
            ("pronoun", True, ["unsure", "follow_ups", "every_turn"]),
            ("pronoun", False, ["follow_ups", "every_turn"]),
            ("complete", False, ["every_turn"]),
            ("first", False, ["every_turn"]),
        ],
    )
    def test_tuning_knows_when_the_rewriter_asks(self, reason, needs_lm, asking) -> None:
        """A start that asks on every turn must not be scored as one that never asks."""
        from data.records import Turn
        from experiments.tune import TurnCase, recall_with
        from program.rules.resolution import Resolution

        def found(id_: str) -> list[RankedList]:
            return [RankedList(engine="bm25", hits=(Hit(id=id_, score=1.0, source=id_, text=id_),))]

        case = TurnCase(
            turn=Turn(id="t", conversation_id="c", turn=2, query="它保修多久?", relevant_ids=("gold",)),
            rewrite="暖汐台灯保修多久",
            asked=True,
            resolution=Resolution(confidence=0.9, needs_lm=needs_lm, reason=reason),
            expansions=(),
            lists={"它保修多久?": found("noise"), "暖汐台灯保修多久": found("gold")},
            original_recall=0.0,
        )
        modes = ["never", "unsure", "follow_ups", "every_turn"]
        scored = {one: recall_with(case, with_overrides(Settings(), [f"rewrite.ask_lm={one}"])) for one in modes}
        assert scored == {one: float(one in asking) for one in modes}

    def test_a_reranker_that_works_in_place_loses_nothing(self, retriever) -> None:
        plain = run("暖汐台灯保修", None, rm=retriever)

        def careless(query: str, rewritten: str, hits: list[FusedHit]) -> list[FusedHit]:
            hits.clear()
            return hits

        result = run("暖汐台灯保修", None, "rerank=given", rm=retriever, reranker=careless)
        assert [hit.id for hit in result.hits] == [hit.id for hit in plain.hits]
        assert result.hits
