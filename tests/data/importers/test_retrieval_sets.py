"""MTRAG, CAsT and BEIR: queries, judgements and (sometimes) a corpus in files of their own."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from data.importers.chunks import ChunkMatcher, document_of

Write = Callable[..., Path]
Run = Callable[..., Any]
HEADER = "query-id\tcorpus-id\tscore\n"


def task(turn: int, *texts: str, **changes: Any) -> dict[str, Any]:
    """A generation task whose last utterance is the user's."""
    speakers = ["user", "agent"] * len(texts)
    return {
        "conversation_id": "c7",
        "task_id": f"c7<::>{turn}",
        "turn": turn,
        "Collection": "mt-rag-ibmcloud-elser-512-100-20240502",
        "input": [{"speaker": who, "text": text, "metadata": {}} for who, text in zip(speakers, texts, strict=False)],
        "contexts": [],
        "Answerability": ["ANSWERABLE"],
        "Question Type": ["How-To"],
        "Multi-Turn": ["Follow-up"],
    } | changes


@pytest.fixture
def cloud(write: Write) -> None:
    base = "mtrag-human/retrieval_tasks/cloud/"
    write(base + "cloud_lastturn.jsonl", [{"_id": "c7<::>2", "text": "|user|: And in the\nother zone?"}])
    write(
        base + "cloud_questions.jsonl",
        [{"_id": "c7<::>2", "text": "|user|: How do I pause a job?\n|user|: And in the\nother zone?"}],
    )
    write(base + "cloud_rewrite.jsonl", [{"_id": "c7<::>2", "text": "|user|: How do I pause a job in the other zone?"}])
    write(base + "qrels/dev.tsv", HEADER + "c7<::>2\tdoc_1-7-100\t1\nc7<::>2\tdoc_2-0-90\t1\nc7<::>2\tdoc_3-0-9\t0\n")


@pytest.mark.usefixtures("cloud")
def test_mtrag_of_one_domain_alone(run: Run, source: Path) -> None:
    found = run("mtrag", source / "mtrag-human/retrieval_tasks/cloud")
    (turn,) = found.turns.values()
    assert (turn.id, turn.conversation_id, turn.turn) == ("mtrag:c7<::>2", "c7", 2)
    assert turn.query == "And in the\nother zone?"
    assert [(said.role, said.content) for said in turn.history] == [("user", "How do I pause a job?")]
    assert turn.relevant_ids == ("doc_1-7-100", "doc_2-0-90")
    # The release's rewrites are a model's.
    assert turn.gold_rewrite is None
    assert turn.metadata["machine_rewrite"] == "How do I pause a job in the other zone?"
    assert turn.metadata["user_only_history"] is True
    assert (found.report.passages, found.report.missing_labels) == (0, 2)


@pytest.mark.usefixtures("cloud")
def test_mtrag_with_tasks_and_corpus(write: Write, run: Run) -> None:
    quoted = {"document_id": "doc_1-7-100", "text": "another wording", "title": ""}
    write(
        "mtrag-human/generation_tasks/reference.jsonl",
        [
            task(1, "How do I pause a job?"),
            task(2, "How do I pause a job?", "Use the console.", "And in the other zone?", contexts=[quoted]),
            task(4, "How do I pause a job?", " ", "And?"),
            task(3, "Hi", Answerability=["UNANSWERABLE"]),
            task(1, "Loans?", conversation_id="c9", task_id="c9<::>1", Collection="mt-rag-fiqa-beir-elser"),
        ],
    )
    write(
        "corpora/passage_level/cloud.jsonl.zip",
        [{"_id": "doc_1-7-100", "id": "doc_1-7-100", "text": "Pause.", "title": "Jobs", "url": "u"}],
    )
    write("corpora/document_level/cloud.jsonl.zip", [{"document_id": "doc_1", "text": "All of it."}])
    found = run("mtrag")
    # fiqa has no queries here: its tasks stay out.
    assert sorted(found.turns) == ["mtrag:c7<::>1", "mtrag:c7<::>2", "mtrag:c7<::>3", "mtrag:c7<::>4"]
    assert [said.role for said in found.turns["mtrag:c7<::>4"].history] == ["user"]
    turn = found.turns["mtrag:c7<::>2"]
    assert [said.role for said in turn.history] == ["user", "assistant"]
    assert turn.metadata["answerability"] == ["ANSWERABLE"]
    assert found.turns["mtrag:c7<::>3"].answerable is False
    assert {one.id: (one.text, one.source) for one in found.passages.values()} == {"doc_1-7-100": ("Pause.", "doc_1")}
    assert found.report.missing_ids == ("doc_2-0-90",)


def test_mtrag_tasks_alone_are_labelled_by_reference(write: Write, run: Run) -> None:
    contexts = [
        {"document_id": "doc_1-7-100", "text": "Pause.", "title": "Jobs", "reference": True},
        {"document_id": "doc_5-0-9", "text": "Other.", "score": 3.5},
    ]
    file = write("reference+RAG.jsonl", [task(1, "How?", contexts=contexts)])
    found = run("mtrag", file)
    assert found.turns["mtrag:c7<::>1"].relevant_ids == ("doc_1-7-100",)
    assert len(found.passages) == 2


