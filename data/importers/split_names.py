"""Which split a file's name says its turns belong to."""

import re
from pathlib import Path
from typing import Literal

from data.importers.raw import plain_name

_NAMES: dict[str, Literal["train", "dev", "test"]] = {
    "train": "train",
    "training": "train",
    "dev": "dev",
    "valid": "dev",
    "validation": "dev",
    "val": "dev",
    "test": "test",
    "evaluation": "test",
}


def split_of(path: Path) -> Literal["train", "dev", "test"] | None:
    """Return the split in a file's name (``qrecc_train.json``, ``val.json.zip``), None when it names none."""
    words = re.split(r"[^a-z]+", plain_name(path).lower())
    return next((_NAMES[word] for word in words if word in _NAMES), None)
