"""What two texts are compared by: their content, in forms that a paraphrase keeps."""

import re
from collections.abc import Iterator

from program.retrieval.tokenize import words

CHINESE_RUN = re.compile(r"[\u3400-\u9fff]+")
# They ask and name nothing: "怎么样", "多少", "是不是", the "多" of "多久".
_QUESTION_WORD = re.compile(
    r"为什么|怎么[样办]?|怎样|什么|多少|多(?=[大久长高远重宽快厚贵早晚深])|如何|哪[些个里]?|是否|能否|可否|(.{1,2})[不没]\1"
)
_STEM = 5


def units(text: str) -> Iterator[str]:
    """Content terms in the form in which they are compared, in order, repeats kept.

    Chinese ones by character, since words are cut differently in other surroundings ("修", "维修"); English ones by their first letters,
    since a rewrite may inflect them ("bill", "bills").
    """
    for term in words(_QUESTION_WORD.sub(" ", text)):
        yield from term if CHINESE_RUN.match(term) else (term[:_STEM],)


def spoken_units(text: str) -> frozenset[str]:
    """The units of a long text, to look others up in: every Chinese character, so that no words need be cut."""
    latin = units(CHINESE_RUN.sub(" ", text))
    return frozenset("".join(CHINESE_RUN.findall(text))) | frozenset(latin)
