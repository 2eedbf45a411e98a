import subprocess

import dspy
import pytest
from dspy.utils.exceptions import LMError
from dspy.utils.usage_tracker import track_usage

from experiments.bench.answers import AnswerLog, folder_for_answers, recorded


@pytest.fixture
def path(tmp_path):
    return tmp_path / "answers.jsonl"


def ask(lm, path, prompt="竹影加湿器保修？", **options):
    """Ask as a new run would: ``(answer, total tokens, milliseconds saved)``."""
    log = AnswerLog(lm, path)
    with track_usage() as usage:
        (text,) = recorded(lm, log)(prompt, **options)
    tokens = sum(row["total_tokens"] for row in usage.get_total_tokens().values())
    return text, tokens, log.take_saved_ms()


def test_a_second_run_asks_nothing_and_reports_the_cost_of_the_first(scripted, path):
    lm, engine = scripted(lambda prompt: prompt[::-1])

    first, again = ask(lm, path), ask(lm, path)

    assert engine.calls == 1
    assert first[0] == again[0] == "？修保器湿加影竹"
    assert first[1] == again[1] == 50  # counted once, though two models stand in line
    assert first[2] == 0
    assert again[2] > 0


def test_saved_time_is_taken_once(scripted, path):
    lm, _ = scripted(lambda _: "x")
    ask(lm, path)
    log = AnswerLog(lm, path)
    recorded(lm, log)("竹影加湿器保修？")

    assert log.take_saved_ms() > 0
    assert log.take_saved_ms() == 0


@pytest.mark.parametrize("other", [{"prompt": "y"}, {"temperature": 0.5}, {"max_tokens": 7}])
def test_anything_else_that_is_asked_is_another_question(scripted, path, other):
    lm, engine = scripted(lambda _: "x")

    ask(lm, path)
    ask(lm, path, **other)

    assert engine.calls == 2


def test_dspys_own_cache_is_not_asked(scripted, tmp_path):
    lm, engine = scripted(lambda _: "x")

    ask(lm, tmp_path / "one.jsonl", prompt="a question for test_dspys_own_cache")
    ask(lm, tmp_path / "two.jsonl", prompt="a question for test_dspys_own_cache")

    assert engine.calls == 2


def test_a_failure_is_raised_and_not_kept(scripted, path):
    def broken(_prompt):
        raise ConnectionError("down")

    lm, engine = scripted(broken)
    with pytest.raises(LMError):
        ask(lm, path)
    engine.answer = lambda _: "up again"

    assert ask(lm, path)[0] == "up again"


def test_a_line_cut_short_costs_that_answer_and_no_other(scripted, path):
    lm, engine = scripted(lambda prompt: prompt)
    ask(lm, path, prompt="whole")
    ask(lm, path, prompt="cut")
    content = path.read_text(encoding="utf-8")
    path.write_text(content[:-15], encoding="utf-8")

    assert ask(lm, path, prompt="cut")[0] == "cut"
    assert engine.calls == 3
    assert ask(lm, path, prompt="cut")[2] > 0
    assert ask(lm, path, prompt="whole")[2] > 0
    assert engine.calls == 3


def test_git_ignores_the_answers(tmp_path):
    subprocess.run(["git", "init", "--quiet", str(tmp_path)], check=True)
    (folder_for_answers(tmp_path / "results") / "tiny.jsonl").write_text("model output", encoding="utf-8")

    status = subprocess.run(
        ["git", "-C", str(tmp_path), "status", "--porcelain", "--untracked-files=all"],
        check=True,
        capture_output=True,
        text=True,
    )

    assert status.stdout == ""


def test_the_kept_model_has_the_limits_of_the_real_one(scripted, path):
    lm, _ = scripted(lambda _: "x")

    kept = recorded(lm.copy(max_tokens=33), AnswerLog(lm, path))

    assert isinstance(kept, dspy.LM)
    assert (kept.model, kept.kwargs["temperature"], kept.kwargs["max_tokens"]) == ("fake/model", 0.0, 33)
