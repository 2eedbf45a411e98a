"""All guards in order. Measured in ``docs/stages/guard.md``."""

from collections.abc import Callable

from program.guard.answer import refuse_answer, starts_as_answer
from program.guard.content import units
from program.guard.context import Context
from program.guard.dates import refuse_dates
from program.guard.entities import refuse_entities
from program.guard.language import refuse_language
from program.guard.length import refuse_length
from program.guard.negation import refuse_negation
from program.guard.numbers import refuse_numbers
from program.guard.old_topic import refuse_old_topic
from program.settings import GuardSettings

CHECKS: dict[str, tuple[Callable[[str, Context], str | None], ...]] = {
    "language": (refuse_language,),
    "answer": (refuse_answer,),
    "numbers": (refuse_numbers, refuse_dates),
    "negation": (refuse_negation,),
    "entities": (refuse_entities,),
    "old_topic": (refuse_old_topic,),
}
"""The checks behind each switch of ``GuardSettings``, in the order in which they are asked."""

_ONLY_FORM = {"answer": False, "numbers": False, "negation": False, "entities": False, "old_topic": False}


def refuse(rewrite: str, context: Context, settings: GuardSettings) -> str | None:
    """Return why ``rewrite`` must not be searched, or ``None`` when it may.

    An empty rewrite and one that is much longer than the query are always refused; the other checks have their switches. A reason starts
    with the name of the guard. The query itself always passes. Raises nothing.
    """
    if rewrite.strip() and rewrite.split() == context.query.split():
        return None
    if reason := refuse_length(rewrite, context, settings):
        return reason
    enabled = (check for switch, checks in CHECKS.items() if getattr(settings, switch) for check in checks)
    return next((reason for check in enabled if (reason := check(rewrite, context))), None)


def refuse_part(text: str, query: str, settings: GuardSettings) -> str | None:
    """Return why ``text``, a part or a more general form of ``query``, must not be searched beside it, or ``None`` when it may.

    It may leave names, numbers and negations to the other queries and bring words of its own, but has the query's language and one of its
    words.
    """
    reason = refuse(text, Context(query=query, history=""), settings.model_copy(update=_ONLY_FORM))
    if reason is None and settings.answer:
        asked = set(units(query))
        if starts_as_answer(text):
            return "answer: it starts as an answer does"
        if asked and asked.isdisjoint(units(text)):
            return "answer: it keeps no word of the query"
    return reason
