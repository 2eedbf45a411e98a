"""The part of a conversation that a rewriter sees.

Accepts what chat systems hand over: OpenAI-style dicts, LangChain message objects, ``dspy.History`` (or any object or dict with
``messages``), our ``Message``; content as text, as a list of parts, or ``None``. Tool and system messages, images and blank texts are
skipped. Nothing here raises on odd input.
"""

from collections.abc import Iterable, Iterator, Mapping
from itertools import islice
from typing import Any, Literal

from data.records import Message, Record, language_of

_ROLES: dict[str, Literal["user", "assistant"]] = {
    "user": "user", "human": "user", "humanmessagechunk": "user",
    "assistant": "assistant", "ai": "assistant", "aimessagechunk": "assistant",
}  # fmt: skip
_SPEAKERS = {"zh": {"user": "用户", "assistant": "助手"}, "en": {"user": "User", "assistant": "Assistant"}}
LATIN_CHARACTERS_PER_CHINESE = 2.5
"""English text of this many characters costs a model about what one Chinese character does."""
# Reading further back than this costs time and brings back old topics.
_MESSAGES_READ = 100
_CHARACTERS_READ = 2000


class Window(Record):
    """A normalised conversation: ``messages`` for the rules (all that is read), ``text`` for a prompt (the last turns, trimmed)."""

    messages: tuple[Message, ...]
    text: str

    @property
    def last_answer(self) -> str:
        """The assistant's message right before the turn; empty where there is none."""
        last = self.messages[-1] if self.messages else None
        return last.content if last is not None and last.role == "assistant" else ""


def make_window(
    history: Any, *, turns: int = 3, message_characters: int = 100, message_tokens: int | None = None
) -> Window:
    """Normalise ``history`` and keep its last ``turns`` exchanges (two messages each) as prompt text.

    Args:
        history: Messages, oldest first, in any of the forms above; ``None`` and anything else count as empty. Of a long one the last 100
            messages are read, of a long message 2,000 characters.
        turns: Exchanges kept in ``text``, 0 and up. Three to five is useful; the whole history pollutes.
        message_characters: Budget per message in ``text`` in Chinese characters; English gets an equal budget of tokens. A longer
            message keeps its beginning and its end, where offers and recommendations stand.
        message_tokens: A budget in tokens instead, where given.
    """
    newest_first = islice(_normalise(reversed(_messages_of(history))), _MESSAGES_READ)
    messages = tuple(newest_first)[::-1]
    shown = messages[len(messages) - min(2 * turns, len(messages)) :]
    return Window(messages=messages, text=prompt_text(shown, message_characters, message_tokens))


def prompt_text(messages: Iterable[Message], message_characters: int, message_tokens: int | None = None) -> str:
    """``messages`` as a prompt shows them: a line each, trimmed as ``make_window`` says, with its speaker."""
    return "\n".join(_line(message, message_characters, message_tokens) for message in messages)


def tokens_of(text: str) -> float:
    """About the tokens of ``text``: one a Chinese character, one for four others. No model's tokeniser is needed, nor meant."""
    chinese = sum("\u3400" <= character <= "\u9fff" for character in text)
    return chinese + (len(text) - chinese) / 4


def readable(content: Any) -> str:
    """Return what a message says: a text, the texts of a list of parts joined, nothing of ``None`` or anything else.

    What is no Unicode text (a lone surrogate out of broken JSON) is replaced by "?": nothing after could encode it.
    """
    return _text_of(content).encode("utf-8", "replace").decode("utf-8")


def _normalise(raw_messages: Iterable[Any]) -> Iterator[Message]:
    for raw in raw_messages:
        name = _get(raw, "role") or _get(raw, "type") or ""
        # An enumeration of roles prints as "Role.USER"; its value is what counts.
        role = _ROLES.get(str(getattr(name, "value", name)).lower())
        text = _text_of(_get(raw, "content")).strip()
        if role and text:
            yield Message(role=role, content=readable(_trim(text, _CHARACTERS_READ)))


def _messages_of(history: Any) -> list[Any]:
    messages = history.get("messages") if isinstance(history, Mapping) else getattr(history, "messages", history)
    if messages is None or isinstance(messages, str | bytes | Mapping):
        return []
    try:
        found = list(messages)
    except TypeError:
        return []
    return [one for raw in found for one in _exchange(raw)]


def _exchange(raw: Any) -> list[Any]:
    """``dspy.History`` keeps an exchange as one dict of a signature's fields: inputs first, the answer last."""
    if not isinstance(raw, Mapping) or not raw or {"role", "type", "content"} & set(raw):
        return [raw]
    texts = [value for value in raw.values() if isinstance(value, str) and value.strip()]
    roles = ("user", "assistant")
    return [{"role": role, "content": text} for role, text in zip(roles, [*texts[:1], *texts[1:][-1:]], strict=False)]


def _get(raw: Any, key: str) -> Any:
    return raw.get(key) if isinstance(raw, Mapping) else getattr(raw, key, None)


def _text_of(content: Any) -> str:
    if isinstance(content, str):
        return content
    if isinstance(content, list | tuple):
        parts = (part if isinstance(part, str) else _get(part, "text") for part in content)
        return " ".join(part for part in parts if isinstance(part, str))
    return ""


def _line(message: Message, message_characters: int, message_tokens: int | None) -> str:
    language = language_of(message.content)
    budget = message_characters if language == "zh" else int(message_characters * LATIN_CHARACTERS_PER_CHINESE)
    if message_tokens is not None:
        budget = int(len(message.content) * message_tokens / max(tokens_of(message.content), 1))
    text = " ".join(_trim(message.content, budget).split())
    return f"{_SPEAKERS[language][message.role]}: {text}"


def _trim(text: str, characters: int) -> str:
    if len(text) <= characters:
        return text
    head = characters // 2
    return f"{text[:head]}…{text[len(text) - (characters - head) :]}"
