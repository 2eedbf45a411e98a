"""Reading a list of lines from whatever shape a small model gives it."""

import re
from collections.abc import Sequence

from program.reading.completion import bare
from program.reading.json_text import read_json, strings
from program.reading.variants import distinct_variants

# Not "3.5 寸", "10:30" or "-5 ℃": a number that goes on is no numbering, a minus no bullet.
_MARK = re.compile(
    r"^\s*(?:#{1,6}\s+)?(?:"
    r"[*+–]\s+|[•·●▪◦]\s*|-(?:\s+|(?=[\u3400-\u9fff\"“]))|"
    r"\(?\d{1,2}(?:[.:：](?!\d)|[)）、])\s*|（\d{1,2}）\s*|\d\ufe0f?\u20e3\s*|[①-⑳]\s*|"
    r"[(（]?[一二三四五六七八九]{1,2}(?:、|[)）])\s*|[a-hA-H]\)\s+|"
    r"(?:第?\s*\d{1,2}\s*个)?(?:子?问题|子?查询|改写|变体|问法|(?:sub-?\s?)?(?:question|query)|variant|phrasing|rewrite|step|q)"
    r"\s*\d{1,2}\s*[:：.]\s*)",
    re.IGNORECASE,
)
_INLINE_NUMBER = re.compile(r"(?:^|(?<=[\s；;，,。？?！!]))\(?(\d)(?:[.:：](?!\d)|[)）、])\s*")
# Talk around an unnumbered list.
_TALK = re.compile(
    r"^(?:(?:sure|certainly|of course|okay|note|注|好的|当然)[,.!:，。！：]|(?:here (?:are|is)|(?:i )?hope (?:this|that|it)|let me know)\b|"
    r"(?:以下|下面)是|希望(?:这|以上|对)|如(?:有其他|需更多))", re.IGNORECASE
)  # fmt: skip
_QUOTES = "\"'“”「」`"


def read_lines(completion: str, *, at_most: int, exclude: Sequence[str] = ()) -> list[str]:
    """Return the distinct lines of ``completion``, at most ``at_most``, without those in ``exclude``; see ``program.reading.variants``.

    Read as by ``split_lines``.
    """
    return distinct_variants(split_lines(completion), at_most=at_most, exclude=exclude)


def split_lines(completion: str) -> list[str]:
    """Return the lines of ``completion``, none of them blank, without numbering, bullets, quotes, fences and doubled spaces.

    A JSON list or object anywhere in the text is read as such; of one that was cut off, the whole strings. Where some lines are numbered
    or bulleted, the others are talk around the list and left out, as is a line that ends with a colon. A numbered list on one line is
    taken apart. A last line that is the beginning of an earlier one is a repeat that was cut off.
    """
    text = bare(completion)
    value = read_json(text)
    if value is None:
        return _without_cut_repeat([line for line in _plain_lines(text) if line])
    found = (" ".join(_MARK.sub("", one).split()) for one in strings(value))
    return [line for line in found if line]


def _without_cut_repeat(lines: list[str]) -> list[str]:
    """A model in a loop is cut off in the middle of a line that it has written before."""
    if any(line != lines[-1] and line.startswith(lines[-1]) for line in lines[:-1]):
        return lines[:-1]
    return lines


def _plain_lines(text: str) -> list[str]:
    rows = [row for row in text.splitlines() if row.strip(" \t[]{},-=_*#")]
    if len(rows) == 1:
        rows = _taken_apart(rows[0])
    listed = [row for row in rows if _MARK.match(row)]
    if not listed and len(rows) > 1:
        rows = [row for row in rows if not _TALK.match(row.strip())]
    texts = [_unquoted(_MARK.sub("", row)) for row in listed or rows]
    return [text for text in texts if not text.endswith((":", "："))]


def _taken_apart(row: str) -> list[str]:
    marks = list(_INLINE_NUMBER.finditer(row))
    if [int(mark.group(1)) for mark in marks] != list(range(1, len(marks) + 1)) or len(marks) < 2:
        return [row]
    ends = [mark.start() for mark in marks[1:]] + [len(row)]
    # The mark stays, for the row to count as listed.
    return [row[mark.start() : end].strip(" \t；;，,") for mark, end in zip(marks, ends, strict=True)]


def _unquoted(text: str) -> str:
    text = " ".join(text.split())
    if len(text) > 1 and text[0] in _QUOTES and text[-1] in _QUOTES:
        return text[1:-1].strip()
    # One of a pair whose other half went with the whole answer's quotes.
    return text.strip('"').strip() if text.count('"') % 2 else text
