"""Bad rewrites made from good ones, seeded: what language models are known to get wrong, one fault at a time."""

import random
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from data.records import Language, Passage, Turn
from program.guard.dates import dates
from program.guard.denials import keeps_negation, negates
from program.guard.names import names
from program.guard.quantities import quantities
from program.rules.gazetteer import Gazetteer

_SENTENCE_END = re.compile(r"(?<=[。！？])|(?<=[.!?])\s+")
_NEGATIONS = (
    ("没有", "有"), ("不能", "能"), ("不可以", "可以"), ("不用", "要"), ("不含", "含"), ("不会", "会"),
    ("不", ""), ("没", "有"), ("无", "有"), ("非", ""),
    ("n't", ""), (" not ", " "), (" without ", " with "), (" never ", " always "), (" no ", " a "), (" other than ", " like "),
    (" besides ", " like "),
)  # fmt: skip
_DATES = (
    ("周一", "周三"), ("周二", "周五"), ("周三", "周四"), ("周四", "周一"), ("周五", "周二"), ("周六", "周三"), ("周日", "周二"),
    ("周末", "周一"),
    ("昨天", "上周"), ("上周", "昨天"), ("去年", "前年"), ("今年", "去年"), ("明年", "今年"), ("上个月", "上周"), ("上半年", "下半年"),
    ("下半年", "上半年"),
    ("一季度", "三季度"), ("二季度", "四季度"), ("夏季", "冬季"), ("冬季", "夏季"),
    ("Monday", "Friday"), ("Friday", "Tuesday"), ("Saturday", "Wednesday"), ("Sunday", "Thursday"), ("weekends", "Mondays"),
    ("weekend", "Monday"), ("yesterday", "last week"), ("last year", "this year"), ("this year", "last year"), ("next year", "last year"),
    ("January", "June"), ("February", "July"), ("March", "August"), ("April", "September"), ("June", "October"), ("July", "November"),
    ("August", "December"), ("September", "January"), ("October", "February"), ("November", "April"), ("December", "June"),
    ("summer", "winter"), ("winter", "summer"),
)  # fmt: skip


@dataclass(frozen=True)
class Pool:
    """What a corruption may draw from."""

    turns: Sequence[Turn]
    """All turns of the set with history and gold rewrite."""
    translations: Mapping[Language, Sequence[str]]
    """Rewrites by the language they are in, for sets that have one language only."""
    passages: Mapping[str, Passage]
    gazetteer: Gazetteer


Corruption = Callable[[Turn, Pool, random.Random], str | None]
"""A bad rewrite of the turn, or ``None`` where this fault cannot be made of it."""


def _other(turn: Turn, pool: Pool, chosen: random.Random) -> str | None:
    """The rewrite of a turn of another conversation in the same language."""
    others = [
        one
        for one in pool.turns
        if one.conversation_id != turn.conversation_id
        and one.language == turn.language
        and one.gold_rewrite != turn.gold_rewrite
    ]
    return chosen.choice(others).gold_rewrite if others else None


def _earlier(turn: Turn, pool: Pool, _: random.Random) -> str | None:
    """The rewrite of the turn before: the last question again."""
    before = [one for one in pool.turns if one.conversation_id == turn.conversation_id and one.turn < turn.turn]
    rewrite = max(before, key=lambda one: one.turn).gold_rewrite if before else None
    return rewrite if rewrite != turn.gold_rewrite else None


def _answer(turn: Turn, pool: Pool, _: random.Random) -> str | None:
    """The first sentence of the relevant passage."""
    passage = next((pool.passages[one] for one in turn.relevant_ids if one in pool.passages), None)
    return next(iter(_SENTENCE_END.split(passage.text.strip())), None) if passage else None


def _translation(turn: Turn, pool: Pool, chosen: random.Random) -> str | None:
    """A rewrite in the other language."""
    return chosen.choice(list(pool.translations["en" if turn.language == "zh" else "zh"]))


def _number(turn: Turn, _: Pool, chosen: random.Random) -> str | None:
    """Another number in place of the first."""
    gold = str(turn.gold_rewrite)
    found = re.search(r"(?<![A-Za-z\d])\d+(?![A-Za-z\d])", gold)
    if found is None or not quantities(gold):
        return None
    return gold[: found.start()] + str(int(found.group()[:12]) + chosen.randint(3, 97)) + gold[found.end() :]


def _date(turn: Turn, _: Pool, __: random.Random) -> str | None:
    """Another month, weekday or year in place of the first."""
    gold = str(turn.gold_rewrite)
    swapped = next((gold.replace(old, new, 1) for old, new in _DATES if old in gold), None)
    return swapped if swapped and dates(gold) else None


def _negation(turn: Turn, _: Pool, __: random.Random) -> str | None:
    """Without the query's negation."""
    gold = str(turn.gold_rewrite)
    if not negates(turn.query) or not keeps_negation(gold):
        return None
    without = next((gold.replace(old, new) for old, new in _NEGATIONS if old in gold), gold)
    return without if without != gold and not negates(without) else None


def _entity_lost(turn: Turn, pool: Pool, _: random.Random) -> str | None:
    """Without a name that the query itself has."""
    asked = names(turn.query, pool.gazetteer)
    gold = str(turn.gold_rewrite)
    name = next((one.written for one in asked if one.written in gold), None)
    rest = gold.replace(name, " ").strip() if name else ""
    return rest or None


def _entity_swapped(turn: Turn, pool: Pool, chosen: random.Random) -> str | None:
    """Another entity of the corpus in place of the right one."""
    gold, find = str(turn.gold_rewrite), pool.gazetteer.find
    mentions = find(gold)
    said = {one.term for message in turn.history for one in find(message.content)} | {
        one.term for one in find(turn.query)
    }
    others = (
        [term for term in pool.gazetteer.terms if term not in said and term != mentions[0].term] if mentions else []
    )
    if not others:
        return None
    return gold[: mentions[0].start] + chosen.choice(others) + gold[mentions[0].end :]


def _old_topic(turn: Turn, pool: Pool, chosen: random.Random) -> str | None:
    """An earlier entity beside the one that the query names."""
    gold, find = str(turn.gold_rewrite), pool.gazetteer.find
    mentions = find(gold)
    own = {one.term for one in find(turn.query)}
    said = [one.term for message in turn.history for one in find(message.content)]
    old = [term for term in dict.fromkeys(said) if term not in own | {one.term for one in mentions}]
    if not own or not mentions or not old:
        return None
    link = "和" if turn.language == "zh" else " and "
    return gold[: mentions[0].start] + chosen.choice(old) + link + gold[mentions[0].start :]


def _too_long(turn: Turn, _: Pool, __: random.Random) -> str | None:
    """With the whole conversation before it."""
    said = " ".join(message.content for message in turn.history)
    return f"{said} {turn.gold_rewrite}" if len(said) > 400 else None


CORRUPTIONS: dict[str, Corruption] = {
    "other turn": _other,
    "last question": _earlier,
    "answer": _answer,
    "translation": _translation,
    "number": _number,
    "date": _date,
    "negation": _negation,
    "entity lost": _entity_lost,
    "entity swapped": _entity_swapped,
    "old topic": _old_topic,
    "too long": _too_long,
}
