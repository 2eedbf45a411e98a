"""Numbers that choose from a list: "第2点", "option 2", a bare "2". The rewrite names what was chosen instead."""

import re

_CHOICE = re.compile(
    r"第\s*\d+|\b\d+(?:st|nd|rd|th)\b|(?:\b(?:option|number|no\.?|item|point|step|choice)|选项|方案|选)\s*\d+|"
    r"^\s*那?\s*\d\s*[呢吧?？.。]*\s*$", re.IGNORECASE
)  # fmt: skip


def without_choice(text: str) -> str:
    """Return ``text`` with such numbers blanked."""
    return _CHOICE.sub(" ", text)
