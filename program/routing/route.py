"""Which engines a query is sent to: rules, and the reading of what a language model says.

Counting, ranking, averaging and filtering by a number is work for SQL where tables are registered; codes and quotations are looked up as they
are written, by BM25 first; everything else, and everything in doubt, is hybrid.
"""

import re
import unicodedata
from collections.abc import Sequence
from typing import get_args

from data.records import Record
from program.result import Route
from program.routing.route_literals import literals
from program.routing.route_tables import tabular


class Routed(Record):
    """Where a query is to go, and why."""

    routes: tuple[Route, ...]
    """At least one. ``sql`` is never alone: a query of tables can fail, and passages may hold the answer."""
    reason: str
    """The kinds of sign that were seen; no word of the query."""
    sure: bool
    """Whether the rules saw a clear sign; without one a language model may know better."""


def routes_of(query: str, *, has_tables: bool) -> Routed:
    """Route ``query`` by rules, Chinese or English.

    A number alone is no sign of a table ("3 天年假怎么请"), and neither is a comparison inside a question of how or whether ("超过 3 天要谁批").

    Args:
        query: A stand-alone question; a blank one is hybrid.
        has_tables: Whether a table source is registered; without one nothing is sent to SQL.
    """
    literal, table = literals(query), tabular(query)
    text: Route = "keyword" if literal else "hybrid"
    routes: tuple[Route, ...] = ("sql", text) if table and has_tables else (text,)
    signs = [f"table: {table.sign}"] if table else []
    signs += ["no tables"] if table and not has_tables else []
    signs += ["code or quotation"] if literal else []
    return Routed(
        routes=routes, reason=", ".join(signs) or "nothing special", sure=bool(literal) or bool(table and table.sure)
    )


_NAMES: tuple[tuple[Route, str], ...] = (
    ("sql", r"(?<![a-z])(?:sql|duckdb|tables?|databases?|structured)(?![a-z])|数据库|表格|数据表|结构化"),
    ("keyword", r"(?<![a-z])(?:key-?\s?words?|bm25|lexical|full-?text|sparse)(?![a-z])|关键[词字]|全文"),
    ("vector", r"(?<![a-z])(?:vectors?|semantic|embeddings?|dense)(?![a-z])|向量|语义"),
    ("hybrid", r"(?<![a-z])hybrid(?![a-z])|混合"),
)
_CLAUSE = re.compile(
    r"[,;.!?，。；！？、|\n\[\]{}]|\b(?:but|because|since|instead of|rather than)\b|(?=\b(?:and not|or not)\b)|而(?=[不非是])|但|因为|(?=而不)",
    re.IGNORECASE,
)
_EXCLUDING = re.compile(r"\b(?:instead of|rather than)\s+(?:an?\s+|the\s+)?[\w-]+", re.IGNORECASE)
_NEGATED = re.compile(
    r"(?<![a-z])(?:no|not|non|never|without|false|isn't|doesn't|don't|needn't)(?![a-z])|不|无|没|别|非|否|勿|未"
)
_NOT_ONLY = re.compile(r"\bnot (?:only|just)\b|不仅|不只|不但|不光|非常")


def read_routes(completion: str) -> tuple[Route, ...]:
    """Return the routes that a language model's answer names, in its order, each once; ``("hybrid",)`` when it names none.

    English and Chinese names count, in a word, a list or a sentence; a name in a clause that denies it does not ("SQL, not vector").
    """
    text = unicodedata.normalize("NFKC", completion).replace("’", "'").casefold()
    text = _NOT_ONLY.sub(" ", _EXCLUDING.sub(" ", text))
    found: dict[Route, None] = {}
    for clause in _CLAUSE.split(text):
        if not clause or _NEGATED.search(clause):
            continue
        named = [(match.start(), route) for route, name in _NAMES for match in re.finditer(name, clause)]
        found.update(dict.fromkeys(route for _, route in sorted(named)))
    return tuple(found) or ("hybrid",)


def text_route(routes: Sequence[str]) -> Route:
    """Return the one route by which passages are searched: several together are hybrid, as are ``sql`` alone and names nobody knows."""
    textual = {route for route in routes if route != "sql"}
    (only,) = textual if len(textual) == 1 else {"hybrid"}
    return next((route for route in get_args(Route) if route == only), "hybrid")
