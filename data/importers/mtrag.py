"""MTRAG: conversations of people with a retrieval-augmented assistant, over four corpora (clapnq, cloud, fiqa, govt)."""

import re
from collections.abc import Iterable, Set
from pathlib import Path
from typing import Any, NamedTuple

from data.importers.chunks import ChunkMatcher, document_of
from data.importers.corpus import add_corpus, add_jsonl
from data.importers.draft import Draft
from data.importers.public import inputs, short_hash
from data.importers.qrels import read_qrels, relevant
from data.importers.raw import Place, files, find, plain_name, read_objects
from data.importers.row import Row
from data.problems import shown
from data.records import Message

_DOMAINS = ("clapnq", "cloud", "fiqa", "govt")
_SPEAKERS = {"user": "user", "agent": "assistant"}
_TASK_ID = re.compile(r"(?P<conversation>.+?)(?:<::>|::)(?P<turn>\d+)")
_USER = "|user|:"


class _Task(NamedTuple):
    """A turn of a conversation as the generation tasks have it: with the assistant's answers and the passages of reference."""

    place: Place
    conversation: str
    turn: int
    domain: str | None
    messages: tuple[Message, ...]
    references: tuple[str, ...]
    kinds: dict[str, list[str]]


def read(path: Path, draft: Draft, min_grade: int | None) -> None:
    """Add a copy of the benchmark's repository, the folder of one domain's retrieval task, or a file of generation tasks.

    From ``<domain>_lastturn.jsonl`` come the queries, from ``qrels/*.tsv`` the labels, from ``<domain>_rewrite.jsonl`` the benchmark's
    rewrites (a model's, so ``metadata.machine_rewrite`` and not ``gold_rewrite``). Histories are those of ``generation_tasks/*.jsonl``
    where found, with the assistant's answers; without them ``<domain>_questions.jsonl`` gives what the user said. Tasks without labels
    (unanswerable, conversational) come too, unlabelled. Tasks alone are labelled by their reference passages.

    Ids of turns are ``<conversation><::><turn>``. Older copies name a turn after its annotator and the time, which does not tell
    conversations apart: there it is the first question that does.

    The corpus is ``corpora/passage_level/<domain>.jsonl`` or ``corpus.jsonl`` beside the queries, else the passages that the tasks quote.
    A label's id ends in the offsets of its chunk. Where the corpus was cut otherwise, it becomes the chunks that share most of it, and
    where documents were not cut, the document; ``left_out`` counts both.
    """
    if path.is_file():
        tasks = _read_tasks(path, draft, complete=frozenset())
        for task_id, task in tasks.items():
            _add_turn(draft, task_id, task, query=task.messages[-1].content, labels=task.references, rewrite=None)
        return
    questions = inputs(path, ("*_lastturn.jsonl",))
    domains = {file: plain_name(file).removesuffix("_lastturn.jsonl") for file in questions}
    has_corpus = {domain: _add_domain_corpus(path, file.parent, domain, draft) for file, domain in domains.items()}
    complete = frozenset(domain for domain, found in has_corpus.items() if found)
    tasks = {}
    for file in _task_files(path):
        for task_id, task in _read_tasks(file, draft, complete=complete).items():
            if task.domain is None or task.domain in has_corpus:
                tasks.setdefault(task_id, task)
    matcher = ChunkMatcher(draft.passage_ids)
    for file, domain in domains.items():
        _add_domain(file, domain, draft, tasks=tasks, matcher=matcher, least=1 if min_grade is None else min_grade)
    for task_id, task in tasks.items():
        if task.messages:
            _add_turn(draft, task_id, task, query=task.messages[-1].content, labels=(), rewrite=None)
    draft.left_out.update(matcher.changed)


def _add_domain_corpus(root: Path, folder: Path, domain: str, draft: Draft) -> bool:
    packed = files(root, f"{domain}.jsonl")
    # The same corpus comes in passages and in whole documents; the labels are of passages.
    best = sorted(
        packed, key=lambda file: ("passage" not in str(file.parent), "document" in str(file.parent), str(file))
    )
    if best:
        add_jsonl(best[0], draft, document_of, domain=domain)
    return bool(best) or add_corpus(folder, draft)


def _task_files(root: Path) -> list[Path]:
    found = [file for file in files(root, "*.jsonl") if file.parent.name == "generation_tasks"]
    # The file of references first: its contexts are all relevant, those of the others are what a search found.
    return sorted(found, key=lambda file: (plain_name(file) != "reference.jsonl", file.name))


