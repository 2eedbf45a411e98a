"""Fields of a public object, read by name, with every wrong one reported."""

from collections.abc import Sequence
from typing import Any

from data.importers.raw import Place
from data.problems import Problem, shown
from data.records import Message


class Row:
    """One object. Fields that are not asked for do not matter: public formats gain some with every release.

    Each reader takes the names a field has had in different releases and uses the first that is there. What is missing or of the wrong
    kind is reported under the first name, and an empty value comes back; ``ok`` is then False, and the caller drops the row.
    """

    def __init__(self, place: Place, raw: dict[str, Any], problems: list[Problem]) -> None:
        self.place = place
        self.raw = raw
        self.ok = True
        self._problems = problems

    def has(self, *names: str) -> bool:
        """Return whether one of the names is there and not null."""
        return self._first(names)[1] is not None

    def text(self, *names: str) -> str:
        """Read text that is not blank, without white space around it."""
        name, value = self._first(names)
        if isinstance(value, str) and value.strip() and _is_unicode(value):
            return value.strip()
        self.fail(name, "text that is not blank", "nothing" if value is None else shown(value))
        return ""

    def maybe_text(self, *names: str) -> str | None:
        """Read text that may be missing, null or blank: None then."""
        name, value = self._first(names)
        if value is None or (isinstance(value, str) and not value.strip()):
            return None
        return self.text(name)

    def name(self, *names: str) -> str:
        """Read an id: text that is not blank, or a whole number."""
        name, value = self._first(names)
        if isinstance(value, int) and not isinstance(value, bool):
            return str(value)
        return self.text(name)

    def count(self, *names: str) -> int:
        """Read a whole number from 1, as a number or its digits."""
        name, value = self._first(names)
        if isinstance(value, str) and value.strip().isdecimal():
            value = int(value)
        if isinstance(value, int) and not isinstance(value, bool) and value >= 1:
            return value
        self.fail(name, "a whole number from 1", "nothing" if value is None else shown(value))
        return 1

    def texts(self, *names: str) -> list[str]:
        """Read a list of strings, which may be missing (an empty one then)."""
        name, value = self._first(names)
        if value is None:
            return []
        if isinstance(value, list) and all(isinstance(one, str) and _is_unicode(one) for one in value):
            return value
        self.fail(name, "a list of strings", shown(value))
        return []

    def rows(self, *names: str) -> list["Row"]:
        """Read a list of objects as rows, reported under ``name.index.field``."""
        name, value = self._first(names)
        if isinstance(value, list) and all(isinstance(one, dict) for one in value):
            return [_Inner(self, f"{name}.{index}.", one) for index, one in enumerate(value)]
        self.fail(name, "a list of objects", "nothing" if value is None else shown(value))
        return []

    def fail(self, field: str, expected: str, got: str) -> None:
        """Report something else that is wrong in this row."""
        self.ok = False
        self._problems.append(self.place.problem(field, expected, got))

    def _first(self, names: Sequence[str]) -> tuple[str, Any]:
        return next(((name, self.raw[name]) for name in names if self.raw.get(name) is not None), (names[0], None))


class _Inner(Row):
    """An object within a row: what fails here fails there."""

    def __init__(self, outer: Row, prefix: str, raw: dict[str, Any]) -> None:
        super().__init__(outer.place, raw, outer._problems)
        self._outer = outer
        self._prefix = prefix

    def fail(self, field: str, expected: str, got: str) -> None:
        self.ok = False
        self._outer.fail(self._prefix + field, expected, got)


def alternating(texts: Sequence[str], *, first: str = "user") -> tuple[Message, ...]:
    """Return utterances as messages of two speakers in turn, blank ones left out; ``first`` says the first."""
    roles = ("user", "assistant") if first == "user" else ("assistant", "user")
    return tuple(
        Message(role=roles[index % 2], content=text.strip())  # type: ignore[arg-type]
        for index, text in enumerate(texts)
        if text.strip()
    )


def _is_unicode(text: str) -> bool:
    """Return whether ``text`` can be written as UTF-8: JSON escapes may hold half a character."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True
