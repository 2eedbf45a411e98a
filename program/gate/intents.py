"""Reading the intent from whatever a small language model answers."""

import re

from program.gate.units import plain
from program.result import Intent

_NAMES: dict[Intent, str] = {
    "greeting": r"greetings?|问候|打招呼|寒暄",
    "chitchat": r"chit[\s_-]*chat|small[\s_-]*talk|闲聊|聊天(?!记录|历史)|致谢|感谢",
    "calculation": r"calculations?|calculate|arithmetic|math(?:ematics|s)?|计算|算术|数学",
    "history_question": r"history[\s_-]*questions?|history|对话历史|历史问题|历史提问|聊天(?:记录|历史)|关于对话",
    "retrieval": r"retrieval|retrieve|search|检索|搜索|查询|知识库",
}
_LABEL = re.compile(r"^\W*(?:intent|label|category|class|answer|意图|类别|分类|答案)\W*(?:is|是|为)?\W*", re.IGNORECASE)
_NEGATED = re.compile(r"(?:\bnot\s+(?:an?\s+)?|\bno\s+|n't\s+(?:an?\s+)?|不是|并非|非|无需|不需要|不用)$")


def read_intent(completion: str) -> Intent | None:
    """Return the one intent that ``completion`` names, or ``None`` when it names none or several.

    The first line that names any counts: small models go on with reasons. Case, punctuation, a label before it, English and Chinese names
    are read; a negated name ("not a greeting") makes the answer unclear.
    """
    for line in plain(completion).splitlines():
        text = _LABEL.sub("", line)
        found: set[Intent] = set()
        for intent, names in _NAMES.items():
            for match in re.finditer(rf"(?<![a-z])(?:{names})(?![a-z])", text):
                if _NEGATED.search(text[: match.start()]):
                    return None
                found.add(intent)
        if found:
            return next(iter(found)) if len(found) == 1 else None
    return None
