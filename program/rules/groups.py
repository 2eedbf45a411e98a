"""Turns that point into a list or at several entities: ordinals, "the other one", "they", comparisons."""

from program.rules.elliptical import topic_of
from program.rules.pointing import point
from program.rules.turn import Draft, TurnContext


def pointed(turn: TurnContext) -> Draft | None:
    """Resolve "the second one", "the latter", "the other one": an item of a list, or an entity named before."""
    if turn.mentions or topic_of(turn):
        return None
    found = point(turn, turn.core)
    if found is None:
        return None
    slot, item = found
    made = turn.rules.fill(turn.core, slot, item)
    if not turn.gazetteer.find(made) and turn.focus.scores:
        made = turn.rules.attach(turn.referents[0], made)
    if pronoun := turn.rules.reference(turn.core[: slot.start], turn.heads):
        made = turn.rules.fill(made, pronoun, turn.referents[0])
    return Draft((made,), 0.8 if slot.number else 0.65, "ordinal" if slot.number else "plural")


def plural(turn: TurnContext) -> Draft | None:
    """Resolve "they", "both", "which one is cheaper"."""
    rules, group = turn.rules, turn.group
    if turn.mentions or len(group) < 2:
        return None
    match = rules.plural.search(turn.core)
    pair = rules.pair.search(turn.core)
    listed = len(turn.focus.last_question) >= 2 or len(turn.focus.last_answer) >= 2
    if pair is None and not (listed and (match or rules.comparison.search(turn.core))):
        return None
    named = rules.enumerate(group)
    place = pair or match
    made = rules.fill_span(turn.core, *place.span(), named) if place else rules.attach(named, turn.core)
    singles = tuple(rules.attach(term, turn.core) for term in group[:2])
    return Draft((made, *singles), 0.75 if listed else 0.65, "plural")


def comparison(turn: TurnContext) -> Draft | None:
    """Resolve "how does that compare with X": names one side, the other is in focus."""
    if len({mention.term for mention in turn.mentions}) != 1 or not turn.focus.scores:
        return None
    mention, best = turn.mentions[0], turn.referents[0]
    before = turn.core[: mention.start]
    if best == mention.term or not turn.rules.compares_with.search(before):
        return None
    slot = turn.rules.reference(before, turn.heads)
    made = turn.rules.fill(turn.core, slot, best) if slot else turn.rules.attach(best, turn.core)
    return Draft((made,), 0.65, "pronoun" if slot else "attribute")
