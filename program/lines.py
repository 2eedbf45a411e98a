"""Reading a list of lines from whatever shape a small model gives it."""

import json
import re
from collections.abc import Sequence

# Not "3.5 寸" and not "10:30": a number that goes on is no numbering.
_MARK = re.compile(
    r"^\s*(?:[-*•]\s*|\(?\d{1,2}(?:[.:](?!\d)|[)、）：])\s*|[一二三四五六七八九]、\s*|(?:子?问题|(?:sub-?)?question|q)\s*\d{1,2}\s*[:：.]\s*)",
    re.IGNORECASE,
)
_JSON = re.compile(r"\[\s*[\"{].*", re.DOTALL)
_QUOTED = re.compile(r'"((?:[^"\\\n]|\\.)*)"(\s*:)?')
_FENCE = re.compile(r"^\s*```\w*\s*$")


def read_lines(completion: str, *, at_most: int, exclude: Sequence[str] = ()) -> list[str]:
    """Return the distinct lines of ``completion``, at most ``at_most``, without numbering, bullets, fences, or those in ``exclude``.

    A JSON list anywhere in the text is read as such; of one that was cut off, the whole strings. Where some lines are numbered or
    bulleted, the others are talk around the list and left out, as is a line that ends with a colon. Lines that differ only in case or
    white space count as one.
    """
    seen = {_key(text) for text in exclude} | {""}
    kept: list[str] = []
    json_list = _JSON.search(completion)
    for text in _json_strings(json_list.group()) if json_list else _plain_lines(completion):
        if _key(text) not in seen:
            seen.add(_key(text))
            kept.append(text)
    return kept[:at_most]


def _json_strings(json_list: str) -> list[str]:
    strings = [text for text, key in _QUOTED.findall(json_list) if not key]
    return [_MARK.sub("", _unescaped(text)).strip() for text in strings]


def _unescaped(text: str) -> str:
    try:
        return str(json.loads(f'"{text}"'))
    except ValueError:
        return text


def _plain_lines(completion: str) -> list[str]:
    rows = [row for row in completion.splitlines() if row.strip(" \t[]{},") and not _FENCE.match(row)]
    listed = [row for row in rows if _MARK.match(row)]
    texts = [_MARK.sub("", row).strip().strip('"“”').strip() for row in listed or rows]
    return [text for text in texts if not text.endswith((":", "："))]


def _key(text: str) -> str:
    return " ".join(text.casefold().split())
