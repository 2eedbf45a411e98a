"""Similarity of a rewrite to its turn, and when it may judge. Vectors are made by hand."""

from collections.abc import Sequence

import numpy as np
import pytest

from data.records import Message
from program.guard.context import Context
from program.guard.drift import drift_of, drifts, refuse_drift, turn_texts
from program.retrieval.embedding import Role, Vectors
from program.rules.gazetteer import Gazetteer


class ByTable:
    """Unit vectors at the angle (degrees) that a table gives a text; 90 for others."""

    identity = "table/1"

    def __init__(self, angles: dict[str, float]) -> None:
        self.angles = angles
        self.calls = 0

    def embed(self, texts: Sequence[str], role: Role) -> Vectors:
        assert role == "query"
        self.calls += 1
        radians = np.radians([self.angles.get(text, 90.0) for text in texts])
        return np.stack([np.cos(radians), np.sin(radians)], axis=1).astype(np.float32)


def test_a_rewrite_is_as_near_as_the_nearest_text_of_its_turn() -> None:
    embedder = ByTable({"它多重": 0, "台灯 它多重": 30, "台灯多重": 30})
    assert drift_of(["它多重", "台灯 它多重"], "台灯多重", embedder) == pytest.approx(1)
    assert drift_of(["它多重"], "台灯多重", embedder) == pytest.approx(np.cos(np.radians(30)))
    assert embedder.calls == 2


def test_turns_with_different_numbers_of_texts_keep_apart() -> None:
    embedder = ByTable({"a": 0, "b": 60, "c": 10, "r": 0, "s": 60})
    assert drifts([["a", "b"], ["c"]], ["r", "s"], embedder) == pytest.approx([1, np.cos(np.radians(50))])
    assert drifts([], [], embedder).shape == (0,)


def test_turn_texts_are_the_query_alone_and_under_what_was_said_last() -> None:
    gazetteer = Gazetteer(terms=("暖汐台灯", "Brindle kettle"))
    history = [
        Message(role="user", content="暖汐台灯怎么样"),
        Message(role="assistant", content="不错，还有 Brindle kettle。"),
        Message(role="user", content="多少钱"),
        Message(role="assistant", content="39 元。"),
    ]
    assert turn_texts("保修呢", history, gazetteer) == ("保修呢", "Brindle kettle 保修呢", "多少钱 保修呢")
    assert turn_texts("保修呢", [], gazetteer) == ("保修呢",)
    assert max(len(text) for text in turn_texts("长" * 9000, history, gazetteer)) <= 600


LONG = "这款台灯放在卧室里晚上阅读会不会伤害眼睛"
LONG_EN = "does leaving the kettle switched on overnight damage the heating element"


@pytest.mark.parametrize(
    ("query", "history", "rewrite", "similarity", "refused"),
    [
        (LONG, "用户: 暖汐台灯", "暖汐台灯放在卧室里晚上阅读会不会伤害眼睛", 0.90, False),
        (LONG, "用户: 暖汐台灯", "卧室台灯阅读", 0.80, True),
        (LONG_EN, "User: Brindle", "does leaving it on overnight damage it", 0.90, False),
        (LONG_EN, "User: Brindle", "overnight kettle damage", 0.80, True),
        # Very short turns: never by similarity alone.
        ("它是什么?", "用户: 云枢 Lite 套餐\n助手: 免费档", "云枢 Lite 套餐是什么", 0.60, False),
        ("它是什么?", "用户: 云枢 Lite 套餐\n助手: 免费档", "今天天气", 0.60, True),
        ("保修呢", "用户: 暖汐台灯多少钱", "暖汐台灯保修", 0.60, False),
        ("保修呢", "用户: 暖汐台灯多少钱", "暖汐台灯多少钱", 0.60, True),
        ("what is it?", "User: the Vela Lite plan", "What is the Vela Lite plan?", 0.60, False),
        ("what is it?", "User: the Vela Lite plan", "weather in Portmere tomorrow", 0.60, True),
        # At the threshold it is kept; what is no number says nothing.
        (LONG, "", "卧室台灯阅读", 0.85, False),
        (LONG, "", "卧室台灯阅读", float("nan"), False),
    ],
)
def test_when_similarity_judges(query: str, history: str, rewrite: str, similarity: float, refused: bool) -> None:
    reason = refuse_drift(similarity, 0.85, rewrite, Context(query=query, history=history))
    assert (reason is not None) is refused
    assert reason is None or reason == f"drift: similarity {similarity:.3f} is below 0.850"