def test_mtrag_ids_of_annotator_and_time_do_not_join_conversations(write: Write, run: Run) -> None:
    rows = {"a_1": "|user|: X?", "a_2": "|user|: X?\n|user|: and Y?", "a_3": "|user|: Other?", "b_4": "|user|: X?"}
    write("fiqa_questions.jsonl", [{"_id": name, "text": text} for name, text in rows.items()])
    write("fiqa_lastturn.jsonl", [{"_id": name, "text": text.split("\n")[-1]} for name, text in rows.items()])
    found = run("mtrag").turns
    assert [found[f"mtrag:{name}"].turn for name in rows] == [1, 2, 1, 1]
    conversations = [found[f"mtrag:{name}"].conversation_id for name in rows]
    assert conversations[0] == conversations[1]
    assert len(set(conversations)) == 3


@pytest.mark.parametrize(
    ("corpus", "label", "expected"),
    [
        (["d-0-100"], "d-0-100", ["d-0-100"]),
        (["d-0-95", "d-90-200"], "d-7-100", ["d-0-95"]),
        (["d-0-50", "d-50-100"], "d-0-100", ["d-0-50", "d-50-100"]),
        (["d-0-40"], "d-30-100", ["d-30-100"]),
        (["d"], "d-7-100", ["d"]),
        (["page_12-90"], "page_12-90-0-50", ["page_12-90"]),
        (["page_12"], "page_12-90-0-50", ["page_12"]),
        (["e-0-100"], "d-0-100", ["d-0-100"]),
        (["d-5-5"], "d-0-100", ["d-0-100"]),
        ([], "没有偏移", ["没有偏移"]),
    ],
)
def test_labels_meet_a_corpus_of_another_cut(corpus: list[str], label: str, expected: list[str]) -> None:
    assert ChunkMatcher(corpus).match([label, label]) == expected


def test_the_document_of_a_chunk() -> None:
    ids = ("ibm_1-7-100", "88_12-90-0-50", "none", "7-0-9")
    assert [document_of(one) for one in ids] == ["ibm_1", "88_12", None, "7"]


CAST_2019 = [{"number": 31, "title": "t", "turn": [{"number": n, "raw_utterance": f"q{n}?"} for n in (1, 2)]}]
CAST_2021 = [
    {
        "number": 106,
        "turn": [
            {
                "number": number,
                "raw_utterance": f"q{number}?",
                "manual_rewritten_utterance": f"rewrite {number}",
                "passage": f"passage {number}",
                "canonical_result_id": "MARCO_D5",
                "passage_id": 0,
            }
            for number in (1, 2)
        ],
    }
]


def node(number: str, parent: str | None, text: str) -> dict[str, Any]:
    who = {"participant": "User", "utterance": text, "manual_rewritten_utterance": f"full {text}"}
    if text.startswith("A"):
        who = {"participant": "System", "response": text, "provenance": ["MARCO_1-2"]}  # type: ignore[dict-item]
    return {"number": number, **who} | ({"parent": parent} if parent else {})


CAST_2022 = [
    {
        "number": 132,
        "turn": [
            node("1-1", None, "q1"),
            node("1-2", "1-1", "A1"),
            node("1-3", "1-2", "q2"),
            node("1-4", "1-3", "A2"),
            node("2-1", "1-2", "q3"),
        ],
    }
]


def test_cast_2019_has_its_rewrites_and_judgements_beside_it(write: Write, run: Run) -> None:
    write("2019/evaluation/evaluation_topics_v1.0.json", CAST_2019)
    write("2019/evaluation/evaluation_topics_annotated_resolved_v1.0.tsv", "31_1\tfull q1?\n31_2\tfull q2?\n")
    write("2019/2019qrels.txt", "31_2 0 CAR_x 1\n31_2 0 MARCO_7 0\n31_2 Q0 MARCO_8 3\n")
    found = run("cast")
    second = found.turns["cast2019:31_2"]
    assert second.gold_rewrite == "full q2?"
    assert second.relevant_ids == ("CAR_x", "MARCO_8")
    assert [said.role for said in second.history] == ["user"]
    assert (second.metadata["year"], second.metadata["user_only_history"]) == (2019, True)
    assert found.passages == {}
    assert found.report.missing_labels == 2


def test_cast_2021_shows_passages_and_counts_grades_from_two(write: Write, run: Run) -> None:
    write("2021_manual_evaluation_topics_v1.0.json", CAST_2021)
    # The same topics with other rewrites: the manual ones are wanted.
    other = [{"number": 106, "turn": [{"number": 1, "raw_utterance": "q1?", "manual_rewritten_utterance": "x"}]}]
    write("2021_automatic_evaluation_topics_v1.0.json", other)
    write("docs.qrel", "106_1 0 MARCO_D5 2\n106_1 0 MARCO_D6 1\n")
    write("corpus.jsonl", [{"_id": "MARCO_D5", "title": "", "text": "five"}])
    found = run("cast")
    first, second = found.turns["cast2021:106_1"], found.turns["cast2021:106_2"]
    assert (first.gold_rewrite, first.relevant_ids) == ("rewrite 1", ("MARCO_D5",))
    assert [(said.role, said.content) for said in second.history] == [("user", "q1?"), ("assistant", "passage 1")]
    assert second.metadata["response_sources"] == ["MARCO_D5-0"]
    assert found.report.missing_labels == 0


