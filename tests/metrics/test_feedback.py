"""What a writer of instructions is told of a turn."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from metrics.feedback import Rival, feedback, missed_ids, rival_ids

IDS = st.lists(st.sampled_from("abcdefgh"), max_size=9)


@pytest.mark.parametrize(
    ("relevant", "retrieved", "missed", "rivals"),
    [
        (("a",), ["a", "b"], (), ()),
        (("a",), ["b", "c"], ("a",), ("b", "c")),
        (("a", "b"), ["c", "a", "d"], ("b",), ("c", "d")),
        (("a",), ["b", "c", "d", "e", "f", "a"], ("a",), ("b", "c", "d", "e", "f")),
        (("a",), ["b", "b", "b", "b", "b", "a"], (), ()),
        (("a",), [], ("a",), ()),
    ],
    ids=["found", "missed", "one of two", "below the cut", "a duplicate takes no place", "nothing found"],
)
def test_what_is_missed_and_what_stands_there(
    relevant: tuple[str, ...], retrieved: list[str], missed: tuple[str, ...], rivals: tuple[str, ...]
) -> None:
    assert missed_ids(relevant, retrieved) == missed
    assert rival_ids(relevant, retrieved) == rivals


@given(IDS, IDS, st.integers(1, 9))
def test_no_passage_is_both_missed_and_a_rival(relevant: list[str], retrieved: list[str], k: int) -> None:
    missed, rivals = missed_ids(relevant, retrieved, k), rival_ids(relevant, retrieved, k)
    assert not set(missed) & set(rivals)
    assert set(missed) <= set(relevant)
    assert len(rivals) <= k
    assert len(set(missed)) == len(missed)


def test_a_cut_below_one_is_an_error() -> None:
    with pytest.raises(ValueError, match="k is 0"):
        missed_ids(["a"], ["a"], 0)


@pytest.mark.parametrize(
    ("query", "rewrite", "missed", "rival"),
    [
        ("它的保修期多久", "保修期多久", "青榕 A1 保修 12 个月", "白鹭 B2 保修 6 个月"),
        (
            "how long is its warranty?",
            "how long is the warranty?",
            "The Alder has 12 months.",
            "The Briar has 6 months.",
        ),
    ],
    ids=["zh", "en"],
)
def test_a_miss_names_the_passage_what_outranked_it_and_through_which_query(
    query: str, rewrite: str, missed: str, rival: str
) -> None:
    told = feedback(
        query=query, rewrite=rewrite, missed=[missed], rivals=[Rival(rival, query)], lost=["X1"], wanted="W"
    )
    assert f'"{rewrite}" leaves a relevant passage out' in told
    assert f"Missed: {missed}" in told
    assert f'{rival} (found by the query "{query}")' in told
    assert "leaves out what the question is about: X1." in told
    assert 'A person would write: "W".' in told


def test_names_that_nobody_said_and_a_refusal_are_told() -> None:
    told = feedback(query="q", rewrite="r Zeta", missed=[], invented=["Zeta"], refused="entities: Zeta was never said")
    assert "names what nobody has said: Zeta." in told
    assert "refused and not searched: entities: Zeta was never said." in told


def test_success_is_told_without_a_model_answer() -> None:
    told = feedback(query="q", rewrite="q", missed=[], wanted="something else")
    assert "is fine" in told
    assert "Leaving the question as it is was right here." in told
    assert "something else" not in told


@pytest.mark.parametrize("rewrite", [None, "", "  "])
def test_no_rewrite_is_said(rewrite: str | None) -> None:
    assert feedback(query="q", rewrite=rewrite, missed=["p"]).startswith("No rewrite was written")


@given(st.text(max_size=400), st.lists(st.text(max_size=400), max_size=9))
def test_it_stays_short_whatever_it_quotes(text: str, missed: list[str]) -> None:
    assert len(feedback(query=text, rewrite=text, missed=missed, rivals=[Rival(text, text)] * 9, wanted=text)) < 3000
