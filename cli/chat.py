"""``anaphora chat``: feel it work."""

import contextlib
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import typer
from rich.console import Group
from rich.text import Text

from cli.help import examples
from cli.options import RequiredStoreOption, RetrieverOption
from cli.output import JsonOption, print_json, print_wide, stderr_console
from cli.rewrite import open_store, render_hits, render_queries
from cli.turn_options import TurnOptions, with_turn_options
from data.errors import DataError

if TYPE_CHECKING:
    from cli.turn_options import Session
    from program.answer import AnswerResult
    from program.result import Retrieved

_ANSWER_CHARACTERS = 300


def register(app: typer.Typer) -> None:
    """Add the command ``chat`` to ``app``."""
    app.command(
        "chat",
        epilog=examples(
            "anaphora chat --store stores/sample",
            "anaphora chat --store stores/sample --program artefacts/sample --lm local",
            "anaphora chat --store stores/sample --lm-for answer=local --scene 'support of a shop for home appliances'",
            "printf '%s\\n' '润谷 H2 怎么清洗' '保修呢' | anaphora chat --store stores/sample --json",
        ),
    )(chat)


@with_turn_options
def chat(
    *,
    options: TurnOptions,
    store: RequiredStoreOption,
    retriever: RetrieverOption = "hybrid",
    as_json: JsonOption = False,
) -> None:
    """Talk to an index: each turn shows the queries, the hits, which query found each, and an answer with citations.

    Without a language model, or where it fails, the best passage stands in for the answer. Lines beginning with `/` are
    commands: /new starts a new conversation, /quit ends (Ctrl-D too). With --json, one object a line and turn: what `retrieve`
    prints, with "answer" and the ids "cited" in it.
    """
    from program.conversation import Conversation

    with options.session(open_store(store, retriever)) as session:
        talk = Conversation(session.run)
        for line in _lines(as_json):
            if line == "/quit":
                break
            if line == "/new":
                talk = Conversation(session.run)
                stderr_console().print("a new conversation")
            elif line.startswith("/"):
                stderr_console().print("commands: /new, /quit")
            elif line:
                before = talk.messages
                result = talk.ask(line)
                answer = _answer(session, result, before)
                _show(result, answer, as_json)
                talk.add("assistant", answer.text)


def _answer(session: "Session", result: "Retrieved", before: Any) -> "AnswerResult":
    """What the assistant says: the model's answer from the hits; without one the best passage, if any."""
    from program.answer import answer_of
    from program.deadline import Deadline
    from program.trace import Step

    time = session.program.settings.time
    step = Step(stage="answer")
    # A model that just hung while rewriting is not waited for once more.
    step.give_time(Deadline.after_ms(time.budget_ms, time.lm_rest_ms))
    answer = answer_of(session.program.answerer(result.query, result.hits, before, step=step))
    if answer.text or not result.hits:
        return answer
    best = result.hits[0]
    return answer.model_copy(update={"text": best.text[:_ANSWER_CHARACTERS], "cited": (best.id,)})


def _show(result: "Retrieved", answer: "AnswerResult", as_json: bool) -> None:
    steps = (*result.trace, answer.step)
    fallbacks = [{"stage": step.stage, "reason": step.reason} for step in steps if step.status == "fallback"]
    if as_json:
        shown = {"trace": steps, "fallbacks": fallbacks, "answer": answer.text, "cited": list(answer.cited)}
        print_json(result.model_dump() | shown, indent=None)
        return
    reasons = [Text(f"{one['stage']} fell back: {one['reason']}", style="red") for one in fallbacks]
    said = [Text(answer.text), Text()] if answer.text else []
    print_wide(Group(render_queries(result), "", render_hits(result), *reasons, "", *said))


def _lines(as_json: bool) -> Iterator[str]:
    """Yield what is typed or piped in, until it ends.

    Raises:
        DataError: It is not UTF-8.
    """
    import sys

    prompt = "you> " if sys.stdin.isatty() and not as_json else ""
    if prompt:
        with contextlib.suppress(ImportError):
            import readline  # noqa: F401 - line editing that knows how wide a Chinese character is
    while True:
        try:
            yield input(prompt).strip()
        except EOFError:
            break
        except UnicodeDecodeError as error:
            raise DataError("stdin is not UTF-8", advice="convert it, for example with iconv") from error
        except KeyboardInterrupt:
            _end_line(prompt)
            raise
    _end_line(prompt)


def _end_line(prompt: str) -> None:
    """Leave the line of the prompt, for whatever is printed next."""
    if prompt:
        typer.echo()