def _read_tasks(file: Path, draft: Draft, *, complete: Set[str]) -> dict[str, _Task]:
    """Read a file of generation tasks by task id. The passages they quote join the corpus, but for domains that are ``complete``."""
    tasks: dict[str, _Task] = {}
    all_relevant = plain_name(file).lower() not in ("rag.jsonl", "reference+rag.jsonl")
    for place, raw in read_objects(file, draft.problems):
        row = Row(place, raw, draft.problems)
        task_id = row.text("task_id")
        found = _TASK_ID.fullmatch(task_id)
        conversation, turn = row.maybe_text("conversation_id"), row.raw.get("turn")
        messages = [message for inner in row.rows("input") if (message := _message(inner)) is not None]
        domain = _domain(row)
        contexts = row.rows("contexts") if row.has("contexts") else []
        references = []
        for context in contexts:
            passage_id, text = context.name("document_id", "id"), context.maybe_text("text")
            if context.ok and (all_relevant or context.raw.get("reference") is True):
                references.append(passage_id)
            if context.ok and text and domain not in complete and not draft.has_passage(passage_id):
                metadata = {"source": document_of(passage_id), "domain": domain, "url": context.maybe_text("url")}
                draft.add_passage(place, passage_id, text, context.maybe_text("title"), metadata)
        if row.ok and (not messages or messages[-1].role != "user"):
            row.fail("input", "messages that end with the user's", f"{len(messages)} messages")
        if not row.ok:
            continue
        tasks[task_id] = _Task(
            place=place,
            conversation=conversation or (found["conversation"] if found else task_id),
            turn=int(found["turn"]) if found else _turn(turn, messages),
            domain=domain,
            messages=tuple(messages),
            references=tuple(references),
            kinds={
                name: _words(row.raw.get(field))
                for name, field in (
                    ("answerability", "Answerability"),
                    ("multi_turn", "Multi-Turn"),
                    ("question_type", "Question Type"),
                )
                if row.has(field)
            },
        )
    return tasks


def _add_domain(
    file: Path, domain: str, draft: Draft, *, tasks: dict[str, _Task], matcher: ChunkMatcher, least: int
) -> None:
    folder = file.parent
    rewrites = {
        task_id: texts[-1] for task_id, (_, texts) in _read_queries(folder, f"{domain}_rewrite.jsonl", draft).items()
    }
    said = _read_queries(folder, f"{domain}_questions.jsonl", draft)
    qrels: dict[str, dict[str, int]] = {}
    for judged in files(folder / "qrels", "*.tsv"):
        qrels.update(read_qrels(judged, draft.problems))
    for task_id, (place, texts) in _read_queries(folder, file.name, draft).items():
        labels = matcher.match(relevant(qrels.get(task_id, {}), least))
        task = tasks.pop(task_id, None) or _from_questions(place, task_id, said.get(task_id, (place, texts))[1])
        _add_turn(
            draft,
            task_id,
            task._replace(domain=domain, place=place),
            query=texts[-1] if not task.messages else task.messages[-1].content,
            labels=labels,
            rewrite=rewrites.get(task_id),
        )


def _add_turn(
    draft: Draft, task_id: str, task: _Task, *, query: str, labels: Iterable[str], rewrite: str | None
) -> None:
    labels = tuple(labels)
    answerability = task.kinds.get("answerability", [])
    history = task.messages[:-1]
    draft.add_turn(
        task.place,
        f"mtrag:{task_id}",
        conversation_id=task.conversation,
        turn=task.turn,
        history=history,
        query=query,
        relevant_ids=labels,
        answerable=True if labels else False if "UNANSWERABLE" in answerability else None,
        metadata={
            "domain": task.domain,
            "language": "en",
            **task.kinds,
            "user_only_history": True if history and all(message.role == "user" for message in history) else None,
            "machine_rewrite": rewrite,
            "machine_rewrite_by": "Mixtral 8x7B Instruct, in the MTRAG release" if rewrite else None,
        },
    )


def _read_queries(folder: Path, name: str, draft: Draft) -> dict[str, tuple[Place, list[str]]]:
    """Read queries in BEIR's form: what the user said, the last utterance last, without the marks ``|user|:``."""
    path = folder / name if (folder / name).is_file() else find(folder, name)
    queries: dict[str, tuple[Place, list[str]]] = {}
    if path is None:
        return queries
    for place, raw in read_objects(path, draft.problems):
        row = Row(place, raw, draft.problems)
        task_id, text = row.name("_id", "id"), row.text("text")
        if row.ok:
            # Only a mark at the start of a line begins an utterance: one may span lines, or speak of "|user|:".
            texts = [one.strip() for one in re.split(rf"^{re.escape(_USER)}", text, flags=re.MULTILINE) if one.strip()]
            if texts:
                queries[task_id] = place, texts
            else:
                row.fail("text", "what the user said", shown(text))
    return queries


def _from_questions(place: Place, task_id: str, said: list[str]) -> _Task:
    """Make a task of what the user said up to now."""
    found = _TASK_ID.fullmatch(task_id)
    if found:
        conversation, turn = found["conversation"], int(found["turn"])
    else:
        annotator = task_id.rpartition("_")[0]
        conversation = short_hash(annotator, said[0])
        turn = len(said)
    messages = tuple(Message(role="user", content=text) for text in said)
    return _Task(place, conversation, max(turn, 1), None, messages, (), {})


def _message(row: Row) -> Message | None:
    """Read an utterance; None when it is an answer without words."""
    speaker = row.text("speaker")
    if speaker and speaker not in _SPEAKERS:
        row.fail("speaker", "user or agent", shown(speaker))
    text = row.maybe_text("text") if speaker == "agent" else row.text("text")
    if text is None:
        return None
    return Message(role=_SPEAKERS.get(speaker, "user"), content=text)  # type: ignore[arg-type]


def _domain(row: Row) -> str | None:
    collection = (row.maybe_text("Collection", "collection") or "").lower()
    return next((domain for domain in _DOMAINS if domain in collection), None)


def _turn(stated: Any, messages: list[Message]) -> int:
    text = str(stated)
    return int(text) if text.isdecimal() and int(text) >= 1 else sum(message.role == "user" for message in messages)


def _words(value: Any) -> list[str]:
    return [str(one) for one in value] if isinstance(value, list) else [str(value)]
