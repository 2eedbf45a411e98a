"""CANARD: questions of QuAC dialogues, rewritten by people to stand alone (train.json, dev.json, test.json)."""

from collections import defaultdict
from pathlib import Path

from data.importers.draft import Draft
from data.importers.public import inputs, short_hash
from data.importers.raw import Place, read_objects
from data.importers.row import Row, alternating
from data.importers.split_names import split_of

# Under this an answer ("yes", a year) says nothing that a search could find.
_SHORTEST_ANSWER = 20
_NO_ANSWERS = ("i don't know", "cannotanswer")


def read(path: Path, draft: Draft, min_grade: int | None) -> None:  # noqa: ARG001 - there are no grades here
    """Add a file of CANARD or a folder of them.

    CANARD has no passages. The retrieval task made here is that of QuAC's answers: an answer is a span of the article's section, and the
    next question's history quotes it. So a passage is one quoted span, titled "article: section", and the relevant passage of a question
    is the span that answered it. A question has no label when its answer is not quoted (the dialogue's last), is "I don't know" or is
    under 20 characters.

    The first two utterances of a history are the article's and the section's title; they stand as one opening message of the assistant,
    since rewrites of first questions use them.
    """
    for file in inputs(path, ("train.json", "dev.json", "test.json")):
        _read_file(file, draft)


def _read_file(file: Path, draft: Draft) -> None:
    split = split_of(file)
    dialogues: dict[str, list[tuple[Place, int, list[str], str, str | None]]] = defaultdict(list)
    for place, raw in read_objects(file, draft.problems):
        row = Row(place, raw, draft.problems)
        dialogue, number = row.name("QuAC_dialog_id"), row.count("Question_no")
        history, question, rewrite = row.texts("History"), row.text("Question"), row.maybe_text("Rewrite")
        if row.ok and len(history) < 2:
            row.fail("History", "the article's title and the section's first", f"{len(history)} utterances")
        if row.ok and len(history) % 2:
            row.fail("History", "an answer to every question", f"{len(history)} utterances")
        if row.ok:
            dialogues[dialogue].append((place, number, history, question, rewrite))
    for dialogue, questions in dialogues.items():
        longest = max((history for _, _, history, _, _ in questions), key=len)
        for place, number, history, question, rewrite in questions:
            article, section = history[0].strip(), history[1].strip()
            title = f"{article}: {section}"
            answer = longest[len(history) + 1].strip() if len(longest) > len(history) + 1 else ""
            labels = []
            if len(answer) >= _SHORTEST_ANSWER and answer.rstrip(".").lower() not in _NO_ANSWERS:
                passage_id = _passage_id(dialogue, answer)
                draft.add_passage(
                    place,
                    passage_id,
                    answer,
                    title,
                    {"source": dialogue, "domain": "wikipedia", "article": article, "section": section},
                )
                labels = [passage_id]
            draft.add_turn(
                place,
                f"canard:{dialogue}:{number}",
                conversation_id=dialogue,
                turn=number,
                history=(*alternating([title], first="assistant"), *alternating(history[2:])),
                query=question,
                gold_rewrite=rewrite,
                relevant_ids=labels,
                answerable=True if labels else None,
                metadata={
                    "language": "en",
                    "split": split,
                    "title": article,
                    "section": section,
                    "rewrite_equals_query": None if rewrite is None else rewrite == question,
                },
            )


def _passage_id(dialogue: str, answer: str) -> str:
    return f"canard:{short_hash(dialogue, answer)}"
