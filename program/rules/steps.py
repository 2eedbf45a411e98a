"""The kinds of follow-up in the order they are tried, and the two plain ones: a pronoun, a question without its entity."""

from program.rules.carry import picks_up
from program.rules.elliptical import ellipsis
from program.rules.groups import comparison, plural, pointed
from program.rules.own_topic import has_own_topic, may_have_own_topic, needs_nothing
from program.rules.replies import clarification, offer
from program.rules.turn import Draft, TurnContext

_DESCRIBED = 0.45
"""Confidence when a description ("the cheaper one") picks the entity out: below the bar of doing without an LM."""
_DOUBTFUL = 0.55
"""Confidence when the question may have a topic of its own: an LM should look, and the query keeps its weight."""


def reference(turn: TurnContext) -> Draft | None:
    """Put the referent in the place of a pronoun or demonstrative."""
    rules = turn.rules
    # Beside a name the pronoun most likely stands for that name, or for nothing ("is it true that X ...").
    if turn.mentions or not turn.referents:
        return None
    slot = rules.reference(turn.core, turn.heads)
    if slot is None or any(start < slot.end and slot.start < end for start, end in turn.own_names):
        return None
    made = tuple(rules.fill(turn.core, slot, term) for term in turn.referents[:3])
    return Draft(made, _DESCRIBED if rules.described.search(turn.core) else _sureness(turn), "pronoun")


def attribute(turn: TurnContext) -> Draft | None:
    """Say what a question is about that names no entity and needs one: "几点开门", "how long is the warranty?"."""
    rules = turn.rules
    in_focus = bool(turn.focus.scores)
    if (
        turn.mentions
        or (in_focus and turn.own_names)
        or rules.stands_alone(turn.core, needs=in_focus)
        or not (turn.referents or turn.asked)
    ):
        return None
    if not in_focus:
        return _about_topic(turn)
    if has_own_topic(turn):
        return None
    made = tuple(rules.attach(term, turn.core) for term in turn.referents[:3])
    sure = _DESCRIBED if rules.described.search(turn.core) else _sureness(turn) - 0.05
    return Draft(made, min(sure, _DOUBTFUL) if may_have_own_topic(turn) else sure, "attribute")


def _about_topic(turn: TurnContext) -> Draft | None:
    """No entity anywhere: the last question's content words say what it is about."""
    topic = turn.rules.topic(turn.asked)
    if not topic or topic.lower() in turn.core.lower() or picks_up(turn):
        return None
    names = (turn.rules.attach(name, turn.core) for name in turn.referents[:2])
    return Draft((f"{topic} {turn.core}", *names), 0.4, "attribute")


def _sureness(turn: TurnContext) -> float:
    """Confidence in the best referent: known to the corpus, and ahead of the second one."""
    if not turn.focus.scores:
        return 0.4
    return 0.6 + 0.3 * min(1.0, turn.focus.margin() * 3)


_STEPS = (offer, clarification, pointed, plural, ellipsis, comparison, reference, attribute)


def draft(turn: TurnContext) -> Draft | None:
    """Return the first kind's proposal, None when the turn is none of them; small talk can only accept an offer."""
    text = turn.query.strip()
    if needs_nothing(turn):
        return None
    only_offer = turn.rules.social.fullmatch(text) or turn.rules.affirmation.fullmatch(text)
    for step in _STEPS[:1] if only_offer else _STEPS:
        made = step(turn)
        if made is not None and made.rewrites:
            return made
    return None
