"""The sets of the guards' benchmark: those with rewrites by people."""

from collections.abc import Sequence
from pathlib import Path

from data.load import load_passages, load_turns
from data.records import Language, Passage, Record, Turn

SAMPLE = Path("data/sample")
PUBLIC = Path("../shared/data")


class GuardSet(Record):
    """Turns with history and a gold rewrite, and the corpus they ask, which may be none."""

    name: str
    turns: tuple[Turn, ...]
    passages: tuple[Passage, ...] = ()


def open_sets(sample: Path = SAMPLE, public: Path = PUBLIC) -> tuple[list[GuardSet], tuple[str, ...]]:
    """Read the sample set, one for each language, and the public sets that are there.

    Returns:
        The sets, and a line for each that is missing.

    Raises:
        DataError: A set that is there cannot be read.
    """
    turns, passages = load_turns(sample / "turns.jsonl"), tuple(load_passages(sample / "corpus.jsonl"))
    languages: tuple[Language, ...] = ("zh", "en")
    sets = [
        GuardSet(name=f"sample {name}", turns=_good([one for one in turns if one.language == name]), passages=passages)
        for name in languages
    ]
    skipped = []
    for name in ("canard_dev", "cast_rewrites"):
        folder = public / name
        if not (folder / "turns.jsonl").is_file():
            skipped.append(f"{name}: not in {public}")
            continue
        # CAsT has no corpus; its rewrites of 2020 name what only the answers said, which the file does not hold.
        good = _good([one for one in load_turns(folder / "turns.jsonl") if one.metadata.get("year") != 2020])
        corpus = folder / "corpus.jsonl"
        sets.append(GuardSet(name=name, turns=good, passages=tuple(load_passages(corpus)) if corpus.is_file() else ()))
    return sets, tuple(skipped)


def _good(turns: Sequence[Turn]) -> tuple[Turn, ...]:
    return tuple(one for one in turns if one.history and one.gold_rewrite)
