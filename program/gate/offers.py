"""Whether the assistant waits for an answer: then "yes" and "好的" are more than polite."""

import re
from typing import Literal

from program.rules.chinese_patterns import CHINESE
from program.rules.english_patterns import ENGLISH

_SENTENCE_END = re.compile(r"(?<=[。！!？?])\s*(?=\S)|(?<=\.)\s+(?=\S)|\n+")
_QUESTION = re.compile(r"[?？][\s\"'”’)）]*$")
# How any answer may end; "yes" to these asks for nothing that could be searched.
_COURTESY = re.compile(
    r"\b(?:any\s?thing|something)\s+else\b|\b(?:how|what)\s+(?:can|may|could)\s+i\s+(?:help|assist|do\s+for)\b|\bcan\s+i\s+(?:help|assist)\s+you\b|"
    r"\b(?:does|did|is|was)\s+(?:that|this|it)\s+(?:help|clear|helpful|answer)|\bany\s+(?:other|more|further)\s+questions?\b|\bhow\s+are\s+you\b|"
    r"还有(?:什么|啥|别的|其他|其它)[^？?]*(?:帮|问|需要|疑|了解)|(?:还)?需要(?:别的|其他|其它|什么)?(?:帮助|帮忙)|有(?:什么|啥)[^？?]{0,6}(?:帮|效劳)|"
    r"(?:明白|清楚|懂|解决|满意|有帮助)了?吗", re.IGNORECASE
)  # fmt: skip
_LAST_SENTENCES = 2
_LONGEST = 600
"""Characters of the answer's end that are read."""


def waits_for(last_answer: str) -> Literal["answer", "consent", None]:
    """Return what the assistant's last message waits for.

    ``answer`` after a question or a question's offer ("shall I list the steps?") in one of its last two sentences, ``consent`` after an
    offer without a question mark ("let me know if you want the steps"), else ``None``, also after mere courtesy ("anything else?").
    """
    sentences = [one.strip() for one in _SENTENCE_END.split(last_answer.strip()[-_LONGEST:]) if one.strip()]
    last = [one for one in sentences[-_LAST_SENTENCES:] if not _COURTESY.search(one)]
    if any(_QUESTION.search(one) for one in last):
        return "answer"
    return "consent" if last and any(rules.offer.search(last[-1]) for rules in (CHINESE, ENGLISH)) else None
