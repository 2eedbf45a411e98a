"""From chat logs to turns: citations become labels, everything else waits for a person, and nothing is lost or invented."""

import json
import stat
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from data.errors import DataError
from data.from_logs import QUEUE_FILE, LogReport, from_logs
from data.load import load_turns
from data.records import Turn

Chat = list[dict[str, Any]]
CHATS: dict[str, Chat] = {
    "zh": [
        {"role": "system", "content": "你是客服。"},
        {"role": "user", "content": "你好"},
        {"role": "assistant", "content": "您好！"},
        {"role": "user", "content": "润谷 H2 怎么清洗"},
        {"role": "assistant", "content": "每周除垢一次。", "sources": ["h2-clean"]},
        {"role": "user", "content": "它的保修期多久"},
        {"role": "assistant", "content": None, "tool_calls": [{"id": "1"}]},
        {"role": "tool", "content": "{}"},
        {"role": "assistant", "content": "两年。", "citations": [{"id": "h2-warranty", "score": 0.9}, {"id": 7}]},
        {"role": "user", "content": "谢谢"},
    ],
    "en": [
        {"role": "user", "content": "hi"},
        {"role": "assistant", "content": "Hello!"},
        {"role": "user", "content": [{"type": "text", "text": "How do I set up the Aria?"}, {"type": "image_url"}]},
        {"role": "assistant", "content": "Fill the tank.", "sources": ["h2-clean"]},
        {"role": "user", "content": "and its warranty?"},
        {"role": "assistant", "content": "Two years.", "sources": ["h2-warranty", "7", "h2-warranty"]},
        {"role": "user", "content": "thanks"},
    ],
}


@pytest.fixture
def run(tmp_path: Path) -> Callable[..., tuple[LogReport, list[Turn], list[Turn]]]:
    """Write lines to a log and convert it: the report, the labelled turns, and the queue."""

    def call(*lines: Any, corpus: Path | None = None, end: str = "\n") -> tuple[LogReport, list[Turn], list[Turn]]:
        logs = tmp_path / "logs.jsonl"
        texts = [line if isinstance(line, str) else json.dumps(line, ensure_ascii=False) for line in lines]
        logs.write_text("\n".join(texts) + end, encoding="utf-8")
        report = from_logs(logs, tmp_path / "out", corpus=corpus)
        files = [tmp_path / "out" / name for name in ("turns.jsonl", QUEUE_FILE)]
        labelled, queue = (load_turns(file) if file.exists() else [] for file in files)
        return report, labelled, queue

    return call


Run = Callable[..., tuple[LogReport, list[Turn], list[Turn]]]


@pytest.mark.parametrize("language", ["zh", "en"])
def test_cited_answers_are_labels_and_the_rest_waits(run: Run, language: str) -> None:
    report, labelled, queue = run({"conversation_id": "c1", "messages": CHATS[language], "user": "someone"})
    assert [turn.id for turn in labelled] == ["c1:2", "c1:3"]
    assert [turn.relevant_ids for turn in labelled] == [("h2-clean",), ("h2-warranty", "7")]
    # Greetings and thanks stay: whether a message is one is not ours to say.
    assert [turn.id for turn in queue] == ["c1:1", "c1:4"]
    assert all(turn.relevant_ids == () and turn.answerable is None for turn in queue)
    assert (report.conversations, report.labelled, report.to_label) == (1, 2, 2)
    follow_up = labelled[1]
    assert [said.role for said in follow_up.history] == ["user", "assistant", "user", "assistant"]
    assert follow_up.language == language
    assert labelled[0].query in ("润谷 H2 怎么清洗", "How do I set up the Aria?")


def test_what_was_cited_must_be_in_the_corpus(run: Run, tmp_path: Path) -> None:
    corpus = tmp_path / "passages.jsonl"
    corpus.write_text(json.dumps({"id": "h2-clean", "text": "每周除垢。", "title": "H2", "metadata": {"source": "h2"}}))
    report, labelled, queue = run({"id": "c1", "messages": CHATS["zh"]}, corpus=corpus)
    assert [turn.id for turn in labelled] == ["c1:2"]
    waiting = next(turn for turn in queue if turn.id == "c1:3")
    assert waiting.metadata["cited_ids"] == ["h2-warranty", "7"]
    assert report.unknown_sources == 2
    assert json.loads((tmp_path / "out/corpus.jsonl").read_text())["metadata"] == {"source": "h2"}


def test_lines_of_our_own_log_all_wait(run: Run) -> None:
    def line(query: str, rewritten: str, conversation: str | None) -> dict[str, Any]:
        return {
            "schema_version": 1,
            "conversation_id": conversation,
            "query": query,
            "rewritten": rewritten,
            "queries": [],
        }

    report, labelled, queue = run(
        line("H2 怎么清洗", "H2 怎么清洗", "c1"),
        line("and its warranty?", "Aria warranty", None),
        line("保修呢", "H2 保修", "c1"),
        line("and its warranty?", "Aria warranty", None),
    )
    assert labelled == []
    assert (report.to_label, report.conversations) == (4, 3)
    second = next(turn for turn in queue if turn.id == "c1:2")
    assert [said.content for said in second.history] == ["H2 怎么清洗"]
    assert second.metadata["machine_rewrite"] == "H2 保修"
    assert second.gold_rewrite is None


