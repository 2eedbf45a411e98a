"""``anaphora rewrite`` and ``anaphora retrieve``: one turn, from the shell."""

from contextlib import AbstractContextManager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from cli.help import examples
from cli.options import (
    ApiBaseOption,
    HistoryOption,
    LmForOption,
    LmOption,
    ProgramOption,
    RequiredStoreOption,
    StoreOption,
    language_models,
    load_program,
    read_history,
)
from cli.output import JsonOption, emit

if TYPE_CHECKING:
    from program.result import Retrieved, Rewritten
    from program.retrieval.store import Store

Query = Annotated[str, typer.Argument(metavar="QUERY", help="What the user typed.")]


def register(app: typer.Typer) -> None:
    """Add the commands ``rewrite`` and ``retrieve`` to ``app``."""
    app.command(
        "rewrite",
        epilog=examples(
            "anaphora rewrite '它的保修期多久' --history history.json --store stores/sample",
            "cat history.json | anaphora rewrite 'what about the other one?' --history - --lm local --json",
        ),
    )(rewrite)
    app.command(
        "retrieve",
        epilog=examples(
            "anaphora retrieve '它的保修期多久' --history history.json --store stores/sample",
            "anaphora retrieve 'and how do I clean it?' --history history.json --store stores/sample --program artefacts/sample --lm local",
        ),
    )(retrieve)


def rewrite(
    query: Query,
    *,
    history: HistoryOption = None,
    program: ProgramOption = None,
    store: StoreOption = None,
    lm: LmOption = None,
    lm_for: LmForOption = None,
    api_base: ApiBaseOption = None,
    as_json: JsonOption = False,
) -> None:
    """Rewrite a follow-up into queries that stand alone, and say what was done and why.

    A store lends its corpus's names to the rules; nothing is searched.
    """
    from program.retrieval.retriever import NamesOnly
    from program.rewrite_program import rewritten_of

    messages = read_history(history)
    retriever = NamesOnly(open_store(store).gazetteer) if store else None
    with session(lm, lm_for, api_base, retriever):
        result = rewritten_of(load_program(program)(query=query, history=messages))
    emit(result, as_json, lambda: _render(result))


def retrieve(
    query: Query,
    *,
    store: RequiredStoreOption,
    history: HistoryOption = None,
    program: ProgramOption = None,
    lm: LmOption = None,
    lm_for: LmForOption = None,
    api_base: ApiBaseOption = None,
    as_json: JsonOption = False,
) -> None:
    """Rewrite a follow-up, search the original and the rewrites, and merge what they find."""
    from program.rewrite_program import retrieved_of

    messages = read_history(history)
    with session(lm, lm_for, api_base, open_store(store)):
        result = retrieved_of(load_program(program)(query=query, history=messages))
    emit(result, as_json, lambda: Group(_render(result), render_hits(result)))


def render_hits(result: "Retrieved") -> RenderableType:
    """The hits as a table, with the kinds of the queries that found each."""
    if not result.hits:
        return "[red]The search failed; see the fallbacks.[/red]" if result.degraded else "Nothing was found."
    table = Table("score", "id", "found by", "text", box=None, pad_edge=False)
    for hit in result.hits:
        text = " ".join(hit.text.split())
        table.add_row(
            f"{hit.score:.3f}", Text(hit.id), ", ".join(hit.found_by), Text(text[:90] + ("…" if len(text) > 90 else ""))
        )
    if result.degraded:
        # One engine of several failed: what the others found is still worth seeing.
        return Group(table, "[red]A part of the search failed; see the fallbacks.[/red]")
    return table


def render_queries(result: "Rewritten") -> RenderableType:
    """The queries as a table."""
    table = Table("weight", "kind", "query", box=None, pad_edge=False)
    for query in result.queries:
        table.add_row(f"{query.weight:.2f}", query.kind, Text(query.text))
    return table


def _render(result: "Rewritten") -> RenderableType:
    steps = Table("stage", "status", "ms", "why", box=None, pad_edge=False)
    for step in result.trace:
        steps.add_row(step.stage, step.status, f"{step.elapsed_ms:.0f}", Text(step.reason))
    return Group(Text(result.rewritten, style="bold"), "", render_queries(result), "", steps, "")


def open_store(folder: Path) -> "Store":
    """Open an index for searching with every engine it has."""
    from program.retrieval.store import Store

    return Store.open(folder)


def session(
    lm: str | None, lm_for: list[str] | None, api_base: str | None, retriever: Any
) -> AbstractContextManager[Any]:
    """Return a context in which programs find their language models and retriever."""
    import dspy

    general, by_signature = language_models(lm, lm_for, api_base)
    return dspy.context(lm=general, lms=by_signature, rm=retriever)
