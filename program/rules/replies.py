"""Turns that answer the assistant: "yes" to its offer, a name to its "which one?"."""

import re

from program.rules.ellipsis import replace_entity
from program.rules.pointing import partial, point
from program.rules.turn import Draft, TurnContext

_SENTENCE_END = re.compile(r"(?<=[。！!])\s*(?=\S)|(?<=[.?？])\s+(?=\S)")
_LONGEST_REPLY = 60


def offer(turn: TurnContext) -> Draft | None:
    """Resolve "yes" to "would you like the cleaning steps?"."""
    rules = turn.rules
    if not turn.last_answer or not rules.affirmation.fullmatch(turn.query.strip()):
        return None
    sentence = _SENTENCE_END.split(turn.last_answer.strip())[-1]
    match = rules.offer.search(sentence) or rules.offer.search(turn.last_answer.strip())
    topic = next((text for text in match.groupdict().values() if text), "").strip(" ，,的") if match else ""
    topic = re.sub(r"^(?:the|an?)\s+", "", topic, flags=re.IGNORECASE)
    if not topic:
        return None
    if turn.gazetteer.find(topic):
        return Draft((topic,), 0.85, "offer")
    # What the sentence names goes before the entity in focus ("Orla Plus has it; shall I show its price?").
    near = [mention.term for mention in reversed(turn.gazetteer.find(sentence))]
    referents = tuple(dict.fromkeys([*near, *turn.referents]))[:3]
    slot = rules.reference(topic, turn.heads)
    made = [rules.fill(topic, slot, term) if slot else rules.attach(term, topic) for term in referents]
    return Draft(tuple(made) or (topic,), 0.8 if made else 0.5, "offer")


def clarification(turn: TurnContext) -> Draft | None:
    """Merge the answer to "which quarter?" with the question that made the assistant ask."""
    rules = turn.rules
    text = rules.closer.sub("", rules.core(turn.query, answers=False)).strip()
    if not turn.asked or not rules.asks_which.search(turn.last_answer) or rules.question.search(turn.query):
        return None
    if not text or len(text) > _LONGEST_REPLY:
        return None
    rest = ""
    if pointed := point(turn, text):
        slot, choice = pointed
        rest = text[slot.end :].strip(" ，,")
    else:
        choice = partial(turn, text) or text
    named = turn.gazetteer.find(choice)
    choice = named[0].term if len(named) == 1 else choice
    made = replace_entity(turn.asked, choice, turn.gazetteer) if named else None
    # "how do I reset the toaster" + "Orla 30 Toaster".
    heads = rules.heads(choice) if named and made is None else ()
    if place := next(
        (found for head in heads if (found := re.search(re.escape(head), turn.asked, re.IGNORECASE))), None
    ):
        made = turn.asked[: place.start()] + choice + turn.asked[place.end() :]
    if made is None:
        made = rules.attach(choice, turn.asked) if named else rules.prefix(choice, turn.asked)
    return Draft((f"{made} {rest}".strip(),), 0.8, "clarification")
