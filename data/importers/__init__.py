"""Public conversational sets, from the form they are published in to ours (``corpus.jsonl`` and ``turns.jsonl``)."""

from collections.abc import Callable
from pathlib import Path
from typing import Literal, get_args

from data.errors import ConfigError, DataError
from data.importers import beir, canard, cast, crosswoz, kdconv, mtrag, qrecc, topiocqa
from data.importers.draft import Draft, ImportReport

FormatName = Literal["mtrag", "canard", "qrecc", "topiocqa", "cast", "kdconv", "crosswoz", "beir"]
"""Names of the formats."""

_READERS: dict[str, Callable[[Path, Draft, int | None], None]] = {
    "mtrag": mtrag.read,
    "canard": canard.read,
    "qrecc": qrecc.read,
    "topiocqa": topiocqa.read,
    "cast": cast.read,
    "kdconv": kdconv.read,
    "crosswoz": crosswoz.read,
    "beir": beir.read,
}


def import_data(
    format_name: FormatName, path: str | Path, output: str | Path, *, min_grade: int | None = None
) -> ImportReport:
    """Convert a public set. Deterministic: the same files give the same bytes.

    Args:
        format_name: Which set; the reader's docstring says what files it takes and what becomes of them.
        path: Its folder, or one of its files; files may be packed as .gz or .zip.
        output: A folder to make. It appears whole or not at all.
        min_grade: Least grade in the judgements that makes a passage relevant; the format's own by default.

    Raises:
        ConfigError: No such format.
        DataError: ``path`` is missing, ``output`` is there already, or something is wrong with the files: every problem of all of them
            is listed with file, line and field.
    """
    if format_name not in _READERS:
        raise ConfigError(f"format {format_name!r} is not known", advice=f"one of {', '.join(get_args(FormatName))}")
    path = Path(path)
    if not path.exists():
        raise DataError(f"{path}: no such file or folder", path=str(path))
    with Draft(path, Path(output)) as draft:
        _READERS[format_name](path, draft, min_grade)
        return draft.finish()
