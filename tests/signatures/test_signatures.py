"""What every signature owes the small models that read it."""

import importlib
import pkgutil

import dspy
import pytest

import signatures
from program.language_model.plain_adapter import PlainAdapter

ALL = [
    value
    for module in pkgutil.iter_modules(signatures.__path__)
    for value in vars(importlib.import_module(f"signatures.{module.name}")).values()
    if isinstance(value, type) and issubclass(value, dspy.Signature) and value is not dspy.Signature
]


@pytest.mark.parametrize("signature", ALL, ids=lambda signature: signature.__name__)
def test_one_output_so_that_a_bare_completion_is_its_value(signature: type[dspy.Signature]) -> None:
    assert len(signature.output_fields) == 1
    ((name, value),) = PlainAdapter().parse(signature, "灯多少钱").items()
    assert (name, value) == (next(iter(signature.output_fields)), "灯多少钱")


@pytest.mark.parametrize("signature", ALL, ids=lambda signature: signature.__name__)
def test_instructions_are_short_and_the_same_whatever_is_asked(signature: type[dspy.Signature]) -> None:
    prompts = [
        PlainAdapter().format(signature, demos=[], inputs=dict.fromkeys(signature.input_fields, text))
        for text in ("灯多少钱", "How much is the lamp?")
    ]
    assert prompts[0][0] == prompts[1][0]
    # About 150 tokens: three seconds for the embedded model, once.
    assert len(signature.instructions) <= 640


@pytest.mark.parametrize("name", ["multi_query", "decomposition", "step_back", "hypothetical", "plan", "answer"])
def test_the_question_comes_last_and_history_may_be_left_out(name: str) -> None:
    (signature,) = [one for one in ALL if one.__module__ == f"signatures.{name}"]
    assert list(signature.input_fields)[-1] == "query"
    assert signature.input_fields["history"].default == ""
