import json
import threading
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import dspy
import pytest

from data.errors import BudgetError, ConfigError, DataError
from data.records import Message
from program.conversation import Conversation
from program.result import FusedHit, Query
from program.rewrite_program import RewriteProgram


class Program:
    """Answers as a ``RewriteProgram`` does, and remembers what it was called with."""

    def __init__(self, before: Callable[[], object] = lambda: None) -> None:
        self.calls: list[dict[str, Any]] = []
        self._before = before

    def __call__(self, **inputs: Any) -> dspy.Prediction:
        self._before()
        self.calls.append(inputs)
        told = " | ".join(message.content for message in inputs["history"])
        return dspy.Prediction(
            query=inputs["query"],
            rewritten=f"{inputs['query']} ({told})",
            intent="retrieval",
            queries=(Query(text=inputs["query"], kind="original", weight=1),),
            fallbacks=(),
            trace=(),
            hits=(FusedHit(id="1", score=1, source="1", text="text", found_by=("original",)),),
            degraded=False,
        )


def said(conversation: Conversation) -> list[tuple[str, str]]:
    return [(message.role, message.content) for message in conversation.messages]


@pytest.mark.parametrize(
    ("first", "answer", "second"),
    [
        ("润谷 H2 怎么清洗", "用清水冲洗水箱。", "它的保修期多久"),
        ("how do I clean the H2?", "Rinse the tank.", "and its warranty?"),
    ],
)
def test_a_question_is_asked_with_what_was_said_before_it(first: str, answer: str, second: str) -> None:
    program = Program()
    conversation = Conversation(program)
    assert conversation.ask(first).hits[0].id == "1"
    conversation.add("assistant", answer)
    result = conversation.ask(second, scene="support")
    assert program.calls[0] == {"query": first, "history": []}
    told = [Message(role="user", content=first), Message(role="assistant", content=answer)]
    assert program.calls[1] == {"query": second, "history": told, "scene": "support"}
    assert result.rewritten == f"{second} ({first} | {answer})"
    assert said(conversation) == [("user", first), ("assistant", answer), ("user", second)], (
        "as typed, not as rewritten"
    )


def test_with_the_real_program(toy_retriever) -> None:
    retriever = toy_retriever({"h2": "润谷 H2 加湿器 保修期两年", "k1": "润谷 K1 水壶 保修期一年"})
    conversation = Conversation(RewriteProgram())
    with dspy.context(rm=retriever):
        conversation.ask("润谷 H2 怎么清洗")
        conversation.add("assistant", "用清水冲洗水箱。")
        result = conversation.ask("它的保修期多久")
    assert result.query == "它的保修期多久"
    assert result.hits[0].id == "h2"


def test_threads_that_share_the_real_program_keep_their_conversations(toy_retriever) -> None:
    retriever = toy_retriever({"h2": "润谷 H2 加湿器 保修期两年", "k1": "润谷 K1 水壶 保修期一年"})
    program, found = RewriteProgram(), {}

    def talk(name: str) -> None:
        conversation = Conversation(program)
        with dspy.context(rm=retriever):
            for _ in range(5):
                conversation.ask(f"润谷 {name} 怎么清洗")
                conversation.add("assistant", "用清水冲洗。")
                found.setdefault(name, set()).add(conversation.ask("它的保修期多久").hits[0].id)

    threads = [threading.Thread(target=talk, args=(name,)) for name in ("H2", "K1")]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == {"H2": {"h2"}, "K1": {"k1"}}


@pytest.mark.parametrize(
    ("arguments", "kept"),
    [
        (("user", "灯"), ("user", "灯")),
        (("Assistant", " lamp\n"), ("assistant", " lamp\n")),
        (("human", "灯"), ("user", "灯")),
        (("user", [{"type": "text", "text": "灯"}, {"type": "image_url"}]), ("user", "灯")),
        ((SimpleNamespace(value="assistant"), "灯"), ("assistant", "灯")),
        (({"role": "user", "content": "灯"},), ("user", "灯")),
        ((SimpleNamespace(type="ai", content="灯"),), ("assistant", "灯")),
        ((Message(role="user", content="灯"),), ("user", "灯")),
        (("user", "一\ud800二"), ("user", "一?二")),
        (("assistant", "长" * 5000), ("assistant", "长" * 5000)),
        (("system", "be brief"), None),
        (("user", " \n"), None),
        (("user", None), None),
        (({"role": "tool", "content": "{}"},), None),
        ((None,), None),
        ((7, 7), None),
    ],
)
def test_messages_of_any_kind(arguments: tuple[Any, ...], kept: tuple[str, str] | None) -> None:
    conversation = Conversation(Program())
    assert conversation.add(*arguments) is (kept is not None)
    assert said(conversation) == ([kept] if kept else [])


