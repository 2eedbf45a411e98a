"""The tables as a prompt shows them: names, types, and values, those first that the question speaks of.

A condition needs the value as the table spells it. Values that stand in the question, or share a word with it, come first (the "value
linking" of the text-to-SQL literature), and are found by DuckDB itself, so that long tables need no index of their own.
"""

import re
import unicodedata
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from program.retrieval.tokenize import words
from program.sql.load import quoted

if TYPE_CHECKING:
    import duckdb

LONGEST = 3000
"""Characters of the whole text: a third of a small model's context."""

_VALUE_CHARACTERS = 40
_TERMS = 12
_LINKED = 3
_CANDIDATES = 10
_ROWS_SAMPLED = 1000
_LONGEST_LINKED = 200
# Of DuckDB's reserved words those that name tables and columns.
_RESERVED = """
all analyse analyze any array as asc both case cast check collate column constraint create default desc describe distinct do else end except
false fetch for foreign from grant group having in initially intersect into lateral leading limit not null offset on only or order pivot
placing primary qualify references returning select show some summarize symmetric table then to trailing true union unique unpivot using
variadic when where window with
"""
_PLAIN_NAME = re.compile(r"[^\W\d]\w*")
_LATIN = re.compile(r"[a-z0-9]")


def samples_of(cursor: "duckdb.DuckDBPyConnection", table: str, sample_values: int) -> dict[str, list[Any]]:
    """Return ``sample_values`` distinct values of each column, the least of its first 1,000 rows (a sort of all would cost too much)."""
    rows = cursor.execute(f"FROM {quoted(table)} LIMIT {_ROWS_SAMPLED}")
    names = [str(one[0]) for one in rows.description or ()]
    found = rows.fetchall()
    values = [{str(row[n]): row[n] for row in found if row[n] is not None} for n in range(len(names))]
    return {
        name: sorted(held.values(), key=lambda value: (value, "") if _is_number(value) else (0, str(value)))[
            :sample_values
        ]
        for name, held in zip(names, values, strict=True)
    }


def schema_text(
    cursor: "duckdb.DuckDBPyConnection",
    columns: Mapping[str, Mapping[str, str]],
    samples: Mapping[str, Mapping[str, Sequence[Any]]],
    query: str,
) -> str:
    """Return one line a table: ``name(column TYPE e.g. 'value', 'value'; ...)``, at most ``LONGEST`` characters.

    Up to three values that ``query`` names come first in their column, before its ``samples``, as many in all as there are samples unless
    more are named. Where it gets too long, samples go first, then columns without a named value, then whole tables; a table or column whose
    name or value the query holds is kept before others.
    """
    folded = _fold(query)
    terms = sorted({word for word in words(query) if len(word) > 1})[:_TERMS]
    linked = {table: _linked_values(cursor, table, fields, folded, terms) for table, fields in columns.items()}
    most = max((len(values) for fields in samples.values() for values in fields.values()), default=0)
    parts: dict[str, list[str]] = {}
    for shown in sorted({most, min(1, most), 0}, reverse=True):
        parts = {
            table: [
                _column(column, kind, linked[table].get(column, []), samples[table][column][:shown])
                for column, kind in fields.items()
            ]
            for table, fields in columns.items()
        }
        text = "\n".join(_line(table, fields) for table, fields in parts.items())
        if len(text) <= LONGEST:
            return text
    named = {
        (table, one)
        for table, fields in columns.items()
        for one in fields
        if linked[table].get(one) or _fold(one) in folded
    }
    return _shortened(columns, parts, named, {table for table in columns if _fold(table) in folded})


