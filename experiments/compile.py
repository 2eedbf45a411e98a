"""Compile: find the prompt and the parameters with the best recall@5 on dev, then look at test once."""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

import dspy
from pydantic import BaseModel

from data.errors import BudgetError, ConfigError, LanguageModelError
from data.load import DataSet
from data.records import Turn
from data.split import Splits, sample_turns, split_by_conversation
from experiments.budget import Budget
from experiments.compile_log import log_result
from experiments.corpus import open_data, open_store
from experiments.evaluate import Evaluated, evaluate
from experiments.experiment import Experiment
from experiments.optimizers.choose import choose_optimizer
from experiments.optimizers.optimizer import Candidate, Task
from experiments.prices import usd_per_token
from experiments.systems import System, gold_system, original_system, program_system, rules_system, with_engine
from experiments.tracking import RunLog, Tracker
from experiments.tune import tune, turn_cases
from metrics.ranking import recall_at_k
from metrics.summary import Summary, summarise
from program import artefact
from program.retrieval.store import Store
from program.rewrite_program import RewriteProgram

Progress = Callable[[str, int, int], None]
"""Receives what is going on, and how many of how many turns are done."""

_FEWEST_TURNS = 5

INTERRUPTED = "interrupted"
"""What ``CompileResult.stopped`` says after Ctrl-C; a spent budget speaks for itself."""


class CompileResult(BaseModel):
    """What a compile run found."""

    run_id: str
    program: Path | None
    """Where the program was saved; ``None`` when it is no better than the original query."""
    stopped: str | None
    """Why the run ended early, if it did; test is then not looked at."""
    dev: dict[str, Summary]
    test: dict[str, Summary]
    spent: dict[str, int]


def compile_program(
    experiment: Experiment,
    lm: dspy.LM | None,
    lms: Mapping[str, dspy.LM],
    tracker: Tracker,
    progress: Progress,
    *,
    reflection_lms: Mapping[str, dspy.LM] | None = None,
) -> CompileResult:
    """Run an experiment.

    Ctrl-C and a spent budget end the search, not the run: the best candidate so far is tuned and saved, and test is left for later. A
    second run repeats nothing that the model has answered before.

    Raises:
        ConfigError: Too few labelled turns in a split, or an optimizer that the data cannot serve.
        LanguageModelError: The language model does not answer at all.
        BudgetError: The budget ended before one candidate was scored.
        KeyboardInterrupt: Ctrl-C came before that.
    """
    data, labels = open_data(experiment.data)
    shares = experiment.split
    splits = split_by_conversation(labels.scorable, seed=experiment.seed, dev_share=shares.dev, test_share=shares.test)
    whole_dev = splits.dev
    splits = _limited(splits, experiment)
    store = open_store(data, experiment.store, experiment.retriever, lambda done, total: progress("index", done, total))
    writers = dict(reflection_lms or {})
    models = [model for model in (lm, *lms.values(), *writers.values()) if model is not None]
    price = usd_per_token(models) if experiment.budget.usd else 0.0
    budget = Budget(**experiment.budget.model_dump(), usd_per_token=price)
    # Machines differ in speed: no limit of time may decide what is learnt.
    with dspy.context(lm=lm, lms=dict(lms), rm=store, budget_ms=math.inf), tracker.run(experiment.name) as log:
        if lm is not None:
            _wake(lm)
        log.data_set(data, {"train": len(splits.train), "dev": len(splits.dev), "test": len(splits.test)})
        log.params(experiment.model_dump(mode="json", exclude={"data"}))
        further = sample_turns(
            [turn for turn in whole_dev if turn not in splits.dev],
            max(0, experiment.limits.tune - len(splits.dev)),
            experiment.seed,
        )
        return _Run(experiment, data, splits, further, store, budget, tracker, progress, writers).compile(log)


