"""``anaphora rewrite``, ``retrieve`` and ``explain``: one turn, from the shell."""

from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Group, RenderableType
from rich.table import Column, Table
from rich.text import Text

from cli.help import examples
from cli.options import HistoryOption, RequiredStoreOption, RetrieverOption, StoreOption, read_history
from cli.output import JsonOption, emit
from cli.turn_options import TurnOptions, with_turn_options

if TYPE_CHECKING:
    from pathlib import Path

    from program.result import Retrieved, Rewritten
    from program.retrieval.store import Store

Query = Annotated[str, typer.Argument(metavar="QUERY", help="What the user typed.")]


def register(app: typer.Typer) -> None:
    """Add the commands to ``app``."""
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
            "anaphora retrieve '平均价格是多少' --store stores/sample --table products.csv --lm local",
        ),
    )(retrieve)
    app.command(
        "explain",
        epilog=examples(
            "anaphora explain '它的保修期多久' --history history.json --store stores/sample",
            "anaphora explain 'compare them' --history history.json --store stores/sample --lm local --set expand.decomposition=true",
        ),
    )(explain)


@with_turn_options
def rewrite(
    query: Query,
    *,
    options: TurnOptions,
    history: HistoryOption = None,
    store: StoreOption = None,
    as_json: JsonOption = False,
) -> None:
    """Rewrite a follow-up into queries that stand alone, and say what was done and why.

    A store lends its corpus's names to the rules; nothing is searched.
    """
    from program.retrieval.retriever import NamesOnly
    from program.rewrite_program import rewritten_of

    messages = read_history(history)
    with options.session(NamesOnly(open_store(store).gazetteer) if store else None) as session:
        result = rewritten_of(session.run(query, messages))
    emit(result, as_json, lambda: _render(result))


@with_turn_options
def retrieve(
    query: Query,
    *,
    options: TurnOptions,
    store: RequiredStoreOption,
    retriever: RetrieverOption = "hybrid",
    history: HistoryOption = None,
    as_json: JsonOption = False,
) -> None:
    """Rewrite a follow-up, search the original and the rewrites, and merge what they find."""
    from program.rewrite_program import retrieved_of

    messages = read_history(history)
    with options.session(open_store(store, retriever)) as session:
        result = retrieved_of(session.run(query, messages))
    emit(result, as_json, lambda: Group(_render(result), render_hits(result)))


@with_turn_options
def explain(
    query: Query,
    *,
    options: TurnOptions,
    store: StoreOption = None,
    retriever: RetrieverOption = "hybrid",
    history: HistoryOption = None,
    as_json: JsonOption = False,
) -> None:
    """Show a turn as a tree: what each stage saw, did and took, why it fell back, and which query found each hit."""
    from cli.explain_tree import explain_tree
    from program.rewrite_program import retrieved_of

    messages = read_history(history)
    with options.session(open_store(store, retriever) if store else None) as session:
        result = retrieved_of(session.run(query, messages))
    emit(result, as_json, lambda: explain_tree(result))


def render_hits(result: "Retrieved") -> RenderableType:
    """The hits as a table, with the kinds of the queries that found each."""
    if not (result.queries or result.hits or result.degraded):
        return "Nothing was searched."
    if not result.hits:
        return "[red]The search failed; see the fallbacks.[/red]" if result.degraded else "Nothing was found."
    # Numbered as an answer cites them.
    table = Table("", "score", "id", "found by", _text("text"), box=None, pad_edge=False)
    for number, hit in enumerate(result.hits, start=1):
        text = " ".join(hit.text.split())
        table.add_row(
            Text(f"[{number}]"),
            f"{hit.score:.3f}",
            Text(hit.id),
            ", ".join(hit.found_by),
            Text(text[:90] + ("…" if len(text) > 90 else "")),
        )
    if result.degraded:
        # One engine of several failed: what the others found is still worth seeing.
        return Group(table, "[red]A part of the search failed; see the fallbacks.[/red]")
    return table


def render_queries(result: "Rewritten") -> RenderableType:
    """The queries as a table; a line where there is none."""
    if not result.queries:
        return "No query." if result.intent == "retrieval" else f"No query: {result.intent}."
    table = Table("weight", "kind", "route", _text("query"), box=None, pad_edge=False)
    for query in result.queries:
        table.add_row(f"{query.weight:.2f}", query.kind, query.route, Text(query.text))
    return table


def _text(header: str) -> Column:
    # "fold": the default drops Chinese characters at the end of a line that is one cell too short for the next.
    return Column(header, overflow="fold")


def _render(result: "Rewritten") -> RenderableType:
    steps = Table("stage", "status", "ms", _text("why"), box=None, pad_edge=False)
    for step in result.trace:
        if step.reason != "switched off":
            steps.add_row(step.stage, step.status, f"{step.elapsed_ms:.0f}", Text(step.reason))
    return Group(Text(result.rewritten, style="bold"), "", render_queries(result), "", steps, "")


def open_store(folder: "Path", retriever: str = "hybrid") -> "Store":
    """Open an index for searching with the engines of ``retriever``, those of them that it has."""
    from program.retrieval.retriever import engines_of
    from program.retrieval.store import Store

    return Store.open(folder, engines_of(retriever))
