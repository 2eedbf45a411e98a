"""CANARD, QReCC and TopiOCQA: lists of questions with what was said before."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Write = Callable[..., Path]
Run = Callable[..., Any]
ANSWERS = ["It was founded in a harbour town in 1911.", "Two brothers who repaired clocks.", "I don't know."]


def canard(number: int, **changes: Any) -> dict[str, Any]:
    """A question of one dialogue; answers are quoted by the histories of later ones."""
    said = ["Kestrel Clockworks", "Early years"]
    for earlier in range(1, number):
        said += [f"question {earlier}?", ANSWERS[earlier - 1]]
    return {
        "History": said,
        "QuAC_dialog_id": "C_abc_1",
        "Question": f"question {number}?",
        "Question_no": number,
        "Rewrite": f"question {number} about Kestrel Clockworks?",
    } | changes


def test_canard_answers_become_passages(write: Write, run: Run) -> None:
    write("dev.json", [canard(2), canard(1), canard(3), canard(4, Extra={"new": 1})])
    found = run("canard")
    first, second, third, last = (found.turns[f"canard:C_abc_1:{number}"] for number in (1, 2, 3, 4))
    assert [found.passages[one.relevant_ids[0]].text for one in (first, second)] == ANSWERS[:2]
    passage = found.passages[first.relevant_ids[0]]
    assert (passage.title, passage.source) == ("Kestrel Clockworks: Early years", "C_abc_1")
    # "I don't know" is no passage, and the last answer is quoted nowhere.
    assert third.relevant_ids == last.relevant_ids == ()
    assert found.report.labelled_turns == 2
    assert [(said.role, said.content) for said in second.history] == [
        ("assistant", "Kestrel Clockworks: Early years"),
        ("user", "question 1?"),
        ("assistant", ANSWERS[0]),
    ]
    assert second.gold_rewrite == "question 2 about Kestrel Clockworks?"
    assert second.metadata == {
        "language": "en",
        "split": "dev",
        "title": "Kestrel Clockworks",
        "section": "Early years",
        "rewrite_equals_query": False,
    }


def test_a_canard_question_without_a_rewrite_is_kept(write: Write, run: Run) -> None:
    write("train.json", [canard(1, Rewrite="")])
    turn = run("canard").turns["canard:C_abc_1:1"]
    assert turn.gold_rewrite is None
    assert "rewrite_equals_query" not in turn.metadata


def test_canard_ids_do_not_depend_on_the_order_or_on_other_dialogues(write: Write, run: Run, tmp_path: Path) -> None:
    from data.importers import import_data

    other = canard(1, QuAC_dialog_id="C_other")
    alone = import_data("canard", write("a/train.json", [canard(1), canard(2)]), tmp_path / "one")
    with_others = import_data("canard", write("b/train.json", [other, canard(2), canard(1)]), tmp_path / "two")
    assert alone.passages == with_others.passages == 1
    lines = [(tmp_path / name / "corpus.jsonl").read_text() for name in ("one", "two")]
    assert lines[0] == lines[1]


def test_every_bad_canard_row_is_named(write: Write, problems: Callable[..., list[str]]) -> None:
    rows = [
        canard(1),
        canard(1, Question=" "),
        canard(2, Question_no="x", Rewrite=4),
        canard(1, History=["alone"]),
        7,
    ]
    write("test.json", rows)
    lines = problems("canard")
    assert [line.split(": ", 1)[1] for line in lines] == [
        'field Question: expected text that is not blank, got " "',
        'field Question_no: expected a whole number from 1, got "x"',
        "field Rewrite: expected text that is not blank, got 4",
        "field History: expected the article's title and the section's first, got 1 utterances",
        "expected a JSON object, got 7",
    ]
    assert all(line.startswith("test.json:") for line in lines)
    assert len({line.split(":")[1] for line in lines}) == 4


def qrecc(number: int, turn: int, **changes: Any) -> dict[str, Any]:
    return {
        "Context": ["How do tide mills work?", "They hold back the flood tide."][: 2 * (turn - 1)],
        "Question": "Where is the oldest one?" if turn > 1 else "How do tide mills work?",
        "Rewrite": "Where is the oldest tide mill?" if turn > 1 else "How do tide mills work?",
        "Answer": "In an estuary.",
        "Answer_URL": "https://mills.example/oldest",
        "Conversation_no": number,
        "Turn_no": turn,
        "Conversation_source": "trec",
    } | changes


def test_qrecc_without_a_corpus_gives_turns_labelled_by_page(write: Write, run: Run) -> None:
    write("qrecc_train.json", [qrecc(7, 1, Answer_URL=""), qrecc(7, 2)])
    write("qrecc_test.json", [qrecc(7, 1)])
    found = run("qrecc")
    # Both files count conversations from 1: they are not the same.
    assert sorted(found.turns) == ["qrecc-test-7:1", "qrecc-train-7:1", "qrecc-train-7:2"]
    turn = found.turns["qrecc-train-7:2"]
    assert [(said.role, said.content) for said in turn.history] == [
        ("user", "How do tide mills work?"),
        ("assistant", "They hold back the flood tide."),
    ]
    assert turn.gold_rewrite == "Where is the oldest tide mill?"
    assert turn.relevant_ids == ("https://mills.example/oldest",)
    assert found.turns["qrecc-train-7:1"].relevant_ids == ()
    assert found.passages == {}
    assert not (Path(found.report.output) / "corpus.jsonl").exists()
    assert (found.report.missing_labels, found.report.missing_ids) == (2, ("https://mills.example/oldest",))


def test_qrecc_in_the_form_of_scai_names_its_passages(write: Write, run: Run) -> None:
    row = qrecc(3, 1, Rewrite=None, Truth_rewrite="How do tide mills grind?", Truth_passages=["u_p1", "u_p0"])
    write("scai-qrecc21-test-questions.json", [row])
    write(
        "corpus.jsonl.gz", [{"id": "u_p0", "contents": "A wheel."}, {"id": "u_p1", "contents": "A pond.", "url": "u"}]
    )
    found = run("qrecc")
    turn = found.turns["qrecc-test-3:1"]
    assert turn.relevant_ids == ("u_p1", "u_p0")
    assert turn.gold_rewrite == "How do tide mills grind?"
    assert found.report.missing_labels == 0
    assert found.passages["u_p1"].text == "A pond."


def topiocqa(turn: int, **changes: Any) -> dict[str, Any]:
    return {
        "Conversation_no": 1,
        "Turn_no": turn,
        "Context": ["who built it", "the guild", "when", "1604"][: 2 * (turn - 1)],
        "Question": "what is it made of",
        "Answer": "basalt",
        "Topic": "Old Weir",
        "Topic_section": "Design",
        "Rationale": "The weir is made of basalt blocks.",
        "Is_nq": False,
        "Additional_answers": [],
    } | changes


def test_topiocqa_rationales_become_passages(write: Write, run: Run) -> None:
    write("topiocqa_valid.json", [topiocqa(1), topiocqa(2), topiocqa(3, Answer="UNANSWERABLE", Rationale="")])
    found = run("topiocqa")
    first, second, third = (found.turns[f"topiocqa-dev-1:{number}"] for number in (1, 2, 3))
    # Two questions answered from one piece share it.
    assert first.relevant_ids == second.relevant_ids
    assert [passage.title for passage in found.passages.values()] == ["Old Weir: Design"]
    assert (third.relevant_ids, third.answerable) == ((), False)
    assert [said.role for said in third.history] == ["user", "assistant", "user", "assistant"]
    assert second.gold_rewrite is None


@pytest.mark.parametrize("whole", [False, True], ids=["passages from the turns", "a whole corpus"])
def test_topiocqa_gold_passages(write: Write, run: Run, whole: bool) -> None:
    gold = {"id": "wiki:9", "title": "Old Weir", "text": "Basalt blocks from a quarry."}
    write("topiocqa_train.json", [topiocqa(1, Gold_passage=gold)])
    if whole:
        write("collection.tsv", "id\ttext\ttitle\nwiki:8\tA mill.\tMill\nwiki:9\tBasalt.\tOld Weir\n")
    found = run("topiocqa")
    assert found.turns["topiocqa-train-1:1"].relevant_ids == ("wiki:9",)
    assert {one.id: one.text for one in found.passages.values()} == (
        {"wiki:8": "A mill.", "wiki:9": "Basalt."} if whole else {"wiki:9": "Basalt blocks from a quarry."}
    )
