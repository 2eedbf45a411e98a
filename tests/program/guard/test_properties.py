"""What holds for any text: a question is its own rewrite, and nothing raises."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from program.guard import Context, refuse, refuse_part
from program.guard.checks import CHECKS
from program.rules.gazetteer import Gazetteer
from program.settings import GuardSettings

CORPUS = Gazetteer(
    terms=("暖汐台灯", "晨星 K2 路由器", "Brindle kettle", "Tide Plus"), aliases=(("K2", "晨星 K2 路由器"),)
)
PIECES = [
    *re.findall(
        r"\S+",
        "暖汐台灯 K2 它 那个 的 呢 吗 保修多久 不带 三天 3天 上周 周末 一月 和 比 第二个 除了 “月白” Brindle kettle Tide TIDE it its the one "
        "how long is not without last week March 5th compare VMs Ada Reed WF-200 yes, 好的， ? ？ 。 . 20kg ß İ ﬁ 😀 ３ х",
    ),
    "\n",
]
TEXT = st.lists(st.sampled_from(PIECES), max_size=12).flatmap(
    lambda pieces: st.sampled_from([" ".join(pieces), "".join(pieces)])
)
ANY = st.one_of(TEXT, st.text(max_size=60))
CHECK = [check for checks in CHECKS.values() for check in checks]


@pytest.mark.parametrize("check", CHECK, ids=lambda check: check.__name__)
@given(query=TEXT, history=TEXT, asked=st.booleans())
def test_every_question_is_its_own_rewrite(check, query: str, history: str, asked: bool) -> None:  # type: ignore[no-untyped-def]
    assert check(query, Context(query=query, history=history, assistant_asked=asked, gazetteer=CORPUS)) is None


@given(rewrite=ANY, query=ANY, history=ANY, asked=st.booleans())
def test_nothing_raises_and_a_reason_names_its_guard(rewrite: str, query: str, history: str, asked: bool) -> None:
    context = Context(query=query, history=history, assistant_asked=asked, gazetteer=CORPUS)
    reason = refuse(rewrite, context, GuardSettings())
    known = (
        "empty",
        "too long",
        "language: ",
        "answer: ",
        "numbers: ",
        "dates: ",
        "negation: ",
        "entities: ",
        "old topic: ",
    )
    assert reason is None or reason.startswith(known)
    refuse_part(rewrite, query, GuardSettings())


@given(query=TEXT.filter(str.strip))
def test_a_question_passes_unchanged_whatever_its_spaces(query: str) -> None:
    assert (
        refuse(f" {query} ", Context(query=query, history="用户: 暖汐台灯", gazetteer=CORPUS), GuardSettings()) is None
    )


@pytest.mark.parametrize("switch", CHECKS)
def test_every_check_has_a_switch(switch: str) -> None:
    assert getattr(GuardSettings(), switch) is True
