"""``anaphora chat``: feel it work."""

import typer

from cli.help import examples
from cli.options import ApiBaseOption, LmForOption, LmOption, ProgramOption, RequiredStoreOption, load_program
from cli.output import JsonOption, print_json, stderr_console
from cli.rewrite import open_store, render_hits, render_queries, session

_ANSWER_CHARACTERS = 300


def register(app: typer.Typer) -> None:
    """Add the command ``chat`` to ``app``."""
    app.command(
        "chat",
        epilog=examples(
            "anaphora chat --store stores/sample",
            "anaphora chat --store stores/sample --program artefacts/sample --lm local",
            "printf '%s\\n' '润谷 H2 怎么清洗' '保修呢' | anaphora chat --store stores/sample --json",
        ),
    )(chat)


def chat(
    *,
    store: RequiredStoreOption,
    program: ProgramOption = None,
    lm: LmOption = None,
    lm_for: LmForOption = None,
    api_base: ApiBaseOption = None,
    as_json: JsonOption = False,
) -> None:
    """Talk to an index: each turn shows the queries, the hits, and which query found each.

    There is no answer model here: the best passage stands in for the assistant's answer. Lines beginning with `/` are
    commands: /new starts a new conversation, /quit ends (Ctrl-D too). With --json, one object a turn.
    """
    from rich.console import Console

    from program.rewrite_program import retrieved_of

    console = Console()
    history: list[dict[str, str]] = []
    with session(lm, lm_for, api_base, open_store(store)):
        rewriter = load_program(program)
        while (query := _read(as_json)) is not None:
            query = query.strip()
            if query == "/quit":
                break
            if query == "/new":
                history = []
                continue
            if query.startswith("/"):
                stderr_console().print("commands: /new, /quit")
                continue
            if not query:
                continue
            result = retrieved_of(rewriter(query=query, history=history))
            if as_json:
                print_json(result)
            else:
                console.print(render_queries(result), render_hits(result), "", sep="\n")
            history.append({"role": "user", "content": query})
            if result.hits:
                history.append({"role": "assistant", "content": result.hits[0].text[:_ANSWER_CHARACTERS]})


def _read(as_json: bool) -> str | None:
    import sys

    try:
        if as_json or not sys.stdin.isatty():
            line = sys.stdin.readline()
            return line.rstrip("\n") if line else None
        return input("you> ")
    except EOFError:
        return None
