"""A Chinese text that goes on in English, an English one that goes on in Chinese; names and what was said may stand."""

import pytest

from program.guard import Context, refuse_part
from program.guard.language import refuse_language
from program.settings import GuardSettings


@pytest.mark.parametrize(
    ("query", "text"),
    [
        ("电梯多久保养一次", "电梯的保养 is usually carried out by a certified contractor at regular intervals."),
        ("电梯多久保养一次", "电梯保养周期：please refer to the general guidelines and best practices."),
        ("电梯多久保养一次", "电梯保养 maintenance schedule requirements overview policy"),
        ("how often is the lift serviced?", "the lift 通常由持证单位定期保养，每半个月一次"),
        ("how often is the lift serviced?", "lift service interval 电梯保养周期"),
    ],
)
def test_a_text_half_in_the_other_language_is_refused(query: str, text: str) -> None:
    for reason in (refuse_language(text, Context(query=query, history="")), refuse_part(text, query, GuardSettings())):
        assert reason is not None
        assert reason.startswith("language")


@pytest.mark.parametrize(
    ("query", "history", "text"),
    [
        ("指环王多长", "", "指环王 The Lord of the Rings 电影多长"),
        ("怎么配置SDK", "", "Python SDK 的 API key 怎么配置"),
        ("怎么做深度学习", "", "怎么做深度学习 deep learning 模型训练"),
        (
            "这个错误怎么解决",
            "connection to the server was lost after login",
            "connection to the server was lost after login 错误怎么解决",
        ),
        ("does it have a free plan?", "云匣", "does 云匣 have a free plan?"),
    ],
)
def test_names_and_what_was_said_may_stand(query: str, history: str, text: str) -> None:
    assert refuse_language(text, Context(query=query, history=history)) is None
