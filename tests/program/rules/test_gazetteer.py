import pickle

import pytest
from hypothesis import given
from hypothesis import strategies as st

from data.records import Passage
from program.rules.gazetteer import Gazetteer, Mention


def corpus(*titles: str, text: str = "text") -> list[Passage]:
    return [Passage(id=str(index), title=title, text=text) for index, title in enumerate(titles)]


DEVICES = corpus(
    "Orla 30 Toaster › Warranty",
    "Orla 30 Toaster › Cleaning",
    "Orla 30S Toaster › Warranty",
    "Orla 30S Toaster › Cleaning",
    "墨溪 K3 打印机手册 › 保修",
    "墨溪 K3 打印机手册 › 清洁",
    "墨溪 K3 Pro 一体机手册 › 保修",
    "墨溪 K3 Pro 一体机手册 › 清洁",
)


def found(gazetteer: Gazetteer, text: str) -> list[str]:
    return [mention.term for mention in gazetteer.find(text)]


def test_sections_that_many_documents_share_are_no_entities() -> None:
    gazetteer = Gazetteer.from_passages(DEVICES)
    assert gazetteer.terms == ("Orla 30 Toaster", "Orla 30S Toaster", "墨溪 K3 打印机", "墨溪 K3 Pro 一体机")
    assert {"Warranty", "Cleaning", "保修", "清洁"} <= set(gazetteer.sections)


def test_an_umbrella_over_entities_is_neither() -> None:
    titles = (
        "Cloud Plans › Brook › Price",
        "Cloud Plans › Brook › Limits",
        "Cloud Plans › Dale › Price",
        "Cloud Plans › Dale › Limits",
    )
    assert Gazetteer.from_passages(corpus(*titles)).terms == ("Brook", "Dale")


def test_the_kind_of_document_is_no_part_of_the_name() -> None:
    assert Gazetteer.from_passages(corpus("Garden Leave Policy", "产假管理办法")).terms == ("Garden Leave", "产假")


@pytest.mark.parametrize(
    ("text", "term"),
    [
        ("is the orla 30 safe?", "Orla 30 Toaster"),
        ("and the 30S?", "Orla 30S Toaster"),
        ("K3怎么清洁", "墨溪 K3 打印机"),
        ("墨溪K3打印机怎么清洁", "墨溪 K3 打印机"),
        ("K3 Pro 一体机怎么清洁", "墨溪 K3 Pro 一体机"),
    ],
)
def test_short_forms_find_the_right_relative(text: str, term: str) -> None:
    assert found(Gazetteer.from_passages(DEVICES), text) == [term]


def test_a_form_two_entities_share_names_neither() -> None:
    gazetteer = Gazetteer.from_passages(corpus("Pine A2 Lamp", "Pine B7 Lamp"))
    assert found(gazetteer, "the Pine lamp") == []


def test_a_form_belongs_to_the_name_that_all_others_extend() -> None:
    plain = corpus("Pine A2 Lamp", "Pine A2 Max Lamp")
    assert found(Gazetteer.from_passages(plain), "the Pine A2") == ["Pine A2 Lamp"]
    assert found(Gazetteer.from_passages([*plain, *corpus("Pine A2 Battery Case")]), "the Pine A2") == []


def test_latin_names_are_whole_words_and_chinese_ones_may_touch() -> None:
    gazetteer = Gazetteer(terms=("Thistle", "鸟屿馆"))
    assert found(gazetteer, "this thistledown") == []
    assert found(gazetteer, "去鸟屿馆看thistle花") == ["鸟屿馆", "Thistle"]


def test_longest_name_wins() -> None:
    gazetteer = Gazetteer(terms=("Brook", "Brook Plus", "云山", "云山书院"))
    assert gazetteer.find("Brook Plus、云山书院") == [Mention("Brook Plus", 0, 10), Mention("云山书院", 11, 15)]


def test_brackets_and_family_differences_give_short_forms() -> None:
    gazetteer = Gazetteer.from_passages(corpus("鸟屿馆（东区）", "云舟标准版套餐", "云舟家庭版套餐"))
    assert found(gazetteer, "鸟屿馆和家庭版") == ["鸟屿馆（东区）", "云舟家庭版套餐"]


def test_first_name_of_another_person_is_no_mention() -> None:
    gazetteer = Gazetteer(terms=("Ada Marsh",), aliases=(("Ada", "Ada Marsh"),))
    assert found(gazetteer, "then Ada left") == ["Ada Marsh"]
    assert found(gazetteer, "then Ada Reed left") == []


def test_key_word_needs_the_corpus_to_use_it_for_one_entity_only() -> None:
    passages = [
        Passage(id="1", title="Sabbatical Leave › Pay", text="A sabbatical is paid."),
        Passage(id="2", title="Sabbatical Leave › Form", text="Ask for a sabbatical with form S."),
        Passage(id="3", title="Yearly Leave › Pay", text="The yearly leave is paid."),
        Passage(id="4", title="Yearly Leave › Form", text="Yearly leave needs no form."),
        Passage(id="5", title="Travel Costs › Form", text="A yearly form. Yearly limits."),
        Passage(id="6", title="Travel Costs › Pay", text="Paid yearly."),
    ]
    gazetteer = Gazetteer.from_passages(passages)
    assert found(gazetteer, "may I take a sabbatical") == ["Sabbatical Leave"]
    assert found(gazetteer, "is there a yearly limit") == []


def test_extra_terms_and_metadata_names_count_blank_ones_do_not() -> None:
    passages = [Passage(id="1", text="x", metadata={"product": "Fenlight"})]
    assert Gazetteer.from_passages(passages, ["云镜", " "]).terms == ("Fenlight", "云镜")


def test_survives_json_and_pickle() -> None:
    gazetteer = Gazetteer.from_passages(DEVICES)
    for copy in (Gazetteer.from_json(gazetteer.to_json()), pickle.loads(pickle.dumps(gazetteer))):
        assert copy == gazetteer
        assert found(copy, "Orla 30S 和 K3") == ["Orla 30S Toaster", "墨溪 K3 打印机"]


@given(st.text(max_size=200))
def test_mentions_never_overlap_and_lie_inside_any_text(text: str) -> None:
    end = 0
    for mention in Gazetteer.from_passages(DEVICES).find(text + " Orla 30S K3 " + text):
        assert end <= mention.start < mention.end
        end = mention.end
    assert end


def test_text_whose_lower_case_is_longer_keeps_positions() -> None:
    text = "İİ Orla 30"
    (mention,) = Gazetteer.from_passages(DEVICES).find(text)
    assert text[mention.start : mention.end] == "Orla 30"
