import dspy
import pytest

from program.ask import ask
from program.trace import Step
from signatures.step_back import StepBack


def step() -> Step:
    return Step(stage="step_back")


def test_without_a_model_the_step_is_skipped() -> None:
    one = step()
    assert ask(dspy.Predict(StepBack), "step_back", one, query="灯多少钱") is None
    assert (one.status, one.reason, one.lm_calls) == ("skipped", "no language model", 0)


def test_calls_and_tokens_are_counted(scripted_lm) -> None:
    one = step()
    with dspy.context(lm=scripted_lm("台灯价格")):
        assert ask(dspy.Predict(StepBack), "step_back", one, query="灯多少钱") == "台灯价格"
    assert one.lm_calls == 1
    assert one.lm_tokens > 10


def test_an_answer_from_the_cache_costs_a_call_and_no_tokens(scripted_lm) -> None:
    lm, first, second = scripted_lm("台灯价格", cache=True), step(), step()
    with dspy.context(lm=lm):
        for one in (first, second):
            assert ask(dspy.Predict(StepBack), "step_back", one, query="灯多少钱") == "台灯价格"
    assert len(lm.script.prompts) == 1
    assert (first.lm_tokens > 0, second.lm_tokens) == (True, 0)


def test_another_prompt_is_another_cache_entry(scripted_lm) -> None:
    lm = scripted_lm("台灯价格", "灯具价格", cache=True)
    predict, changed = dspy.Predict(StepBack), dspy.Predict(StepBack.with_instructions("Ask something general."))
    with dspy.context(lm=lm):
        assert ask(predict, "step_back", step(), query="灯多少钱") == "台灯价格"
        assert ask(changed, "step_back", step(), query="灯多少钱") == "灯具价格"


def test_a_failed_call_is_counted_and_raised(scripted_lm) -> None:
    one = step()
    with dspy.context(lm=scripted_lm(ConnectionError("down"))), pytest.raises(Exception, match="down"):
        ask(dspy.Predict(StepBack), "step_back", one, query="灯多少钱")
    assert one.lm_calls == 1


def test_the_signatures_own_model_comes_first_then_the_predictors_then_the_general_one(scripted_lm) -> None:
    of_signature, of_predictor, general = scripted_lm("1"), scripted_lm("2"), scripted_lm("3")
    predict = dspy.Predict(StepBack)
    with dspy.context(lm=general):
        assert ask(predict, "step_back", step(), query="灯") == "3"
        predict.lm = of_predictor
        assert ask(predict, "step_back", step(), query="灯") == "2"
        with dspy.context(lms={"step_back": of_signature, "coreference": general}):
            assert ask(predict, "step_back", step(), query="灯") == "1"


def test_nothing_a_user_said_stays_in_the_module(scripted_lm) -> None:
    predict = dspy.Predict(StepBack)
    with dspy.context(lm=scripted_lm("台灯价格")):
        ask(predict, "step_back", step(), query="我的秘密")
    assert "秘密" not in str(vars(predict))
