"""Whether a question denies or excludes something."""

import re

# Questions that have the form of a negation: "能不能", "有没有", "喜不喜欢", "好了没", "在不？", "难道不…", "不是…吗", "Isn't it …?".
_ASKING = re.compile(
    r"(.{1,2})[不没]\1|[不没](?:有)?[\s?？。!！]*$|[不没](?:有)?(?=[,，?？])|难道[不没]|不是(?=[^，。,?？]*[吗么])|\bwhy not\b|\bor not\b|"
    r"^(?:(?:so|and|but|then|well|ok)[, ]+)*(?:do|does|did|is|are|was|were|has|have|had|can|could|would|should|will)n't\b"
)
_HARMLESS = re.compile(
    # Words with such a character, and politeness.
    r"差不多|不过|不错|不用了|不好意思|没问题|没关系|没事|无论|不管|不仅|不但|不同|分别|级别|特别|类别|性别|区别|识别|别的|别人|不锈钢|无线|"
    r"未来|是非|非常|不便|不行|没完|\bno problem\b|\bnot only\b|\bno(?:\.|\s)\s*\d|^no[,. ]|"
    # A choice among things already named: "看不了电视的那个", "the one without a screen". The rewrite has its name.
    r"[不没无][^，。,?？]{0,8}的那|\bthe ones? (?:without|not|that (?:is|are|do|does|has|have|can)(?:n't| not)|with no)\b"
)
_NEGATION = re.compile(
    r"[不没无未别非]|除了|除外|\b(?:no|not|without|except|excluding|never|cannot|neither|nor|none|nothing|nobody|other than|unless)\b|"
    r"n't\b|\bbesides\b|\baside from\b"
)
# What says the same as a negation: "打不开" is searched as "无法打开" or "故障", "stop charging me" as "cancel".
_EQUIVALENT = re.compile(
    r"失败|失灵|故障|异常|问题|关闭|取消|停止|停用|禁止|拒绝|提前|中途|缺|丢|漏|坏|错|断|免|退|(?<!出)差(?!旅)|逾期|其他|其它|另外|还有|以外|只|"
    r"\b(?:fail\w*|unable|cancel\w*|stop\w*|disabl\w*|quit\w*|refus\w*|lack\w*|miss(?:ing|ed|es)?|lost|los(?:e|es|ing|s)|prevent\w*|"
    r"avoid\w*|forbid\w*|other|else|another|only|free|ever|still|turn(?:ed|ing)? off|broken|errors?|problems?|issues?|wrong|early|"
    r"un(?:available|paid|used|limited|known|safe|supported|finished|install\w*|subscrib\w*|lock\w*))\b"
)


def negates(text: str) -> bool:
    """Whether ``text`` has a negation or exclusion that a search must not lose.

    Questions that only have the form of one ("能不能…", "Isn't it …?") and words that only contain the character ("特别") do not count.
    """
    return bool(_NEGATION.search(_HARMLESS.sub(" ", _ASKING.sub(" ", _plain(text)))))


def keeps_negation(text: str) -> bool:
    """Whether ``text`` negates, or has a word that a negation may be rewritten to."""
    plain = _ASKING.sub(" ", _plain(text))
    return bool(_NEGATION.search(plain) or _EQUIVALENT.search(plain))


def _plain(text: str) -> str:
    return text.lower().replace("’", "'").strip()
