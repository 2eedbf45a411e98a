"""Options that several commands share."""

from pathlib import Path
from typing import Annotated, Any, Literal

import typer

LmOption = Annotated[
    str | None,
    typer.Option(
        "--lm",
        help="Language model: `local` (embedded), local:NAME, local:FILE.gguf, or any litellm id. Without it, rules alone.",
        show_default=False,
    ),
]
ApiBaseOption = Annotated[
    str | None,
    typer.Option(
        "--api-base",
        help="Address of an OpenAI-compatible server, for the litellm ids of --lm and --lm-for.",
        show_default=False,
    ),
]
LmForOption = Annotated[
    list[str] | None,
    typer.Option(
        "--lm-for",
        metavar="SIGNATURE=LM",
        help="Another model for one signature (signatures/*.py), repeatable: answer=local, decomposition=openai/gpt-4o.",
        show_default=False,
    ),
]
ProgramOption = Annotated[
    Path | None,
    typer.Option("--program", help="Folder of a compiled program; the defaults without it.", show_default=False),
]
StoreOption = Annotated[Path | None, typer.Option("--store", help="Folder of an index.", show_default=False)]
RequiredStoreOption = Annotated[Path, typer.Option("--store", help="Folder of an index, see `anaphora index`.")]
RetrieverOption = Annotated[
    Literal["bm25", "vector", "hybrid"],
    typer.Option("--retriever", help="Engines; hybrid mixes them by the program's share."),
]
HistoryOption = Annotated[
    str | None,
    typer.Option(
        "--history",
        help="JSON file with the messages so far, oldest first; `-` reads stdin.",
        show_default=False,
    ),
]


def language_models(lm: str | None, lm_for: list[str] | None, api_base: str | None) -> tuple[Any, dict[str, Any]]:
    """Return the general model (or ``None``) and those of single signatures, with DSPy's cache in our cache folder.

    Raises:
        ConfigError: ``lm_for`` is not ``SIGNATURE=LM`` with a known signature, or there is an ``api_base`` for no model.
    """
    from typing import get_args

    from data.errors import ConfigError
    from program.settings import SignatureName

    signatures = get_args(SignatureName)
    overrides: dict[str, str] = {}
    for pair in lm_for or []:
        signature, equals, name = pair.partition("=")
        if not equals or signature not in signatures or not name:
            raise ConfigError(
                f"--lm-for {pair!r}: expected SIGNATURE=LM", advice=f"signatures: {', '.join(signatures)}"
            )
        overrides[signature] = name
    if lm is None and not overrides:
        if api_base:
            raise ConfigError("--api-base is the address of no model", advice="name the model that is there with --lm")
        return None, {}

    import dspy

    from program.language_model.choose import choose
    from program.retrieval.cache import cache_folder

    dspy.configure_cache(disk_cache_dir=str(cache_folder() / "lm"))
    hosted = [name for name in (lm, *overrides.values()) if name and not is_embedded(name)]

    def chosen(name: str) -> Any:
        # The address is the hosted models'; where there are none, the embedded one says what is wrong with it.
        return choose(name, api_base=None if hosted and is_embedded(name) else api_base)

    general = chosen(lm) if lm else None
    return general, {signature: chosen(name) for signature, name in overrides.items()}


def is_embedded(name: str) -> bool:
    """Return whether a language model's name is one of those that run in this process."""
    return name.strip().partition(":")[0] == "local"


def read_history(source: str | None) -> list[Any]:
    """Read messages from a JSON file or stdin: a list, or an object with ``messages``.

    Raises:
        DataError: The file is missing, or is not JSON of that form.
    """
    import json
    import sys

    from data.errors import DataError

    if source is None:
        return []
    name = "stdin" if source == "-" else source
    try:
        text = sys.stdin.read() if source == "-" else Path(source).read_text(encoding="utf-8")
        messages = json.loads(text)
    except OSError as error:
        raise DataError(f"{name}: cannot be read: {error.strerror}", file=name) from error
    except ValueError as error:
        raise DataError(
            f"{name}: not JSON: {error}", advice='expected [{"role": "user", "content": "…"}, …]', file=name
        ) from error
    if isinstance(messages, dict):
        messages = messages.get("messages")
    if not isinstance(messages, list):
        raise DataError(
            f"{name}: expected a list of messages", advice='[{"role": "user", "content": "…"}, …]', file=name
        )
    return messages
