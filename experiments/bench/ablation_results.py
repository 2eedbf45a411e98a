"""The ablation's numbers, and its tables for people."""

from pathlib import Path

from pydantic import BaseModel

from data.records import Record
from experiments.bench.ablation_variants import BASE
from metrics.interval import Interval
from metrics.summary import Summary


class AblationRow(Record):
    """One variant on one set."""

    data: str
    retriever: str
    variant: str
    n: int
    summary: Summary
    """Harm is against the original query on the same turns."""
    to_base: Interval
    """Recall@5 less that of the plain rewrite, turn by turn."""
    lm_calls_per_turn: float


class Ablation(BaseModel):
    """All of it."""

    command: str
    lm: str
    seed: int
    versions: dict[str, str]
    rows: list[AblationRow] = []
    skipped: list[str] = []


def write_ablation(results: Ablation, output: Path) -> list[Path]:
    """Write ``ablation.json`` and ``ablation.md`` and return their paths."""
    output.mkdir(parents=True, exist_ok=True)
    paths = [output / "ablation.json", output / "ablation.md"]
    for path, text in zip(paths, (results.model_dump_json(indent=1), ablation_page(results)), strict=True):
        path.write_text(text + "\n", encoding="utf-8")
    return paths


def ablation_page(results: Ablation) -> str:
    """The tables, a set each."""
    parts = [
        "# Ablation",
        f"`{results.command}`, language model {results.lm}, seed {results.seed}; dev turns. The interval is of the difference to "
        f"the {BASE}, 95%, by conversation; ms are of rewriting alone, the model's calls one after another.",
    ]
    for data in dict.fromkeys(row.data for row in results.rows):
        rows = [row for row in results.rows if row.data == data]
        parts += [f"## {data}, {rows[0].retriever}, n = {rows[0].n}", ablation_table(rows)]
    parts += [f"Left out: {line}" for line in results.skipped]
    return "\n\n".join(parts)


def ablation_table(rows: list[AblationRow]) -> str:
    """Rows as a Markdown table."""
    lines = [
        "| variant | recall@5 | difference to the plain rewrite | harm | LM calls a turn | ms a turn |",
        "| --- | --- | --- | --- | --- | --- |",
    ]
    for row in rows:
        harm = "–" if row.summary.harm_rate is None else f"{row.summary.harm_rate:.1%}"
        difference = row.to_base
        shown = (
            "–" if row.variant == BASE else f"{difference.mean:+.3f} ({difference.low:+.3f} to {difference.high:+.3f})"
        )
        lines.append(
            f"| {row.variant} | {row.summary.recall_at_5.mean:.3f} | {shown} | {harm} | "
            f"{row.lm_calls_per_turn:.2f} | {row.summary.elapsed_ms_per_turn:.0f} |"
        )
    return "\n".join(lines)
