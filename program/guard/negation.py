"""A negation or exclusion of the query survives."""

import re

from program.guard.context import Context, core
from program.guard.denials import keeps_negation, negates

# A question before the last one stands alone ("How come it's not popular? When did it start?").
_EARLIER_QUESTION = re.compile(r"^.*[?？](?=\s*\w)", re.DOTALL)
# "不带 Pro 的": the rewrite has the name of what is meant instead.
_VERSION_WITHOUT = re.compile(r"不[带含]\s*[A-Za-z0-9]+\s*的")
# It is the user who does not know; the question is what.
_NOT_KNOWING = re.compile(
    r"[不没](?:太|大)?(?:知道|清楚|明白|了解|懂)(?=.{2})|\b(?:not|n['’]t)\s+(?:really\s+)?(?:know|understand\w*|sure|clear|see)\b",
    re.IGNORECASE,
)


def refuse_negation(rewrite: str, context: Context) -> str | None:
    """Return that the query's negation is lost in ``rewrite``, or ``None``."""
    asked = _EARLIER_QUESTION.sub("", core(context))
    for harmless in (_VERSION_WITHOUT, _NOT_KNOWING):
        asked = harmless.sub(" ", asked)
    if negates(asked) and not keeps_negation(rewrite):
        return "negation: it is lost"
    return None
