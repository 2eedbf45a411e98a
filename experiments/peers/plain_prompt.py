"""What everyone tries first: ask a model to rewrite the question, and search what it says."""

from collections.abc import Callable

import dspy

from data.records import Turn
from experiments.systems import System, given_system
from program.ask import ask
from program.result import Fallback, Retrieved
from program.settings import Settings
from program.trace import Trace

_PROMPT = "Rewrite this question so that it stands alone."


def plain_prompt_system(settings: Settings) -> System:
    """Return the peer as a system: the whole conversation, one sentence of instruction, no demos, guards or rules.

    A first turn is not sent to the model. A failing call or a blank answer leaves the query, and is a fallback in the trace. The model
    (``dspy.settings.lm``) sees the history and the query, never labels or metadata.

    Args:
        settings: How lists become one, and how many hits.
    """
    predict = dspy.Predict(dspy.Signature("history, question -> rewrite", _PROMPT))

    def run(turn: Turn) -> Retrieved:
        trace = Trace()
        text = _rewrite(predict, turn, trace)
        return _with_trace(given_system(lambda _: text, settings)(turn), trace)

    return run


def concat_system(settings: Settings) -> System:
    """Return the baseline without a model: all that the user said so far and the query, one a line, searched as one text."""
    return given_system(_user_turns, settings)


def _user_turns(turn: Turn) -> str:
    return "\n".join([*(said.content for said in turn.history if said.role == "user"), turn.query])


def _rewrite(predict: Callable[..., dspy.Prediction], turn: Turn, trace: Trace) -> str:
    answer = ""
    with trace.step("plain_prompt") as step:
        if turn.history:
            history = "\n".join(f"{said.role}: {said.content}" for said in turn.history)
            answer = (ask(predict, "coreference", step, history=history, question=turn.query) or "").strip()
            if not answer and step.status == "done":
                step.fall_back("blank answer")
        else:
            step.skip("first turn")
    return answer or turn.query


def _with_trace(retrieved: Retrieved, trace: Trace) -> Retrieved:
    fallbacks = tuple(Fallback(stage=one.stage, reason=one.reason) for one in trace.fallbacks)
    return retrieved.model_copy(update={"trace": tuple(trace.steps), "fallbacks": fallbacks})
