"""``python -m experiments.bench.gate``: precision and recall of the gate's rules, no language model, in a second.

Three lists: the sample turns (its greetings and thanks without relevant passages need no search, all others do), and, in
``gate_turns.jsonl``, ``tricky`` turns that the rules were developed with and ``fresh`` ones, written afterwards and looked at once.
"""

import json
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Annotated, Any, Literal

import typer

from data.load import load_turns
from data.records import Language, Record, Turn
from program.gate.classify import GateDecision, classify
from program.result import Intent

_TURNS = Path(__file__).with_name("gate_turns.jsonl")
_SAMPLE = Path("data/sample/turns.jsonl")
_DIGITS = 4

app = typer.Typer(add_completion=False, pretty_exceptions_enable=False)


class GateTurn(Record):
    """A turn with what it is."""

    list: Literal["sample", "tricky", "fresh"]
    language: Language
    intent: Intent
    query: str
    last_answer: str = ""


class GateScores(Record):
    """How well the gate skips; "positive" is a turn that needs no search. Ratios are 0-1, 1 where nothing could be wrong."""

    turns: int
    need_no_search: int
    precision: float
    """Of the turns that were skipped, those that need no search."""
    recall: float
    """Of the turns that need no search, those that were skipped."""
    f1: float
    intent_accuracy: float
    decided_without_lm: float
    confusion: dict[str, int]
    """Turns by "true intent -> decided intent"."""


@app.command()
def main(
    *,
    as_json: Annotated[bool, typer.Option("--json", help="Print the JSON instead of the table.")] = False,
    sample: Annotated[Path, typer.Option(help="Turns of the sample set.")] = _SAMPLE,
    output: Annotated[Path, typer.Option(help="Folder for gate.json.")] = Path("experiments/results"),
) -> None:
    """Measure, print, and write gate.json."""
    turns = [*sample_turns(load_turns(sample)), *own_turns()]
    results = {name: scores.model_dump() for name, scores in measure(turns).items()}
    text = json.dumps(_rounded(results), ensure_ascii=False, indent=1)
    output.mkdir(parents=True, exist_ok=True)
    (output / "gate.json").write_text(text + "\n", encoding="utf-8")
    typer.echo(text if as_json else "\n".join(_table(results)))


def own_turns() -> list[GateTurn]:
    """Return the turns of ``gate_turns.jsonl``."""
    return [GateTurn.model_validate_json(line) for line in _TURNS.read_text(encoding="utf-8").splitlines()]


def sample_turns(turns: Sequence[Turn]) -> Iterator[GateTurn]:
    """Yield labelled turns with their intents: those marked as greeting or thanks that have no relevant passage need no search."""
    for turn in turns:
        intent: Intent = "retrieval"
        if not turn.relevant_ids and "greeting" in turn.phenomena:
            intent = "greeting"
        elif not turn.relevant_ids and "thanks" in turn.phenomena:
            intent = "chitchat"
        before = turn.history[-1] if turn.history and turn.history[-1].role == "assistant" else None
        yield GateTurn(
            list="sample",
            language=turn.language,
            intent=intent,
            query=turn.query,
            last_answer=before.content if before else "",
        )


def measure(turns: Sequence[GateTurn]) -> dict[str, GateScores]:
    """Return the scores of each list, and of each language in it ("tricky zh")."""
    decided = [(turn, classify(turn.query, turn.last_answer)) for turn in turns]
    groups: dict[str, list[tuple[GateTurn, GateDecision]]] = {}
    for turn, decision in decided:
        for name in (turn.list, f"{turn.list} {turn.language}"):
            groups.setdefault(name, []).append((turn, decision))
    return {name: score(group) for name, group in groups.items()}


def score(decided: Sequence[tuple[GateTurn, GateDecision]]) -> GateScores:
    """Return the scores of at least one decided turn."""
    skipped = sum(decision.intent != "retrieval" for _, decision in decided)
    wanted = sum(turn.intent != "retrieval" for turn, _ in decided)
    right = sum(turn.intent != "retrieval" != decision.intent for turn, decision in decided)
    confusion = Counter(f"{turn.intent} -> {decision.intent}" for turn, decision in decided)
    return GateScores(
        turns=len(decided),
        need_no_search=wanted,
        precision=right / skipped if skipped else 1.0,
        recall=right / wanted if wanted else 1.0,
        f1=2 * right / (skipped + wanted) if skipped + wanted else 1.0,
        intent_accuracy=sum(turn.intent == decision.intent for turn, decision in decided) / len(decided),
        decided_without_lm=sum(decision.sure for _, decision in decided) / len(decided),
        confusion=dict(sorted(confusion.items())),
    )


def _table(results: dict[str, dict[str, Any]]) -> Iterator[str]:
    columns = ("turns", "need_no_search", "precision", "recall", "f1", "intent_accuracy", "decided_without_lm")
    yield f"{'list':10}" + "".join(f"{name:>20}" for name in columns)
    for name, row in results.items():
        yield f"{name:10}" + "".join(
            f"{row[key]:>20.3f}" if isinstance(row[key], float) else f"{row[key]:>20}" for key in columns
        )
        if " " not in name:
            yield from (f"    {pair}: {count}" for pair, count in row["confusion"].items())


def _rounded(results: dict[str, dict[str, Any]]) -> dict[str, dict[str, Any]]:
    return {
        name: {key: round(value, _DIGITS) if isinstance(value, float) else value for key, value in row.items()}
        for name, row in results.items()
    }


if __name__ == "__main__":
    app()
