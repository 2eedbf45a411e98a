"""What GEPA is told of a turn: brings turn, result and corpus down to the texts of ``metrics.feedback``."""

from collections.abc import Sequence

from data.records import Turn
from metrics.feedback import Rival, feedback, missed_ids, rival_ids
from program.guard.names import Name, is_in, is_said, names
from program.guard.reading import Reading
from program.result import FusedHit, Retrieved
from program.retrieval.retriever import Retriever
from program.rules.gazetteer import Gazetteer

_DEPTH = 50
"""Hits of the query and the gold rewrite in which the text of a missed passage is looked for."""


def feedback_on(turn: Turn, retrieved: Retrieved, retriever: Retriever) -> str:
    """A few sentences on what the model's rewrite did for ``turn``."""
    ids = [hit.id for hit in retrieved.hits]
    missed, rivals = missed_ids(turn.relevant_ids, ids), rival_ids(turn.relevant_ids, ids)
    rewrite = _proposed(retrieved)
    texts = _texts(turn, retriever) if missed else {}
    lost, invented = _names_of(turn, rewrite, retriever.gazetteer) if rewrite else ([], [])
    refused = [one.reason for one in retrieved.fallbacks if one.stage == "guard" and one.reason.startswith("rewrite: ")]
    return feedback(
        query=turn.query,
        rewrite=rewrite,
        missed=[texts.get(id_, id_) for id_ in missed],
        rivals=[Rival(hit.text, _found_by(hit, retrieved)) for hit in retrieved.hits if hit.id in rivals],
        lost=lost,
        invented=invented,
        refused=refused[0].removeprefix("rewrite: ") if refused else None,
        wanted=turn.gold_rewrite,
    )


def _proposed(retrieved: Retrieved) -> str | None:
    """The model's words, also where they were refused."""
    return next((step.details.get("proposed") for step in retrieved.trace if step.stage == "rewrite"), None)


def _found_by(hit: FusedHit, retrieved: Retrieved) -> str:
    return next((query.text for query in retrieved.queries if query.kind == hit.found_by[0]), retrieved.query)


def _texts(turn: Turn, retriever: Retriever) -> dict[str, str]:
    """Texts of passages near the turn; a retriever gives no passage by its id."""
    queries = list(dict.fromkeys([turn.gold_rewrite or turn.query, turn.query]))
    return {hit.id: hit.text for lists in retriever.search(queries, _DEPTH) for one in lists for hit in one.hits}


def _names_of(turn: Turn, rewrite: str, gazetteer: Gazetteer) -> tuple[list[str], list[str]]:
    """Names that the gold rewrite (or the query) has and the rewrite has not; names of the rewrite that nobody has said."""
    said = Reading("\n".join([*(message.content for message in turn.history), turn.query]), gazetteer)
    written = Reading(rewrite, gazetteer)
    lost = [one for one in names(turn.gold_rewrite or turn.query, gazetteer) if not is_in(one, written)]
    invented = [one for one in names(rewrite, gazetteer) if not is_said(one, said)]
    return _written(lost), _written(invented)


def _written(found: Sequence[Name]) -> list[str]:
    return [one.term or one.written for one in found]
