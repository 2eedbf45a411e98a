"""How far a rewrite is from its turn, by embedding.

A fixed cosine does not work: unrelated questions are .77 to .86 alike for multilingual-e5-small, so that .7 accepts everything. The
threshold belongs to the embedder and the data; ``experiments.calibrate`` finds it from labelled turns.
"""

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from data.records import Message
from program.guard.content import units
from program.guard.context import Context
from program.retrieval.embedding import Embedder
from program.retrieval.tokenize import words
from program.rules.gazetteer import Gazetteer

SHORT = 3
"""Content words up to which a turn is very short. Good rewrites of such turns reach down to .84, of longer ones to .88 (2% quantiles)."""
_LONGEST = 300
"""Characters of a question that are embedded; what follows is a pasted document."""
_MOSTLY_NEW = 0.5


def turn_texts(query: str, history: Sequence[Message], gazetteer: Gazetteer) -> tuple[str, ...]:
    """What a rewrite may be alike to: the query, the query under the entity named last, and the query after the last question.

    A good rewrite is like one of the three; the query alone is a poor measure, since all the rewrite adds makes it less alike. Area under
    the ROC curve, good against other turns' rewrites, 565 turns: query alone .927, all three .987.
    """
    texts = [query]
    entity = next((found[-1].term for one in reversed(history) if (found := gazetteer.find(one.content))), "")
    asked = next((one.content for one in reversed(history) if one.role == "user"), "")
    texts += [f"{before[:_LONGEST]} {query}" for before in (entity, asked) if before]
    return tuple(text[: 2 * _LONGEST].strip() for text in texts)


def drifts(texts: Sequence[Sequence[str]], rewrites: Sequence[str], embedder: Embedder) -> npt.NDArray[np.float64]:
    """Return for each rewrite the highest cosine with a text of its turn, shape ``(len(rewrites),)``, -1 to 1.

    All texts go to the embedder in one call, as queries.

    Args:
        texts: One or more for each rewrite, see ``turn_texts``.
        rewrites: As many.
        embedder: Its rows are of unit length, so that cosine is their product.
    """
    flat = [text for of_turn in texts for text in of_turn]
    if not flat:
        return np.empty(0)
    rows = embedder.embed([*flat, *rewrites], "query").astype(np.float64)
    ends = np.cumsum([len(of_turn) for of_turn in texts])
    turns = np.split(rows[: len(flat)], ends[:-1])
    return np.array([float(np.max(turn @ row)) for turn, row in zip(turns, rows[len(flat) :], strict=True)])


def drift_of(texts: Sequence[str], rewrite: str, embedder: Embedder) -> float:
    """Return how alike ``rewrite`` is to its turn: the highest cosine with one of ``texts``."""
    return float(drifts([texts], [rewrite], embedder)[0])


def refuse_drift(similarity: float, threshold: float, rewrite: str, context: Context) -> str | None:
    """Return that ``rewrite`` is another question, or ``None``.

    On a very short turn the similarity never judges alone: there the rewrite must also bring mostly words that were never said, or keep
    none of the query's. A similarity that is no number judges nothing.
    """
    if not similarity < threshold:
        return None
    if len(words(context.query)) <= SHORT and not _looks_foreign(rewrite, context):
        return None
    return f"drift: similarity {similarity:.3f} is below {threshold:.3f}"


def _looks_foreign(rewrite: str, context: Context) -> bool:
    written, asked, said = list(units(rewrite)), set(units(context.query)), context.said.units
    new = sum(unit not in said for unit in written)
    return new > _MOSTLY_NEW * len(written) or (bool(asked) and asked.isdisjoint(written))
