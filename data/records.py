"""The records everything else speaks of: messages, turns and passages. Frozen, strict, free of any framework."""

from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field, field_validator

Language = Literal["zh", "en"]

# Share of CJK among letters from which a text counts as Chinese: names and codes in Latin script are common in Chinese questions.
_CHINESE_SHARE = 0.2


def language_of(text: str) -> Language:
    """Return ``"zh"`` when at least a fifth of the letters of ``text`` are CJK ideographs, else ``"en"``.

    Text without letters counts as ``"en"``.
    """
    letters = [character for character in text if character.isalpha()]
    chinese = sum("\u4e00" <= character <= "\u9fff" for character in letters)
    return "zh" if letters and chinese >= _CHINESE_SHARE * len(letters) else "en"


class Record(BaseModel):
    """Base: immutable, unknown keys refused."""

    model_config = ConfigDict(frozen=True, extra="forbid")


class Message(Record):
    """One utterance of a conversation."""

    role: Literal["user", "assistant"]
    content: str


class Passage(Record):
    """One retrievable piece of a corpus.

    ``metadata["source"]`` names the document the passage is cut from; without it a passage is its own source.
    """

    id: str = Field(min_length=1)
    text: str
    title: str | None = None
    metadata: dict[str, Any] = Field(default_factory=dict)

    @field_validator("text")
    @classmethod
    def _text_is_not_blank(cls, text: str) -> str:
        if not text.strip():
            raise ValueError("must not be blank")
        return text

    @property
    def source(self) -> str:
        """Id of the document this passage belongs to."""
        return str(self.metadata.get("source") or self.id)

    @property
    def indexed_text(self) -> str:
        """What both engines index: title and text, the title once."""
        title = (self.title or "").strip()
        text = self.text.strip()
        return text if not title or text.startswith(title) else f"{title}\n{text}"


class Turn(Record):
    """A user's query, what was said before it, and what it should find.

    ``relevant_ids`` empty means unlabelled (or a turn that needs no retrieval): it is counted, never scored as 0.
    ``metadata`` is for analysis only and never reaches a rewriter.
    """

    id: str = Field(min_length=1)
    conversation_id: str = Field(min_length=1)
    turn: int = Field(ge=1)
    history: tuple[Message, ...] = ()
    query: str
    gold_rewrite: str | None = None
    relevant_ids: tuple[str, ...] = ()
    answerable: bool | None = None
    metadata: dict[str, Any] = Field(default_factory=dict)

    @property
    def language(self) -> Language:
        """``metadata["language"]`` where given, else read off the query."""
        stated = self.metadata.get("language")
        return stated if stated in ("zh", "en") else language_of(self.query)

    @property
    def phenomena(self) -> tuple[str, ...]:
        """Names of the linguistic phenomena of this turn (``metadata["phenomena"]``)."""
        return tuple(self.metadata.get("phenomena", ()))
