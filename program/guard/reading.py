"""A text as the guards read it: once, and only what is asked of it."""

import unicodedata
from dataclasses import dataclass
from functools import cached_property

from program.guard.content import spoken_units
from program.rules.gazetteer import Gazetteer


@dataclass(frozen=True)
class Reading:
    """A text, and what is in it."""

    text: str
    gazetteer: Gazetteer

    @cached_property
    def terms(self) -> frozenset[str]:
        """Entities of the corpus that it names."""
        return frozenset(mention.term for mention in self.gazetteer.find(self.text))

    @cached_property
    def units(self) -> frozenset[str]:
        """Its content, see ``content.spoken_units``."""
        return spoken_units(self.text)

    @cached_property
    def squeezed(self) -> str:
        """Its letters and digits alone, without case and accents."""
        return squeezed(self.text)


def squeezed(text: str) -> str:
    """Return the letters and digits of ``text``, without case, accents and compatibility forms."""
    plain = unicodedata.normalize("NFKD", text).casefold()
    return "".join(character for character in plain if character.isalnum())
