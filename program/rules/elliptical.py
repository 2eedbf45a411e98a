"""Turns of a few words that lean on the question before: "what about X", "那X呢"."""

import re

from program.rules.ellipsis import replace_entity, replace_similar, replace_value
from program.rules.entities import names
from program.rules.pointing import partial, point
from program.rules.turn import Draft, TurnContext

_VALUE = re.compile(
    r"(?:(?:ok(?:ay)?|so|and|or|but)[\s,]+)*(?:(?:for|in|of|with)\s+)?(?:the\s+)?(?:version\s+)?(?P<en>(?=\S*\d)[a-z\d.]*[a-z\d](?:[\s-](?:inch|gb|tb|ml|l|cm|mm|kg))?)"
    r"(?:\s+(?:one|version|edition|model|size))?[\s?.!]*"
    r"|那?(?P<zh>(?:(?=[^\s的呢]*\d)[A-Za-z]?[\d.]+\s*[年月日号版代寸升款季度]*|第?[一二三四]季度|[上下]半年|[去今明前]年|[超特加]?[大中小]号))的?(?:呢|那[个款版台种])*[\s？?。!！]*",
    re.IGNORECASE,
)
"""A year, quarter, version or size alone."""
_OF_IT = re.compile(r"\s*的(?:那[个款版台种])?$|\s+one$", re.IGNORECASE)
_LINKS = re.compile(r"^(?:the|a|for|with|on|in|at|对|在)\b\s*|的$|'s$|^[\s,，]+|[\s,，]+$", re.IGNORECASE)


def topic_of(turn: TurnContext) -> str:
    """Return X of "what about X", or "" when the turn is no ellipsis."""
    if len(turn.mentions) == 1 and turn.gazetteer.find(turn.asked):
        mention = turn.mentions[0]
        if not (turn.core[: mention.start] + turn.core[mention.end :]).strip(" ?？。.!"):
            return mention.term
    value = _VALUE.fullmatch(turn.query.strip()) or _VALUE.fullmatch(turn.core)
    bare = (value["en"] or value["zh"]).strip() if value else ""
    if bare and not turn.mentions and _replaced(turn, bare):
        return bare
    match = turn.rules.ellipsis.match(turn.query.strip()) or turn.rules.ellipsis.match(turn.core)
    return next((text for text in match.groupdict().values() if text), "").strip() if match else ""


def ellipsis(turn: TurnContext) -> Draft | None:
    """Complete "what about X": X is a new entity for the old question, or a new attribute of the old entity."""
    topic = topic_of(turn)
    if not topic:
        return None
    if turn.gazetteer.find(topic):
        return _new_entity(turn, topic)
    if found := point(turn, topic):
        slot, item = found
        topic = turn.rules.fill_span(topic, slot.start, slot.end, item)
        return _new_entity(turn, topic) or Draft((topic,), 0.7, "ellipsis")
    if entity := partial(turn, topic):
        return _new_entity(turn, entity)
    if turn.rules.described.search(topic) and len(turn.focus.scores) > 1 and turn.asked:
        # "the cheaper one": which one it is takes understanding, but hardly the one just spoken of.
        return Draft(tuple(_asked_about(turn, term) for term in turn.referents[1:3]), 0.45, "ellipsis")
    return None if turn.rules.reference(topic, turn.heads) else _new_words(turn, topic)


def _replaced(turn: TurnContext, part: str) -> str | None:
    """The last question with ``part`` in the place of the part like it."""
    return replace_value(turn.asked, part) or replace_similar(turn.asked, part, turn.rules)


def _new_entity(turn: TurnContext, topic: str) -> Draft | None:
    mentions = turn.gazetteer.find(topic)
    rest = _LINKS.sub("", (topic[: mentions[0].start] + topic[mentions[-1].end :]).strip()) if mentions else topic
    if not turn.asked or (len(rest) > 1 and not turn.rules.same.match(rest)):
        return None
    named = tuple(dict.fromkeys(mention.term for mention in mentions))
    return Draft((_asked_about(turn, turn.rules.enumerate(named)),), 0.85, "ellipsis")


def _asked_about(turn: TurnContext, entity: str) -> str:
    return replace_entity(turn.asked, entity, turn.gazetteer) or turn.rules.attach(entity, turn.asked)


def _new_words(turn: TurnContext, topic: str) -> Draft | None:
    """Place words the gazetteer does not know: a parallel part, a narrower case, an unknown name, or an attribute."""
    rules = turn.rules
    about_old = tuple(rules.attach(term, topic) for term in turn.referents[:2] if term in turn.focus.scores)
    if not turn.asked:
        return Draft(about_old, 0.6, "ellipsis")
    if similar := _replaced(turn, re.sub(r"^the\s+", "", _OF_IT.sub("", topic), flags=re.IGNORECASE)):
        return Draft((similar, *about_old), 0.8, "ellipsis")
    if rules.modifier.match(topic):
        return Draft((f"{turn.asked.rstrip('?？')} {topic}", *about_old), 0.65, "ellipsis")
    swapped = replace_entity(turn.asked, topic, turn.gazetteer)
    if swapped and names(f" {topic}"):
        return Draft((swapped, *about_old), 0.6, "ellipsis")
    if not about_old:
        return Draft((rules.attach(topic, turn.asked),), 0.5, "ellipsis")
    sure = 0.8 if turn.focus.margin() > 0.1 else 0.6
    return Draft((*about_old, *([swapped] if swapped else [])), sure, "ellipsis")