def test_snapshots_of_a_growing_conversation_count_once(run: Run) -> None:
    chat = CHATS["en"]
    report, labelled, queue = run(*({"id": "c", "messages": chat[:size]} for size in (2, 7, 4)))
    assert (len(labelled), len(queue)) == (2, 2)
    assert report.left_out == {"earlier or equal copies of a conversation": 2}


def test_conversations_without_an_id_get_a_stable_one(run: Run, tmp_path: Path) -> None:
    _, first, _ = run({"messages": CHATS["en"]}, {"messages": CHATS["zh"]})
    (tmp_path / "out").rename(tmp_path / "before")
    _, second, _ = run({"messages": CHATS["zh"]}, {"messages": CHATS["en"]})
    assert {turn.id for turn in first} == {turn.id for turn in second}
    assert len({turn.conversation_id for turn in first}) == 2


def test_every_bad_line_is_named_and_nothing_written(run: Run, tmp_path: Path) -> None:
    with pytest.raises(DataError) as caught:
        run(
            {"id": "c", "messages": [{"role": "robot", "content": "x"}, {"role": "user", "content": 3}]},
            "{broken",
            {"id": "d", "messages": [{"role": "assistant", "content": "x", "sources": [None]}]},
            {"id": "e"},
            {"id": "f", "messages": [{"role": "user", "content": "a"}]},
            {"id": "f", "messages": [{"role": "user", "content": "b"}]},
        )
    lines = str(caught.value).split("\n")
    assert [line.split(" ", 1)[0] for line in lines] == [f"logs.jsonl:{number}:" for number in (1, 1, 2, 3, 4, 6)]
    assert "messages.0.role: expected user, assistant" in lines[0]
    assert 'messages.0.sources: expected a list of passage ids, or of objects with an "id", got [null]' in lines[3]
    assert sorted(one.name for one in tmp_path.iterdir() if one.name != "logs.jsonl") == []


@pytest.mark.parametrize("cut", ['{"id": "d", "mess', '{"id": "d"'])
def test_a_last_line_that_was_cut_short_is_left_out(run: Run, cut: str) -> None:
    good = {"id": "c", "messages": CHATS["zh"]}
    report, _, _ = run(good, cut, end="")
    assert report.left_out == {"a last line that was cut short": 1}


def test_only_the_last_line_may_be_cut(run: Run) -> None:
    with pytest.raises(DataError, match=r"logs.jsonl:1: expected JSON"):
        run('{"id": "d"', {"id": "c", "messages": CHATS["zh"]}, end="")


def test_a_message_that_is_only_an_image_is_no_turn(run: Run) -> None:
    image = {"role": "user", "content": [{"type": "image_url", "image_url": {"url": "data:"}}], "sources": ["p"]}
    report, _, queue = run({"id": "c", "messages": [image, {"role": "user", "content": "what is this?"}]})
    assert [turn.query for turn in queue] == ["what is this?"]
    assert report.left_out == {"messages of the user without text": 1}


def test_the_folder_is_its_owners_alone(run: Run, tmp_path: Path) -> None:
    run({"id": "c", "messages": CHATS["en"]})
    assert stat.S_IMODE((tmp_path / "out").stat().st_mode) == 0o700


@given(
    st.lists(
        st.tuples(
            st.sampled_from(["user", "assistant", "tool"]),
            st.text("问答 ab?", max_size=4),
            st.lists(st.sampled_from("pqr")),
        ),
        min_size=1,
        max_size=8,
    )
)
def test_every_message_of_the_user_is_a_turn_once(
    tmp_path_factory: pytest.TempPathFactory, chat: list[tuple[str, str, list[str]]]
) -> None:
    folder = tmp_path_factory.mktemp("logs")
    messages = [
        {"role": role, "content": content} | ({"sources": sources} if role == "assistant" else {})
        for role, content, sources in chat
    ]
    (folder / "logs.jsonl").write_text(json.dumps({"id": "c", "messages": messages}))
    asked = [content.strip() for role, content, _ in chat if role == "user" and content.strip()]
    if not asked:
        with pytest.raises(DataError, match="expected turns"):
            from_logs(folder / "logs.jsonl", folder / "out")
        return
    from_logs(folder / "logs.jsonl", folder / "out")
    files = [folder / "out" / name for name in ("turns.jsonl", QUEUE_FILE)]
    turns = [turn for file in files if file.exists() for turn in load_turns(file)]
    assert [turn.query for turn in sorted(turns, key=lambda turn: turn.turn)] == asked
    assert all(bool(turn.relevant_ids) == (turn.answerable is True) for turn in turns)
