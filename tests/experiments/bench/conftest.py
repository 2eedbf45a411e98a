import json
from collections.abc import Callable

import dspy
import pytest
from dspy.lm15 import Message, Request, Response, Usage

from experiments.bench.quality_sets import BenchSet, WholeSet


class Scripted:
    """A language model that answers with ``answer(prompt)``, counts its calls and can be told to stop."""

    def __init__(self, answer: Callable[[str], str]) -> None:
        self.answer = answer
        self.calls = 0
        self.stop_after: int | None = None

    def complete(self, request: Request) -> Response:
        if self.stop_after is not None and self.calls >= self.stop_after:
            raise KeyboardInterrupt
        self.calls += 1
        text = self.answer(request.messages[-1].text or "")
        usage = Usage(input_tokens=40, output_tokens=10, total_tokens=50)
        return Response(
            id=None, model=request.model, message=Message.assistant(text), finish_reason="stop", usage=usage
        )


@pytest.fixture
def scripted():
    """Make a model from a function of the prompt: ``(dspy.LM, Scripted)``."""

    def make(answer: Callable[[str], str]):
        engine = Scripted(answer)
        return dspy.LM("fake/model", engine=engine, temperature=0.0, max_tokens=96, num_retries=0), engine

    return make


PASSAGES = [
    ("warranty-a", "竹影加湿器 保修", "竹影加湿器整机保修两年，滤芯不在保修范围内。"),
    ("warranty-b", "云朵风扇 保修", "云朵风扇整机保修一年，电机保修三年。"),
    ("clean-a", "竹影加湿器 清洗", "竹影加湿器的水箱每周用白醋清洗一次。"),
    ("clean-b", "云朵风扇 清洗", "云朵风扇的扇叶拆下后用湿布擦拭。"),
    ("price-k", "Brook kettle price", "The Brook kettle costs 49 euros in the online shop."),
    ("price-t", "Ember toaster price", "The Ember toaster costs 35 euros in the online shop."),
    ("lime-k", "Brook kettle descaling", "The Brook kettle needs descaling with vinegar every month."),
    # Near-duplicates, more than five of each kind and shorter, so that a bare follow-up finds these and not what is meant.
    *(
        (f"warranty-{name}", f"{name} 保修", f"{name}保修半年。")
        for name in ("松果灯", "海盐锅", "晨雾钟", "石榴秤", "银杏笔", "白桦椅")
    ),
    *(
        (f"price-{name}", f"{name} price", f"{name} price: 9 euros.")
        for name in ("Alder", "Birch", "Cedar", "Dune", "Elm", "Fir")
    ),
]
TURNS = [
    ("zh1", 1, [], "竹影加湿器怎么清洗", None, "clean-a"),
    ("zh1", 2, ["竹影加湿器怎么清洗", "每周用白醋清洗水箱。"], "那它保修多久", "竹影加湿器保修多久", "warranty-a"),
    ("zh2", 1, [], "云朵风扇怎么清洗", None, "clean-b"),
    ("zh2", 2, ["云朵风扇怎么清洗", "用湿布擦拭扇叶。"], "那它保修多久", "云朵风扇保修多久", "warranty-b"),
    ("en1", 1, [], "How do I descale the Brook kettle?", None, "lime-k"),
    ("en1", 2, ["How do I descale the Brook kettle?", "With vinegar."], "What is its price?", "Brook kettle price", "price-k"),
    ("en2", 2, ["Tell me about the toaster.", "Sure."], "Ember toaster price?", "Ember toaster price?", "price-t"),
]  # fmt: skip


@pytest.fixture
def data_folder(tmp_path):
    """A small set in both languages, with a gold rewrite for each turn with history."""
    folder = tmp_path / "tiny"
    folder.mkdir()
    passages = [{"id": id_, "title": title, "text": text} for id_, title, text in PASSAGES]
    turns = [
        {
            "id": f"{conversation}:{turn}",
            "conversation_id": conversation,
            "turn": turn,
            "history": [
                {"role": role, "content": text} for role, text in zip(("user", "assistant"), history, strict=False)
            ],
            "query": query,
            "gold_rewrite": gold,
            "relevant_ids": [relevant],
        }
        for conversation, turn, history, query, gold, relevant in TURNS
    ]
    for name, rows in (("corpus", passages), ("turns", turns)):
        lines = "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
        (folder / f"{name}.jsonl").write_text(lines, encoding="utf-8")
    return folder


@pytest.fixture
def bench_set(data_folder, tmp_path):
    """The small set, BM25 alone; its program is looked for in ``tmp_path/program``."""
    source = WholeSet(data=data_folder, program=tmp_path / "program")
    return BenchSet(name="tiny", source=source, retrievers=("bm25",), reference="gold rewrite")


def good_rewrite(prompt: str) -> str:
    """What a good model would answer for the turns above, to our prompt or the peer's."""
    name = next((name for name in ("竹影加湿器", "云朵风扇", "Brook kettle", "toaster") if name in prompt), "")
    if "保修" in prompt:
        return f"{name}保修多久"
    return f"{name} price"


@pytest.fixture
def good_lm(scripted):
    return scripted(good_rewrite)
