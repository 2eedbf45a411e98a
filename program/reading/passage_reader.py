"""Reading running text (a made-up passage, a summary) from whatever shape a small model gives it."""

import re

from data.records import language_of
from program.reading.completion import bare
from program.reading.json_text import read_json, strings
from program.window import LATIN_CHARACTERS_PER_CHINESE

_LABEL = re.compile(
    r"^(?:#{1,6}\s*)?(?:(?:the |a )?(?:hypothetical |possible )?(?:passage|document|answer|summary|text)|"
    r"(?:假设(?:的|性)?|可能的)?(?:段落|文档|文本|答案|回答|内容|摘要|总结|概要))\s*[:：]\s*",
    re.IGNORECASE,
)
_TALK = re.compile(
    r"^(?:(?:sure|certainly|of course|okay)[,.!]|here (?:is|are)\b|好的[，,。！]|当然[，,。！]|(?:以下|下面)是)[^\n]*[:：]\s*(?:\n|$)",
    re.IGNORECASE,
)
_HEADING = re.compile(r"^#{1,6}\s+[^\n]*\n")
# A model that will not write has written nothing.
_REFUSAL = re.compile(
    r"^(?:(?:i'?m |i am )?sorry\b|as an ai\b|i (?:cannot|can't|can not|do not|don't|am unable|am not able)\b|unfortunately\b|"
    r"(?:很)?抱歉|对不起|作为一[个名]|我(?:无法|不能|不知道|没有))", re.IGNORECASE
)  # fmt: skip
_SENTENCE_END = re.compile(r"[。！？!?…](?:[”」』\"])?|\.(?=\s|$)")
_QUOTES = {'"': '"', "'": "'", "“": "”", "「": "」"}


def read_passage(completion: str, *, characters: int = 300) -> str:
    """Return the text of ``completion`` on one line, without label, heading, fence and quotes; empty for a refusal and for nothing.

    Args:
        completion: What the language model wrote.
        characters: The most that is kept, in Chinese characters; English gets an equal budget of tokens. It is cut after a sentence, or, where
            not even one fits, at the limit. An unfinished last sentence is left out where there are others.
    """
    text = bare(completion)
    value = read_json(text)
    text = " ".join(strings(value)) if value is not None else text
    for pattern in (_TALK, _HEADING, _LABEL):
        text = pattern.sub("", text.strip())
    text = _unquoted(" ".join(text.split()))
    if _REFUSAL.match(text):
        return ""
    limit = characters if language_of(text) == "zh" else int(characters * LATIN_CHARACTERS_PER_CHINESE)
    return _whole_sentences(text, limit)


def _whole_sentences(text: str, limit: int) -> str:
    ends = [match.end() for match in _SENTENCE_END.finditer(text) if match.end() <= limit]
    if ends:
        return text[: ends[-1]]
    if len(text) <= limit:
        return text
    cut = text[:limit]
    # Between words where there are any.
    return cut.rsplit(" ", 1)[0] if " " in cut and language_of(cut) == "en" else cut


def _unquoted(text: str) -> str:
    whole = len(text) > 1 and _QUOTES.get(text[0]) == text[-1]
    return text[1:-1].strip() if whole else text
