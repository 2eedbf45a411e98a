"""One call of one signature, with its cost in the trace."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import dspy
from dspy.utils.usage_tracker import track_usage

from program.language_model.plain_adapter import PlainAdapter
from program.trace import Step


def ask(predict: dspy.Predict, signature_name: str, step: Step, **inputs: Any) -> str | None:
    """Return the text of the first output field, or ``None`` (and a skipped step) when no language model is set up.

    The model is the one of this signature (``dspy.context(lms={name: lm})``), else the predictor's own (``predict.lm``, which a saved
    program never has), else the general one (``dspy.context(lm=...)``). Calls and tokens are added to ``step``; tokens are 0 for an answer
    from the cache. Nothing of the call stays in the module: its history would grow with every user's text.

    Raises:
        Exception: Whatever the model or the parser raised; the step's caller turns it into a fallback.
    """
    lm = (dspy.settings.get("lms") or {}).get(signature_name) or predict.lm or dspy.settings.lm
    if lm is None:
        step.skip("no language model")
        return None
    with dspy.context(adapter=PlainAdapter(), max_history_size=0), counted(step):
        prediction = predict(lm=lm, **inputs)
    return str(next(iter(prediction.values())) or "")


@contextmanager
def counted(step: Step) -> Iterator[None]:
    """Add one model call to ``step`` and, if it succeeds, its tokens."""
    step.lm_calls += 1
    with track_usage() as usage:
        yield
    step.lm_tokens += sum(int(row.get("total_tokens") or 0) for row in usage.get_total_tokens().values())
