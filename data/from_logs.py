"""From chat logs to turns: those whose answer cited its sources are labelled, all others wait in a queue for a person.

A log is JSON Lines, plain or packed as .gz or .zip, a conversation a line:

    {"conversation_id": "c1", "messages": [{"role": "user", "content": "…"}, {"role": "assistant", "content": "…", "sources": ["p1"]}]}

or a line of our own rewrite log (``query``, ``rewritten``, ``conversation_id``), which has no answers: its turns all go to the queue.

**Logs hold what people said**: names, addresses, numbers. Nothing is removed here; take out what must not be kept, before or after. What
is written is readable for its owner alone.
"""

from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from pydantic import Field

from data.importers.draft import Draft
from data.importers.public import short_hash
from data.importers.raw import Place, plain_name, read_items
from data.importers.row import Row
from data.load import CORPUS_FILE, TURNS_FILE, load_passages
from data.problems import Problem, shown
from data.records import Message, Record

QUEUE_FILE = "to_label.jsonl"
"""Turns that wait for labels: the form of ``turns.jsonl``, with ``relevant_ids`` empty."""

_SPEAKERS = {"user": "user", "assistant": "assistant"}
# Set-up and tools: neither said by the user nor shown to them.
_SILENT = ("system", "developer", "tool", "function")


class LogReport(Record):
    """What became of a log, in numbers."""

    output: str
    conversations: int
    labelled: int
    to_label: int
    unknown_sources: int = 0
    """Cited ids that the corpus lacks; the turns that cite one are in the queue, with ``metadata.cited_ids``."""
    left_out: dict[str, int] = Field(default_factory=dict)
    """What was left out, and how often, by reason."""


class _Said(Record):
    role: str
    content: str
    sources: tuple[str, ...] = ()
    rewrite: str | None = None


def from_logs(logs: str | Path, output: str | Path, *, corpus: str | Path | None = None) -> LogReport:
    """Write ``turns.jsonl`` (labelled by citation) and ``to_label.jsonl`` (all other turns) from a log. The same log gives the same bytes.

    Every message of the user is a turn, its history all that came before. It is labelled when the assistant's answer, up to the user's
    next message, names ``sources`` (or ``citations``): ids of passages, or objects with an ``id``. Greetings are not sorted out: whether a
    message is one is for the labeller to say.

    Ids are the conversation's and the number of the user's message. A conversation without an id gets one from what it says. The same
    conversation at several moments (a log of snapshots) counts once, at its longest.

    Args:
        logs: The file.
        output: A folder to make. It appears whole or not at all.
        corpus: Passages in our form; they are copied beside the turns, and a turn that cites others is not labelled.

    Raises:
        DataError: A file is missing, ``output`` is there already, or lines are wrong (every one is listed). A last line that was cut
            short is left out.
    """
    logs, output = Path(logs), Path(output)
    passages = load_passages(corpus) if corpus is not None else None
    with Draft(logs, output, private=True) as draft:
        if passages is not None:
            for number, passage in enumerate(passages, start=1):
                place = Place(CORPUS_FILE, number)
                draft.add_passage(place, passage.id, passage.text, passage.title, passage.metadata)
        known = None if passages is None else {passage.id for passage in passages}
        counts: Counter[str] = Counter()
        for conversation_id, (place, said) in _conversations(logs, draft).items():
            _add_turns(draft, place, conversation_id, said, known=known, counts=counts)
        report = draft.finish()
    return LogReport(
        output=report.output,
        conversations=report.conversations,
        labelled=counts["labelled"],
        to_label=counts["to_label"],
        unknown_sources=counts["unknown"],
        left_out=report.left_out,
    )


