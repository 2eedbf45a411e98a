"""To and from the ``datasets`` library, for those who keep their turns there or on a hub."""

import json
import tempfile
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import datasets
from datasets.utils import are_progress_bars_disabled, disable_progress_bars, enable_progress_bars

from data.errors import DataError
from data.problems import data_error
from data.records import Turn
from data.validate import read_records

_STRING = datasets.Value("string")

# Json, not a struct: metadata differs from turn to turn, and Arrow would refuse mixed types or invent missing keys.
_FEATURES = datasets.Features(
    {
        "id": _STRING,
        "conversation_id": _STRING,
        "turn": datasets.Value("int64"),
        "history": datasets.List({"role": _STRING, "content": _STRING}),
        "query": _STRING,
        "gold_rewrite": _STRING,
        "relevant_ids": datasets.List(_STRING),
        "answerable": datasets.Value("bool"),
        "metadata": datasets.Json(),
    }
)


def as_dataset(turns: Iterable[Turn]) -> datasets.Dataset:
    """Return ``turns`` as a ``datasets.Dataset``, one row a turn, metadata kept as it is."""
    return datasets.Dataset.from_list([turn.model_dump(mode="json") for turn in turns], features=_FEATURES)


def turns_of(dataset: datasets.Dataset, name: str) -> list[Turn]:
    """Return the rows of a dataset in the canonical form as turns, checked like a file's lines.

    Null is how Arrow spells "absent", at the top and in ``metadata``: such keys are left out.

    Args:
        dataset: Rows with the fields of ``Turn``.
        name: Stands for the file name in problems; the line number is the row, from 1.

    Raises:
        DataError: One line per problem.
    """
    rows = ((number, json.dumps(_present(row)).encode()) for number, row in enumerate(dataset, start=1))
    turns, problems = read_records(name, rows, Turn)
    if problems:
        raise data_error(Path(name), problems)
    return turns


def from_hub_or_file(name_or_path: str, split: str = "train") -> datasets.Dataset:
    """Load a JSONL file, or a data set of the hub by its name.

    A file is read into memory, without network and without a trace in the user's cache. The hub's sets are cached by
    ``datasets``.

    Args:
        name_or_path: ``folder/turns.jsonl``, or ``owner/name`` on the hub.
        split: Which split of a hub's set. A file is one split, whatever its name.

    Raises:
        DataError: There is no such file or set, no such split, or the hub does not answer.
    """
    path = Path(name_or_path)
    is_file = path.is_file()
    if not is_file and (path.suffix in (".json", ".jsonl") or path.is_absolute() or name_or_path.startswith(".")):
        raise DataError(f"{name_or_path}: no such file", path=name_or_path)
    try:
        with _quiet(network=not is_file), tempfile.TemporaryDirectory() as folder:
            if is_file:
                return datasets.load_dataset(
                    "json", data_files={split: str(path)}, split=split, cache_dir=folder, keep_in_memory=True
                )
            return datasets.load_dataset(name_or_path, split=split)
    except (OSError, ValueError, datasets.exceptions.DatasetsError) as error:
        reason = str(error).partition("\n")[0]
        advice = (
            "load_turns names the bad lines of a file" if is_file else "check name and split, or download it to a file"
        )
        raise DataError(
            f"{name_or_path}, split {split}: cannot be loaded ({reason})", advice=advice, path=name_or_path
        ) from error


def _present(row: dict[str, Any]) -> dict[str, Any]:
    kept = {key: value for key, value in row.items() if value is not None}
    if isinstance(kept.get("metadata"), dict):
        kept["metadata"] = {key: value for key, value in kept["metadata"].items() if value is not None}
    return kept


@contextmanager
def _quiet(*, network: bool) -> Iterator[None]:
    """Switch off progress bars and the library's download counter (a request per load), then put both back."""
    bars_were_off, counting = are_progress_bars_disabled(), datasets.config.HF_UPDATE_DOWNLOAD_COUNTS
    disable_progress_bars()
    datasets.config.HF_UPDATE_DOWNLOAD_COUNTS = counting and network
    try:
        yield
    finally:
        datasets.config.HF_UPDATE_DOWNLOAD_COUNTS = counting
        if not bars_were_off:
            enable_progress_bars()
