"""Signs that rows of a table hold the answer: counting, ranking, averaging, filtering by a number, in Chinese and English."""

import unicodedata
from typing import Literal, NamedTuple

from program.routing import route_table_patterns as patterns
from program.routing.route_literals import CHARACTERS_READ


class TableSign(NamedTuple):
    """What kind of work a query asks of a table."""

    sign: Literal["ranking", "aggregate", "range", "filter", "count"]
    sure: bool
    """False where a passage may well say it: "how many editions are there"."""


def tabular(query: str) -> TableSign | None:
    """Return the clearest sign of a table in ``query``, or ``None``; a number alone is none."""
    text = unicodedata.normalize("NFKC", query).strip()[:CHARACTERS_READ]
    if patterns.EXPLAINS.search(text):
        return None
    lists = bool(patterns.LISTS.search(text))
    compares = bool(patterns.COMPARES.search(text))
    # A condition is only a filter where things are asked for.
    filters = lists or not patterns.RULE.search(text)
    found: list[tuple[bool, TableSign]] = [
        (bool(patterns.RANKING.search(text)), TableSign("ranking", sure=True)),
        (bool(patterns.AGGREGATE.search(text)), TableSign("aggregate", sure=True)),
        (filters and bool(patterns.RANGE.search(text)), TableSign("range", sure=lists)),
        (filters and compares and (lists or _wants_rows(text)), TableSign("filter", sure=lists)),
        (bool(patterns.COUNT.search(text)) and not patterns.CAPACITY.search(text), TableSign("count", sure=compares)),
    ]
    return next((sign for seen, sign in found if seen), None)


def _wants_rows(text: str) -> bool:
    """Whether a comparison without a word such as "which" still asks for the things compared."""
    return bool(patterns.COMPARED_THING.search(text)) or (text.isascii() and not patterns.ASKS_ENGLISH.search(text))
