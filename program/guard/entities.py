"""A rewrite keeps the names of the query, and brings none that the conversation does not hold."""

import re

from program.guard.context import Context, clauses, core, describes
from program.guard.names import Name, groups, is_adjective, is_in, is_said, names
from program.guard.reading import Reading

# "那不带 Pro 的", "not the K3 but the cheaper one": named to be left out.
_LEFT_OUT = re.compile(
    r"(?:不带|不要|没有|不是|而不是|\b(?:not|without|instead of|rather than|no longer))\s*(?:the |an? )?$",
    re.IGNORECASE,
)

# A Chinese name without either is made of common words: "差旅交通费" may stand for "出差坐飞机" that named no entity.
_LATIN_OR_DIGIT = re.compile(r"[A-Za-z\d]")


def refuse_entities(rewrite: str, context: Context) -> str | None:
    """Return which name of the query is lost in ``rewrite``, or which of ``rewrite`` was never said, or ``None``."""
    written = Reading(rewrite, context.gazetteer)
    for group in _to_keep(context):
        # "Reed" may be put for "Ada Reed".
        if not any(is_in(name, written) for name in group):
            return f"entities: {group[0].written} is lost"
    return _invented(rewrite, context)


def _invented(rewrite: str, context: Context) -> str | None:
    said, gazetteer = context.said, context.gazetteer
    described = describes(context.query)
    topic_known = bool(said.terms)
    for group in groups(names(rewrite, gazetteer), rewrite):
        first = group[0]
        if first.term is not None and (described or not (topic_known or _LATIN_OR_DIGIT.search(first.written))):
            continue
        # "Mount Bachelor" may be put for "Bachelor".
        if not any(is_said(name, said) for name in group):
            return f"entities: {first.written} was never said"
    return None


def _to_keep(context: Context) -> list[list[Name]]:
    """Names of the last clause that has any: those before it were another question, or an answer."""
    query = core(context)
    if describes(query):
        return []
    for clause in reversed(clauses(query)):
        if found := names(clause, context.gazetteer):
            wanted = [name for name in found if not is_adjective(name) and not _LEFT_OUT.search(clause[: name.start])]
            return groups(wanted, clause)
    return []
