"""CrossWOZ: Chinese dialogues about hotels, restaurants, sights and metro stations of a city, with dialogue acts and a database."""

from pathlib import Path
from typing import Any

from data.importers.draft import Draft
from data.importers.public import inputs
from data.importers.raw import Place, files, read_items, read_members
from data.importers.row import Row
from data.importers.split_names import split_of
from data.problems import shown
from data.records import Message

_ROLES = {"usr": "user", "sys": "assistant"}
_NAME = "名称"
_METRO = "地铁"
# What is near an entity: long lists of other names, which would drown its own facts.
_NEARBY = "周边"
_NEAREST_STATION = "附近地铁站"
_NOT_SHOWN = ("领域", _NAME)

_Act = tuple[str, str, str, str]


def read(path: Path, draft: Draft, min_grade: int | None) -> None:  # noqa: ARG001 - there are no grades here
    """Add a dialogue file (train.json, val.json, test.json) or the folder that holds them and ``database``.

    Passages come from ``*_db.json`` of the database (taxis are placeholders and left out): one with an entity's facts, and one for each
    list of what is near it (``…#周边餐馆``).

    Every message of the user is a turn. Its relevant passages are those of the entities that the answer speaks of, by the slots it
    informs about. An entity is named by the answer's acts, else by the question's, else by the query that the system sent to the
    database, else it is the only result of that query; an answer about no certain entity gives no label. A turn that found nothing
    (``NoOffer``) is not answerable; thanks and greetings have no label.
    """
    folder = path if path.is_dir() else path.parent
    for base in files(folder, "*_db.json"):
        if not base.name.startswith("taxi"):
            _add_database(base, draft)
    for file in inputs(path, ("train.json", "val.json", "test.json")):
        split = split_of(file)
        for place, task_id, raw in read_members(file, draft.problems):
            if isinstance(raw, dict):
                _add_dialogue(Row(place, raw, draft.problems), task_id, split, draft)
            else:
                draft.problems.append(place.problem(task_id, "a dialogue", shown(raw)))


def _add_database(base: Path, draft: Draft) -> None:
    domain_of_file = {"attraction_db": "景点", "hotel_db": "酒店", "restaurant_db": "餐馆", "metro_db": _METRO}
    stem = base.name.partition(".")[0]
    for place, entry in read_items(base, draft.problems):
        match entry:
            case [str(name), {**pairs}] if name.strip():
                slots = {str(slot): value for slot, value in pairs.items()}
                domain = str(slots.get("领域") or domain_of_file.get(stem, stem))
                _add_entity(place, domain, name.strip(), slots, draft)
            case _:
                draft.problems.append(place.problem("", "[name, {slot: value}]", shown(entry)))


def _add_entity(place: Place, domain: str, name: str, slots: dict[str, Any], draft: Draft) -> None:
    metadata = {"source": f"{domain}:{name}", "domain": domain, "language": "zh"}
    facts = [
        f"{slot}：{shown_value}"
        for slot, value in slots.items()
        if slot not in _NOT_SHOWN and not slot.startswith(_NEARBY) and (shown_value := _shown(value))
    ]
    draft.add_passage(place, _passage_id(domain, name), f"{name}（{domain}） {'；'.join(facts)}", name, metadata)
    for slot, value in slots.items():
        if slot.startswith(_NEARBY) and _shown(value):
            text = f"{name} {slot}：{_shown(value)}"
            draft.add_passage(place, _passage_id(domain, name, slot), text, name, metadata)


def _shown(value: Any) -> str:
    if isinstance(value, list):
        return "、".join(filter(None, map(_shown, value)))
    return "" if value is None else str(value).strip()


def _add_dialogue(dialogue: Row, task_id: str, split: str | None, draft: Draft) -> None:
    rows = dialogue.rows("messages")
    texts = [row.text("content") for row in rows]
    roles = [_role(row) for row in rows]
    acts = [_acts(row) for row in rows]
    if not dialogue.ok:
        return
    history: list[Message] = []
    turn = 0
    for index, (text, role) in enumerate(zip(texts, roles, strict=True)):
        message = Message(role=role, content=text)  # type: ignore[arg-type]
        if role == "user":
            turn += 1
            answered = index + 1 < len(rows) and roles[index + 1] == "assistant"
            answer = acts[index + 1] if answered else []
            labels = _labels(acts[index], answer, rows[index + 1].raw.get("sys_state") if answered else None)
            nothing_found = any(intent == "NoOffer" for intent, *_ in answer)
            draft.add_turn(
                dialogue.place,
                f"crosswoz-{task_id}:{turn}",
                conversation_id=f"crosswoz-{task_id}",
                turn=turn,
                history=history,
                query=text,
                relevant_ids=labels,
                answerable=True if labels else False if nothing_found else None,
                metadata={
                    "language": "zh",
                    "split": split,
                    "goal_type": dialogue.maybe_text("type"),
                    "domains": sorted({domain for _, domain, slot, _ in answer if slot != "none"}) or None,
                    "entities": list(dict.fromkeys(label.split(":", 2)[2].partition("#")[0] for label in labels))
                    or None,
                },
            )
        history.append(message)


def _labels(question: list[_Act], answer: list[_Act], state: Any) -> list[str]:
    labels: list[str] = []
    for intent, domain, slot, _ in answer:
        if intent not in ("Inform", "Recommend") or slot == "none":
            continue
        if domain == _METRO:
            if slot.endswith(_NEAREST_STATION):
                place = _of_query(state, domain).get(slot.removesuffix(_NEAREST_STATION))
                labels += [_passage_id(domain, place)] if isinstance(place, str) and place else []
            continue
        nearby = slot if slot.startswith(_NEARBY) else None
        labels += [_passage_id(domain, entity, nearby) for entity in _entities(domain, question, answer, state)]
    return list(dict.fromkeys(labels))


def _entities(domain: str, question: list[_Act], answer: list[_Act], state: Any) -> list[str]:
    for acts in (answer, question):
        named = [
            value
            for intent, of, slot, value in acts
            if of == domain
            and slot == _NAME
            and intent in ("Inform", "Recommend", "Select")
            and value not in ("", "none")
        ]
        if named:
            return list(dict.fromkeys(named))
    query = _of_query(state, domain)
    if isinstance(query.get(_NAME), str) and query[_NAME]:
        return [query[_NAME]]
    results = query.get("selectedResults")
    return results if isinstance(results, list) and len(results) == 1 and isinstance(results[0], str) else []


def _of_query(state: Any, domain: str) -> dict[str, Any]:
    """Return the domain's part of the database query behind an answer."""
    query = state.get(domain) if isinstance(state, dict) else None
    return query if isinstance(query, dict) else {}


def _role(row: Row) -> str:
    role = row.text("role")
    if role and role not in _ROLES:
        row.fail("role", "usr or sys", shown(role))
    return _ROLES.get(role, "user")


def _acts(row: Row) -> list[_Act]:
    """Read [intent, domain, slot, value] of a message."""
    acts: list[_Act] = []
    value = row.raw.get("dialog_act")
    if not isinstance(value, list):
        row.fail("dialog_act", "a list of acts", "nothing" if value is None else shown(value))
        return []
    for index, act in enumerate(value):
        if isinstance(act, list) and len(act) == 4:
            acts.append((str(act[0]), str(act[1]), str(act[2]), str(act[3])))
        else:
            row.fail(f"dialog_act.{index}", "[intent, domain, slot, value]", shown(act))
    return acts


def _passage_id(domain: str, name: str, nearby: str | None = None) -> str:
    return f"crosswoz:{domain}:{name}" + (f"#{nearby}" if nearby else "")
