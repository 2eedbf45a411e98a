"""Section B: odd input and failing models. One test (or class) a report, each kind in Chinese and English, all wordings invented here."""

# ruff: noqa: PLR0917 - a test's parameters are fixtures and the columns of its table

import asyncio
import json
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import dspy
import pytest
from dspy.utils.exceptions import AdapterParseError
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from typer.testing import CliRunner

from cli.main import app
from data.records import Message
from program.answer import answer_of
from program.conversation import Conversation
from program.rewrite_program import RewriteProgram, retrieved_of
from program.settings import ExpandSettings, RewriteSettings, Settings
from program.sql.tables import Tables
from signatures.coreference import CoreferenceRewrite

ASKED = "rewrite.ask_lm=follow_ups"
NEVER = "rewrite.ask_lm=never"
PICTURE = "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAA"
FOLLOW_UPS = (
    (("有青禾扫地机吗", "有的。"), "它的保修期多久", "青禾扫地机的保修期多久", "vac-warranty"),
    (("Do you sell the Marlow blender?", "Yes."), "how long is its warranty?", "how long is the warranty of the Marlow blender?",
     "blender-warranty"),
)  # fmt: skip
follow_ups = pytest.mark.parametrize(("said", "query", "rewrite", "found"), FOLLOW_UPS)
LIBERAL = settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])


def texts(result: Any, *kinds: str) -> list[str]:
    return [query.text for query in result.queries if not kinds or query.kind in kinds]


def calls(result: Any) -> int:
    return sum(one.lm_calls for one in result.trace)


def crashes(result: Any) -> list[Any]:
    """Stages of our own that broke; an empty answer is the model's fault (``AdapterParseError``)."""
    return [one for one in result.fallbacks if "Error" in one.reason and "AdapterParseError" not in one.reason]


def ids(result: Any) -> list[str]:
    return [hit.id for hit in result.hits]


class Part:
    """A content part as an object."""

    def __init__(self, text: Any) -> None:
        self.text = text


_words = st.sampled_from(
    ["青禾扫地机", "保修", "它", "the Marlow blender", "warranty", "", " ", "？", "ok", "\ud800", "🙂"]
)
_leaf = st.one_of(st.none(), st.booleans(), st.integers(), st.floats(), _words, st.binary(max_size=4))
_part = st.one_of(
    _words,
    st.builds(lambda text: {"type": "text", "text": text}, st.one_of(_words, st.none(), st.integers())),
    st.just({"type": "image_url", "image_url": {"url": PICTURE}}),
    st.just({"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": PICTURE}}),
    st.just({"type": "input_audio", "input_audio": {"data": PICTURE, "format": "wav"}}),
    st.just({"type": "tool_use", "id": "t1", "name": "lookup", "input": {"secret": 1}}),
    st.builds(Part, _leaf),
    _leaf,
)
_content = st.one_of(
    _leaf, _words, st.lists(_part, max_size=4), st.dictionaries(st.sampled_from(["text", "type"]), _leaf, max_size=2)
)
_role = st.sampled_from(
    ["user", "assistant", "system", "tool", "function", "human", "ai", "USER", "developer", None, 3, ""]
)
_message = st.one_of(
    st.builds(lambda role, content: {"role": role, "content": content}, _role, _content),
    st.builds(lambda role, content: {"type": role, "content": content}, _role, _content),
    st.builds(lambda role, content: SimpleNamespace(type=role, content=content), _role, _content),
    st.builds(lambda content: {"role": "assistant", "content": content, "tool_calls": [{"id": "t1", "type": "function"}]}, _content),
    st.builds(lambda question, rewrite: {"query": question, "rewrite": rewrite}, _words, _words),
    st.builds(Message, role=st.sampled_from(["user", "assistant"]), content=_words),
    st.dictionaries(st.sampled_from(["role", "type", "content", "name"]), _leaf, max_size=3),
    _leaf,
)  # fmt: skip
_messages = st.lists(_message, max_size=8)
_history = st.one_of(
    _messages,
    _messages.map(tuple),
    _messages.map(lambda messages: {"messages": messages}),
    _messages.map(lambda messages: SimpleNamespace(messages=messages)),
    _messages.map(iter),
    _leaf,
)


