from pathlib import Path

import pytest

from data.records import Message, Passage, Turn
from experiments.bench.rules_share import rules_share
from experiments.corpus import open_data, open_store

SAMPLE = Path(__file__).parents[3] / "data" / "sample"


def turn(number: int, query: str, gold: str, *relevant: str) -> Turn:
    history = (Message(role="user", content="有暖汐台灯吗"), Message(role="assistant", content="有，暖汐台灯有现货。"))
    return Turn(
        id=str(number), conversation_id="c", turn=2, history=history, query=query, gold_rewrite=gold, relevant_ids=relevant
    )  # fmt: skip


def test_what_counts_as_settled(toy_retriever) -> None:
    retriever = toy_retriever([
        Passage(id="care", title="暖汐台灯", text="暖汐台灯的保修期为三年。"),
        Passage(id="other", title="年假", text="年假有十天。"),
    ])  # fmt: skip
    found = turn(1, "它保修多久?", "暖汐台灯保修多久?", "care")
    lost = turn(2, "它保修多久?", "暖汐台灯保修多久?", "missing")
    complete = turn(3, "年假有几天", "年假有几天", "other")
    shares = rules_share("toy", [found, lost, complete], retriever)
    assert (shares.turns, shares.need_rewrite, shares.decided, shares.answered) == (3, 2, 1.0, 0.5)
    with pytest.raises(ValueError, match="no turn of toy"):
        rules_share("toy", [complete], retriever)


def test_on_the_sample_set_rules_settle_most_turns_without_a_model(tmp_path) -> None:
    data, labels = open_data(SAMPLE)
    shares = rules_share("sample", labels.scorable, open_store(data, tmp_path / "store", "bm25"))
    assert shares.answered >= 0.60
    assert shares.lm_share_of_all <= 0.15
