"""BEIR: ``corpus.jsonl``, ``queries.jsonl`` and ``qrels/<split>.tsv``. Single questions, each a conversation of one turn."""

from collections import Counter
from pathlib import Path

from data.importers.corpus import add_corpus
from data.importers.draft import Draft
from data.importers.qrels import Qrels, read_qrels, relevant
from data.importers.raw import files, find, read_objects
from data.importers.row import Row
from data.importers.split_names import split_of
from data.problems import Problem


def read(path: Path, draft: Draft, min_grade: int | None) -> None:
    """Add a BEIR folder. Judgements from grade 1 count (``min_grade`` changes that).

    Queries that no qrels file names are left out: sets such as MS MARCO ship hundreds of thousands of them. One that several splits name
    gets the labels of all, and belongs to the strictest: test before dev before train.
    """
    queries = find(path, "queries.jsonl")
    if queries is None:
        missing = str(path / "queries.jsonl")
        draft.problems.append(Problem(file=missing, line=None, field="", expected="a file to read", got="no such file"))
        return
    add_corpus(path, draft)
    qrels, splits = _qrels(path, draft)
    for place, raw in read_objects(queries, draft.problems):
        row = Row(place, raw, draft.problems)
        query_id, query = row.name("_id", "id"), row.text("text")
        if not row.ok:
            continue
        if query_id not in qrels:
            draft.left_out["queries without judgements"] += 1
            continue
        draft.add_turn(
            place,
            query_id,
            conversation_id=query_id,
            turn=1,
            query=query,
            relevant_ids=relevant(qrels[query_id], 1 if min_grade is None else min_grade),
            metadata={"split": splits.get(query_id)},
        )


def _qrels(path: Path, draft: Draft) -> tuple[Qrels, dict[str, str]]:
    """Join the qrels files of all splits: the grades of each query, and its split."""
    qrels: Qrels = {}
    splits: dict[str, str] = {}
    strictness = Counter({"test": 2, "dev": 1})
    for file in files(path / "qrels", "*.tsv"):
        split = split_of(file)
        for query_id, grades in read_qrels(file, draft.problems).items():
            known = qrels.setdefault(query_id, {})
            for passage_id, grade in grades.items():
                known[passage_id] = max(grade, known.get(passage_id, grade))
            if split and (query_id not in splits or strictness[split] > strictness[splits[query_id]]):
                splits[query_id] = split
    return qrels, splits