class TestReport18OddMessages:
    """Tool and system messages and empty ones are skipped, whatever their shape."""

    def odd(self, first: str, answer: str) -> list[Any]:
        return [
            {"role": "system", "content": "secret rules of the house"},
            {"role": "user", "content": first},
            {"role": "assistant", "content": None, "tool_calls": [{"id": "c1", "type": "function", "function": {"name": "stock"}}]},
            {"role": "tool", "tool_call_id": "c1", "content": '{"stock": "secret"}'},
            {"role": "function", "name": "stock", "content": "secret"},
            {"role": "developer", "content": "secret"},
            {"role": "assistant", "content": answer},
            {"role": "user", "content": None},
            {"role": "assistant", "content": ""},
            {"role": "assistant"},
            {"content": "secret"},
            None,
        ]  # fmt: skip

    @follow_ups
    def test_what_was_said_is_still_found(self, turn, scripted_lm, shop, said, query, rewrite, found) -> None:
        lm = scripted_lm((said[0], rewrite))
        result = turn(query, self.odd(*said), ASKED, lm=lm, rm=shop)
        assert result.rewritten == rewrite
        assert ids(result)[0] == found
        assert "secret" not in lm.script.prompts[0]
        assert "None" not in lm.script.prompts[0]
        assert turn(query, self.odd(*said), rm=shop).rewritten != query

    @pytest.mark.parametrize("query", ["它呢?", "what about it?"])
    def test_nothing_but_such_messages_is_a_first_turn(self, turn, scripted_lm, shop, query) -> None:
        history = [one for one in self.odd("", "") if one is not None]
        result = turn(query, history, ASKED, lm=scripted_lm(), rm=shop)
        assert (result.rewritten, result.fallbacks) == (query, ())

    @given(
        history=_history, query=st.sampled_from(["它的保修期多久", "how long is its warranty?", "那个呢", "谢谢", ""])
    )
    @LIBERAL
    def test_no_history_raises_or_shows_its_inside_to_a_model(self, turn, scripted_lm, shop, history, query) -> None:
        lm = scripted_lm(reply=lambda _: "")
        result = turn(
            query, history, ASKED, "window.summary=true", "window.turns=1", "expand.step_back=true", lm=lm, rm=shop
        )
        assert result.query == query
        assert not crashes(result)
        for prompt in lm.script.prompts:
            said = prompt.partition("[user]")[2]
            assert not [
                word
                for word in ("type", "base64", PICTURE[:14], "tool_", "secret", "None", "{", "[", "object at")
                if word in said
            ]


