from collections.abc import Callable

import dspy
import pytest
from dspy.lm15 import Message as LmMessage
from dspy.lm15 import Request, Response, Usage

from data.records import Message, Turn
from experiments.peers.llama_index import condense_system, rewrite_of
from experiments.systems import given_system
from program.retrieval.retriever import Hit, RankedList
from program.rules.gazetteer import Gazetteer
from program.settings import FusionSettings, Settings
from program.trace import Trace

pytest.importorskip("llama_index.core")

TURNS = {
    "zh": Turn(
        id="zh",
        conversation_id="zh",
        turn=2,
        history=(
            Message(role="user", content="竹影加湿器怎么清洗？"),
            Message(role="assistant", content="水箱用白醋 {一勺} 泡半小时。"),
        ),
        query="那它的保修呢？",
        gold_rewrite="竹影加湿器的保修期",
        relevant_ids=("secret-label",),
        metadata={"entities": ["秘密实体"]},
    ),
    "en": Turn(
        id="en",
        conversation_id="en",
        turn=2,
        history=(
            Message(role="assistant", content="Brook kettle: Descaling"),
            Message(role="user", content="How do I descale it?"),
        ),
        query="And how often?",
        gold_rewrite="How often does the Brook kettle need descaling?",
        relevant_ids=("secret-label",),
    ),
}


class Engine:
    """Answers with ``answer(prompt)`` and keeps what it was asked."""

    def __init__(self, answer: Callable[[str], str]) -> None:
        self.answer = answer
        self.requests: list[Request] = []

    def complete(self, request: Request) -> Response:
        self.requests.append(request)
        text = self.answer(request.messages[-1].text or "")
        usage = Usage(input_tokens=30, output_tokens=7, total_tokens=37)
        return Response(id=None, model="fake", message=LmMessage.assistant(text), finish_reason="stop", usage=usage)


class Echo:
    """A retriever whose hits name the query that found them."""

    gazetteer = Gazetteer()

    def search(self, queries, depth):
        return [
            [RankedList(engine="bm25", hits=(Hit(id=query, score=1.0, source=query, text=query),))] for query in queries
        ]


def lm_of(engine):
    return dspy.LM("fake/model", engine=engine, cache=False, temperature=0.7, max_tokens=5, num_retries=0)


@pytest.fixture
def asked():
    """Run a function under an engine and give back both."""

    def run(answer, function):
        engine = Engine(answer)
        with dspy.context(lm=lm_of(engine), rm=Echo()):
            return function(), engine

    return run


def failing(_prompt):
    raise ConnectionError("the server is down")


@pytest.mark.parametrize("language", TURNS)
def test_the_model_gets_what_llama_indexs_own_engine_would_send(asked, language):
    from llama_index.core.base.llms.types import ChatMessage
    from llama_index.core.chat_engine.condense_question import DEFAULT_PROMPT, CondenseQuestionChatEngine
    from llama_index.core.llms.mock import MockLLM

    turn = TURNS[language]
    # Without a limit MockLLM answers with the prompt that it was given.
    theirs = CondenseQuestionChatEngine(None, DEFAULT_PROMPT, None, MockLLM())
    messages = [ChatMessage(role=message.role, content=message.content) for message in turn.history]
    expected = theirs._condense_question(messages, turn.query)

    _, engine = asked(lambda _: "x", lambda: rewrite_of(turn))

    (request,) = engine.requests
    assert [message.text for message in request.messages] == [expected]
    assert request.system is None
    assert request.config.temperature == 0.0
    assert request.config.max_tokens == 256  # the package's default, not ours


def test_the_answer_is_stripped_and_its_cost_is_in_the_trace(asked):
    trace = Trace()

    text, _ = asked(lambda _: "\n 竹影加湿器的保修期多长？ \n", lambda: rewrite_of(TURNS["zh"], trace))

    assert text == "竹影加湿器的保修期多长？"
    (step,) = trace.steps
    assert (step.status, step.lm_calls, step.lm_tokens) == ("done", 1, 37)


@pytest.mark.parametrize("answer", [failing, lambda _: " \n "], ids=["down", "blank"])
def test_a_failure_leaves_the_query_and_is_recorded(asked, answer):
    retrieved, _ = asked(answer, lambda: condense_system(Settings(), fused=False)(TURNS["en"]))

    assert retrieved.rewritten == "And how often?"
    assert [hit.id for hit in retrieved.hits] == ["And how often?"]
    assert [fallback.stage for fallback in retrieved.fallbacks] == ["condense"]
    assert retrieved.trace[0].lm_calls == 1


def test_a_first_turn_is_not_sent_to_the_model(asked):
    turn = TURNS["en"].model_copy(update={"history": ()})

    text, engine = asked(failing, lambda: rewrite_of(turn))

    assert (text, engine.requests) == (turn.query, [])


def test_alone_searches_the_rewrite_and_nothing_else_as_given_system_would(asked):
    turn, settings = TURNS["en"], Settings()

    alone, _ = asked(lambda _: "kettle descaling interval", lambda: condense_system(settings, fused=False)(turn))
    given, _ = asked(lambda _: "kettle descaling interval", lambda: given_system(rewrite_of, settings)(turn))

    assert alone.queries == given.queries
    assert [hit.id for hit in alone.hits] == ["kettle descaling interval"] == [hit.id for hit in given.hits]


def test_fused_searches_the_original_too_with_its_tuned_weight(asked):
    settings = Settings(fusion=FusionSettings(original=0.2))

    fused, _ = asked(lambda _: "竹影加湿器保修", lambda: condense_system(settings, fused=True)(TURNS["zh"]))

    assert [(query.text, query.weight) for query in fused.queries] == [("那它的保修呢？", 0.2), ("竹影加湿器保修", 1.0)]
    assert [hit.id for hit in fused.hits] == ["竹影加湿器保修", "那它的保修呢？"]


def test_fused_an_unchanged_query_counts_once_and_fully(asked):
    fused, _ = asked(failing, lambda: condense_system(Settings(), fused=True)(TURNS["zh"]))

    assert [(query.text, query.kind, query.weight) for query in fused.queries] == [("那它的保修呢？", "original", 1.0)]
