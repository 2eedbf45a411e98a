"""KdConv: Chinese dialogues of two people, each utterance labelled with the knowledge triples it uses (film, music, travel)."""

from pathlib import Path

from data.importers.draft import Draft
from data.importers.public import inputs
from data.importers.raw import Place, find, plain_name, read_members, read_objects
from data.importers.row import Row
from data.importers.split_names import split_of
from data.problems import shown
from data.records import Message

_Pair = tuple[str, str]
_Values = dict[_Pair, list[str]]

# The prose introduction of an entity; its name in the data is English.
_INTRODUCTION = {"Information": "简介"}
_QUESTION_MARKS = ("？", "?")


def read(path: Path, draft: Draft, min_grade: int | None) -> None:  # noqa: ARG001 - there are no grades here
    """Add a dialogue file, the folder of a domain, or the folder of all.

    A passage is one (entity, attribute) of the knowledge base ``kb_<domain>.json`` beside the dialogues, with all its values: "entity
    attribute：value、value". Pairs that only the dialogues name join it.

    A turn is a message that ends with a question mark and is answered from knowledge. Relevant are the pairs of the answer, less those
    that the question itself carries. Both sides ask in KdConv: who asks is "user" and the other "assistant", so a history may begin with
    either. Turn numbers count the dialogue's questions.
    """
    by_domain: dict[tuple[Path, str], list[Path]] = {}
    for file in inputs(path, ("train.json", "dev.json", "valid.json", "test.json")):
        by_domain.setdefault((file.parent, _domain(file)), []).append(file)
    for (folder, domain), dialogues in by_domain.items():
        values: _Values = {}
        known: dict[_Pair, Place] = {}
        if base := find(folder, f"kb_{domain}.json"):
            _read_base(base, draft, values, known)
        said: _Values = {}
        for file in dialogues:
            _read_dialogues(file, domain, draft, said, known)
        for (entity, attribute), texts in (values | {pair: said[pair] for pair in said if pair not in values}).items():
            draft.add_passage(
                known[entity, attribute],
                _passage_id(domain, (entity, attribute)),
                f"{entity} {_INTRODUCTION.get(attribute, attribute)}：{'、'.join(texts)}",
                entity,
                {"source": entity, "domain": domain, "attribute": attribute},
            )


def _domain(file: Path) -> str:
    bases = sorted(
        plain_name(base).removeprefix("kb_").removesuffix(".json") for base in file.parent.glob("kb_*.json*")
    )
    return bases[0] if len(bases) == 1 else file.resolve().parent.name


def _read_base(base: Path, draft: Draft, values: _Values, known: dict[_Pair, Place]) -> None:
    for place, entity, triples in read_members(base, draft.problems):
        if not entity or not isinstance(triples, list):
            draft.problems.append(place.problem(entity, "an entity with a list of triples", shown(triples)))
            continue
        for index, triple in enumerate(triples):
            # A value may be a number; the head and the attribute are names.
            if isinstance(triple, list) and len(triple) == 3 and all(isinstance(part, str) for part in triple[:2]):
                _add(values, known, place, (triple[0].strip(), triple[1].strip()), str(triple[2]))
            else:
                draft.problems.append(place.problem(f"{entity}.{index}", "[entity, attribute, value]", shown(triple)))


def _read_dialogues(file: Path, domain: str, draft: Draft, said: _Values, known: dict[_Pair, Place]) -> None:
    split = split_of(file)
    for number, (place, raw) in enumerate(read_objects(file, draft.problems)):
        dialogue = Row(place, raw, draft.problems)
        rows = dialogue.rows("messages")
        texts = [row.text("message") for row in rows]
        pairs = [_pairs(row) for row in rows]
        if not dialogue.ok:
            continue
        for triples in pairs:
            for pair, value in triples:
                _add(said, known, place, pair, value)
        conversation = f"kdconv-{domain}-{split or plain_name(file)}-{number}"
        _add_turns(place, conversation, texts, pairs, draft, domain=domain, split=split)


def _add_turns(
    place: Place,
    conversation: str,
    texts: list[str],
    pairs: list[list[tuple[_Pair, str]]],
    draft: Draft,
    *,
    domain: str,
    split: str | None,
) -> None:
    turn = 0
    for index, text in enumerate(texts[:-1]):
        if not text.endswith(_QUESTION_MARKS):
            continue
        turn += 1
        asked = {pair for pair, _ in pairs[index]}
        answered = list(dict.fromkeys(pair for pair, _ in pairs[index + 1]))
        wanted = [pair for pair in answered if pair not in asked]
        if not wanted:
            reason = "questions answered by what they name" if answered else "questions answered without knowledge"
            draft.left_out[reason] += 1
            continue
        entities = list(dict.fromkeys(entity for entity, _ in wanted))
        before = " ".join(texts[:index])
        draft.add_turn(
            place,
            f"{conversation}:{index}",
            conversation_id=conversation,
            turn=turn,
            history=[
                Message(role="user" if (index - at) % 2 == 0 else "assistant", content=said)
                for at, said in enumerate(texts[:index])
            ],
            query=text,
            relevant_ids=[_passage_id(domain, pair) for pair in wanted],
            answerable=True,
            metadata={
                "domain": domain,
                "language": "zh",
                "split": split,
                "message_index": index,
                "entities": entities,
                "entity_named_in_query": any(entity in text for entity in entities),
                "entity_named_before": any(entity in before for entity in entities),
            },
        )


def _pairs(row: Row) -> list[tuple[_Pair, str]]:
    """Read the triples of a message, which may have none."""
    if not row.has("attrs"):
        return []
    triples = []
    for triple in row.rows("attrs"):
        pair = triple.text("name"), triple.text("attrname")
        value = triple.raw.get("attrvalue")
        triples.append((pair, "" if value is None else str(value)))
    return triples


def _add(values: _Values, known: dict[_Pair, Place], place: Place, pair: _Pair, value: str) -> None:
    known.setdefault(pair, place)
    texts = values.setdefault(pair, [])
    if value.strip() and value.strip() not in texts:
        texts.append(value.strip())


def _passage_id(domain: str, pair: _Pair) -> str:
    return f"kdconv-{domain}:{pair[0]}#{pair[1]}"