class TestReport19ContentParts:
    """Texts among the parts are joined, images and the rest are ignored."""

    IMAGES = (
        {"type": "image_url", "image_url": {"url": PICTURE}},
        {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": PICTURE}},
        {"type": "input_audio", "input_audio": {"data": PICTURE, "format": "wav"}},
    )

    @pytest.mark.parametrize("image", IMAGES)
    @follow_ups
    def test_in_the_history(self, turn, scripted_lm, shop, said, query, rewrite, found, image) -> None:
        parts = [image, {"type": "text", "text": said[0]}, image, {"type": "text", "text": "看这里 see here"}]
        history = [
            {"role": "user", "content": parts},
            {"role": "assistant", "content": [{"type": "text", "text": said[1]}]},
        ]
        lm = scripted_lm((f"{said[0]} 看这里 see here", rewrite))
        result = turn(query, history, ASKED, lm=lm, rm=shop)
        assert ids(result)[0] == found
        assert not [
            word for word in ("type", "base64", "{", "data:") if word in lm.script.prompts[0].partition("[user]")[2]
        ]

    @follow_ups
    def test_as_the_query_itself(self, turn, chat, scripted_lm, shop, said, query, rewrite, found) -> None:
        parts = [{"type": "text", "text": query}, self.IMAGES[0]]
        lm = scripted_lm(rewrite)
        result = turn(parts, chat(*said), ASKED, lm=lm, rm=shop)
        assert (result.query, result.rewritten) == (query, rewrite)
        assert "base64" not in lm.script.prompts[0]

    @pytest.mark.parametrize("nothing", [None, [], [IMAGES[0]], 5, {"text": "x"}])
    def test_a_query_without_text_is_blank(self, turn, scripted_lm, shop, nothing) -> None:
        result = turn(nothing, None, ASKED, lm=scripted_lm(), rm=shop)
        assert (result.query, result.queries, shop.searched) == ("", (), [])


EMPTY = ["", " ", "\n\n", "\u3000\t", '""', "``", "```\n\n```", "rewrite:", "**  **"]


@pytest.mark.parametrize("nothing", EMPTY)
@follow_ups
def test_report_21_an_empty_rewrite_leaves_the_original_and_says_so(
    turn, chat, scripted_lm, shop, said, query, rewrite, found, nothing
) -> None:
    result = turn(query, chat(*said), ASKED, "rewrite.rules=false", lm=scripted_lm(nothing), rm=shop)
    assert (result.rewritten, texts(result)) == (query, [query])
    assert result.fallbacks[0].stage in ("rewrite", "guard")
    assert all(one.reason for one in result.fallbacks)
    assert result.hits


@pytest.mark.parametrize("nothing", EMPTY[:4])
@pytest.mark.parametrize(
    "switch",
    ["expand.multi_query=3", "expand.decomposition=true", "expand.step_back=true", "expand.hyde=true", "expand.plan=true"],
)  # fmt: skip
@pytest.mark.parametrize("query", ["青禾扫地机的价格", "price of the Marlow blender"])
def test_report_21_an_empty_expansion_too(turn, scripted_lm, shop, query, switch, nothing) -> None:
    result = turn(query, None, NEVER, switch, lm=scripted_lm(nothing), rm=shop)
    assert texts(result) == [query]
    assert [one.stage for one in result.fallbacks] == [switch.partition(".")[2].partition("=")[0]]


class TestReport22BareSentences:
    """A model that ignores the format costs at most its own stage."""

    STAGES = ("gate.ask_lm=true", "expand.multi_query=3", "expand.decomposition=true", "expand.step_back=true", "expand.hyde=true",
              "route.ask_lm=true", "window.summary=true", "window.turns=1", "rerank=lm")  # fmt: skip
    SENTENCES = ("好的，我来帮您看看这个问题。", "Sure, let me have a look at that.", "我不知道", "I don't know")

    @pytest.mark.parametrize("sentence", SENTENCES)
    @pytest.mark.parametrize("adapter", [None, dspy.ChatAdapter(), dspy.JSONAdapter()])
    @follow_ups
    def test_in_every_stage(
        self, turn, chat, scripted_lm, shop, said, query, rewrite, found, sentence, adapter
    ) -> None:
        history = chat("你好", "您好。", *said)
        result = turn(
            query, history, ASKED, *self.STAGES, lm=scripted_lm(reply=lambda _: sentence), rm=shop, adapter=adapter
        )
        assert result.rewritten
        assert sentence not in texts(result)
        assert found in ids(result)

    @pytest.mark.parametrize("adapter", [None, dspy.ChatAdapter(), dspy.JSONAdapter()])
    @follow_ups
    def test_a_bare_rewrite_is_one(self, turn, chat, scripted_lm, shop, said, query, rewrite, found, adapter) -> None:
        result = turn(query, chat(*said), ASKED, lm=scripted_lm(rewrite), rm=shop, adapter=adapter)
        assert (result.rewritten, calls(result)) == (rewrite, 1)

    @follow_ups
    def test_a_parser_that_raises(self, turn, chat, scripted_lm, shop, said, query, rewrite, found) -> None:
        error = AdapterParseError(adapter_name="ChatAdapter", signature=CoreferenceRewrite, lm_response="??")
        result = turn(query, chat(*said), ASKED, "rewrite.rules=false", lm=scripted_lm(error), rm=shop)
        assert (result.rewritten, result.degraded) == (query, False)
        assert [(one.stage, bool(one.reason)) for one in result.fallbacks] == [("rewrite", True)]


@pytest.fixture
def hanging(scripted_lm: Callable[..., Any]) -> Iterator[Any]:
    """A model that never answers while the test runs."""
    free = threading.Event()
    yield scripted_lm(reply=lambda _: str(free.wait(60))[:0])
    free.set()


@follow_ups
def test_report_24_a_model_that_hangs_costs_one_budget_and_later_turns_leave_it_alone(
    turn, chat, hanging, shop, said, query, rewrite, found
) -> None:
    stages = (ASKED, "expand.multi_query=3", "expand.decomposition=true", "expand.step_back=true", "expand.hyde=true")
    first = turn(query, chat(*said), *stages, "time.budget_ms=2500", lm=hanging, rm=shop)
    asked = len(hanging.script.prompts)
    assert asked == 5  # at once, not one after another
    assert ids(first)[0] == found
    assert len([one for one in first.fallbacks if one.reason.startswith("out of time")]) == 5
    later = turn(query, chat(*said), *stages, lm=hanging, rm=shop)
    assert len(hanging.script.prompts) == asked
    assert len([one for one in later.fallbacks if "left alone" in one.reason]) == 5
    assert later.hits == first.hits


@pytest.mark.parametrize("error", [ConnectionError("refused"), TimeoutError(), RuntimeError("503"), ValueError()])
@follow_ups
def test_report_24_a_model_that_is_down_fails_no_turn(
    turn, chat, scripted_lm, shop, said, query, rewrite, found, error
) -> None:
    def refuse(_: str) -> str:
        raise error

    result = turn(query, chat(*said), ASKED, "expand.multi_query=3", lm=scripted_lm(reply=refuse), rm=shop)
    assert {one.stage for one in result.fallbacks} == {"rewrite", "multi_query"}
    assert (ids(result)[0], result.degraded) == (found, False)


class TestReport25Expansion:
    """Every expansion has its switch, and those that are on are asked at the same time."""

    SWITCHES = ("expand.multi_query=3", "expand.decomposition=true", "expand.step_back=true", "expand.hyde=true")

    @pytest.mark.parametrize("switch", SWITCHES)
    @pytest.mark.parametrize("query", ["青禾扫地机的价格", "price of the Marlow blender"])
    def test_one_switch_one_call(self, turn, scripted_lm, shop, query, switch) -> None:
        lm = scripted_lm(reply=lambda _: "")
        assert calls(turn(query, None, switch, lm=lm, rm=shop)) == 1
        assert calls(turn(query, None, lm=lm, rm=shop)) == 0

    @follow_ups
    def test_a_slow_model_is_asked_everything_at_once(
        self, turn, chat, scripted_lm, shop, said, query, rewrite, found
    ) -> None:
        together = threading.Barrier(5, timeout=30)  # one after another would break it
        lm = scripted_lm(reply=lambda _: rewrite if together.wait() >= 0 else "")
        result = turn(query, chat(*said), ASKED, *self.SWITCHES, lm=lm, rm=shop)
        assert calls(result) == 5
        assert not [one for one in result.fallbacks if "Broken" in one.reason or "time" in one.reason]


class TestReport26SwitchedOff:
    """What is off is not asked."""

    @follow_ups
    @pytest.mark.parametrize("off", [(NEVER,), (NEVER, "rewrite.rules=false")])
    def test_no_call(self, turn, chat, scripted_lm, shop, said, query, rewrite, found, off) -> None:
        result = turn(query, chat(*said), *off, lm=scripted_lm(), rm=shop)
        assert calls(result) == 0
        assert next(one for one in result.trace if one.stage == "rewrite").reason == "switched off"
        if len(off) > 1:
            assert texts(result) == [query]

    @follow_ups
    def test_from_the_command_line(self, monkeypatch, scripted_lm, indexed, said, query, rewrite, found) -> None:
        monkeypatch.setattr("cli.turn_options.language_models", lambda *_: (scripted_lm(), {}))
        answer = call("rewrite", query, "--history", "-", "--store", indexed, "--set", NEVER, "--set", "rewrite.rules=false",
                      stdin=messages(said))  # fmt: skip
        assert answer["rewritten"] == query


def call(*arguments: Any, stdin: str | None = None) -> Any:
    """Call the command line; its JSON, or a list of them for ``chat``."""
    result = CliRunner().invoke(app, [*map(str, arguments), "--json"], input=stdin)
    assert result.exit_code == 0, (result.stdout, result.stderr, result.exception)
    if arguments[0] == "chat":
        return list(objects(result.stdout))
    return json.loads(result.stdout)


def objects(text: str) -> Iterator[Any]:
    """The JSON objects in a stream of them."""
    while text := text.lstrip():
        found, end = json.JSONDecoder().raw_decode(text)
        text = text[end:]
        yield found


def messages(said: Any) -> str:
    turns = [{"role": ("user", "assistant")[place % 2], "content": text} for place, text in enumerate(said)]
    return json.dumps(turns, ensure_ascii=False)


class TestReport27LongChats:
    """A long conversation is cut to the budget, the newest stays, and the search still answers."""

    FILLER = ("关于仓库盘点的流程说明。" * 170, "Notes about the warehouse stock count. " * 52)

    @follow_ups
    def test_two_hundred_turns(self, turn, scripted_lm, shop, said, query, rewrite, found) -> None:
        history = [
            {"role": ("user", "assistant")[n % 2], "content": f"{n} {self.FILLER[n % 4 // 2]}"[:2000]}
            for n in range(400)
        ]
        history += json.loads(messages(said))
        lm = scripted_lm((said[0], rewrite))
        result = turn(query, history, ASKED, lm=lm, rm=shop)
        assert result.rewritten == rewrite
        assert ids(result)[0] == found
        assert len(lm.script.prompts[0]) < 4000
        assert found in ids(turn(query, history, rm=shop))

    @follow_ups
    def test_one_message_of_fifty_thousand_characters(
        self, turn, scripted_lm, shop, said, query, rewrite, found
    ) -> None:
        long = (self.FILLER[query.isascii()] * 50)[:50_000]
        history = [{"role": "user", "content": said[0]}, {"role": "assistant", "content": long}]
        lm = scripted_lm((said[0], rewrite))
        result = turn(query, history, ASKED, lm=lm, rm=shop)
        assert ids(result)[0] == found
        assert len(lm.script.prompts[0]) < 3000

    @pytest.mark.parametrize("text", ["青禾扫地机的保修期 ", "the warranty of the Marlow blender "])
    def test_a_query_of_fifty_thousand_characters(self, turn, chat, scripted_lm, shop, text) -> None:
        query = (text * 5000)[:50_000]
        lm = scripted_lm(reply=lambda _: "")
        result = turn(
            query, chat("你好", "您好。"), ASKED, "expand.multi_query=3", "expand.decomposition=true", lm=lm, rm=shop
        )
        assert result.hits
        assert all(len(prompt) < 5000 for prompt in lm.script.prompts)


class TestReport28Decomposition:
    """Whatever surrounds the list, or is missing from it."""

    CASES = (
        ("青禾扫地机和 Marlow blender 哪个保修更久", ["青禾扫地机的保修期多久", "Marlow blender 的保修期多久"]),
        ("What do the Marlow blender and the Otis kettle cost?", ["What does the Marlow blender cost?", "What does the Otis kettle cost?"]),
    )  # fmt: skip
    WHOLE = (
        lambda a, b: f'```json\n["{a}", "{b}"]\n```\nHope this helps!',
        lambda a, b: f'Here are the sub-questions:\n```python\n["{a}", "{b}"]\n```\n希望对您有帮助！',
        lambda a, b: f"```\n1. {a}\n2. {b}\n```\nLet me know if you need more.",
        lambda a, b: f'以下是拆分结果：\n{{"sub_questions": ["{a}", "{b}"]}}',
        lambda a, b: f"['{a}', '{b}',]",
        lambda a, b: f"- {a}\n- {b}\n\nHope this helps",
        lambda a, b: f"sub_questions = [\n    '{a}',\n    '{b}',\n]\nprint(sub_questions)",
        lambda a, b: f'{a}\n{b}',
        lambda a, b: f'[{{"id": 1, "question": "{a}"}}, {{"id": 2, "question": "{b}"}}]',
    )  # fmt: skip
    CUT = (
        lambda a, b: f'["{a}", "{b[: len(b) // 2]}',
        lambda a, b: f'```json\n{{"sub_questions": ["{a}", "{b[: len(b) // 2]}',
        lambda a, b: f'["{a}",',
        lambda a, b: f'[{{"question": "{a}"}}, {{"question": "{b[: len(b) // 2]}',
    )

    @pytest.mark.parametrize("written", WHOLE)
    @pytest.mark.parametrize(("query", "parts"), CASES)
    def test_whole_lists(self, turn, scripted_lm, shop, query, parts, written) -> None:
        result = turn(query, None, "expand.decomposition=true", NEVER, lm=scripted_lm(written(*parts)), rm=shop)
        assert texts(result) == [query, *parts]

    @pytest.mark.parametrize("written", CUT)
    @pytest.mark.parametrize(("query", "parts"), CASES)
    def test_of_a_list_that_was_cut_the_whole_questions(self, turn, scripted_lm, shop, query, parts, written) -> None:
        result = turn(query, None, "expand.decomposition=true", NEVER, lm=scripted_lm(written(*parts)), rm=shop)
        assert texts(result) == [query, parts[0]]

    @pytest.mark.parametrize(
        "written", ["[", "{", "[[[[[[", "```", "null", "[]", "{}", "Hope this helps!", "def split(q):\n    return q"]
    )
    @pytest.mark.parametrize(("query", "parts"), CASES)
    def test_where_nothing_is_to_be_had_the_original(self, turn, scripted_lm, shop, query, parts, written) -> None:
        result = turn(query, None, "expand.decomposition=true", NEVER, lm=scripted_lm(written), rm=shop)
        assert texts(result) == [query]
        assert result.hits

    @given(st.text(alphabet="[]{}\"',:\n`#-1.青禾扫地机 warranty", max_size=80))
    @LIBERAL
    def test_no_answer_crashes_a_turn(self, turn, scripted_lm, shop, written) -> None:
        lm = scripted_lm(written)
        result = turn("青禾扫地机的 warranty", None, "expand.decomposition=true", NEVER, lm=lm, rm=shop)
        assert result.queries[0].text == "青禾扫地机的 warranty"
        assert 1 <= len(result.queries) <= 5
        assert not crashes(result)


class TestReport30Router:
    """More than one choice, or none that is known, is no crash: the passages are searched."""

    ANSWERS = ("SQL, vector", "sql and hybrid", '["sql", "keyword"]', "['vector', 'sql']", "sql\nvector", "关键词、向量", "数据库或混合检索",
               '{"route": ["sql", "hybrid"]}', "graph", "", "both", "route: SQL / vector")  # fmt: skip

    @pytest.mark.parametrize("answer", ANSWERS)
    @pytest.mark.parametrize(
        ("query", "found"),
        [("青禾扫地机的保修期", "vac-warranty"), ("warranty of the Marlow blender", "blender-warranty")],
    )
    def test_without_tables(self, turn, scripted_lm, shop, query, found, answer) -> None:
        result = turn(query, None, NEVER, "route.ask_lm=true", lm=scripted_lm(answer), rm=shop)
        assert ids(result)[0] == found
        assert not [one for one in result.fallbacks if one.stage != "router"]

    @pytest.mark.parametrize("answer", ANSWERS)
    @pytest.mark.parametrize(
        "sql", ["SELECT product, price FROM prices", "SELECT nothing FROM nowhere", "DROP TABLE prices"]
    )
    def test_with_tables_rows_come_beside_the_passages(self, turn, scripted_lm, shop, tmp_path, answer, sql) -> None:
        (tmp_path / "prices.csv").write_text("product,price\n青禾扫地机,1899\nMarlow blender,60\n", encoding="utf-8")
        lm = scripted_lm(reply=lambda prompt: sql if "DuckDB" in prompt else answer)
        with Tables.open([tmp_path / "prices.csv"]) as tables:
            result = turn(
                "warranty of the Marlow blender", None, NEVER, "route.ask_lm=true", lm=lm, rm=shop, tables=tables
            )
        assert "blender-warranty" in ids(result)
        assert result.degraded is False


class TestReport33Variants:
    """Never more than asked for, none twice, and nothing for a blank query."""

    @pytest.mark.parametrize(
        ("query", "answers"),
        [
            (
                "青禾扫地机 K9 的价格",
                [f"青禾扫地机 {k}9 {word}" for word in ("价格", "多少钱", "售价") for k in ("K", "k", "K")],
            ),
            (
                "price of the Marlow blender",
                [
                    f"{marlow} blender {word}"
                    for word in ("price", "cost", "how much")
                    for marlow in ("Marlow", "marlow", "MARLOW")
                ],
            ),
        ],
    )
    def test_nine_of_which_three_differ(self, turn, scripted_lm, shop, query, answers) -> None:
        lm = scripted_lm("\n".join(f"{n}. {text}" for n, text in enumerate(answers, start=1)))
        result = turn(query, None, NEVER, "expand.multi_query=3", lm=lm, rm=shop)
        assert texts(result) == [query, answers[0], answers[3], answers[6]]

    @pytest.mark.parametrize("query", ["   ", "", "\n\t", "\u3000\u3000"])
    def test_a_blank_query_asks_and_searches_nothing(self, turn, chat, scripted_lm, shop, query) -> None:
        switches = (ASKED, "expand.multi_query=3", "expand.hyde=true", "gate.ask_lm=true", "route.ask_lm=true")
        result = turn(query, chat("有青禾扫地机吗", "有。"), *switches, lm=scripted_lm(), rm=shop)
        assert (result.queries, result.hits, shop.searched) == ((), (), [])

    @given(
        count=st.integers(1, 5),
        lines=st.lists(
            st.sampled_from(
                [
                    "青禾扫地机价格",
                    "青禾扫地机 价格",
                    "青禾扫地机价格？",
                    "青禾扫地机A",
                    "青禾扫地机a",
                    "青禾扫地机售价",
                    "扫地机多少钱",
                    "青禾扫地机报价",
                    " ",
                    "青禾扫地机的价格",
                    "扫地机价位",
                    "青禾扫地机卖多少",
                ]
            ),
            max_size=12,
        ),
    )
    @LIBERAL
    def test_they_are_capped_and_distinct(self, turn, scripted_lm, shop, count, lines) -> None:
        lm = scripted_lm("\n".join(f"- {line}" for line in lines))
        result = turn("青禾扫地机的价格", None, NEVER, f"expand.multi_query={count}", lm=lm, rm=shop)
        keys = ["".join(character for character in text.casefold() if character.isalnum()) for text in texts(result)]
        assert len(keys) == len(set(keys)) <= count + 1
        assert texts(result)[0] == "青禾扫地机的价格"


class TestReport34NotTheAnswer:
    """The rewrite is in the trace and the result's own field, and never what the user reads as the answer."""

    @follow_ups
    def test_the_answer_model_is_asked_the_users_question(
        self, turn, chat, scripted_lm, shop, said, query, rewrite, found
    ) -> None:
        result = turn(query, chat(*said), ASKED, lm=scripted_lm(rewrite), rm=shop)
        lm = scripted_lm((f"query: {query}", "Three years [1]."))
        with dspy.context(lm=lm):
            answer = answer_of(RewriteProgram().answerer(result.query, result.hits, chat(*said)))
        assert rewrite not in answer.text
        assert rewrite not in lm.script.prompts[0]

    @follow_ups
    def test_in_a_chat_on_the_command_line(
        self, monkeypatch, scripted_lm, indexed, said, query, rewrite, found
    ) -> None:
        def reply(prompt: str) -> str:
            return rewrite if prompt.endswith("rewrite:") else "NOT IN THE PASSAGES"

        monkeypatch.setattr("cli.turn_options.language_models", lambda *_: (scripted_lm(reply=reply), {}))
        *_, last = call("chat", "--store", indexed, "--set", ASKED, stdin=f"{said[0]}\n{query}\n")
        assert last["rewritten"] == rewrite
        assert rewrite not in last["answer"]

    @follow_ups
    def test_streamed(self, chat, scripted_lm, shop, said, query, rewrite, found) -> None:
        async def stream() -> list[Any]:
            program = dspy.streamify(RewriteProgram(Settings(rewrite=RewriteSettings(ask_lm="follow_ups"))))
            with dspy.context(lm=scripted_lm(reply=lambda _: rewrite), rm=shop):
                return [chunk async for chunk in program(query=query, history=chat(*said))]

        *before, prediction = asyncio.run(stream())
        assert isinstance(prediction, dspy.Prediction)
        assert (prediction.query, texts(prediction, "rewrite")) == (query, [rewrite])
        assert not [chunk for chunk in before if rewrite in str(chunk)]


@follow_ups
def test_report_35_a_caller_gets_the_users_words_and_the_rewrite(
    turn, chat, scripted_lm, monkeypatch, indexed, shop, said, query, rewrite, found
) -> None:
    result = turn(query, chat(*said), ASKED, lm=scripted_lm(rewrite), rm=shop)
    assert (result.query, result.rewritten) == (query, rewrite)
    assert [(one.text, one.kind) for one in result.queries[:2]] == [(query, "original"), (rewrite, "rewrite")]
    monkeypatch.setattr("cli.turn_options.language_models", lambda *_: (scripted_lm(rewrite), {}))
    answer = call("retrieve", query, "--history", "-", "--store", indexed, "--set", ASKED, stdin=messages(said))
    assert (answer["query"], answer["rewritten"], answer["hits"][0]["id"]) == (query, rewrite, found)


class TestReport36EveryDoor:
    """The history reaches the rewriter through each public entry point."""

    @pytest.mark.parametrize("command", ["rewrite", "retrieve", "explain"])
    @follow_ups
    def test_command_line(self, indexed, tmp_path: Path, said, query, rewrite, found, command) -> None:
        path = tmp_path / "history.json"
        path.write_text(messages(said), encoding="utf-8")
        for answer in (
            call(command, query, "--history", path, "--store", indexed),
            call(command, query, "--history", "-", "--store", indexed, stdin=messages(said)),
        ):
            assert answer["query"] == query != answer["rewritten"]
            assert "青禾扫地机" in answer["rewritten"] or "Marlow blender" in answer["rewritten"]
            if command != "rewrite":
                assert answer["hits"][0]["id"] == found

    @follow_ups
    def test_chat(self, indexed, said, query, rewrite, found) -> None:
        first, second = call("chat", "--store", indexed, stdin=f"{said[0]}\n{query}\n")
        assert first["rewritten"] == said[0]
        assert second["rewritten"] != query
        assert second["hits"][0]["id"] == found
        *_, anew = call("chat", "--store", indexed, stdin=f"{said[0]}\n/new\n{query}\n")
        assert anew["rewritten"] == query

    @follow_ups
    def test_conversation(self, shop, said, query, rewrite, found) -> None:
        with dspy.context(rm=shop):
            talk = Conversation(RewriteProgram())
            talk.ask(said[0])
            talk.add({"role": "assistant", "content": said[1]})
            assert ids(talk.ask(query))[0] == found

    def test_batches_and_async_calls(self, chat, shop) -> None:
        turns = [{"query": query, "history": chat(*said)} for said, query, _, _ in FOLLOW_UPS]

        async def asked() -> list[Any]:
            return await asyncio.gather(*(program.acall(**one) for one in turns))

        with dspy.context(rm=shop):
            program = RewriteProgram()
            one_by_one = [retrieved_of(program(**one)) for one in turns]
            batch = program.batch(
                [dspy.Example(**one).with_inputs("query", "history") for one in turns], disable_progress_bar=True
            )
            together = asyncio.run(asked())
        for found in (one_by_one, [retrieved_of(one) for one in batch], [retrieved_of(one) for one in together]):
            assert [one.rewritten for one in found] == [one.rewritten for one in one_by_one]
            assert [ids(one)[0] for one in found] == [row[3] for row in FOLLOW_UPS]


class TestReport37NoBleed:
    """One program serves many conversations."""

    @pytest.mark.parametrize("threads", [1, 8])
    def test_interleaved_sessions(self, chat, scripted_lm, shop, threads) -> None:
        program = RewriteProgram(
            Settings(rewrite=RewriteSettings(ask_lm="follow_ups"), expand=ExpandSettings(step_back=True))
        )

        def reply(prompt: str) -> str:
            (model,) = {word for word in prompt.replace("\n", " ").split() if word.startswith("MX-")}
            return f"{model} 保修多久" if prompt.endswith("rewrite:") else f"{model} 保修政策"

        lm = scripted_lm(reply=reply)

        def one(number: int) -> tuple[int, Any]:
            with dspy.context(lm=lm, rm=shop):
                return number, retrieved_of(
                    program(query="它保修多久", history=chat(f"介绍 MX-{number} 打印机", "好的。"))
                )

        with ThreadPoolExecutor(threads) as pool:
            for number, result in pool.map(one, range(24)):
                assert result.rewritten == f"MX-{number} 保修多久"
                assert not [text for text in texts(result) if f"MX-{number}" not in text and text != "它保修多久"]
        assert program.history == []

    def test_two_conversations_turn_by_turn(self, shop) -> None:
        with dspy.context(rm=shop):
            program = RewriteProgram()
            chinese, english = Conversation(program), Conversation(program)
            chinese.ask("有青禾扫地机吗")
            english.ask("Do you sell the Marlow blender?")
            for talk in (chinese, english):
                talk.add("assistant", "OK")
            assert "青禾扫地机" in chinese.ask("它的保修期多久").rewritten
            assert "Marlow blender" in english.ask("how long is its warranty?").rewritten
            assert Conversation(program).ask("它的保修期多久").rewritten == "它的保修期多久"
