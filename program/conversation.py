"""A conversation that remembers its turns, for callers who do not want to. The program itself stays stateless."""

import threading
from collections import deque
from collections.abc import Callable, Mapping
from typing import Any, Literal

import dspy
from pydantic import Field, ValidationError, model_validator

from data.errors import ConfigError, DataError
from data.records import Message, Record
from program.result import Retrieved
from program.rewrite_program import retrieved_of
from program.window import make_window, readable


class _Saved(Record):
    schema_version: Literal[1]
    most_messages: int = Field(ge=1, strict=True)
    messages: tuple[Message, ...]

    @model_validator(mode="after")
    def _is_bounded(self) -> "_Saved":
        if len(self.messages) > self.most_messages:
            raise ValueError(f"{len(self.messages)} messages, at most {self.most_messages} expected")
        return self


class Conversation:
    """The messages of one conversation, and a program to ask with them.

    Any number of conversations share a program; nothing goes from one to another. One conversation may be used from several threads.
    """

    def __init__(self, program: Callable[..., dspy.Prediction], *, most_messages: int = 200) -> None:
        """Start empty.

        Args:
            program: A ``RewriteProgram``, or anything that is called as one.
            most_messages: How many messages are kept, 1 and up; the oldest go first. A program reads the last 100.

        Raises:
            ConfigError: ``most_messages`` is below 1.
        """
        if most_messages < 1:
            raise ConfigError(f"most_messages is {most_messages}", advice="give 1 or more")
        self._program = program
        self._most_messages = most_messages
        self._messages: deque[Message] = deque(maxlen=most_messages)
        self._lock = threading.Lock()

    @property
    def messages(self) -> tuple[Message, ...]:
        """What was said, oldest first; texts in full (content given as a list of parts is cut where a window cuts it)."""
        with self._lock:
            return tuple(self._messages)

    def add(self, role: Any, content: Any = None) -> bool:
        """Add what was said: ``add("assistant", "…")``, or one message object of any kind that ``program.window`` reads.

        Returns:
            Whether it was kept: system and tool messages, images and blank texts are not.
        """
        raw = role if content is None else {"role": role, "content": content}
        new = [_in_full(message, raw) for message in make_window([raw]).messages]
        with self._lock:
            self._messages.extend(new)
        return bool(new)

    def ask(self, query: str, **kwargs: Any) -> Retrieved:
        """Call the program with ``query`` and what was said before it, then add the query as the user typed it.

        The answer is the caller's to give and to ``add``. ``kwargs`` go to the program. Where it raises, nothing is added.
        """
        result = retrieved_of(self._program(query=query, history=list(self.messages), **kwargs))
        self.add("user", query)
        return result

    def to_json(self) -> str:
        """Return all of it as JSON, for ``from_json``; users' text, in clear."""
        return _Saved(schema_version=1, most_messages=self._most_messages, messages=self.messages).model_dump_json()

    @classmethod
    def from_json(cls, text: str, program: Callable[..., dspy.Prediction]) -> "Conversation":
        """Go on with a conversation that ``to_json`` wrote, in another process or with another program.

        Raises:
            DataError: ``text`` is not what ``to_json`` writes, or another version wrote it.
        """
        try:
            saved = _Saved.model_validate_json(text)
        except ValidationError as error:
            first = error.errors()[0]
            field = " ".join(".".join(str(part) for part in first["loc"]).split())[:80] or "text"
            raise DataError(
                f"this is no saved conversation: {field}: {first['msg']}",
                advice="give what Conversation.to_json returned",
            ) from None
        conversation = cls(program, most_messages=saved.most_messages)
        conversation._messages.extend(saved.messages)
        return conversation


def _in_full(message: Message, raw: Any) -> Message:
    """A window cuts long messages; a conversation keeps them."""
    content = raw.get("content") if isinstance(raw, Mapping) else getattr(raw, "content", None)
    return message.model_copy(update={"content": readable(content)}) if isinstance(content, str) else message
