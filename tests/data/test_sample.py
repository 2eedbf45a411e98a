"""The shipped sample set keeps the size, the form and the difficulty that its card promises."""

from collections import Counter
from functools import cache
from pathlib import Path
from statistics import fmean

import pytest

from data.check import LabelReport, check_labels
from data.load import DataSet, load_data_dir
from data.records import Turn
from metrics.ranking import recall_at_k
from program.retrieval.bm25 import BM25Index

FOLDER = Path(__file__).parents[2] / "data" / "sample"
PHENOMENA = {
    "pronoun",
    "possessive",
    "ellipsis",
    "plural",
    "ordinal",
    "offer",
    "topic_switch",
    "topic_return",
    "colloquial",
    "multi_intent",
    "comparison",
    "too_specific",
    "complete",
    "first",
    "greeting",
    "thanks",
    "number",
    "negation",
    "clarification",
}


@cache
def sample() -> tuple[DataSet, LabelReport]:
    data = load_data_dir(FOLDER)
    return data, check_labels(data.passages, data.turns)


@cache
def index() -> BM25Index:
    return BM25Index.build([passage.indexed_text for passage in sample()[0].passages])


def mean_recall(turns: list[Turn], *, gold: bool) -> float:
    ids = [passage.id for passage in sample()[0].passages]
    queries = [(turn.gold_rewrite or "") if gold else turn.query for turn in turns]
    found = index().search(queries, 5)
    return fmean(
        recall_at_k(turn.relevant_ids, [ids[row] for row, _ in rows]) for turn, rows in zip(turns, found, strict=True)
    )


def test_size_and_balance() -> None:
    data, labels = sample()
    languages = Counter(turn.language for turn in labels.scorable)
    assert len(data.passages) >= 300
    assert len({turn.conversation_id for turn in data.turns}) >= 60
    assert len(labels.scorable) >= 240
    assert min(languages["zh"], languages["en"]) >= 0.45 * len(labels.scorable)


def test_every_label_is_in_the_corpus_and_every_turn_has_a_gold_rewrite() -> None:
    data, labels = sample()
    assert labels.missing == ()
    assert all(turn.gold_rewrite for turn in data.turns)


def test_phenomena_are_known_and_all_present_in_both_languages() -> None:
    for language in ("zh", "en"):
        turns = [turn for turn in sample()[0].turns if turn.language == language]
        assert {name for turn in turns for name in turn.phenomena} == PHENOMENA


def test_complete_questions_are_their_own_gold_rewrite() -> None:
    changed = [
        turn.id for turn in sample()[1].scorable if "complete" in turn.phenomena and turn.gold_rewrite != turn.query
    ]
    assert changed == []


def test_history_is_what_was_said_before() -> None:
    conversations: dict[str, list[Turn]] = {}
    for turn in sample()[0].turns:
        conversations.setdefault(turn.conversation_id, []).append(turn)
    for turns in conversations.values():
        for number, turn in enumerate(turns, start=1):
            asked = [message.content for message in turn.history if message.role == "user"]
            assert turn.turn == number
            assert asked == [earlier.query for earlier in turns[: number - 1]]


@pytest.mark.parametrize("language", ["zh", "en"])
def test_follow_ups_fail_as_typed_and_are_found_when_rewritten(language: str) -> None:
    turns = [turn for turn in sample()[1].scorable if turn.history and turn.language == language]
    assert mean_recall(turns, gold=False) <= 0.45
    assert mean_recall(turns, gold=True) >= 0.90


def test_families_of_siblings_make_follow_ups_ambiguous() -> None:
    """Most documents have a sibling with the same section title: the hard negatives."""
    sections = Counter((passage.title or "").split("›")[-1].strip() for passage in sample()[0].passages)
    shared = sum(count for count in sections.values() if count >= 6)
    assert shared >= 0.7 * len(sample()[0].passages)
