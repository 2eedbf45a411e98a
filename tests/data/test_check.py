from data.check import MissingLabels, check_labels
from data.records import Passage, Turn

PASSAGES = [Passage(id="p1", text="保修两年"), Passage(id="p2", text="Two years")]


def turn(name: str, *relevant_ids: str) -> Turn:
    return Turn(id=name, conversation_id="c", turn=1, query="多久?", relevant_ids=relevant_ids)


def test_each_turn_stands_in_exactly_one_place() -> None:
    turns = [turn("good", "p1", "p2"), turn("bare"), turn("half", "p9", "p1", "p7"), turn("lost", "p9")]
    report = check_labels(PASSAGES, turns)
    assert report.scorable == (turns[0],)
    assert report.unlabelled == ("bare",)
    assert report.missing == (
        MissingLabels(turn_id="half", passage_ids=("p9", "p7")),
        MissingLabels(turn_id="lost", passage_ids=("p9",)),
    )
    assert report.missing_ids == ("p7", "p9")
    assert str(report) == (
        "1 of 4 turns can be scored\n1 without relevant_ids\n2 with passages the corpus lacks: p7, p9"
    )


def test_a_clean_set_says_nothing_more() -> None:
    assert str(check_labels(PASSAGES, [turn("good", "p1")])) == "1 of 1 turns can be scored"
