"""Options that several commands share."""

from pathlib import Path
from typing import Annotated, Any

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
    str | None, typer.Option("--api-base", help="Address of an OpenAI-compatible server.", show_default=False)
]
LmForOption = Annotated[
    list[str] | None,
    typer.Option(
        "--lm-for",
        metavar="SIGNATURE=LM",
        help="Another model for one signature, e.g. decomposition=openai/gpt-4o.",
        show_default=False,
    ),
]
ProgramOption = Annotated[
    Path | None,
    typer.Option("--program", help="Folder of a compiled program; the defaults without it.", show_default=False),
]
StoreOption = Annotated[Path | None, typer.Option("--store", help="Folder of an index.", show_default=False)]
RequiredStoreOption = Annotated[Path, typer.Option("--store", help="Folder of an index, see `anaphora index`.")]
HistoryOption = Annotated[
    str | None,
    typer.Option(
        "--history",
        help="JSON file with the messages so far, oldest first; `-` reads stdin.",
        show_default=False,
    ),
]

SIGNATURES = ("coreference", "decomposition", "step_back")


def language_models(lm: str | None, lm_for: list[str] | None, api_base: str | None) -> tuple[Any, dict[str, Any]]:
    """Return the general model (or ``None``) and those of single signatures, with DSPy's cache in our cache folder.

    Raises:
        ConfigError: ``lm_for`` is not ``SIGNATURE=LM`` with a known signature.
    """
    from data.errors import ConfigError

    overrides: dict[str, str] = {}
    for pair in lm_for or []:
        signature, equals, name = pair.partition("=")
        if not equals or signature not in SIGNATURES or not name:
            raise ConfigError(
                f"--lm-for {pair!r}: expected SIGNATURE=LM", advice=f"signatures: {', '.join(SIGNATURES)}"
            )
        overrides[signature] = name
    if lm is None and not overrides:
        return None, {}

    import dspy

    from program.language_model.choose import choose
    from program.retrieval.cache import cache_folder

    dspy.configure_cache(disk_cache_dir=str(cache_folder() / "lm"))
    general = choose(lm, api_base=api_base) if lm else None
    return general, {signature: choose(name, api_base=api_base) for signature, name in overrides.items()}


def load_program(folder: Path | None) -> Any:
    """Return the program saved in ``folder``, or one with the defaults."""
    from program import artefact
    from program.rewrite_program import RewriteProgram

    return artefact.load(folder) if folder else RewriteProgram()


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
