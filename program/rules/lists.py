"""The items of a list in an answer, for "the second one"."""

import re

from program.rules.gazetteer import Gazetteer

_MARK = (
    r"(?:\d{1,2}\s*[.、)）:：]|[①-⑩]|[-*•]\s|第?[一二三四五六七八九十](?:[、.:：]|是[，,]?|，)"
    r"|(?:first|second|third|fourth|fifth|finally)(?:ly)?[,:]\s)"
)
_ITEM = re.compile(
    rf"(?:^|\n|[；;。:：.]\s*|\s)(?:{_MARK})\s*([^\n；;①-⑩]+?)(?=(?:[\n；;。.]\s*|\s){_MARK}|[\n；;①-⑩]|$)",
    re.IGNORECASE,
)
_HEAD_END = re.compile(r"[:：—。；;\n（(，,]|\.\s|\s[-–]\s")
_MAX_HEAD, _MAX_ANSWER = 60, 4000


_OPTION = re.compile(r"[、，,;；]\s*(?:还是|或者?|or\s)?|还是|或者|\sor\s", re.IGNORECASE)
_BEFORE_OPTIONS = re.compile(
    r"^.*[:：]\s*|^(?:请问)?(?:您|你)?(?:是)?(?:想|要|指)(?:的是|问的是|问|住|用|选)?"
    r"|^(?:do\s+you\s+mean|is\s+it)\s+",
    re.IGNORECASE,
)


def options(question: str) -> tuple[str, ...]:
    """Return the alternatives of a clarifying question ("annual leave, sick leave or carer leave?"), two to six, else none."""
    asked = [sentence for sentence in re.findall(r"[^。！!.?？]*[?？]", question) if _OPTION.search(sentence)]
    if not asked:
        return ()
    parts = [part.strip(" ?？\n") for part in _OPTION.split(_BEFORE_OPTIONS.sub("", asked[-1].strip()))]
    parts = [re.sub(r"^(?:the|a)\s+", "", part) for part in parts if part]
    return tuple(parts) if 2 <= len(parts) <= 6 and all(len(part) <= 40 for part in parts) else ()


def items(answer: str, gazetteer: Gazetteer, *, numbered: bool) -> tuple[str, ...]:
    """Return what an answer lists: its numbered or bulleted items, or else the entities it names, in order.

    Of an item that names an entity the entity is returned, of another one the words before the first break.
    Fewer than two items are no list.
    """
    answer = answer[:_MAX_ANSWER]
    if not numbered:
        listed = [mention.term for mention in gazetteer.find(answer)]
    else:
        listed = []
        for match in _ITEM.finditer(answer):
            text = match.group(1).strip()
            mentions = gazetteer.find(text)
            listed.append(mentions[0].term if mentions else _HEAD_END.split(text, maxsplit=1)[0].strip()[:_MAX_HEAD])
    unique = tuple(dict.fromkeys(item for item in listed if item))
    return unique if len(unique) >= 2 else ()
