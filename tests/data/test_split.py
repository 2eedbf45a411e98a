import os
import subprocess
import sys
from collections.abc import Iterable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from data.errors import ConfigError, DataError
from data.records import Turn
from data.split import sample_turns, split_by_conversation


def turn(conversation: str, number: int = 1, query: str = "And then?", **metadata: Any) -> Turn:
    return Turn(
        id=f"{conversation}:{number}", conversation_id=conversation, turn=number, query=query, metadata=metadata
    )


def conversations(turns: Iterable[Turn]) -> set[str]:
    return {one.conversation_id for one in turns}


def english(count: int) -> list[Turn]:
    return [turn(f"en{index}", number) for index in range(count) for number in (1, 2)]


def chinese(count: int) -> list[Turn]:
    return [turn(f"zh{index}", number, "那呢?") for index in range(count) for number in (1, 2)]


@st.composite
def turn_lists(draw: st.DrawFn) -> list[Turn]:
    queries = st.lists(st.sampled_from(["那呢?", "And then?"]), min_size=1, max_size=4)
    stated = st.sampled_from([{}, {"split": "dev"}, {"split": "test"}])
    return [
        turn(f"c{index}", number, query, **metadata)
        for index, (asked, metadata) in enumerate(draw(st.lists(st.tuples(queries, stated))))
        for number, query in enumerate(asked, start=1)
    ]


@given(turns=turn_lists(), seed=st.integers(), data=st.data())
def test_splits_are_whole_disjoint_complete_and_blind_to_order(
    turns: list[Turn], seed: int, data: st.DataObject
) -> None:
    splits = split_by_conversation(turns, seed=seed)
    train, dev, test = map(conversations, splits)
    assert len(train | dev | test) == len(train) + len(dev) + len(test)
    assert sorted(one.id for part in splits for one in part) == sorted(one.id for one in turns)
    assert split_by_conversation(data.draw(st.permutations(turns)), seed=seed) == splits


def test_shares_hold_in_each_language() -> None:
    splits = split_by_conversation(english(40) + chinese(12), seed=3)
    sizes = [
        (sum(name.startswith("en") for name in names), sum(name.startswith("zh") for name in names))
        for names in map(conversations, splits)
    ]
    assert sizes == [(20, 6), (10, 3), (10, 3)]


def test_the_seed_decides() -> None:
    turns = english(40)
    assert split_by_conversation(turns, seed=1) == split_by_conversation(turns, seed=1)
    assert split_by_conversation(turns, seed=1).test != split_by_conversation(turns, seed=2).test


def test_hash_seeds_play_no_part() -> None:
    code = (
        "from data.records import Turn; from data.split import split_by_conversation, sample_turns;"
        "turns = [Turn(id=f'c{i}', conversation_id=f'c{i}', turn=1, query='q') for i in range(20)];"
        "print([[t.id for t in part] for part in split_by_conversation(turns, seed=5)]);"
        "print([t.id for t in sample_turns(turns, 5, 5)])"
    )
    printed = {
        subprocess.run(
            [sys.executable, "-c", code],
            env={**os.environ, "PYTHONHASHSEED": hash_seed, "PYTHONPATH": os.pathsep.join(sys.path)},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for hash_seed in ("1", "2")
    }
    assert len(printed) == 1


@pytest.mark.parametrize(
    ("count", "sizes"), [(1, (1, 0, 0)), (2, (2, 0, 0)), (3, (1, 1, 1)), (5, (3, 1, 1)), (8, (4, 2, 2))]
)
def test_few_conversations(count: int, sizes: tuple[int, int, int]) -> None:
    assert tuple(len(conversations(part)) for part in split_by_conversation(english(count), seed=0)) == sizes


def test_large_shares_leave_something_for_train() -> None:
    splits = split_by_conversation(english(4), seed=0, dev_share=0.45, test_share=0.45)
    assert tuple(len(conversations(part)) for part in splits) == (1, 1, 2)


def test_small_shares_get_one_conversation_each() -> None:
    splits = split_by_conversation(english(6), seed=0, dev_share=0.01, test_share=0.01)
    assert tuple(len(conversations(part)) for part in splits) == (4, 1, 1)


def test_no_share_means_none() -> None:
    splits = split_by_conversation(english(8), seed=0, dev_share=0, test_share=0)
    assert [len(conversations(part)) for part in splits] == [8, 0, 0]


def test_the_test_split_of_the_source_stays_the_test_split() -> None:
    stated = [turn(f"s{index}", split="test" if index < 4 else "dev") for index in range(16)]
    splits = split_by_conversation(stated, seed=0)
    assert conversations(splits.test) == {"s0", "s1", "s2", "s3"}
    assert (len(splits.train), len(splits.dev)) == (8, 4)


def test_a_language_without_stated_test_gets_a_drawn_one() -> None:
    stated = [turn(f"s{index}", query="那呢?", split="test" if index < 2 else "train") for index in range(6)]
    test = conversations(split_by_conversation(stated + english(8), seed=0).test)
    assert {name for name in test if name.startswith("s")} == {"s0", "s1"}
    assert sum(name.startswith("en") for name in test) == 2


@pytest.mark.parametrize("split", ["test", "dev"])
def test_one_stated_name_for_all_divides_nothing(split: str) -> None:
    splits = split_by_conversation([turn(f"s{index}", split=split) for index in range(8)], seed=0)
    assert [len(part) for part in splits] == [4, 2, 2]


def test_turns_that_state_nothing_follow_their_conversation() -> None:
    splits = split_by_conversation([turn("a", 1, split="test"), turn("a", 2), *english(4)], seed=0)
    assert [one.id for one in splits.test] == ["a:1", "a:2"]


def test_a_conversation_in_two_splits_is_refused_and_named() -> None:
    turns = [turn("甲", 1, split="dev"), turn("甲", 2, split="test"), turn("b", 1, split="dev")]
    with pytest.raises(DataError, match=r"^conversation 甲: expected one metadata.split, got dev, test$"):
        split_by_conversation(turns, seed=0)


@pytest.mark.parametrize(("dev", "test"), [(-0.1, 0.2), (0.2, -0.1), (0.5, 0.5), (0.0, 1.0)])
def test_impossible_shares(dev: float, test: float) -> None:
    with pytest.raises(ConfigError):
        split_by_conversation(english(4), seed=0, dev_share=dev, test_share=test)


@given(count=st.integers(0, 30), n=st.integers(0, 40), seed=st.integers())
def test_a_sample_is_drawn_once_each_and_in_order(count: int, n: int, seed: int) -> None:
    turns = english(count)[:count]
    sample = sample_turns(turns, n, seed)
    assert len(sample) == min(n, count)
    positions = [turns.index(one) for one in sample]
    assert positions == sorted(set(positions))
    assert sample == sample_turns(turns, n, seed)


def test_samples_differ_by_seed_and_refuse_negative_sizes() -> None:
    turns = english(20)
    assert sample_turns(turns, 5, 1) != sample_turns(turns, 5, 2)
    with pytest.raises(ConfigError):
        sample_turns(turns, -1, 0)
