"""Reading the one-call plan from whatever shape a small model gives it."""

import re
from collections.abc import Iterable, Iterator
from typing import Any, Literal

from data.records import Record
from program.reading.completion import bare
from program.reading.json_text import read_json, strings
from program.reading.lines import split_lines
from program.reading.variants import distinct_variants, variant_key

MOST_QUERIES = 4
"""Of a plan, the original among them."""
_MOST_KEYWORDS = 8

_Part = Literal["rewrite", "variants", "keywords"]
# In this order: "rewritten_queries" are variants, "query_keywords" key words.
_PARTS: tuple[tuple[_Part, re.Pattern[str]], ...] = (
    ("keywords", re.compile(r"key|term|关键|检索词|搜索词")),
    (
        "variants",
        re.compile(r"vari|altern|paraphras|rephras|expan|queries|questions|变体|变化|问法|说法|扩展|同义|其他"),
    ),
    ("rewrite", re.compile(r"rewr|standalone|query|question|改写|重写|独立|查询|问题|问句")),
)
_REWRITE = re.compile(r"rewr|standalone|改写|重写", re.IGNORECASE)
_LABELLED = re.compile(
    r"^[-*•#\s\d.)、]*([A-Za-z][A-Za-z _-]{2,30}|[\u4e00-\u9fff]{2,8})\s*[(（]?\d{0,2}[)）]?\s*[:：]\s*(.*)$"
)
_BETWEEN = re.compile(r"\s*[;；|\n]\s*")
_BETWEEN_KEYWORDS = re.compile(r"\s*[,，、;；|\n]\s*")
_NOTHING = frozenset(
    {"none", "null", "na", "n/a", "nil", "unchanged", "same", "empty", "无", "没有", "空", "不变", "无需改写"}
)


class Plan(Record):
    """What one call proposes to search beside the original query."""

    rewrite: str | None = None
    """The query made to stand alone; the query itself where the model left it as it was."""
    variants: tuple[str, ...] = ()
    keywords: tuple[str, ...] = ()
    """Searched as one query, see ``keyword_query``."""

    @property
    def keyword_query(self) -> str:
        """The key words as one query; empty when there are none."""
        return " ".join(self.keywords)


def read_plan(completion: str, query: str) -> Plan | None:
    """Return the plan in ``completion``, or ``None`` where there is nothing to search.

    Reads JSON (fenced, with talk around it, cut off, in other quotes, with other names for its keys or none), the same as labelled lines,
    and plain lines, of which the first is the rewrite. With the original, the queries are at most four: the rewrite comes first, then the
    key words (as one query), and the variants have the places that are left. None repeats another or ``query``.
    """
    text = bare(completion)
    parts: dict[_Part, list[str]] = {"rewrite": [], "variants": [], "keywords": []}
    # Lists behind labels are no JSON object, an object's rows are no labels.
    found: Iterable[tuple[_Part | None, str]] = [] if "{" in text else _of_labelled_lines(text)
    if not found:
        value = read_json(text)
        found = _of_json(value, None) if value is not None else [(None, line) for line in split_lines(text)]
    for part, said in found:
        # Without a name the first text is the rewrite, and the others are variants.
        parts[part or ("variants" if parts["rewrite"] else "rewrite")].append(said)
    return _plan(parts, query)


def _plan(parts: dict[_Part, list[str]], query: str) -> Plan | None:
    rewrites = distinct_variants(map(_something, parts["rewrite"]), at_most=MOST_QUERIES)
    rewrite = rewrites[0] if rewrites else None
    said = [query, *rewrites[:1]]
    words = [word for text in parts["keywords"] for word in _BETWEEN_KEYWORDS.split(_something(text))]
    keywords = distinct_variants(words, at_most=_MOST_KEYWORDS)
    if variant_key(" ".join(keywords)) in map(variant_key, said):
        keywords = []
    said += [" ".join(keywords)]
    places = MOST_QUERIES - len({variant_key(text) for text in said if variant_key(text)} | {variant_key(query)})
    proposed = [one for text in parts["variants"] for one in _BETWEEN.split(_something(text))]
    variants = distinct_variants([*rewrites[1:], *proposed], at_most=places, exclude=said)
    if rewrite is None and not variants and not keywords:
        return None
    return Plan(rewrite=rewrite, variants=tuple(variants), keywords=tuple(keywords))


def _of_json(value: Any, part: _Part | None) -> Iterator[tuple[_Part | None, str]]:
    """Every text in a JSON value, with the part that the nearest telling key says it belongs to."""
    if isinstance(value, dict):
        for key, one in value.items():
            yield from _of_json(one, _part_of(str(key)) or part)
    elif isinstance(value, list) and any(isinstance(one, dict) and _tells(one) for one in value):
        for one in value:
            yield from _of_json(one, part)
    elif isinstance(value, list):
        for text in strings([_spelled(one) for one in value]):
            yield part, text
    elif isinstance(value, str):
        yield part, value


def _tells(item: dict[str, Any]) -> bool:
    """Whether an object inside a list is a piece of the plan, not one query with its id and reason."""
    names = [(_part_of(key), key) for key in item]
    return any(part in ("keywords", "variants") or (part and _REWRITE.search(key)) for part, key in names)


def _of_labelled_lines(text: str) -> list[tuple[_Part | None, str]]:
    found: list[tuple[_Part | None, str]] = []
    part: _Part | None = None
    unlabelled = ""
    for row in text.splitlines():
        labelled = _LABELLED.match(row)
        named = _part_of(labelled.group(1)) if labelled else None
        if labelled and named:
            part = named
            said = labelled.group(2)
            found += [(part, line) for line in (split_lines(said) if said.startswith("[") else [said])]
        elif part:
            found += [(part, line) for line in split_lines(row)]
        else:
            unlabelled = next(iter(split_lines(row)), unlabelled)
    if found and unlabelled and all(part != "rewrite" for part, _ in found):
        # The adapter took the first label for that of the whole answer.
        found.insert(0, ("rewrite", unlabelled))
    return found


def _part_of(key: str) -> _Part | None:
    name = re.sub(r"[\W_]+", "", key.lower())
    return next((part for part, pattern in _PARTS if pattern.search(name)), None)


def _spelled(value: Any) -> Any:
    """A year among the key words may come as a number."""
    return str(value) if isinstance(value, int | float) and not isinstance(value, bool) else value


def _something(text: str) -> str:
    text = " ".join(text.split()).strip("\"'“”`[] ")
    return "" if text.casefold().strip(".。") in _NOTHING else text
