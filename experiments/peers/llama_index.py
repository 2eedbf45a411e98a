"""LlamaIndex's condense-question rewriter, as a system to compare with.

The prompt, the form of the history and the room for the answer are those of the installed package ``llama-index-core`` (extra ``peers``);
nothing of it is copied here. It runs on the same language model as ours (``dspy.settings.lm``), so that only the method differs.
"""

from typing import Any

import dspy

from data.errors import ConfigError
from data.records import Turn
from experiments.systems import System
from program.ask import counted
from program.fusion.fuse import fuse
from program.fusion.queries import plan_queries
from program.result import Fallback, Query, Retrieved
from program.settings import Settings
from program.trace import Step, Trace

PACKAGE = "llama-index-core"
_STAGE = "condense"


def condense_system(settings: Settings, *, fused: bool) -> System:
    """Return the peer as a system; its calls, tokens and failures are in the trace as ours are.

    Args:
        settings: How lists become one, and how many hits.
        fused: Search the original query as well, with its weight in ``settings``; else the rewrite alone, as LlamaIndex does.

    Raises:
        ConfigError: The package is not installed.
    """
    _package()

    def search(turn: Turn) -> Retrieved:
        trace = Trace()
        text = rewrite_of(turn, trace)
        if fused:
            changed = text if text != turn.query else None
            queries = plan_queries(turn.query, settings=settings.fusion, rewrite=changed)
        else:
            queries = (Query(text=text, kind="original" if text == turn.query else "rewrite", weight=1.0),)
        return _retrieved(turn, text, queries, trace, settings)

    return search


def rewrite_of(turn: Turn, trace: Trace | None = None) -> str:
    """Return the stand-alone question: the stripped answer, from the whole history, at temperature 0.

    As in LlamaIndex a turn without history is not sent to the model. A failing call or a blank answer leaves the query. The model sees
    the history and the query, never labels or metadata.

    Args:
        turn: The turn.
        trace: Receives a step with what the call cost, or why it failed.
    """
    answer = ""
    with (trace if trace is not None else Trace()).step(_STAGE) as step:
        if turn.history:
            answer = _ask(_prompt(turn), step)
            if not answer:
                step.fall_back("blank answer")
        else:
            step.skip("first turn")
    return answer or turn.query


def _ask(prompt: str, step: Step) -> str:
    with counted(step):
        answer = dspy.settings.lm(prompt, temperature=0.0, max_tokens=_package().constants.DEFAULT_NUM_OUTPUTS)[0]
    # A model that reasons answers with a mapping.
    return str((answer["text"] if isinstance(answer, dict) else answer) or "").strip()


def _prompt(turn: Turn) -> str:
    """The user message that ``CondenseQuestionChatEngine`` would send."""
    package = _package()
    types, utils = package.base.llms.types, package.base.llms.generic_utils
    history = utils.messages_to_history_str(
        [types.ChatMessage(role=message.role, content=message.content) for message in turn.history]
    )
    prompt: str = package.chat_engine.condense_question.DEFAULT_PROMPT.format(question=turn.query, chat_history=history)
    return prompt


def _package() -> Any:
    """``llama_index.core``, imported when first needed: it takes seconds, and the extra may be missing."""
    try:
        import llama_index.core.base.llms.generic_utils  # noqa: PLC0415
        import llama_index.core.chat_engine.condense_question  # noqa: PLC0415
        import llama_index.core.constants  # noqa: PLC0415
    except ImportError as error:
        raise ConfigError(
            f"the package {PACKAGE} is not installed", advice="install the extra: pip install 'anaphora[peers]'"
        ) from error
    return llama_index.core


def _retrieved(turn: Turn, text: str, queries: tuple[Query, ...], trace: Trace, settings: Settings) -> Retrieved:
    with trace.step("retrieve") as step:
        lists = dspy.settings.rm.search([query.text for query in queries], settings.fusion.depth)
    hits = fuse(queries, lists, settings.fusion, settings.k) if step.status == "done" else []
    return Retrieved(
        query=turn.query,
        rewritten=text,
        queries=queries,
        fallbacks=tuple(Fallback(stage=one.stage, reason=one.reason) for one in trace.fallbacks),
        trace=tuple(trace.steps),
        hits=tuple(hits),
        degraded=step.status == "fallback",
    )
