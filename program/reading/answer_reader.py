"""Reading an answer, what it cites, and whether it says that the passages do not hold it."""

import re
from collections.abc import Sequence

from data.records import Record, language_of
from program.reading.completion import bare
from program.reading.numbered import BRACKETED, NAMED, numbers_of

NOT_FOUND = {"zh": "资料中没有相关内容。", "en": "The passages do not say."}
"""What stands for the bare "NOT IN THE PASSAGES", in the language of the question."""
_SENTINEL = re.compile(r"[\"'“*]*not in (?:the |any )?passages?\b[\"'”*]*[.。!]?", re.IGNORECASE)
_LABEL = re.compile(r"^(?:(?:the )?answer|答案|回答|答)\s*[:：]\s*", re.IGNORECASE)
# Behind a statement; before one, "(1)" numbers a list.
_ROUND = re.compile(
    r"(?<=[^\s(（])\s?[(（]\s*(\d{1,2}(?:\s*[,，、]\s*\d{1,2})*)\s*[)）](?=\s*(?:$|[。.，,；;！!？?\n\[(（]))",
    re.MULTILINE,
)
_SAYS_NOT = re.compile(
    # 资料中没有提到, 文档并未说明, 无法从资料中得知, 没有找到相关信息, 我不知道
    r"(?:资料|文档|段落|文中|原文|材料|上文|知识库|文章|上下文)[^。；;\n]{0,15}(?:没有|没|未|不|并无|无)[^。，,；;\n]{0,6}"
    r"(?:提到|提及|说明|给出|包含|涉及|找到|提供|介绍|记载|相关|答案|信息|写)|"
    r"(?:没有|没|未能?|无法|不能)(?:在|从|根据|由)[^。；;\n]{0,10}(?:资料|文档|段落|文中|原文|材料|知识库|文章|上下文)|"
    r"(?:没有|没|未|未能)(?:找到|提及|提到)|没有(?:相关|足够|具体)的?(?:信息|内容|资料|说明)|(?:无法|不能)(?:回答|确定|得知|判断)|"
    r"^(?:抱歉[，,]?|对不起[，,]?)?我?(?:不知道|不清楚)|"
    r"\b(?:passages?|documents?|context|texts?|sources?)\b[^.;\n]{0,40}(?:\bnot\b|n't|n’t|\bno\b|\bnever\b)[^.;\n]{0,20}"
    r"\b(?:mention|say|state|specif|contain|provide|include|give|answer|cover|discuss|address|information|indicate)|"
    r"(?:\bnot|n't|n’t|\bnever) (?:\w+ )?(?:mentioned|stated|specified|found|addressed|discussed|given|provided|covered|included|available)\b"
    r"[^.;\n]{0,20}\b(?:passages?|documents?|context|texts?|sources?)\b|\b(?:no|not enough|insufficient) (?:\w+ )?(?:information|mention)\b|"
    r"\b(?:cannot|can't|can’t|could not|couldn't|unable to) (?:be )?(?:answer|determin|find|found|tell)|\b(?:do not|don't|don’t) know\b",
    re.IGNORECASE,
)  # fmt: skip


class ReadAnswer(Record):
    """An answer as it was understood."""

    text: str
    """What to show, citations as ``[n]``, numbered from 1 in the order of the passages."""
    cited: tuple[str, ...]
    """Ids of the passages cited, in the order in which they are first named."""
    in_passages: bool
    """False when the model says that the passages do not hold the answer (or says nothing)."""


def read_answer(completion: str, ids: Sequence[str], *, query: str = "") -> ReadAnswer:
    """Return what ``completion`` says and cites.

    Citations may be written ``[1][2]``, ``【1】``, ``[1, 3]``, ``[1-3]``, ``[Passage 2]``, or, behind a statement, ``(1)``; "passage 2 says"
    counts where nothing is in brackets. Numbers of no passage are dropped. Words such as "the passages do not mention it" ("资料中没有提到")
    count as not in the passages only where nothing is cited: a half answer is one. An answer that neither cites nor denies counts as
    in the passages; ``cited`` shows that nothing supports it.

    Args:
        completion: What the language model wrote.
        ids: Ids of the passages it read, in their order.
        query: The question; its language is that of ``NOT_FOUND``.
    """
    text = _LABEL.sub("", bare(completion)).strip()
    said = _SENTINEL.sub("", text).strip()
    refused = said != text
    if not BRACKETED.search(said):
        said = _ROUND.sub(lambda match: _marks(match.group(1), match.group(), len(ids), keep=True), said)
    said = BRACKETED.sub(lambda match: _marks(match.group(1), match.group(), len(ids), keep=False), said)
    said = re.sub(r"[ \t]+(?=[。，.,;；]|$)", "", said, flags=re.MULTILINE).strip()
    numbers = [int(number) for number in re.findall(r"\[(\d{1,2})\]", said)]
    numbers = numbers or [int(number) for number in NAMED.findall(said)]
    cited = tuple(dict.fromkeys(ids[number - 1] for number in numbers if 1 <= number <= len(ids)))
    has_words = bool(re.search(r"\w", re.sub(r"\[\d{1,2}\]", "", said)))
    if not has_words:
        return ReadAnswer(text=NOT_FOUND[language_of(query)] if refused else "", cited=(), in_passages=False)
    denied = not cited and (refused or bool(_SAYS_NOT.search(said)))
    return ReadAnswer(text=said, cited=cited, in_passages=not denied)


def _marks(inside: str, written: str, passages: int, *, keep: bool) -> str:
    """``[1][3]`` for the valid ones of the numbers; none: nothing, or what was written."""
    valid = [number for number in dict.fromkeys(numbers_of(inside)) if 1 <= number <= passages]
    if not valid and keep:
        return written
    return "".join(f"[{number}]" for number in valid)