def _shortened(
    columns: Mapping[str, Mapping[str, str]],
    parts: Mapping[str, list[str]],
    named: set[tuple[str, str]],
    named_tables: set[str],
) -> str:
    """The tables of which most is named, each with its named columns and then as many others as its share of the room holds."""
    score = {table: sum(key[0] == table for key in named) + (table in named_tables) for table in columns}
    lines: list[str] = []
    room = LONGEST
    order = sorted(columns, key=lambda table: -score[table])
    for position, table in enumerate(order):
        share = room // (1 if score[table] else len(order) - position)
        pairs = list(zip(columns[table], parts[table], strict=True))
        kept: set[str] = set()
        used = len(_line(table, [])) + 1
        for column, part in sorted(pairs, key=lambda pair: (table, pair[0]) not in named):
            if used + len(part) + 2 <= share:
                kept.add(column)
                used += len(part) + 2
        if kept:
            lines.append(_line(table, [part for column, part in pairs if column in kept]))
            room -= used
    return "\n".join(lines)


def name_in_sql(name: str) -> str:
    """Return ``name`` as a statement must write it: quoted where it is not letters, digits and "_"."""
    return name if _PLAIN_NAME.fullmatch(name) and name.lower() not in _RESERVED.split() else quoted(name)


def _line(table: str, fields: list[str]) -> str:
    return f"{name_in_sql(table)}({'; '.join(fields)})"


def _column(column: str, kind: str, linked: Sequence[str], samples: Sequence[Any]) -> str:
    values = [*linked, *(value for value in samples if value not in linked)][: max(len(linked), len(samples))]
    shown = f" e.g. {', '.join(map(_written, values))}" if values else ""
    return f"{name_in_sql(column)} {kind}{shown}"


def _written(value: Any) -> str:
    text = " ".join(str(value).split())
    if len(text) > _VALUE_CHARACTERS:
        text = f"{text[: _VALUE_CHARACTERS - 1]}…"
    return text if _is_number(value) else f"'{text}'"


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float)


def _linked_values(
    cursor: "duckdb.DuckDBPyConnection", table: str, fields: Mapping[str, str], query: str, terms: list[str]
) -> dict[str, list[str]]:
    """Values that the query holds, longest first, then those that hold most of its words; by text column."""
    texts = [column for column, kind in fields.items() if kind == "VARCHAR"]
    if not query.strip() or not texts:
        return {}
    parts = " UNION ALL ".join(_search(table, column, number, terms) for number, column in enumerate(texts))
    found: dict[str, list[str]] = {}
    for number, value, _ in cursor.execute(parts, [query, *terms]).fetchall():
        held = found.setdefault(texts[number], [])
        if len(held) < _LINKED and _shares_a_word(_fold(value), query, terms):
            held.append(value)
    return found


def _search(table: str, column: str, number: int, terms: list[str]) -> str:
    name = quoted(column)
    folded = f"lower(nfc_normalize({name}))"
    shared = [f"CASE WHEN contains({folded}, ${n}) THEN {len(term)} ELSE 0 END" for n, term in enumerate(terms, 2)]
    return (
        f"(SELECT {number}, value, score FROM (SELECT DISTINCT {name} AS value, CASE WHEN length({name}) > 1 AND contains($1, {folded}) "
        f"THEN 1000 + length({name}) ELSE {' + '.join(shared) or '0'} END AS score FROM {quoted(table)} "
        f"WHERE length({name}) <= {_LONGEST_LINKED}) WHERE score > 0 ORDER BY score DESC, length(value), value LIMIT {_CANDIDATES})"
    )


def _shares_a_word(value: str, query: str, terms: list[str]) -> bool:
    """Latin words count as wholes ("red" is not in "hundred"); Chinese has no such border."""
    if value in query:
        return _stands_in(value, query)
    return any(_stands_in(term, value) for term in terms)


def _stands_in(part: str, text: str) -> bool:
    before = r"(?<![a-z0-9])" if _LATIN.match(part) else ""
    after = r"(?![a-z0-9])" if _LATIN.match(part[-1:]) else ""
    return bool(re.search(before + re.escape(part) + after, text))


def _fold(text: str) -> str:
    return unicodedata.normalize("NFKC", text).lower()
