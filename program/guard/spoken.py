"""Which language a short text is asked in, names and codes of the other one aside."""

import re

from data.records import Language, language_of

_CJK = re.compile(r"[\u3400-\u9fff]")
_LOWER_CASE_WORD = re.compile(r"(?<![\w-])[a-z]{2,}(?![\w-])")
_ENGLISH_FUNCTION_WORD = re.compile(
    r"\b(?:the|an?|of|is|are|was|were|do|does|did|has|have|had|can|could|will|would|should|what|when|where|which|who|why|how|in|on|for|to|"
    r"with|about|and|or|it|its|they|their|this|that|there|you|your|i|my|any|not)\b", re.IGNORECASE
)  # fmt: skip
_HOLDS_TOGETHER = re.compile(
    rf"{_ENGLISH_FUNCTION_WORD.pattern}|\b(?:be|been|by|from|at|as|must|may|if|all|after|before)\b", re.IGNORECASE
)
_CHINESE_FUNCTION_WORD = re.compile(r"[的吗呢是么几哪谁啥多怎咋和与有在能可了]|什么|如何")


def spoken(text: str) -> Language | None:
    """Return the language of the sentence around names, or ``None`` where there is none ("K3?", "Python SDK").

    "Does 云匣 have a free plan?" is English, "iPhone 15 Pro Max AppleCare+ 保修吗" is Chinese.
    """
    chinese = bool(_CJK.search(text))
    if not chinese:
        english = _ENGLISH_FUNCTION_WORD.search(text) or len(_LOWER_CASE_WORD.findall(text)) > 1
        return "en" if english else None
    if language_of(text) == "zh" or _CHINESE_FUNCTION_WORD.search(text):
        english_words = len(_ENGLISH_FUNCTION_WORD.findall(text))
        return "en" if english_words > 1 and not _CHINESE_FUNCTION_WORD.search(text) else "zh"
    return "en" if _ENGLISH_FUNCTION_WORD.search(text) else None


def function_words(text: str) -> list[str]:
    """Return the English words of ``text`` that only hold a sentence together."""
    return _HOLDS_TOGETHER.findall(text)
