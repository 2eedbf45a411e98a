"""TREC CAsT 2019-2022: topics with the organisers' rewrites. The corpora (MS MARCO, CAR, KILT, Washington Post) are no part of them."""

from collections import defaultdict
from pathlib import Path
from typing import Any, NamedTuple

from data.importers.corpus import add_corpus
from data.importers.draft import Draft
from data.importers.public import inputs
from data.importers.qrels import Qrels, read_qrels, relevant
from data.importers.raw import PACKED, Place, files, plain_name, read_lines, read_objects
from data.importers.row import Row
from data.problems import cut, shown
from data.records import Message

# Topics of the years are numbered on.
_FIRST_TOPIC = {2022: 132, 2021: 106, 2020: 81, 2019: 1}

# From which grade the track counts a passage as relevant.
_LEAST_GRADE = {2019: 1, 2020: 2, 2021: 2, 2022: 2}

# Of several files with the same topics, the first that has none of these in its name, then the fewest: other people's rewrites, paths
# of a tree written out one by one, lists of other things.
_SECOND_CHOICE = ("turn_ids", "question_pool", "sample", "flattened", "automatic", "annotated")


class _Utterance(NamedTuple):
    """What was said at a node of a topic: by the user, by the system, or (in linear topics) by both."""

    place: Place
    turn_id: str
    parent: str | None
    query: str | None
    rewrite: str | None
    response: str | None
    sources: tuple[str, ...]


def read(path: Path, draft: Draft, min_grade: int | None) -> None:
    """Add a topics file, the folder of a year, or several years.

    Layouts: 2019 with the rewrites in a file of their own (``*resolved*.tsv``), 2020 with them in the topics, 2021 with the passage shown
    to the user (the assistant's message here), 2022 as a tree or with its paths written out (a turn on several paths counts once).
    Without responses a history holds the user's utterances alone (``metadata.user_only_history``).

    Labels come from files named ``*qrel*`` beside the topics or below ``path``; grades count from 1 in 2019 and from 2 afterwards, as in
    the track (``min_grade`` changes that). Without a corpus (``corpus.jsonl`` or ``collection.tsv`` in the folder) there are turns
    only. The passages behind a response are kept as ``metadata.response_sources``.
    """
    folder = path if path.is_dir() else path.parent
    add_corpus(folder, draft)
    topics = [path] if path.is_file() else _best_of_each_folder(inputs(path, ("*topics*.json",)))
    qrels: Qrels = {}
    for file in files(folder, "*qrel*"):
        for query_id, grades in read_qrels(file, draft.problems).items():
            qrels.setdefault(query_id, {}).update(grades)
    for file in topics:
        rewrites = _resolved(file.parent, draft)
        for place, raw in read_objects(file, draft.problems):
            _add_topic(Row(place, raw, draft.problems), draft, rewrites, qrels, min_grade)


def _best_of_each_folder(found: list[Path]) -> list[Path]:
    """Choose one file of topics in each folder: the same topics come in several versions."""
    by_folder: dict[Path, list[Path]] = defaultdict(list)
    for file in found:
        by_folder[file.parent].append(file)

    def rank(file: Path) -> tuple[int, str]:
        return sum(
            1 << (len(_SECOND_CHOICE) - at) for at, word in enumerate(_SECOND_CHOICE) if word in file.name
        ), file.name

    return [min(versions, key=rank) for _, versions in sorted(by_folder.items())]


def _resolved(folder: Path, draft: Draft) -> dict[str, str]:
    """Read the rewrites of 2019: turn id, tab, text. The complete file is called "annotated"."""
    found = sorted(file for end in PACKED for file in folder.glob(f"*resolved*.tsv{end}"))
    if not found:
        return {}
    best = min(found, key=lambda file: ("annotated" not in file.name, "sample" in file.name, plain_name(file)))
    rewrites: dict[str, str] = {}
    for place, line in read_lines(best, draft.problems):
        turn_id, tab, text = line.partition("\t")
        if not tab or not text.strip():
            draft.problems.append(place.problem("", "a turn id and a rewrite, parted by a tab", cut(line)))
        else:
            rewrites[turn_id.strip()] = text.strip()
    return rewrites


def _add_topic(topic: Row, draft: Draft, rewrites: dict[str, str], qrels: Qrels, min_grade: int | None) -> None:
    number = topic.count("number")
    year = next(year for year, first in _FIRST_TOPIC.items() if number >= first)
    nodes: dict[str, _Utterance] = {}
    before: str | None = None
    for row in topic.rows("turn"):
        node = _utterance(row, before)
        if row.ok:
            nodes[node.turn_id] = node
            before = node.turn_id
    if not topic.ok:
        return
    least = _LEAST_GRADE[year] if min_grade is None else min_grade
    responds = any(node.response for node in nodes.values())
    for node in nodes.values():
        path = _path(topic, node, nodes)
        if node.query is None or path is None:
            continue
        turn_id = f"{number}_{node.turn_id}"
        rewrite = node.rewrite or rewrites.get(turn_id)
        draft.add_turn(
            node.place,
            f"cast{year}:{turn_id}",
            conversation_id=f"cast{year}:{number}",
            turn=1 + sum(one.query is not None for one in path),
            history=[message for one in path for message in _messages(one)],
            query=node.query,
            gold_rewrite=rewrite,
            relevant_ids=relevant(qrels.get(turn_id, {}), least),
            metadata={
                "language": "en",
                "year": year,
                "title": topic.maybe_text("title"),
                "rewrite_only": None if qrels else True,
                "user_only_history": not responds,
                "rewrite_equals_query": None if rewrite is None else rewrite == node.query,
                "response_sources": list(node.sources) or None,
            },
        )


def _utterance(row: Row, before: str | None) -> _Utterance:
    tree = row.has("participant")
    by_user = not tree or row.text("participant").lower() == "user"
    return _Utterance(
        place=row.place,
        turn_id=row.name("number"),
        # Linear topics follow their order; in a tree, what has no parent begins.
        parent=row.maybe_text("parent") if tree else before,
        query=row.text("utterance", "raw_utterance") if by_user else None,
        rewrite=row.maybe_text("manual_rewritten_utterance") if by_user else None,
        response=row.maybe_text("response", "passage") if not tree or not by_user else None,
        sources=tuple(_sources(row)),
    )


def _sources(row: Row) -> list[str]:
    value: Any = row.raw.get("provenance")
    if value is None:
        one = row.maybe_text("manual_canonical_result_id", "canonical_result_id")
        passage = row.raw.get("passage_id")
        return [] if one is None else [one if passage is None else f"{one}-{passage}"]
    return row.texts("provenance")


def _path(topic: Row, node: _Utterance, nodes: dict[str, _Utterance]) -> list[_Utterance] | None:
    """Return what was said before ``node``, oldest first; None after reporting a parent that is not there or comes round."""
    path: list[_Utterance] = []
    parent = node.parent
    while parent is not None:
        if parent not in nodes or len(path) >= len(nodes):
            topic.fail(f"turn {node.turn_id}.parent", "an earlier turn of the topic", shown(parent))
            return None
        path.append(nodes[parent])
        parent = nodes[parent].parent
    return path[::-1]


def _messages(said: _Utterance) -> list[Message]:
    messages = []
    if said.query is not None:
        messages.append(Message(role="user", content=said.query))
    if said.response is not None:
        messages.append(Message(role="assistant", content=said.response))
    return messages
