"""A rewrite asks what the query asks: it is no answer, and no other question."""

import re

from program.guard.choice import without_choice
from program.guard.content import units
from program.guard.context import Context, core, describes
from program.guard.names import has_like
from program.guard.reading import Reading
from program.rules.turn import rules_for

_ASKS = re.compile(
    r"[?？吗呢么啥咋哪谁几]|什|怎|如何|为何|多少|多[大久长高远重宽快厚贵早晚深]|是否|能否|可否|(.{1,2})[不没]\1|"
    r"\b(?:who|whom|whose|what|when|where|which|why|how)\b|"
    r"^(?:is|are|was|were|do|does|did|can|could|will|would|should|has|have|had|may|must)\b", re.IGNORECASE
)  # fmt: skip
# How an answer starts, and no search query does.
_ANSWER_START = re.compile(
    r"(?:yes|no|sure|certainly|of course|okay|sorry)\s*[,.!]|(?:i'm|i am|i don't|i do not|the answer|it is|it's|there (?:is|are)|"
    r"as an ai|here (?:is|are)|based on|unfortunately)\b|"
    r"是的|不是[，,。]|好的|可以的|当然|抱歉|很抱歉|对不起|您好|答案|根据(?:文档|资料|上述|以上|提供|您|对话)|以下是|作为一[个名]|"
    r"(?:大?约|大概)\s*[\d一二三四五六七八九十百千两]", re.IGNORECASE
)  # fmt: skip
_STATES = re.compile(r"[是为有在由从于，。]|\b(?:is|are|was|were|has|have|had|can|will|in|by|from)\b", re.IGNORECASE)
# A paraphrase may bring words of its own; a sentence that asks nothing and is mostly new is an answer.
_NEW_IN_QUESTION = 0.7
_NEW_IN_STATEMENT = 0.5
_NEW_ABOUT_TOPIC = 0.85
_FEW_NEW = 2
_FEW_NAMES = 4


def starts_as_answer(text: str) -> bool:
    """Whether ``text`` starts as an answer does and no search query."""
    return bool(_ANSWER_START.match(text.strip()))


def refuse_answer(rewrite: str, context: Context) -> str | None:
    """Return why ``rewrite`` is an answer or another question, or ``None``."""
    text = rewrite.strip()
    if starts_as_answer(text) and not starts_as_answer(context.query):
        return "answer: it starts as an answer does"
    question = bool(_ASKS.search(text))
    written = list(units(text))
    asked, before = _asked(context), context.before.units
    new = sum(unit not in context.said.units for unit in written)
    if asked and asked.isdisjoint(written):
        # A paraphrase takes up the topic, and asks ("how loud is the kettle?") or only names what is wanted ("kettle noise").
        names = 0 < new <= _FEW_NAMES and not _STATES.search(text)
        if before.isdisjoint(written) or not (question or names):
            return "answer: it keeps no word of the query"
        if new == 0 and not _chooses(context) and not any(has_like(unit, written) for unit in asked):
            return "answer: it repeats what was said and leaves out the query"
    if new > _FEW_NEW and new > _most_new(text, context, question=question) * len(written):
        return "answer: most of its words were never said"
    return None


def _asked(context: Context) -> set[str]:
    """Content of the query that a rewrite takes up; a mere yes has none."""
    text = core(context).strip()
    return set() if rules_for(text, "").affirmation.fullmatch(text) else set(units(without_choice(text)))


def _chooses(context: Context) -> bool:
    """Whether the query says which: all that it asks is in the conversation already."""
    query = context.query.strip()
    rules = rules_for(query, "")
    return (
        context.assistant_asked
        or describes(query)
        or rules.ordinal(query) is not None
        or rules.same.search(query) is not None
    )


def _most_new(text: str, context: Context, *, question: bool) -> float:
    """Share of words that may be new. A question that names what was spoken of has no other way to bring a paraphrase."""
    if not question:
        return _NEW_IN_STATEMENT
    named = Reading(text, context.gazetteer).terms & context.said.terms
    return _NEW_ABOUT_TOPIC if named else _NEW_IN_QUESTION
