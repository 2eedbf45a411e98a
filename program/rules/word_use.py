"""Which capitalised words a corpus uses as names."""

import re

# Not inside a path, an option or an identifier.
_WORD = re.compile(r"(?<![\w./=-])[^\W\d_]+(?:[-'][^\W\d_]+)*(?![\w/=]|[.-]\w)")


class WordUse:
    """Which capitalised Latin words stand alone as names, and which are ordinary words as well."""

    def __init__(self) -> None:
        self._lower: set[str] = set()
        self._alone: set[str] = set()

    def read(self, text: str) -> None:
        """Take in a text."""
        previous_end, previous_is_name = -2, False
        for match in _WORD.finditer(text):
            word = match.group(0)
            is_name = word[0].isupper()
            if not is_name:
                self._lower.add(word)
            # Right after another capitalised word it may be the second half of a longer name.
            elif not (previous_is_name and match.start() == previous_end + 1):
                self._alone.add(word)
            previous_end, previous_is_name = match.end(), is_name

    def names(self) -> frozenset[str]:
        """Words used as names, never as ordinary words."""
        return frozenset(word for word in self._alone if word.lower() not in self._lower)
