"""The errors a caller can meet, as one small tree.

Each class has a stable ``code`` for programs and carries ``fields`` for reports; ``advice`` says what to do next.
A failed optional stage of a turn is none of these: it is a fallback in the trace (see ``program.trace``).
"""

from typing import Any, ClassVar


class AnaphoraError(Exception):
    """Base of every error this project raises on purpose.

    Attributes:
        code: Stable short name, the same across releases.
        advice: What the user can do about it; may be empty.
        fields: Machine-readable details (paths, numbers, names).
    """

    code: ClassVar[str] = "error"

    def __init__(self, message: str, *, advice: str = "", **fields: Any) -> None:
        super().__init__(message)
        self.advice = advice
        self.fields = fields

    def __str__(self) -> str:
        """Message and advice on one line."""
        message = super().__str__()
        return f"{message}; {self.advice}" if self.advice else message


class DataError(AnaphoraError):
    """A data file is missing, unreadable, or has bad lines (``fields["problems"]`` lists every one)."""

    code = "bad_data"


class ConfigError(AnaphoraError):
    """A setting, experiment file or option is not what was expected."""

    code = "bad_config"


class StoreError(AnaphoraError):
    """An index is missing, belongs to another corpus, or was built with another embedder."""

    code = "bad_store"


class ModelStoreError(AnaphoraError):
    """Model weights could not be fetched, or their hash is wrong."""

    code = "bad_model"


class LanguageModelError(AnaphoraError):
    """No language model can be set up from what was asked for."""

    code = "no_language_model"


class ProgramError(AnaphoraError):
    """A saved program is missing, damaged, or does not fit this version."""

    code = "bad_program"


class TrackingError(AnaphoraError):
    """The tracking server does not answer; nothing was started."""

    code = "tracking_down"


class BudgetError(AnaphoraError):
    """A call or token budget is used up."""

    code = "budget_spent"
