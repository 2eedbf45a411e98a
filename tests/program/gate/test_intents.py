from typing import get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from program.gate.intents import read_intent
from program.result import Intent
from signatures.intent import Intent as IntentSignature


@pytest.mark.parametrize("intent", get_args(Intent))
@pytest.mark.parametrize(
    "shape", ["{}", "Intent: {}", "**{}**.", "[[ ## intent ## ]]\n{}", '{{"intent": "{}"}}', "{}\nIt asks."]
)
def test_every_intent_in_every_shape(intent: str, shape: str) -> None:
    assert read_intent(shape.format(intent)) == intent
    assert read_intent(shape.format(intent.upper())) == intent


@pytest.mark.parametrize(
    ("completion", "intent"),
    [
        ("意图：闲聊", "chitchat"),
        ("问候", "greeting"),
        ("计算", "calculation"),
        ("历史问题", "history_question"),
        ("聊天记录", "history_question"),
        ("检索", "retrieval"),
        ("small talk", "chitchat"),
        ("History question", "history_question"),
        ("Search", "retrieval"),
    ],
)
def test_other_names(completion: str, intent: str) -> None:
    assert read_intent(completion) == intent


@pytest.mark.parametrize(
    "completion",
    ["", "  ", "I don't know", "greeting or chitchat", "闲聊、检索", "not a greeting", "无需检索", "researchers"],
)
def test_none_or_several_is_nothing(completion: str) -> None:
    assert read_intent(completion) is None


@given(st.text())
def test_any_text_is_read(completion: str) -> None:
    assert read_intent(completion) in (None, *get_args(Intent))


def test_the_signature_names_every_intent() -> None:
    said = IntentSignature.instructions + str(IntentSignature.output_fields["intent"].json_schema_extra["desc"])
    assert all(said.count(intent) >= 2 for intent in get_args(Intent))
    assert list(IntentSignature.output_fields) == ["intent"]
