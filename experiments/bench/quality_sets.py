"""The data sets of the quality benchmark, and the turns of each that are measured."""

from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from data.load import DataSet
from data.records import Record, Turn
from data.split import sample_turns, split_by_conversation
from experiments.corpus import open_data
from experiments.experiment import load_experiment

RetrieverName = Literal["bm25", "vector", "hybrid"]
TurnChoice = Literal["all", "sample"]

_EXPERIMENTS = Path(__file__).parents[1]
_PUBLIC = Path("../shared/data")


class WholeSet(Record):
    """A set that nothing was compiled on: all its turns are measured, with a program compiled elsewhere."""

    data: Path
    program: Path


class BenchSet(Record):
    """One data set of the benchmark.

    Attributes:
        name: What ``--sets`` takes.
        source: File name of the experiment whose data, test split and program are used, or a ``WholeSet``.
        retrievers: Engines to measure with; ``hybrid`` is the mix that was tuned with the program.
        reference: What the reference rewrite is, for tables.
        sample: Most turns that systems with a language model are measured on; ``None`` for all.
        everything_without_lm: Systems without a language model are measured on all turns as well as on the sample.
    """

    name: str
    source: str | WholeSet
    retrievers: tuple[RetrieverName, ...]
    reference: str
    sample: int | None = None
    everything_without_lm: bool = False


SETS: dict[str, BenchSet] = {
    one.name: one
    for one in (
        BenchSet(name="sample", source="sample.yaml", retrievers=("hybrid",), reference="gold rewrite"),
        BenchSet(
            name="kdconv_travel",
            source="kdconv_travel.yaml",
            retrievers=("bm25", "vector", "hybrid"),
            reference="entity oracle",
            sample=200,
            everything_without_lm=True,
        ),
        BenchSet(
            name="canard_dev",
            source="canard_dev.yaml",
            retrievers=("bm25", "hybrid"),
            reference="human rewrite",
            sample=200,
        ),
        BenchSet(
            name="mtrag_clapnq",
            # 208 turns only: the program was tuned on another domain of the same benchmark.
            source=WholeSet(data=_PUBLIC / "mtrag_clapnq", program=Path("artefacts/mtrag_cloud")),
            retrievers=("bm25", "vector", "hybrid"),
            reference="Mixtral's rewrite",
        ),
    )
}


@dataclass(frozen=True)
class Measured:
    """A data set, opened: its turns by choice, in order, and where its program is."""

    data: DataSet
    program: Path
    turns: dict[TurnChoice, list[Turn]]
    """``sample`` is there where a sample is drawn from more turns and these are measured too."""

    @property
    def lm_choice(self) -> TurnChoice:
        """Which turns the systems with a language model see."""
        return "sample" if "sample" in self.turns else "all"


def data_folder(bench_set: BenchSet) -> Path:
    """Where the set's data should be, relative to the working directory."""
    source = bench_set.source
    return source.data if isinstance(source, WholeSet) else load_experiment(_EXPERIMENTS / source).data


def open_set(bench_set: BenchSet, *, sample: int | None, seed: int) -> Measured:
    """Read a set and choose its turns.

    The split is the experiment's own, by its own seed, so that no training turn is ever measured.

    Args:
        bench_set: Which set.
        sample: Draw this many turns instead of the set's own number.
        seed: Of the sample.

    Raises:
        DataError: The data cannot be read.
    """
    data, labels = open_data(data_folder(bench_set))
    source = bench_set.source
    if isinstance(source, WholeSet):
        turns, program = list(labels.scorable), source.program
    else:
        experiment = load_experiment(_EXPERIMENTS / source)
        splits = split_by_conversation(
            labels.scorable, seed=experiment.seed, dev_share=experiment.split.dev, test_share=experiment.split.test
        )
        turns, program = list(splits.test), experiment.output
    most = sample if sample is not None else bench_set.sample
    drawn = turns if most is None else sample_turns(turns, most, seed)
    if bench_set.everything_without_lm and len(drawn) < len(turns):
        return Measured(data, program, {"all": turns, "sample": drawn})
    return Measured(data, program, {"all": drawn})


def reference_of(turn: Turn) -> str:
    """The best rewrite known, for analysis only: a person's, else the oracle's entity before the query, else a large model's.

    No rewriter ever sees it. The query itself where a turn has none of these.
    """
    if turn.gold_rewrite:
        return turn.gold_rewrite
    entities = turn.metadata.get("entities") or []
    if entities:
        return f"{entities[0]} {turn.query}"
    return str(turn.metadata.get("machine_rewrite") or turn.query)


def is_complete(turn: Turn) -> bool:
    """Whether a turn with history needs no rewrite, by the labels of its set: such turns must lose nothing."""
    if not turn.history:
        return False
    # The entity oracle never leaves a query as it is; its set says instead whether the entity is named.
    named = bool(turn.metadata.get("entity_named_in_query"))
    return named or "complete" in turn.phenomena or reference_of(turn) == turn.query
