"""One call of one signature: which model, whether it may be asked, its cost in the trace."""

import hashlib
import json
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import dspy
from dspy.utils.usage_tracker import UsageTracker, track_usage

from program.breaker import breaker
from program.language_model.plain_adapter import PlainAdapter
from program.rewrite_cache import RewriteCache, key_of
from program.trace import Step

_LONGER_OUTPUTS = {"hypothetical": 160, "summary": 160, "plan": 192, "text_to_sql": 192, "answer": 256}
"""In tokens."""
_CONNECTION = frozenset({"api_base", "base_url", "api_key", "timeout"})


def ask(predict: dspy.Predict, signature_name: str, step: Step, **inputs: Any) -> str | None:
    """Return the text of the first output field, or ``None`` when no model was asked: none is set up (the step is skipped), or it rests.

    The model is the one of this signature (``dspy.context(lms={name: lm})``), else the predictor's own (``predict.lm``, which a saved
    program never has), else the general one (``dspy.context(lm=...)``). A model that hung or failed a moment ago is left alone for a while
    (``program.breaker``). An answer given before is taken from ``dspy.context(rewrite_cache=...)``, where there is one, without a call.
    Calls and tokens are added to ``step``; tokens are 0 for an answer from DSPy's own cache. Nothing of the call stays in the module: its
    history would grow with every user's text.

    Raises:
        Exception: Whatever the model or the parser raised; the step's caller turns it into a fallback.
    """
    lm = (dspy.settings.get("lms") or {}).get(signature_name) or predict.lm or dspy.settings.lm
    if lm is None:
        step.skip("no language model")
        return None
    cache: RewriteCache | None = dspy.settings.get("rewrite_cache")
    key = _key(predict, signature_name, lm, inputs) if cache is not None else ""
    if cache is not None and (known := cache.get(key)) is not None:
        step.details["cached"] = True
        return known
    deadline = step.deadline
    if not breaker.allows(lm, deadline.lm_rest_ms):
        step.fall_back("the language model is left alone after it failed")
        return None
    with (
        # What is said inside is no answer to stream to the user.
        dspy.context(adapter=PlainAdapter(), max_history_size=0, send_stream=None),
        breaker.call(lm, deadline.at_s, deadline.lm_rest_ms) as call,
    ):
        with counted(step), _reports() as reports:
            prediction = predict(lm=lm, config=_room(signature_name, lm), **inputs)
        # DSPy's own cache answered: that says nothing about the model.
        call.counts = reports.came
    text = str(next(iter(prediction.values())) or "")
    if cache is not None and text.strip():
        cache.put(key, text)
    return text


def _room(signature_name: str, lm: Any) -> dict[str, int]:
    """More output tokens for the signatures that write more than a line, where the model's own limit is a short one."""
    wanted, limit = _LONGER_OUTPUTS.get(signature_name), lm.kwargs.get("max_tokens")
    return {"max_tokens": wanted} if wanted and limit and limit < wanted else {}


@contextmanager
def counted(step: Step) -> Iterator[None]:
    """Add one model call to ``step`` and, if it succeeds, its tokens."""
    step.lm_calls += 1
    with track_usage() as usage:
        yield
    step.lm_tokens += sum(int(row.get("total_tokens") or 0) for row in usage.get_total_tokens().values())


class _Reports(UsageTracker):
    """Passes on what a model reports, and knows whether it did: some servers report no tokens, DSPy's cache does not even that."""

    def __init__(self, to: UsageTracker) -> None:
        super().__init__()
        self.came = False
        self._to = to

    def add_usage(self, lm: str, usage_entry: dict[str, Any]) -> None:
        """See ``UsageTracker.add_usage``; called once for each completion that a model made."""
        self.came = True
        self._to.add_usage(lm, usage_entry)


@contextmanager
def _reports() -> Iterator[_Reports]:
    reports = _Reports(dspy.settings.usage_tracker)
    with dspy.context(usage_tracker=reports):
        yield reports


def _key(predict: dspy.Predict, signature_name: str, lm: Any, inputs: dict[str, Any]) -> str:
    """Whatever changes the answer changes the key: the prompt with its demos, the model, the inputs."""
    demos = [dict(demo) for demo in predict.demos]
    prompt = json.dumps([predict.signature.instructions, demos], ensure_ascii=False, sort_keys=True, default=str)
    asked = json.dumps(inputs, ensure_ascii=False, sort_keys=True, default=str)
    program = hashlib.sha256(prompt.encode("utf-8", "replace")).hexdigest()
    # Where the model is reached does not change what it says; the embedded one has another port in each process.
    kwargs = {name: value for name, value in lm.kwargs.items() if name not in _CONNECTION}
    return key_of(signature_name, program, str(lm.model), json.dumps(kwargs, sort_keys=True, default=str), asked)