class _Scored(NamedTuple):
    name: str
    program: RewriteProgram
    evaluated: list[Evaluated]
    recall: float

    @property
    def demos(self) -> int:
        shown = self.program.settings.rewrite.demos_per_turn
        kept = len(self.program.coreference.demos)
        return kept if shown is None else min(kept, shown)


@dataclass
class _Search:
    """The best candidate so far."""

    best: _Scored | None = None
    stopped: str | None = None
    scores: dict[str, float] = field(default_factory=dict)

    def take(self, scored: _Scored) -> None:
        self.scores[scored.name] = scored.recall
        # Fewer demos win a tie: a shorter prompt is cheaper at every turn.
        if self.best is None or (scored.recall, -scored.demos) > (self.best.recall, -self.best.demos):
            self.best = scored


@dataclass(frozen=True)
class _Run:
    """One compile run, everything opened."""

    experiment: Experiment
    data: DataSet
    splits: Splits
    further_dev: Sequence[Turn]
    """Dev turns that only tuning sees, without the model."""
    store: Store
    budget: Budget
    tracker: Tracker
    progress: Progress
    reflection_lms: Mapping[str, dspy.LM]

    def compile(self, log: RunLog) -> CompileResult:
        student = _student(self.experiment)
        search = self._search(student)
        if search.best is None:
            if search.stopped == INTERRUPTED:
                raise KeyboardInterrupt
            raise BudgetError("the budget ended before one candidate was scored", advice="raise it in the experiment")
        program = search.best.program
        further = _evaluated({"rules": rules_system(student.settings)}, self.further_dev)["rules"]
        start = with_engine(self.experiment.settings, self.experiment.retriever)
        shown = {"demos_per_turn": program.settings.rewrite.demos_per_turn}
        program.settings = tune(
            turn_cases([*search.best.evaluated, *further], self.store, student.settings),
            start.model_copy(update={"rewrite": start.rewrite.model_copy(update=shown)}),
            trials=self.experiment.tune.trials,
            seed=self.experiment.seed,
            retriever=self.experiment.retriever,
            ask_lm=self.experiment.tune.ask_lm,
        )
        program.settings = program.settings.model_copy(update={"lms": program.settings.lms | dict(self.experiment.lms)})
        dev = _evaluated(_references(program) | {"compiled": program_system(program)}, self.splits.dev)
        test, stopped = ({}, search.stopped) if search.stopped else self._test(program)
        result = CompileResult(
            run_id=log.run_id,
            program=None,
            stopped=stopped,
            dev=_summaries(dev),
            test=_summaries(test),
            spent=self.budget.spent,
        )
        if result.dev["compiled"].recall_at_5.mean > result.dev["original"].recall_at_5.mean:
            result.program = artefact.save(program, self.experiment.output, self._manifest(result))
            log.folder(result.program, "program")
        log_result(log, result.dev, result.test, program, test or dev)
        log.metrics({f"candidate.{name}": recall for name, recall in search.scores.items()})
        log.metrics({f"spent.{name}": float(spent) for name, spent in result.spent.items()})
        return result

    def _search(self, student: RewriteProgram) -> _Search:
        search = _Search()
        original = evaluate(original_system(student.settings), self.splits.train)
        recalls = {one.turn.id: recall_at_k(one.outcome.relevant_ids, one.outcome.retrieved_ids) for one in original}
        task = Task(
            student,
            self.splits.train,
            recalls,
            self.store,
            self.experiment.seed,
            self.budget.charge,
            self.reflection_lms,
            best=lambda: search.best.program if search.best else None,
        )
        try:
            for candidate in choose_optimizer(self.experiment.optimizer).candidates(task):
                with self.tracker.run(candidate.name, nested=True) as log:
                    search.take(self._score(candidate, log))
        except KeyboardInterrupt:
            search.stopped = INTERRUPTED
        except BudgetError as error:
            search.stopped = str(error)
        return search

    def _score(self, candidate: Candidate, log: RunLog) -> _Scored:
        evaluated = self._run_program(candidate.program, self.splits.dev, candidate.name)
        summary = summarise([one.outcome for one in evaluated])
        scored = _Scored(candidate.name, candidate.program, evaluated, summary.recall_at_5.mean)
        log.params({"demos": scored.demos})
        log.metrics({"dev.recall_at_5": scored.recall, "dev.lm_share": summary.lm_share})
        log.metrics({"dev.fallback_rate": summary.fallback_rate})
        return scored

    def _test(self, program: RewriteProgram) -> tuple[dict[str, list[Evaluated]], str | None]:
        turns = self.splits.test
        outcomes = _evaluated(_references(program), turns)
        try:
            outcomes["compiled"] = self._run_program(program, turns, "test")
        except (BudgetError, KeyboardInterrupt) as error:
            # A part of the test split is no result.
            return {}, str(error) or INTERRUPTED
        if any(turn.gold_rewrite for turn in turns):
            outcomes |= _evaluated({"gold": gold_system(program.settings)}, turns)
        return outcomes, None

    def _run_program(self, program: RewriteProgram, turns: Sequence[Turn], name: str) -> list[Evaluated]:
        def report(done: int, total: int) -> None:
            self.progress(name, done, total)

        return list(evaluate(program_system(program), turns, budget=self.budget, progress=report))

    def _manifest(self, result: CompileResult) -> artefact.Manifest:
        scores: dict[str, Any] = {
            split: {name: summary.recall_at_5.model_dump() for name, summary in summaries.items()}
            for split, summaries in (("dev", result.dev), ("test", result.test))
        }
        return artefact.Manifest(
            name=self.experiment.name,
            data_sha256=self.data.content_sha256,
            language_model=self.experiment.lm,
            scores=scores,
        )


