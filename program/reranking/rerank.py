"""Reranking: a second look at the best hits, by whatever can compare a passage with a question. Off by default."""

import re
from collections.abc import Callable, Sequence
from typing import Protocol

from program.reading.completion import bare
from program.reading.json_text import read_json
from program.reading.numbered import BRACKETED, NAMED, numbered, numbers_of
from program.reading.variants import variant_key
from program.result import FusedHit

PASSAGE_CHARACTERS = 200
"""What a language model sees of each passage, in Chinese characters: enough to tell what it is about, and twenty of them fit a prompt."""

_CHAIN = re.compile(r"\d{1,2}(?:\s*(?:>+|＞|≻|→|->)\s*\d{1,2})+")
_LIST = re.compile(r"^(?:[^\d\n]{0,30}[:：])?\s*(\d{1,2}(?:[\s,，、;；]+\d{1,2})*)\s*[.。]?\s*$", re.MULTILINE)
_RANKED = re.compile(r"^\s*\d{1,2}\s*[.):：、)]\s*\D{0,12}?(\d{1,2})\s*$", re.MULTILINE)
_LEADING = re.compile(r"^\s*(\d{1,2})\s*[.):：、)]\s*\S", re.MULTILINE)


class Reranker(Protocol):
    """Whatever puts hits in a better order. Shared by threads; holds no conversation."""

    def __call__(self, query: str, rewritten: str, hits: Sequence[FusedHit], /) -> Sequence[FusedHit]:
        """Return ``hits`` best first, their scores from 0 to 1.

        Args:
            query: What the user typed.
            rewritten: The leading query of retrieval; the same as ``query`` for a turn that needs no rewriting. A passage is to be judged
                by both: the rewrite knows the names, the original what was really asked.
            hits: What fusion found, best first.
        """


def settle(proposed: Sequence[FusedHit], hits: Sequence[FusedHit]) -> list[FusedHit]:
    """Return ``hits`` in the proposed order: none lost, invented, repeated or changed, whatever a reranker made of them.

    Scores are the proposed ones, lowered where needed so that they never rise; a hit that was left out follows after the others in its old
    order, with the last score at most.
    """
    given = {hit.id: hit for hit in hits}
    scores = {hit.id: hit.score for hit in reversed(proposed) if hit.id in given}
    order = [
        *dict.fromkeys(hit.id for hit in proposed if hit.id in given),
        *(id_ for id_ in given if id_ not in scores),
    ]
    settled: list[FusedHit] = []
    lowest = 1.0
    for id_ in order:
        lowest = min(lowest, scores.get(id_, given[id_].score))
        settled.append(given[id_].model_copy(update={"score": lowest}))
    return settled


def listwise(
    query: str,
    rewritten: str,
    hits: Sequence[FusedHit],
    ask_order: Callable[[dict[str, str]], str | None],
) -> list[FusedHit] | None:
    """Return ``hits`` in the order that a language model gives them, or ``None`` when there is none to read (the caller keeps its own).

    The score of place i of n (from 0) is 1 - i / n: the order is all that the model says. Hits that it leaves out keep their order after the
    others. Fewer than two hits ask nothing.

    Args:
        query: What the user typed.
        rewritten: The leading query.
        hits: What fusion found, best first; at most 99.
        ask_order: Asks with the inputs of ``signatures.rerank.Rerank`` and returns the completion, or ``None``.
    """
    if len(hits) < 2:
        return list(hits)
    inputs = {
        "passages": numbered(hits, characters=PASSAGE_CHARACTERS),
        "query": " ".join(query.split()),
        "rewrite": "" if variant_key(rewritten) == variant_key(query) else " ".join(rewritten.split()),
    }
    completion = ask_order(inputs)
    order = None if completion is None else read_order(completion, len(hits))
    if order is None:
        return None
    ranked = [*order, *(place for place in range(len(hits)) if place not in order)]
    return [hits[place].model_copy(update={"score": 1 - rank / len(hits)}) for rank, place in enumerate(ranked)]


def read_order(completion: str, count: int) -> list[int] | None:
    """Return the places (from 0, each below ``count``, no repeats) that ``completion`` names by their numbers (from 1), best first.

    Reads "2 > 1 > 3", "[2], [1]", "2, 1, 3", a list in JSON, ranked lines ("1. [2]", "1. Passage 2"), and the passages written down again in
    another order. ``None`` when it names none; a number in running text is none.
    """
    places = dict.fromkeys(number - 1 for number in _numbers(bare(completion)) if 1 <= number <= count)
    return list(places) or None


def _numbers(text: str) -> list[int]:
    if chain := _CHAIN.search(BRACKETED.sub(r"\1", text)):
        return list(map(int, re.findall(r"\d+", chain.group())))
    if bracketed := BRACKETED.findall(text):
        return [number for inside in bracketed for number in numbers_of(inside)]
    if (value := read_json(text)) is not None:
        return _of_json(value)
    for pattern in (_RANKED, _LIST):
        if rows := pattern.findall(text):
            return [int(number) for row in rows for number in re.findall(r"\d+", row)]
    return [int(number) for number in NAMED.findall(text) or _LEADING.findall(text)]


def _of_json(value: object) -> list[int]:
    if isinstance(value, bool):
        return []
    if isinstance(value, int):
        return [value]
    if isinstance(value, str):
        return [int(number) for number in re.findall(r"\d{1,2}", value)]
    items = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return [number for item in items for number in _of_json(item)]
