"""A tiny labelled set in both languages, and a model that resolves references as the prompt's own field tells it."""

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

_DEVICES = {
    "zh": [
        "青榕 A1 台灯",
        "白鹭 B2 音箱",
        "赤松 C3 水壶",
        "墨竹 D4 风扇",
        "银杏 E5 烤箱",
        "苍耳 F6 耳机",
        "丹枫 G7 相机",
        "紫藤 H8 门锁",
        "碧螺 J9 手表",
        "玄武 K1 音响",
        "朱雀 L2 冰箱",
        "黄杨 M3 键盘",
    ],
    "en": [
        "Alder L1 lamp",
        "Briar S2 speaker",
        "Cedar K3 kettle",
        "Dunlin F4 fan",
        "Elder O5 oven",
        "Finch H6 headset",
        "Gorse C7 camera",
        "Heron D8 lock",
        "Ivory W9 watch",
        "Jasper R1 radio",
        "Kelp F2 fridge",
        "Laurel B3 keyboard",
    ],
}
_SECTIONS = {
    "zh": {"保修": "{0} 的保修期为 {1} 个月，凭发票办理。", "清洁": "{0} 每 {1} 天擦拭一次，不要用酒精。"},
    "en": {
        "Warranty": "The {0} has a warranty of {1} months with the receipt.",
        "Cleaning": "Wipe the {0} every {1} days, no alcohol.",
    },
}
_FOLLOW_UP = {
    "zh": {"保修": "它的保修期多久", "清洁": "那清洁呢"},
    "en": {"Warranty": "how long is its warranty?", "Cleaning": "and cleaning?"},
}
_FIRST = {"zh": "{0} 怎么样", "en": "Tell me about the {0}"}
_GOLD = {
    "zh": {"保修": "{0} 的保修期多久", "清洁": "{0} 的清洁"},
    "en": {"Warranty": "How long is the warranty of the {0}?", "Cleaning": "{0} cleaning"},
}


def _rows() -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    passages, turns = [], []
    for language, devices in _DEVICES.items():
        for number, device in enumerate(devices, start=1):
            ids = []
            for section, text in _SECTIONS[language].items():
                ids.append(f"{language}-{number}-{len(ids)}")
                body = text.format(device, 5 + number)
                source = f"{language}-{number}"
                passages.append(
                    {"id": ids[-1], "title": f"{device} › {section}", "text": body, "metadata": {"source": source}}
                )
            opening = _FIRST[language].format(device)
            history = [
                {"role": "user", "content": opening},
                {"role": "assistant", "content": "好的。" if language == "zh" else "Sure."},
            ]
            common = {"conversation_id": f"{language}-{number}", "metadata": {"language": language}}
            turns.append(
                common
                | {
                    "id": f"{language}-{number}:1",
                    "turn": 1,
                    "query": opening,
                    "gold_rewrite": opening,
                    "relevant_ids": ids,
                }
            )
            for place, (section, query) in enumerate(_FOLLOW_UP[language].items()):
                row = {"id": f"{language}-{number}:{place + 2}", "turn": place + 2, "history": history, "query": query}
                gold = _GOLD[language][section].format(device)
                turns.append(common | row | {"gold_rewrite": gold, "relevant_ids": [ids[place]]})
    return passages, turns


@pytest.fixture
def tiny_data(tmp_path: Path) -> Path:
    """A data folder: 48 passages, 24 conversations of three turns, half Chinese, half English."""
    folder = tmp_path / "tiny"
    folder.mkdir()
    for name, rows in zip(("corpus", "turns"), _rows(), strict=True):
        (folder / f"{name}.jsonl").write_text(
            "\n".join(json.dumps(row, ensure_ascii=False) for row in rows), encoding="utf-8"
        )
    return folder


@pytest.fixture
def resolving() -> Callable[[str], str]:
    """A reply for ``scripted_lm``: the first name of the prompt's last ``entities`` line before the last query."""

    def reply(prompt: str) -> str:
        asked = prompt.rpartition("[user]")[2]
        name = re.search(r"^entities: ([^;\n]+)", asked, re.MULTILINE)
        query = re.search(r"^query: (.*)$", asked, re.MULTILINE)
        return f"{name.group(1)} {query.group(1)}" if name and query else "ok"

    return reply