def _references(program: RewriteProgram) -> dict[str, System]:
    return {"original": original_system(program.settings), "rules": rules_system(program.settings)}


def _evaluated(systems: Mapping[str, System], turns: Sequence[Turn]) -> dict[str, list[Evaluated]]:
    return {name: list(evaluate(system, turns)) for name, system in systems.items()}


def _summaries(evaluated: Mapping[str, Sequence[Evaluated]]) -> dict[str, Summary]:
    outcomes = {name: [one.outcome for one in rows] for name, rows in evaluated.items()}
    return {name: summarise(rows, outcomes["original"]) for name, rows in outcomes.items()}


def _student(experiment: Experiment) -> RewriteProgram:
    program = artefact.load(experiment.start_from) if experiment.start_from else RewriteProgram()
    settings = with_engine(experiment.settings, experiment.retriever)
    if settings.rewrite.ask_lm == "unsure":
        # The search asks on every follow-up, so that tuning can see what each call would bring.
        asking = settings.rewrite.model_copy(update={"ask_lm": "follow_ups"})
        settings = settings.model_copy(update={"rewrite": asking})
    program.settings = settings
    return program


def _limited(splits: Splits, experiment: Experiment) -> Splits:
    parts: dict[str, tuple[Turn, ...]] = {}
    for name, turns in splits._asdict().items():
        limit = getattr(experiment.limits, name)
        parts[name] = turns if limit is None else tuple(sample_turns(turns, limit, experiment.seed))
    small = [f"{name} has {len(turns)}" for name, turns in parts.items() if len(turns) < _FEWEST_TURNS]
    if small:
        raise ConfigError(
            f"too few labelled turns: {', '.join(small)}; each split needs {_FEWEST_TURNS} or more",
            advice="label more conversations, or change split and limits",
        )
    return Splits(**parts)


def _wake(lm: dspy.LM) -> None:
    try:
        lm("Say ok.", max_tokens=16, cache=False)
    except Exception as error:
        reason = (str(error).splitlines() or ["no reason given"])[0]
        raise LanguageModelError(
            f"the language model {lm.model} does not answer: {reason}",
            advice="check --lm, --api-base and the key in the environment",
        ) from error
