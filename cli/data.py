"""``anaphora data``: public sets and chat logs to our form, and a look at what a data set holds."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer
from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from cli.chosen_turns import DataDir, SplitSeed
from cli.help import examples
from cli.output import JsonOption, emit, progress, stderr_console

if TYPE_CHECKING:
    from data.audit import Audit
    from data.from_logs import LogReport
    from data.importers.draft import ImportReport
    from data.load import DataSet
    from data.records import Turn

_SHOWN = 5

Format = Annotated[
    Literal["mtrag", "canard", "qrecc", "topiocqa", "cast", "kdconv", "crosswoz", "beir"],
    typer.Argument(metavar="FORMAT", help="mtrag, canard, qrecc, topiocqa, cast, kdconv, crosswoz or beir."),
]
Source = Annotated[
    Path, typer.Argument(metavar="PATH", help="Folder of the set as published, or one of its files (.gz and .zip too).")
]
Output = Annotated[Path, typer.Option("--output", help="Folder to make; it must not be there yet.")]
MinGrade = Annotated[
    int | None,
    typer.Option(
        help="Least grade in the judgements that makes a passage relevant; the format's own by default.",
        show_default=False,
    ),
]
Logs = Annotated[Path, typer.Argument(metavar="LOGS.jsonl", help="Conversations, a JSON object a line.")]
Corpus = Annotated[
    Path | None,
    typer.Option(
        "--corpus", help="Passages that the answers cite, copied beside the turns to check them.", show_default=False
    ),
]
Retriever = Annotated[
    Literal["bm25", "vector", "hybrid"] | None,
    typer.Option(
        "--retriever",
        help="Search as well, and name the labels that neither the original, the rules nor the references find.",
        show_default=False,
    ),
]
Depth = Annotated[int, typer.Option("--k", min=1, help="With --retriever: hits in which a label must be.")]
Store = Annotated[
    Path | None, typer.Option("--store", help="With --retriever: folder of an index.", show_default=False)
]
Share = Annotated[float, typer.Option(min=0.0, max=0.9, help="Part of the conversations in that split.")]


def register(app: typer.Typer) -> None:
    """Add the group ``data`` to ``app``."""
    group = typer.Typer(
        no_args_is_help=True, rich_markup_mode="markdown", help="Bring public sets and chat logs in, and check data."
    )
    group.command(
        "import",
        epilog=examples(
            "anaphora data import mtrag mt-rag-benchmark --output my_data/mtrag",
            "anaphora data import kdconv kdconv/film --output my_data/kdconv_film",
            "anaphora data import beir fiqa --output my_data/fiqa --json",
        ),
    )(import_)
    group.command(
        "check",
        epilog=examples(
            "anaphora data check data/sample",
            "anaphora data check my_data --retriever bm25 --k 20",
            "anaphora data check my_data --json",
        ),
    )(check)
    group.command(
        "from-logs",
        epilog=examples(
            "anaphora data from-logs chats.jsonl --output my_data --corpus corpus.jsonl",
            "anaphora data from-logs rewrites.jsonl --output to_review",
        ),
    )(from_logs)
    app.add_typer(group, name="data")


def import_(
    format_name: Format, path: Source, *, output: Output, min_grade: MinGrade = None, as_json: JsonOption = False
) -> None:
    """Convert a public set to corpus.jsonl and turns.jsonl; see docs/importers.md for what becomes of each format.

    Every bad line is reported at once, and nothing is written then.
    """
    from data.importers import import_data

    report = import_data(format_name, path, output, min_grade=min_grade)
    emit(report, as_json, lambda: _render_import(report))


def check(
    data_dir: DataDir,
    *,
    retriever: Retriever = None,
    k: Depth = 20,
    store: Store = None,
    split_seed: SplitSeed = 7,
    dev_share: Share = 0.25,
    test_share: Share = 0.25,
    as_json: JsonOption = False,
) -> None:
    """Count what a data set holds, and look for what makes scores lie: leaks between splits, duplicates, unmatched labels.

    What is found is a result, not a failure: the exit code is 0 unless the files cannot be read.
    """
    from data.audit import audit, load_for_audit
    from data.errors import DataError

    data = load_for_audit(data_dir)
    if retriever is not None and not data.passages:
        raise DataError(f"{data_dir}: there is no corpus to search", advice="leave out --retriever", path=str(data_dir))
    found = audit(data, seed=split_seed, dev_share=dev_share, test_share=test_share)
    searched = _search(data, retriever, k, store, as_json) if retriever is not None else None
    payload = {
        "data": str(data_dir),
        "data_sha256": data.content_sha256,
        "findings": found.findings,
        **found.model_dump(),
        "search": searched,
    }
    emit(payload, as_json, lambda: _render_check(data.name, found, searched))


def from_logs(logs: Logs, *, output: Output, corpus: Corpus = None, as_json: JsonOption = False) -> None:
    """Make labelled turns of answers that cited their sources, and a queue (to_label.jsonl) of all others.

    The form of the log is in docs/importers.md; lines of `--log` are one too. Logs hold what people said: nothing personal is removed.
    """
    from data.from_logs import from_logs as run

    report = run(logs, output, corpus=corpus)
    stderr_console().print(
        f"{output} holds what users said, names and numbers included: take out what must not be kept", soft_wrap=True
    )
    emit(report, as_json, lambda: _render_logs(report))


def _search(data: "DataSet", retriever: str, k: int, store: Path | None, as_json: bool) -> dict[str, Any]:
    """Search with every system that needs no model, and say which labels none of them finds among ``k`` hits."""
    import dspy

    from data.check import check_labels
    from experiments.corpus import open_store
    from experiments.systems import named_systems, with_engine
    from program.rewrite_program import RewriteProgram
    from program.settings import Settings

    turns = check_labels(data.passages, data.turns).scorable
    settings = with_engine(Settings(k=k), retriever)
    depth = max(k, settings.fusion.depth)
    settings = settings.model_copy(update={"fusion": settings.fusion.model_copy(update={"depth": depth})})
    with progress("index", as_json=as_json) as update:
        opened = open_store(data, store, retriever, update)
    names = ["original", "rules", *(["gold"] if any(turn.gold_rewrite for turn in turns) else [])]
    found: dict[str, set[tuple[str, str]]] = {}
    with dspy.context(lm=None, lms={}, rm=opened):
        for name, system in named_systems(names, RewriteProgram(settings)).items():
            with progress(name, as_json=as_json) as update:
                found[name] = _found_labels(system, turns, update)
    wanted = [(turn.id, label) for turn in turns for label in turn.relevant_ids]
    anywhere = set().union(*found.values())
    lost = [label for label in wanted if label not in anywhere]
    return {
        "retriever": retriever,
        "k": k,
        "labels": len(wanted),
        "found": {name: len(labels) for name, labels in found.items()},
        "found_by_none": len(lost),
        "share_found_by_none": len(lost) / len(wanted) if wanted else None,
        "labels_found_by_none": [{"turn_id": turn_id, "passage_id": label} for turn_id, label in lost],
    }


def _found_labels(system: Any, turns: "tuple[Turn, ...]", update: Any) -> set[tuple[str, str]]:
    found = set()
    for done, turn in enumerate(turns, start=1):
        hits = {hit.id for hit in system(turn).hits}
        found |= {(turn.id, label) for label in turn.relevant_ids if label in hits}
        update(done, len(turns))
    return found


def _render_import(report: "ImportReport") -> RenderableType:
    table = _table("", report.output)
    table.add_row("turns", f"{report.turns} in {report.conversations} conversations")
    table.add_row("passages", str(report.passages) if report.passages else "none: there is no corpus.jsonl")
    table.add_row("labels", f"{report.labels} on {report.labelled_turns} turns")
    if report.missing_labels:
        table.add_row(
            "labels that the corpus lacks",
            f"{report.missing_labels} on {report.turns_with_missing_labels} turns: {_some(report.missing_ids)}",
        )
    for reason, count in report.left_out.items():
        table.add_row(reason, str(count))
    return table


def _render_logs(report: "LogReport") -> RenderableType:
    table = _table("", report.output)
    table.add_row("conversations", str(report.conversations))
    table.add_row("labelled turns", f"{report.labelled} in turns.jsonl" if report.labelled else "none")
    table.add_row("turns to label", f"{report.to_label} in to_label.jsonl" if report.to_label else "none")
    if report.unknown_sources:
        table.add_row("cited sources that the corpus lacks", str(report.unknown_sources))
    for reason, count in report.left_out.items():
        table.add_row(reason, str(count))
    return table


def _render_check(name: str, found: "Audit", searched: dict[str, Any] | None) -> RenderableType:
    counts = _table("", name)
    counts.add_row("turns", f"{found.turns} in {found.conversations} conversations")
    counts.add_row("can be scored", str(found.labelled))
    passages = f"{found.passages}, {found.unused_passages} of them relevant to no turn"
    counts.add_row("passages", passages if found.passages else "none: there is no corpus.jsonl")
    counts.add_row("with a gold rewrite", str(found.with_gold_rewrite))
    for label, numbers in (
        ("languages", found.languages),
        ("turn numbers", found.turn_numbers),
        ("phenomena", found.phenomena),
        ("splits", found.splits),
    ):
        counts.add_row(label, ", ".join(f"{key} {count}" for key, count in numbers.items()) or "none")
    if searched:
        counts.add_row(
            f"labels in the first {searched['k']} hits ({searched['retriever']})",
            ", ".join(f"{system} {count}" for system, count in searched["found"].items()) + f" of {searched['labels']}",
        )
    return Group(counts, Text(""), _findings(found, searched))


def _findings(found: "Audit", searched: dict[str, Any] | None) -> RenderableType:
    table = Table("to look at", "", "examples", box=None)
    for leak in found.leaks[:_SHOWN]:
        table.add_row(f"leak ({leak.kind})", Text(" and ".join(leak.splits)), Text(_some(leak.turn_ids)))
    if len(found.leaks) > _SHOWN:
        table.add_row("leaks", f"{len(found.leaks)} in all", "--json lists them")
    rows: list[tuple[str, int, str]] = [
        ("groups of duplicate passages", len(found.duplicate_passages), _groups(found.duplicate_passages)),
        ("groups of duplicate turns", len(found.duplicate_turns), _groups(found.duplicate_turns)),
        ("turns with labels that the corpus lacks", len(found.missing), _some(tuple(found.missing))),
        ("turns without labels", len(found.unlabelled), _some(found.unlabelled)),
    ]
    if searched:
        lost = [row["turn_id"] for row in searched["labels_found_by_none"]]
        share = searched["share_found_by_none"]
        what = "labels that no system finds" + ("" if share is None else f" ({share:.1%})")
        rows.append((what, len(lost), _some(tuple(dict.fromkeys(lost)))))
    for what, count, some in rows:
        if count:
            table.add_row(what, str(count), Text(some))
    return table if table.row_count else Text("nothing to look at")


def _table(first: str, second: str) -> Table:
    table = Table(first, box=None)
    table.add_column(Text(second), overflow="fold")
    return table


def _groups(groups: tuple[tuple[str, ...], ...]) -> str:
    return _some(tuple(" = ".join(group[:_SHOWN]) for group in groups), 2)


def _some(names: tuple[str, ...], most: int = 3) -> str:
    return ", ".join(names[:most]) + (", …" if len(names) > most else "")
