"""The demos most like the turn at hand, chosen at each turn by the words they share (kNN demo selection, Liu et al. 2022, arXiv:2101.06804).

Words, not vectors: the program then needs no index of its own and is saved as plain text.
"""

import math
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

_WORD = re.compile(r"[a-z0-9]+(?:['’][a-z]+)?|[\u3400-\u9fff]+")
_FIELDS = {"query": 1.0, "history": 0.3}
"""The fields compared, with their weight: how something is asked tells more of what its rewrite needs than what was talked about."""


def nearest_demos(demos: Sequence[Any], inputs: Mapping[str, Any], k: int | None) -> list[Any]:
    """Return the ``k`` demos nearest to ``inputs``, the nearest last, where a model minds it most; all, in their order, without ``k``.

    Near is the cosine of words (English) and of single and paired characters (Chinese), each weighted by how rare it is among the demos,
    in the fields ``query`` and, counting less, ``history``. Of equally near ones the earlier is taken. Deterministic; no cost to speak of
    up to some hundreds of demos.

    Args:
        demos: Mappings with the signature's fields; a field that one lacks counts as empty.
        inputs: The fields of the turn.
        k: Demos to show, 0 or more.

    Raises:
        ValueError: ``k`` is negative.
    """
    if k is None:
        return list(demos)
    if k < 0:
        raise ValueError(f"k is {k}: expected 0 or more")
    scores = [0.0] * len(demos)
    for name, weight in _FIELDS.items():
        cut = [_units(str(demo.get(name) or "")) for demo in demos]
        among = Counter(unit for units in cut for unit in set(units))
        rarity = {unit: math.log(1 + len(demos) / count) for unit, count in among.items()}
        asked = _weighted(_units(str(inputs.get(name) or "")), rarity)
        for place, units in enumerate(cut):
            scores[place] += weight * _cosine(asked, _weighted(units, rarity))
    nearest = sorted(range(len(demos)), key=lambda place: (-scores[place], place))[:k]
    return [demos[place] for place in reversed(nearest)]


def _units(text: str) -> list[str]:
    units: list[str] = []
    for run in _WORD.findall(text.lower()):
        chinese = run[0] >= "\u3400"
        units += [*run, *(run[at : at + 2] for at in range(len(run) - 1))] if chinese else [run]
    return units


def _weighted(units: Sequence[str], rarity: Mapping[str, float]) -> dict[str, float]:
    # Sorted: sums of floats depend on their order.
    return {unit: rarity[unit] for unit in sorted(set(units)) if unit in rarity}


def _cosine(first: Mapping[str, float], second: Mapping[str, float]) -> float:
    shared = sum(weight * second[unit] for unit, weight in first.items() if unit in second)
    lengths = math.sqrt(sum(weight**2 for weight in first.values()) * sum(weight**2 for weight in second.values()))
    return shared / lengths if lengths else 0.0
