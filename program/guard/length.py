"""A rewrite that goes on and on is an answer, a copied conversation or a model in a loop."""

from program.guard.content import CHINESE_RUN
from program.guard.context import Context
from program.settings import GuardSettings
from program.window import LATIN_CHARACTERS_PER_CHINESE


def refuse_length(rewrite: str, context: Context, settings: GuardSettings) -> str | None:
    """Return why ``rewrite`` is too short or too long for the query, or ``None``. It has no switch."""
    if not rewrite.strip():
        return "empty"
    if _length(rewrite) > settings.longest_ratio * _length(context.query) + settings.longest_extra:
        return "too long"
    return None


def _length(text: str) -> float:
    """In Chinese characters; English text of equal cost counts as much."""
    return len(text) if CHINESE_RUN.search(text) else len(text) / LATIN_CHARACTERS_PER_CHINESE