def _conversations(logs: Path, draft: Draft) -> dict[str, tuple[Place, list[_Said]]]:
    """Read the log by conversation, in the order of their first lines."""
    conversations: dict[str, tuple[Place, list[_Said]]] = {}
    problems: list[Problem] = []
    for place, value in read_items(logs, problems):
        if not isinstance(value, dict):
            problems.append(place.problem("", "a JSON object", shown(value)))
            continue
        row = Row(place, value, problems)
        stated = row.name("conversation_id", "id") if row.has("conversation_id", "id") else None
        if "messages" not in value and "query" in value:
            line = _Said(role="user", content=row.text("query"), rewrite=row.maybe_text("rewritten"))
            name = stated or f"log-{short_hash(line.content)}-{place.line}"
            conversations.setdefault(name, (place, []))[1].append(line)
            continue
        said = _messages(row, draft)
        if not row.ok:
            continue
        name = stated or f"log-{short_hash(*(part for one in said for part in (one.role, one.content)))}"
        before = conversations.get(name)
        if before is None or said[: len(before[1])] == before[1]:
            conversations[name] = (before[0] if before else place, said)
        elif before[1][: len(said)] != said:
            row.fail("conversation_id", "an id of its own (another conversation has it already)", shown(name))
            continue
        if before is not None:
            draft.left_out["earlier or equal copies of a conversation"] += 1
    _forgive_cut_end(logs, problems, draft)
    draft.problems += problems
    return conversations


def _messages(row: Row, draft: Draft) -> list[_Said]:
    said: list[_Said] = []
    for message in row.rows("messages"):
        role = message.text("role").lower()
        if role in _SILENT or not message.ok:
            continue
        if role not in _SPEAKERS:
            message.fail("role", "user, assistant, or one of system, developer, tool, function", shown(role))
            continue
        content = _content(message)
        sources = _sources(message)
        if content or (sources and role == "assistant"):
            said.append(_Said(role=role, content=content, sources=tuple(sources)))
        elif role == "user":
            draft.left_out["messages of the user without text"] += 1
    return said


def _content(message: Row) -> str:
    """Read what was said: a string, the text parts of a list, or nothing (calls of tools)."""
    value = message.raw.get("content")
    if isinstance(value, list):
        parts = [part.get("text") for part in value if isinstance(part, dict) and part.get("type") == "text"]
        return "\n".join(part.strip() for part in parts if isinstance(part, str)).strip()
    return message.maybe_text("content") or ""


def _sources(message: Row) -> list[str]:
    name = "sources" if message.has("sources") else "citations"
    value: Any = message.raw.get(name)
    if value is None:
        return []
    ids = [one.get("id") if isinstance(one, dict) else one for one in value] if isinstance(value, list) else [None]
    found = [str(one).strip() for one in ids if isinstance(one, str | int) and not isinstance(one, bool)]
    if len(found) != len(ids) or not all(found):
        message.fail(name, 'a list of passage ids, or of objects with an "id"', shown(value))
    return list(dict.fromkeys(found))


def _add_turns(
    draft: Draft,
    place: Place,
    conversation_id: str,
    said: list[_Said],
    *,
    known: set[str] | None,
    counts: Counter[str],
) -> None:
    turn = 0
    for index, one in enumerate(said):
        if one.role != "user":
            continue
        turn += 1
        cited = list(dict.fromkeys(_cited(said[index + 1 :])))
        unknown = [] if known is None else [source for source in cited if source not in known]
        labelled = bool(cited) and not unknown
        counts["unknown"] += len(unknown)
        counts["labelled" if labelled else "to_label"] += 1
        draft.add_turn(
            place,
            f"{conversation_id}:{turn}",
            conversation_id=conversation_id,
            turn=turn,
            history=[Message(role=past.role, content=past.content) for past in said[:index] if past.content],  # type: ignore[arg-type]
            query=one.content,
            relevant_ids=cited if labelled else (),
            answerable=True if labelled else None,
            metadata={
                "labelled_by": "citation" if labelled else None,
                "cited_ids": cited if unknown else None,
                "machine_rewrite": one.rewrite,
            },
            file=TURNS_FILE if labelled else QUEUE_FILE,
        )


def _cited(after: Iterable[_Said]) -> Iterable[str]:
    """Yield the sources of the answer: of all that the assistant said before the user's next message."""
    for one in after:
        if one.role == "user":
            return
        yield from one.sources


def _forgive_cut_end(logs: Path, problems: list[Problem], draft: Draft) -> None:
    """Leave out a last line that is no JSON and has no end: it is being written, or was when the disk was full."""
    if not problems or plain_name(logs) != logs.name:
        return
    last = problems[-1]
    with logs.open("rb") as file:
        content_ends = file.seek(0, 2) > 0 and file.seek(-1, 2) >= 0 and file.read(1) == b"\n"
        file.seek(0)
        lines = sum(1 for _ in file)
    if not content_ends and last.line == lines and not last.field and last.expected.startswith(("JSON (", "UTF-8")):
        problems.pop()
        draft.left_out["a last line that was cut short"] += 1
