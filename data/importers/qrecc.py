"""QReCC: questions in context, with a person's rewrite and the address of the page that answered (qrecc_train.json, qrecc_test.json)."""

from pathlib import Path

from data.importers.corpus import add_corpus
from data.importers.draft import Draft
from data.importers.public import inputs
from data.importers.raw import read_objects
from data.importers.row import Row, alternating
from data.importers.split_names import split_of


def read(path: Path, draft: Draft, min_grade: int | None) -> None:  # noqa: ARG001 - there are no grades here
    """Add a file of QReCC, in Apple's form or that of the SCAI task, or a folder of them.

    The 54 million passages are no part of it: put those you have into ``corpus.jsonl`` or ``collection.tsv`` in the folder. Labels are
    SCAI's ``Truth_passages`` where given, else the ``Answer_URL``: a page, which matches where pages are the passages. Conversation
    numbers begin anew in each split, so ids name it.
    """
    if path.is_dir():
        add_corpus(path, draft)
    for file in inputs(path, ("*qrecc*.json", "*questions*.json")):
        split = split_of(file)
        for place, raw in read_objects(file, draft.problems):
            row = Row(place, raw, draft.problems)
            number, turn = row.name("Conversation_no"), row.count("Turn_no")
            context, question = row.texts("Context"), row.text("Question")
            rewrite = row.maybe_text("Rewrite", "Truth_rewrite")
            url = row.maybe_text("Answer_URL")
            passages = row.texts("Truth_passages")
            if not row.ok:
                continue
            conversation = f"qrecc-{split}-{number}" if split else f"qrecc-{number}"
            labels = passages or ([url] if url else [])
            draft.add_turn(
                place,
                f"{conversation}:{turn}",
                conversation_id=conversation,
                turn=turn,
                history=alternating(context),
                query=question,
                gold_rewrite=rewrite,
                relevant_ids=labels,
                answerable=True if labels else None,
                metadata={
                    "language": "en",
                    "split": split,
                    "origin": row.maybe_text("Conversation_source"),
                    "answer_url": url,
                    "rewrite_equals_query": None if rewrite is None else rewrite == question,
                },
            )
