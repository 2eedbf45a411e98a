"""The results as files: ``quality.json``, ``quality.md`` and ``quality.png``."""

import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from experiments.bench.quality_picture import picture
from experiments.bench.quality_results import Results, Row, SetFacts
from experiments.bench.quality_targets import verdicts
from metrics.interval import Interval
from metrics.summary import GroupSummary

_DIGITS = 4
_INTRODUCTION = """\
Recall@5 is the mean over turns of (relevant passages among the first five) / (relevant passages); in brackets its 95% interval, by drawing
whole conversations. Harm is the share of the original query's finds that a system damaged. LM is the share of turns with a call to the
language model, failed the share of turns where a stage gave up or a guard refused. Tokens (prompt and answer) and milliseconds are means
over all turns, of rewriting alone: the search is the same for all. An answer kept from an earlier run counts what it cost when it was
made. `sample` turns are drawn from `all`; rows are comparable on the same turns.
"""


def write_report(results: Results, folder: Path) -> list[Path]:
    """Write the three files into ``folder``, replacing older ones, and return their paths; no picture where nothing was measured."""
    folder.mkdir(parents=True, exist_ok=True)
    judged = [verdict.model_dump() for verdict in verdicts(results)]
    payload = _rounded({**results.model_dump(mode="json"), "targets": judged})
    files = {
        "quality.json": json.dumps(payload, ensure_ascii=False, indent=1) + "\n",
        "quality.md": "\n".join(_markdown(results)) + "\n",
    }
    for name, text in files.items():
        (folder / name).write_text(text, encoding="utf-8")
    paths = [folder / name for name in files]
    if results.rows:
        picture(results).savefig(folder / "quality.png", dpi=150)
        paths.append(folder / "quality.png")
    return paths


def _markdown(results: Results) -> Iterator[str]:
    conditions = results.conditions
    yield from ("# Quality", "", f"Made by `{conditions.command}`; do not edit.", "")
    versions = ", ".join(f"{name} {version}" for name, version in conditions.versions.items())
    yield f"Language model: {conditions.lm}. Seed: {conditions.seed}. Machine: {conditions.machine}. Versions: {versions}."
    yield from ("", *_INTRODUCTION.splitlines())
    if results.skipped:
        yield from ("", "Not measured:", "", *(f"- {line}" for line in results.skipped))
    yield from ("", "## Targets", "", *_targets(results))
    for facts in results.sets:
        rows = [row for row in results.rows if row.data == facts.data]
        yield from (
            "",
            f"## {facts.data}",
            "",
            _facts(facts),
            "",
            *_systems(rows, facts),
            *_differences(results, facts),
        )


def _targets(results: Results) -> Iterator[str]:
    yield from _header("set", "target", "got", "reached")
    for one in verdicts(results):
        reached = "–" if one.reached is None else "yes" if one.reached else "**no**"
        yield _line(one.data, one.target, one.got, reached)


def _facts(facts: SetFacts) -> str:
    turns = ", ".join(f"{count} ({name})" for name, count in facts.turns.items())
    program = f"`{facts.program}`, compiled with {facts.program_lm}" if facts.program else "none"
    mix = f"{facts.fusion['strategy']}, vector share {facts.fusion['vector_share']}"
    return f"{facts.passages} passages; turns: {turns}; program: {program}; mix: {mix}; sha256 {facts.sha256[:12]}…"


def _systems(rows: Sequence[Row], facts: SetFacts) -> Iterator[str]:
    columns = ("retriever", "turns", "system", "n", "recall@5", "with history", "first", "complete")
    yield from _header(*columns, "harm", "LM", "failed", "tokens", "ms")
    for row in sorted(rows, key=lambda one: (facts.retrievers.index(one.retriever), one.turns)):
        summary = row.summary
        yield _line(
            row.retriever,
            row.turns,
            facts.reference if row.system == "reference" else row.system,
            str(summary.n),
            _interval(summary.recall_at_5),
            *(_group(row.group(name)) for name in ("with_history", "first", "complete")),
            "–" if summary.harm_rate is None else f"{summary.harm_rate:.1%}",
            f"{summary.lm_share:.0%}",
            f"{summary.fallback_rate:.1%}",
            f"{summary.lm_tokens_per_turn:.0f}",
            f"{summary.elapsed_ms_per_turn:.0f}",
        )


def _differences(results: Results, facts: SetFacts) -> Iterator[str]:
    found = [one for one in results.differences if one.data == facts.data]
    if not found:
        return
    yield from ("", "The compiled program's fused result less …, turn by turn:", "")
    yield from _header("retriever", "less", "n", "recall@5")
    for one in found:
        gap = one.difference
        than = facts.reference if one.than == "reference" else one.than
        yield _line(one.retriever, than, str(gap.n), f"{gap.mean:+.3f} [{gap.low:+.3f}, {gap.high:+.3f}]")


def _header(*names: str) -> tuple[str, str]:
    return _line(*names), _line(*("---" for _ in names))


def _line(*cells: str) -> str:
    return f"| {' | '.join(cells)} |"


def _interval(interval: Interval) -> str:
    return f"{interval.mean:.3f} [{interval.low:.3f}, {interval.high:.3f}]"


def _group(group: GroupSummary | None) -> str:
    return "–" if group is None else f"{group.recall_at_5.mean:.3f} (n {group.n})"


def _rounded(value: Any) -> Any:
    """Four digits say all that these samples can tell, and keep the file's changes readable."""
    if isinstance(value, float):
        return round(value, _DIGITS)
    if isinstance(value, dict):
        return {key: _rounded(one) for key, one in value.items()}
    return [_rounded(one) for one in value] if isinstance(value, list) else value
