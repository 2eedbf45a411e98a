"""What a compile run leaves in its tracking run: numbers, the turns by id, pictures, the prompt."""

from collections.abc import Mapping, Sequence
from typing import Any

from experiments.evaluate import Evaluated
from experiments.plots import recall_by_system, recall_by_turn
from experiments.tracking import RunLog
from metrics.ranking import recall_at_k
from metrics.summary import Summary
from program.rewrite_program import RewriteProgram


def log_result(
    log: RunLog,
    dev: Mapping[str, Summary],
    test: Mapping[str, Summary],
    program: RewriteProgram,
    evaluated: Mapping[str, Sequence[Evaluated]],
) -> None:
    """Log what a compile run found to its parent run.

    Args:
        log: The run.
        dev: Summaries by system.
        test: The same, empty when test was not looked at.
        program: The compiled one.
        evaluated: The turns of the split to show, by system.
    """
    for split, summaries in (("dev", dev), ("test", test)):
        for name, summary in summaries.items():
            log.metrics(_numbers(f"{split}.{name}", summary))
    log.params({"tuned": program.settings.fusion.model_dump(), "asking": program.settings.rewrite.model_dump()})
    rows = [row for name, of_system in evaluated.items() for row in _rows(name, of_system)]
    log.table("turns", rows)
    shown = test or dev
    log.figure("recall_by_turn", recall_by_turn(shown, "recall@5 by turn"))
    log.figure("recall_by_system", recall_by_system(shown, "recall@5"))
    log.text("prompt.md", _prompt(program))


def _numbers(prefix: str, summary: Summary) -> dict[str, float]:
    numbers = {
        "recall_at_5": summary.recall_at_5.mean,
        "recall_at_5.low": summary.recall_at_5.low,
        "recall_at_5.high": summary.recall_at_5.high,
        "success_at_5": summary.success_at_5,
        "mrr": summary.mrr,
        "ndcg_at_5": summary.ndcg_at_5,
        "harm_rate": summary.harm_rate,
        "gain": summary.gain.mean if summary.gain else None,
        "rewritten_share": summary.rewritten_share,
        "lm_share": summary.lm_share,
        "fallback_rate": summary.fallback_rate,
        "lm_tokens_per_turn": summary.lm_tokens_per_turn,
        "elapsed_ms_per_turn": summary.elapsed_ms_per_turn,
    }
    return {f"{prefix}.{name}": value for name, value in numbers.items() if value is not None}


def _rows(system: str, evaluated: Sequence[Evaluated]) -> list[dict[str, Any]]:
    return [
        {
            "system": system,
            "turn_id": one.turn.id,
            "turn": one.turn.turn,
            "language": one.turn.language,
            "recall_at_5": recall_at_k(one.outcome.relevant_ids, one.outcome.retrieved_ids),
            "kinds": ", ".join(query.kind for query in one.retrieved.queries),
            "relevant_ids": ", ".join(one.outcome.relevant_ids),
            "retrieved_ids": ", ".join(one.outcome.retrieved_ids),
            "fallbacks": "; ".join(fallback.stage for fallback in one.retrieved.fallbacks),
            "elapsed_ms": round(one.outcome.elapsed_ms, 1),
        }
        for one in evaluated
    ]


def _prompt(program: RewriteProgram) -> str:
    lines = ["# Instructions", "", program.coreference.signature.instructions, "", "# Demos", ""]
    for demo in program.coreference.demos:
        lines += [f"- {name}: {value}" for name, value in demo.items() if name != "augmented"] + [""]
    return "\n".join(lines)
