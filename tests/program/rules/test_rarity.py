from data.records import Passage
from program.rules.gazetteer import Gazetteer
from program.rules.rarity import RAREST, frequent_words


def test_each_level_halves_the_share_and_the_rarest_are_not_kept() -> None:
    texts = [f"cats and dogs {'birds' if i % 4 == 0 else ''} {'猫头鹰' if i % 2 else ''} w{i}x" for i in range(256)]
    levels = frequent_words(texts)
    assert len(levels) == RAREST
    assert levels[0] == ("cat", "dog")
    assert "猫头鹰" in levels[1]
    assert levels[2] == ("bird",)
    assert not any("w7x" in level for level in levels)


def test_no_texts_make_no_levels_and_every_word_rarest() -> None:
    assert frequent_words([]) == ()
    assert Gazetteer().rarity("anything") == RAREST


def test_gazetteer_keeps_rarities_through_json() -> None:
    gazetteer = Gazetteer.from_passages([Passage(id=str(i), text="cats" if i else "dogs") for i in range(8)])
    copy = Gazetteer.from_json(gazetteer.to_json())
    assert (copy.rarity("cat"), copy.rarity("dogs"), copy.rarity("owl")) == (0, 3, RAREST)