def test_an_exchange_of_a_dspy_history_is_two_messages() -> None:
    conversation = Conversation(Program())
    for exchange in dspy.History(messages=[{"question": "灯", "answer": "台灯"}]).messages:
        conversation.add(exchange)
    assert said(conversation) == [("user", "灯"), ("assistant", "台灯")]


def test_the_oldest_go_first() -> None:
    conversation = Conversation(Program(), most_messages=3)
    for number in range(5):
        conversation.ask(str(number))
    assert [content for _, content in said(conversation)] == ["2", "3", "4"]


@pytest.mark.parametrize("most_messages", [0, -1])
def test_it_must_hold_something(most_messages: int) -> None:
    with pytest.raises(ConfigError, match="1 or more"):
        Conversation(Program(), most_messages=most_messages)


@pytest.mark.parametrize("error", [BudgetError("spent"), KeyboardInterrupt()])
def test_a_question_that_failed_was_not_asked(error: BaseException) -> None:
    def fail() -> None:
        raise error

    conversation = Conversation(Program(fail))
    with pytest.raises(type(error)):
        conversation.ask("灯")
    assert conversation.messages == ()


def test_what_was_given_out_does_not_change_what_is_kept() -> None:
    program = Program()
    conversation = Conversation(program)
    conversation.ask("灯")
    program.calls[0]["history"].append("mine")
    conversation.ask("它")
    assert len(program.calls[1]["history"]) == 1


def test_two_conversations_with_one_program_never_meet() -> None:
    meet = threading.Barrier(8)
    program = Program(meet.wait)
    conversations = [Conversation(program) for _ in range(8)]

    def talk(number: int) -> None:
        for turn in range(10):
            result = conversations[number].ask(f"{number}:问{turn}")
            assert {word[0] for word in result.rewritten.replace("(", "").split() if ":" in word} == {str(number)}
            conversations[number].add("assistant", f"{number}:答{turn}")

    threads = [threading.Thread(target=talk, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for number, conversation in enumerate(conversations):
        turns = [(f"{number}:问{turn}", f"{number}:答{turn}") for turn in range(10)]
        assert [content for _, content in said(conversation)] == [text for turn in turns for text in turn]


def test_a_saved_conversation_goes_on() -> None:
    conversation = Conversation(Program(), most_messages=3)
    for number in range(2):
        conversation.ask(f"问“{number}”\n\u2028")
        conversation.add("assistant", f"答 {number}")
    text = conversation.to_json()
    program = Program()
    resumed = Conversation.from_json(text, program)
    assert resumed.messages == conversation.messages
    assert resumed.to_json() == text
    resumed.ask("它")
    assert [message.content for message in program.calls[0]["history"]] == [
        content for _, content in said(conversation)
    ]
    assert len(resumed.messages) == 3
    assert len(conversation.messages) == 3
    assert conversation.messages[-1].content == "答 1"


SAVED = {"schema_version": 1, "most_messages": 2, "messages": [{"role": "user", "content": "SECRET"}]}


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "text: Invalid JSON"),
        ("[]", "text:"),
        ("null", "text:"),
        (json.dumps(SAVED)[:-5], "text: Invalid JSON"),
        ("[" * 100_000, "text: Invalid JSON"),
        (json.dumps({**SAVED, "schema_version": 2, "mood": "SECRET"}), "schema_version:"),
        (json.dumps({key: value for key, value in SAVED.items() if key != "schema_version"}), "schema_version:"),
        (json.dumps({**SAVED, "mood": 1}), "mood:"),
        (json.dumps({**SAVED, "a\nb" * 100: 1}), "a b"),
        (json.dumps({**SAVED, "most_messages": 0}), "most_messages:"),
        (json.dumps({**SAVED, "most_messages": "2"}), "most_messages:"),
        (json.dumps({**SAVED, "messages": SAVED["messages"] * 3}), "3 messages, at most 2"),
        (json.dumps({**SAVED, "messages": [{"role": "system", "content": "SECRET"}]}), "messages.0.role:"),
        (json.dumps({**SAVED, "messages": [{"role": "user", "content": None}]}), "messages.0.content:"),
        (json.dumps({**SAVED, "messages": [{"role": "user", "content": "SECRET\ud800"}]}), "text: Invalid JSON"),
    ],
    ids=lambda value: value[:30] if len(value) < 200 else "long",
)
def test_what_is_no_saved_conversation_is_refused_in_one_line(text: str, said: str) -> None:
    with pytest.raises(DataError) as caught:
        Conversation.from_json(text, Program())
    message = str(caught.value)
    assert f"no saved conversation: {said}" in message or said in message
    assert len(message.splitlines()) == 1
    assert len(message) < 300
    assert "SECRET" not in message