def test_cast_2022_as_a_tree_follows_the_path_from_the_root(write: Write, run: Run) -> None:
    write("2022_evaluation_topics_tree_v1.0.json", CAST_2022)
    found = run("cast")
    assert {one.id: one.turn for one in found.turns.values()} == {
        "cast2022:132_1-1": 1,
        "cast2022:132_1-3": 2,
        "cast2022:132_2-1": 2,
    }
    assert [said.content for said in found.turns["cast2022:132_2-1"].history] == ["q1", "A1"]


def test_cast_2022_with_its_paths_written_out_counts_a_turn_once(write: Write, run: Run) -> None:
    first, second, third = (
        {"number": number, "utterance": text, "manual_rewritten_utterance": f"full {text}", "response": f"A {text}"}
        for number, text in (("1-1", "q1"), ("1-3", "q2"), ("2-1", "q3"))
    )
    paths = [{"number": 132, "turn": [first, second]}, {"number": 132, "turn": [first, third]}]
    write("2022_evaluation_topics_flattened_duplicated_v1.0.json", paths)
    found = run("cast")
    assert sorted(found.turns) == ["cast2022:132_1-1", "cast2022:132_1-3", "cast2022:132_2-1"]
    assert [said.content for said in found.turns["cast2022:132_2-1"].history] == ["q1", "A q1"]
    assert found.report.left_out == {"turns given twice": 1}


def test_a_cast_tree_that_is_none_is_reported(write: Write, problems: Callable[..., list[str]]) -> None:
    turns = [node("1-1", "1-2", "q1"), node("1-2", "1-1", "A1"), node("1-3", "9-9", "q2")]
    write("2022_topics.json", [{"number": 132, "turn": turns}])
    lines = problems("cast")
    assert [line.partition("field ")[2].partition(":")[0] for line in lines] == [
        "turn 1-1.parent",
        "turn 1-2.parent",
        "turn 1-3.parent",
    ]


def test_beir(write: Write, run: Run) -> None:
    corpus = [
        {"_id": "d1", "title": "保修", "text": "整机两年。", "metadata": {"title": "x", "n": 1}},
        {"_id": "d2", "title": "Only a title", "text": ""},
        {"_id": "d3", "title": "", "text": " "},
    ]
    write("corpus.jsonl.gz", corpus)
    write(
        "queries.jsonl",
        [{"_id": 1, "text": "保修多久"}, {"_id": "2", "text": "title?"}, {"_id": "3", "text": "never judged"}],
    )
    write("qrels/test.tsv", HEADER + "1\td1\t1\n1\td2\t0\n")
    write("qrels/train.tsv", HEADER + "2\td3\t1\n1\td2\t2\n")
    found = run("beir")
    assert {one.id: one.relevant_ids for one in found.turns.values()} == {"1": ("d1", "d2"), "2": ("d3",)}
    # Named by two splits, it belongs to the one that must not be learnt from.
    assert found.turns["1"].metadata["split"] == "test"
    assert found.passages["d2"].text == "Only a title"
    assert found.report.missing_ids == ("d3",)
    assert found.report.left_out == {"passages without text": 1, "queries without judgements": 1}


def test_min_grade_is_the_users(write: Write, run: Run) -> None:
    write("corpus.jsonl", [{"_id": "d1", "text": "a"}, {"_id": "d2", "text": "b"}])
    write("queries.jsonl", [{"_id": "1", "text": "q"}])
    write("qrels/test.tsv", HEADER + "1\td1\t1\n1\td2\t2\n")
    assert run("beir", min_grade=2).turns["1"].relevant_ids == ("d2",)


def test_every_bad_line_of_all_files_comes_at_once(write: Write, problems: Callable[..., list[str]]) -> None:
    write(
        "corpus.jsonl",
        [{"_id": "d1", "text": "a"}, {"_id": "d1", "text": "b"}, {"text": "c"}, {"_id": "d4", "text": 4}],
    )
    write("queries.jsonl", '{"_id": "1", "text": "q"}\n{"_id": "2"\n')
    write("qrels/test.tsv", HEADER + "1\td1\n1\td1\thigh\n\td1\t1\n")
    lines = problems("beir")
    assert [line.split(": ", 1)[0] for line in lines] == [
        "corpus.jsonl:2",
        "corpus.jsonl:3",
        "corpus.jsonl:4",
        "test.tsv:2",
        "test.tsv:3",
        "test.tsv:4",
        "queries.jsonl:2",
    ]
