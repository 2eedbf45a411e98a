"""TopiOCQA: conversations that change their topic, answered from Wikipedia (topiocqa_train.json, topiocqa_valid.json)."""

from pathlib import Path

from data.importers.corpus import add_corpus
from data.importers.draft import Draft
from data.importers.public import inputs, short_hash
from data.importers.raw import read_objects
from data.importers.row import Row, alternating
from data.importers.split_names import split_of


def read(path: Path, draft: Draft, min_grade: int | None) -> None:  # noqa: ARG001 - there are no grades here
    """Add a file of TopiOCQA or a folder of them.

    The relevant passage is the release's ``Gold_passage`` where it is given; its text joins the corpus unless the folder holds the whole
    one (``corpus.jsonl``, or Wikipedia's segments as ``collection.tsv``). Without it, a passage is a ``Rationale``, the piece of the
    article that the answer was taken from, titled with topic and section: a smaller and easier corpus. There are no rewrites.
    """
    whole = path.is_dir() and add_corpus(path, draft)
    for file in inputs(path, ("*topiocqa*.json", "train.json", "dev.json", "valid.json")):
        split = split_of(file)
        for place, raw in read_objects(file, draft.problems):
            row = Row(place, raw, draft.problems)
            number, turn = row.name("Conversation_no"), row.count("Turn_no")
            context, question = row.texts("Context"), row.text("Question")
            if row.ok:
                conversation = f"topiocqa-{split}-{number}" if split else f"topiocqa-{number}"
                labels = _labels(row, draft, whole)
                if not row.ok:
                    continue
                unanswerable = (row.maybe_text("Answer") or "").upper() == "UNANSWERABLE"
                draft.add_turn(
                    place,
                    f"{conversation}:{turn}",
                    conversation_id=conversation,
                    turn=turn,
                    history=alternating(context),
                    query=question,
                    relevant_ids=labels,
                    answerable=False if unanswerable else True if labels else None,
                    metadata={
                        "language": "en",
                        "split": split,
                        "topic": row.maybe_text("Topic"),
                        "topic_section": row.maybe_text("Topic_section"),
                    },
                )


def _labels(row: Row, draft: Draft, whole: bool) -> list[str]:
    gold = row.raw.get("Gold_passage")
    topic, section = row.maybe_text("Topic"), row.maybe_text("Topic_section")
    if isinstance(gold, dict):
        inner = Row(row.place, gold, draft.problems)
        passage_id, text, title = inner.name("id"), inner.maybe_text("text"), inner.maybe_text("title")
        row.ok = inner.ok
        if inner.ok and not whole and text:
            draft.add_passage(row.place, passage_id, text, title or topic, {"source": topic, "domain": "wikipedia"})
        return [passage_id] if inner.ok else []
    rationale = row.maybe_text("Rationale")
    if rationale is None or rationale.upper() == "UNANSWERABLE":
        return []
    title = ": ".join(part for part in (topic, section) if part) or None
    passage_id = f"topiocqa:{short_hash(title or '', rationale)}"
    if not whole:
        draft.add_passage(row.place, passage_id, rationale, title, {"source": topic, "domain": "wikipedia"})
    return [passage_id]
