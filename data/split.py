"""Train, dev and test by whole conversation: turns of one conversation share entities and phrasing."""

import hashlib
import random
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from data.errors import ConfigError, DataError
from data.records import Language, Turn


class Splits(NamedTuple):
    """Turns by purpose, each sorted by conversation and turn number."""

    train: tuple[Turn, ...]
    dev: tuple[Turn, ...]
    test: tuple[Turn, ...]


def split_by_conversation(
    turns: Iterable[Turn], *, seed: int, dev_share: float = 0.25, test_share: float = 0.25
) -> Splits:
    """Divide turns into train, dev and test, a conversation never in two of them.

    Each language is divided on its own, so that the shares hold for both. Shares count conversations; from three
    conversations on, every part with a positive share gets at least one, below that all are train.

    Where ``metadata["split"]`` says "test" for some conversations and something else (or nothing) for others, the
    source's test conversations are the test split. The rest of their language is then divided between train and dev in
    the ratio of their shares. Other stated names ("dev", "train") have no further effect, and neither has "test" when
    every conversation says it.

    Args:
        turns: In any order: the same turns always give the same splits.
        seed: Chooses which conversation goes where, through sha256 of seed and conversation id.
        dev_share: Share of conversations for dev, 0 to 1.
        test_share: Share of conversations for test, 0 to 1; train gets what is left and must get something.

    Raises:
        ConfigError: Shares outside 0 to 1, or no share left for train.
        DataError: Turns of one conversation state different splits; one line per conversation.
    """
    if min(dev_share, test_share) < 0 or dev_share + test_share >= 1:
        raise ConfigError(
            f"dev_share {dev_share} and test_share {test_share}: expected 0 or more each and less than 1 together"
        )
    conversations: dict[str, list[Turn]] = defaultdict(list)
    for turn in turns:
        conversations[turn.conversation_id].append(turn)
    stated = _stated_splits(conversations)
    test = {name for name, split in stated.items() if split == "test"}
    if len(test) == len(conversations):
        test = set()
    dev: set[str] = set()
    by_language: dict[Language, list[str]] = defaultdict(list)
    for name in sorted(conversations, key=lambda name: _draw(seed, name)):
        by_language[_language(conversations[name])].append(name)
    for names in by_language.values():
        rest = [name for name in names if name not in test]
        if len(rest) == len(names):
            drawn = _count(test_share, len(rest), leave=2 if dev_share else 1)
            test.update(rest[:drawn])
            dev.update(rest[drawn : drawn + _count(dev_share, len(rest), leave=drawn + 1)])
        else:
            dev.update(rest[: _count(dev_share / (1 - test_share), len(rest), leave=1)])
    ordered = [turn for name in sorted(conversations) for turn in sorted(conversations[name], key=_position)]
    return Splits(
        train=tuple(turn for turn in ordered if turn.conversation_id not in dev | test),
        dev=tuple(turn for turn in ordered if turn.conversation_id in dev),
        test=tuple(turn for turn in ordered if turn.conversation_id in test),
    )


def sample_turns(turns: Sequence[Turn], n: int, seed: int) -> list[Turn]:
    """Draw ``n`` turns without replacement and return them in their original order; all of them if there are no more.

    Raises:
        ConfigError: ``n`` is negative.
    """
    if n < 0:
        raise ConfigError(f"sample of {n} turns: expected 0 or more")
    chosen = random.Random(seed).sample(range(len(turns)), min(n, len(turns)))
    return [turns[index] for index in sorted(chosen)]


def _stated_splits(conversations: dict[str, list[Turn]]) -> dict[str, str | None]:
    """Read each conversation's ``metadata["split"]``; turns that state none follow the others."""
    stated: dict[str, str | None] = {}
    conflicts: dict[str, list[str]] = {}
    for name, turns in sorted(conversations.items()):
        splits = sorted({str(turn.metadata["split"]) for turn in turns if turn.metadata.get("split") is not None})
        if len(splits) > 1:
            conflicts[name] = splits
        stated[name] = splits[0] if splits else None
    if conflicts:
        raise DataError(
            "\n".join(
                f"conversation {name}: expected one metadata.split, got {', '.join(splits)}"
                for name, splits in conflicts.items()
            ),
            conversations=conflicts,
        )
    return stated


def _draw(seed: int, conversation_id: str) -> bytes:
    return hashlib.sha256(f"{seed}\0{conversation_id}".encode()).digest()


def _language(turns: list[Turn]) -> Language:
    """The language of most turns; Chinese on a tie, so that order plays no part."""
    counts = Counter(turn.language for turn in turns)
    return "zh" if counts["zh"] >= counts["en"] else "en"


def _count(share: float, total: int, *, leave: int) -> int:
    """``share`` of ``total``, rounded, at least one where possible, ``leave`` of them left for others."""
    if share == 0 or total < 3:
        return 0
    return min(max(1, round(share * total)), total - leave)


def _position(turn: Turn) -> tuple[int, str]:
    return turn.turn, turn.id
