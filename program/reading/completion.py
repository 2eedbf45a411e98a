"""What small models wrap around an answer: thoughts, fences, bold print."""

import re

_THOUGHT = re.compile(r"<think(?:ing)?>.*?(?:</think(?:ing)?>|\Z)", re.DOTALL | re.IGNORECASE)
# The model's template may have written the opening tag itself.
_UNOPENED_THOUGHT = re.compile(r"\A.*?</think(?:ing)?>", re.DOTALL | re.IGNORECASE)
_FENCE = re.compile(r"^[ \t]*(?:```|~~~)[\w+-]*[ \t]*$", re.MULTILINE)
_BOLD = re.compile(r"\*\*(?=\S)(.+?)(?<=\S)\*\*")
_MOST_CHARACTERS = 4000
"""No answer that is asked for here is longer, and repairing the JSON of one that runs on takes quadratic time."""


def bare(completion: str) -> str:
    """Return ``completion`` without thoughts, lines that are code fences, and bold marks, at most 4,000 characters of it.

    Thoughts that never end leave nothing.
    """
    text = _THOUGHT.sub("", completion[:_MOST_CHARACTERS])
    text = _UNOPENED_THOUGHT.sub("", text)
    return _BOLD.sub(r"\1", _FENCE.sub("", text)).strip()
