"""A corpus beside the questions, for the formats that come without one or in BEIR's form."""

from collections.abc import Callable
from pathlib import Path

from data.importers.draft import Draft
from data.importers.raw import find, read_lines, read_objects
from data.importers.row import Row
from data.load import CORPUS_FILE
from data.problems import cut


def add_corpus(folder: Path, draft: Draft) -> bool:
    """Add the passages of ``corpus.jsonl`` or ``collection.tsv`` in ``folder``, packed or not; return whether there is one.

    ``corpus.jsonl`` holds ``_id`` or ``id``, ``title`` and ``text`` (BEIR), ``collection.tsv`` id and text, and perhaps a title
    (MS MARCO, DPR).
    """
    if path := find(folder, CORPUS_FILE):
        add_jsonl(path, draft)
    elif path := find(folder, "collection.tsv"):
        _add_tsv(path, draft)
    return path is not None


def add_jsonl(
    path: Path,
    draft: Draft,
    source_of: Callable[[str], str | None] = lambda _: None,
    **metadata: str,
) -> None:
    """Add the passages of one JSON Lines file.

    Args:
        path: The file.
        draft: Takes them.
        source_of: Gives the document of a passage's id; None when the passage is its own.
        metadata: Added to each.
    """
    for place, raw in read_objects(path, draft.problems):
        row = Row(place, raw, draft.problems)
        passage_id = row.name("_id", "id", "document_id")
        text, title = row.maybe_text("text", "contents"), row.maybe_text("title")
        inner = raw.get("metadata")
        stated = dict(inner) if isinstance(inner, dict) else {}
        url = row.maybe_text("url")
        if row.ok:
            source = source_of(passage_id) or stated.get("source")
            known = stated | {"source": source, "url": url or stated.get("url")} | metadata
            draft.add_passage(place, passage_id, text or "", title, known)


def _add_tsv(path: Path, draft: Draft) -> None:
    for place, line in read_lines(path, draft.problems):
        columns = line.split("\t")
        if place.line == 1 and columns[0].lower() in ("id", "pid", "docid"):
            continue
        if len(columns) < 2 or not columns[0].strip():
            draft.problems.append(place.problem("", "an id and a text, parted by a tab", cut(line)))
            continue
        draft.add_passage(place, columns[0].strip(), columns[1], columns[2].strip() if len(columns) > 2 else None)
