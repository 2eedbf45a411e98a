"""A rewrite speaks the language of the query, whatever the history and the documents are in."""

import re

from program.guard.content import CHINESE_RUN
from program.guard.context import Context
from program.guard.spoken import function_words, spoken

_OTHER_SCRIPT = re.compile(r"[^\W\d_A-Za-z\u00aa-\u02af\u0300-\u036f\u1e00-\u1eff\u2c60-\u2c7f\u3007\u3400-\u9fff]+")


# Words of a sentence, in one piece: names and codes are seldom so long, and have capitals.
_LATIN_RUN = re.compile(r"[A-Za-z][A-Za-z'’-]*(?:[\s,;]+[A-Za-z][A-Za-z'’-]*)+")
_SENTENCE = 4
"""Lower-case words in a row from which on they may be a sentence."""


def refuse_language(rewrite: str, context: Context) -> str | None:
    """Return why the language of ``rewrite`` is wrong, or ``None``. Names of the other language may stand where they were said."""
    asked, written = spoken(context.query), spoken(rewrite)
    said = context.said.text
    if any(run not in said for run in _OTHER_SCRIPT.findall(rewrite)):
        return "language: the rewrite is in another script"
    if asked == "zh" and (written == "en" or not CHINESE_RUN.search(rewrite)):
        return "language: the query is Chinese, the rewrite is not"
    if asked == "zh" and _goes_on_in_english(rewrite, said):
        return "language: the query is Chinese, half of the rewrite is not"
    if asked == "en":
        # A Chinese name from the conversation may stand in an English question.
        foreign = [run for run in CHINESE_RUN.findall(rewrite) if run not in said]
        if written == "zh" or foreign:
            return "language: the query is English, the rewrite is not"
    return None


def _goes_on_in_english(rewrite: str, said: str) -> bool:
    """Whether a Chinese text has an English sentence in it that nobody said, or is mostly English words.

    "The Lord of the Rings" is a name; "must be inspected according to the rules" is a sentence.
    """
    known = set(re.findall(r"[a-z'’-]+", said.casefold()))
    chinese = sum(map(len, CHINESE_RUN.findall(rewrite))) / 2
    for run in _LATIN_RUN.findall(rewrite):
        plain = [word for word in re.findall(r"[A-Za-z'’-]+", run) if word.islower() and word not in known]
        if len(plain) >= _SENTENCE and (len(function_words(" ".join(plain))) > 1 or len(plain) > chinese):
            return True
    return False
