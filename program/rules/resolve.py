"""Turning a follow-up into stand-alone queries, without a language model."""

from collections.abc import Sequence

from data.records import Message
from program.rules.carry import carried, vague
from program.rules.conversation import listen, same_question
from program.rules.gazetteer import Gazetteer
from program.rules.own_topic import has_own_topic, needs_nothing
from program.rules.resolution import Reason, Resolution
from program.rules.steps import draft
from program.rules.turn import TurnContext

_LONGEST_QUERY = 600
"""Characters beyond which a query is taken as it is: no follow-up is that long."""
_LONGEST_MESSAGE = 2000
_MESSAGES = 20
_GUESS = 0.5
"""Up to this confidence a rewrite with a vague name in it is dropped for a query with words of the topic."""
_SURE = 0.6
"""From this confidence on the rules do without a language model."""


def resolve(query: str, history: Sequence[Message], gazetteer: Gazetteer) -> Resolution:
    """Resolve what a query leaves to the conversation.

    Args:
        query: The user's turn, any text.
        history: Earlier messages, oldest first; may begin with the assistant. The last 20 are read.
        gazetteer: The corpus's entities.

    Returns:
        Rewrites in the query's language, best first, or none when the query is complete, small talk, or beyond the
        rules (then ``needs_lm``). Deterministic; raises nothing.
    """
    text = query.strip()
    if not text or len(text) > _LONGEST_QUERY:
        return Resolution(confidence=1.0, needs_lm=False, reason="complete")
    recent = [
        Message(role=message.role, content=message.content.strip()[:_LONGEST_MESSAGE])
        for message in history[-_MESSAGES:]
        if message.content.strip()
    ]
    conversation = listen(recent, gazetteer)
    turn = conversation.turn(text)
    asked_before = same_question(text) in conversation.complete
    alone = not recent or asked_before or turn.rules.about_chat.search(text)
    made = None if alone else draft(turn)
    rewrites = tuple(dict.fromkeys(r for r in made.rewrites if r and r != text))[:3] if made else ()
    if made and rewrites:
        sure, reason = round(made.confidence, 3), made.reason
    else:
        repeated = asked_before and not turn.rules.social.fullmatch(text)
        sure, reason = (0.9, "complete") if repeated else _unchanged(turn, first=not recent)
    context = carried(turn) if made and rewrites and made.confidence <= _GUESS and vague(turn, made.reason) else None
    if context:
        # Such a guess must not outweigh what the user typed.
        rewrites = ()
    title = (
        None if reason in ("first", "social") or needs_nothing(turn) or has_own_topic(turn) else _title(turn, history)
    )
    return Resolution(
        rewrites=rewrites,
        confidence=sure,
        needs_lm=sure < _SURE,
        reason=reason,
        entities=turn.focus.ranked(),
        title=title,
        titled=f"{title} {turn.core}" if title else None,
        context=context,
    )


def _title(turn: TurnContext, history: Sequence[Message]) -> str | None:
    """The title quoted last, unless the query names an entity that is no part of it."""
    title = turn.gazetteer.last_title(message.content for message in reversed(history))
    if (
        title
        and turn.mentions
        and not {one.term for one in turn.mentions} & {one.term for one in turn.gazetteer.find(title)}
    ):
        return None
    return title


def _unchanged(turn: TurnContext, *, first: bool) -> tuple[float, Reason]:
    """Say why there is no rewrite, and how sure it is that none is needed."""
    rules, text = turn.rules, turn.query
    if rules.affirmation.fullmatch(text) or rules.social.fullmatch(text):
        answered = rules.affirmation.fullmatch(text) and turn.last_answer.rstrip().endswith(("?", "？"))
        return (0.3, "unclear") if answered else (0.95, "social")
    if first:
        return 1.0, "first"
    if turn.mentions or rules.about_chat.search(text) or needs_nothing(turn):
        return 0.9, "complete"
    if has_own_topic(turn):
        return 0.75, "complete"
    dangling = rules.reference(turn.core, ()) or rules.ellipsis.match(turn.core)
    can_lean = not turn.own_names and (turn.referents or turn.asked)
    if dangling or (can_lean and not rules.stands_alone(turn.core, needs=bool(turn.focus.scores))):
        return 0.3, "unclear"
    return 0.75, "complete"
