"""Which parts of passage titles name an entity, and which are sections that every document has."""

import re
from collections import defaultdict
from collections.abc import Iterable
from itertools import pairwise

_SEPARATOR = re.compile(r"\s*[›»＞#|]\s*|\s*[:：]\s+|：|\s+[-–—>/]\s+|(?<=手册|指南)·")
_EXTENSION = re.compile(r"\.(?:pdf|docx?|md|html?|txt)$", re.IGNORECASE)
# The kind of a document is no part of the name of what it is about.
_DOCUMENT_KIND = re.compile(
    r"(?:(?<=..)(?:使用|产品|用户|操作|管理)?(?:说明书?|手册|指南|制度|政策|规定|办法|细则|文档|教程|须知)"
    r"|\s+(?:(?:user|owner'?s|product|reference)\s+)?(?:manual|guide|handbook|policy|documentation|docs|faq))$",
    re.IGNORECASE,
)
_CODE = re.compile(r"[A-Za-z]+[-_ ]?\d|\d+[A-Za-z]")
_MAX_WORDS, _MAX_CHINESE = 8, 24


def components(title: str) -> tuple[str, ...]:
    """Split a title at its separators (``›``, ``#``, ``:``, `` - ``), outermost part first, blanks dropped."""
    return tuple(part for part in (p.strip() for p in _SEPARATOR.split(_EXTENSION.sub("", title))) if part)


def entity_name(component: str) -> str:
    """Return a title part without the kind of document it announces ("X200 Manual" is about the "X200")."""
    return _DOCUMENT_KIND.sub("", component).strip() or component


def entities_and_sections(titles: Iterable[str]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Sort title parts into entity names and section names, each in order of first appearance.

    Titles are read as a tree. A leaf under a parent is a section ("Warranty"), unless it carries a code ("X200").
    A part whose children mostly have several children themselves ("Plans › Harbor › Price") is an umbrella and neither.
    A title that is too long to be a name gives nothing.
    """
    children: dict[str, dict[str, None]] = defaultdict(dict)
    parents: dict[str, set[str]] = defaultdict(set)
    order: dict[str, None] = {}
    roots: set[str] = set()
    for title in titles:
        parts = components(title)
        for part in parts:
            order.setdefault(part)
        if parts:
            roots.add(parts[0])
        for parent, child in pairwise(parts):
            if parent != child:
                children[parent].setdefault(child)
                parents[child].add(parent)
    entities: dict[str, None] = {}
    sections: dict[str, None] = {}
    for part in order:
        below = children.get(part, {})
        branching = sum(len(children.get(child, ())) >= 2 for child in below)
        if below and branching * 2 > len(below):
            continue
        is_root = part in roots and len(parents[part]) == 0
        is_inner = len(below) >= 2 and len(parents[part]) <= 1
        if is_root or is_inner or (len(parents[part]) == 1 and _CODE.search(part)):
            if len(part.split()) <= _MAX_WORDS and len(part) <= _MAX_CHINESE * (1 if _is_chinese(part) else 4):
                entities.setdefault(entity_name(part))
        else:
            sections.setdefault(part)
    return tuple(entities), tuple(sections)


def _is_chinese(text: str) -> bool:
    return any("\u4e00" <= character <= "\u9fff" for character in text)
