"""What became of one turn, in named fields: all that a summary needs, and nothing of the program that made it."""

from pydantic import Field

from data.records import Language, Record


class TurnOutcome(Record):
    """One turn, searched.

    Attributes:
        has_history: Whether anything was said before; a first turn need not have the number 1.
        retrieved_ids: Passages found, best first.
        rewritten: Whether a query other than the original was searched.
        lm_calls: Language-model calls of this turn.
        lm_tokens: Prompt and output tokens of those calls.
        elapsed_ms: Wall time of the turn, retrieval included.
        fallbacks: Why a stage left the turn as it was, one reason each.
    """

    turn_id: str
    conversation_id: str
    turn: int = Field(ge=1)
    language: Language
    phenomena: tuple[str, ...] = ()
    has_history: bool
    relevant_ids: tuple[str, ...]
    retrieved_ids: tuple[str, ...]
    rewritten: bool = False
    lm_calls: int = Field(default=0, ge=0)
    lm_tokens: int = Field(default=0, ge=0)
    elapsed_ms: float = Field(default=0.0, ge=0)
    fallbacks: tuple[str, ...] = ()
