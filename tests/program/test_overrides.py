import pytest

from data.errors import ConfigError
from program.overrides import with_overrides
from program.settings import Settings, Term


def test_values_are_read_as_yaml_and_applied_in_order() -> None:
    made = with_overrides(
        Settings(),
        [
            "expand.hyde=true",
            "expand.multi_query=3",
            "rewrite.scene=你是客服: 家电",
            "gate.words.greeting=[嗨喽, yo]",
            "k=7",
            "k=8",
            "terms=[{says: 本本, means: [笔记本电脑]}]",
            "guard.drift={an/embedder: 0.8}",
        ],
    )
    assert (made.expand.hyde, made.expand.multi_query, made.k) == (True, 3, 8)
    assert made.gate.words.greeting == ("嗨喽", "yo")
    assert made.terms == (Term(says="本本", means=("笔记本电脑",)),)
    assert made.guard.drift == {"an/embedder": 0.8}
    assert made.rewrite.scene == "你是客服: 家电"


@pytest.mark.parametrize(
    ("assignment", "said"),
    [
        ("expand.hyde", "expected NAME=VALUE"),
        ("expand.hide=true", "'expand.hide' is no setting; did you mean expand.hyde"),
        ("hyde=true", "is no setting; did you mean expand.hyde"),
        ("expand.hyde.deep=1", "is no setting"),
        ("zzzz=1", "docs/settings.md lists them all"),
        ("fusion.vector_share=2", "less than or equal to 1"),
        ("k=[", "no YAML"),
        ("fusion.strategy=best", "'best_relative'"),
    ],
)
def test_a_mistake_is_one_clear_line(assignment: str, said: str) -> None:
    with pytest.raises(ConfigError, match="(?s)" + said.replace("[", r"\[")) as caught:
        with_overrides(Settings(), [assignment])
    assert "\n" not in str(caught.value)


def test_nothing_else_changes() -> None:
    assert with_overrides(Settings(), []) == Settings()
    assert with_overrides(Settings(), ["k=7"]).model_dump(exclude={"k"}) == Settings().model_dump(exclude={"k"})
