"""Checks that a language model's rewrite is still the user's question: one file a check, ``refuse`` asks them all.

Each returns a reason to refuse the rewrite, or ``None``. They look at words; ``drift`` alone looks at vectors, and is asked by itself.
"""

from program.guard.checks import refuse, refuse_part
from program.guard.context import Context, asks
from program.guard.drift import drift_of, refuse_drift, turn_texts

__all__ = ["Context", "asks", "drift_of", "refuse", "refuse_drift", "refuse_part", "turn_texts"]
