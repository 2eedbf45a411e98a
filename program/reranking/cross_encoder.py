"""A cross-encoder as reranker: any model that sentence-transformers loads, by name or path. Extra ``rerank``."""

import math
from collections.abc import Sequence
from importlib import import_module
from pathlib import Path
from typing import Any

from data.errors import ConfigError
from program.result import FusedHit


class CrossEncoderReranker:
    """Scores every passage together with the question; see ``program.reranking.rerank.Reranker``.

    The score of a hit is the logistic function of the model's logit, 0 to 1; of the query and the rewrite the one that fits better counts,
    since a bare follow-up ("它呢?") fits nothing, and a wrong rewrite must not push the original's passage down.
    """

    def __init__(self, name_or_path: str, *, device: str | None = None, batch_size: int = 32) -> None:
        """Load the model; a hub name that is not on this machine yet is downloaded, since it was named. There is no default name.

        Raises:
            ConfigError: No name, no such folder, no sentence-transformers, or it cannot load the model.
        """
        name = name_or_path.strip()
        if not name:
            raise ConfigError("reranker: no model is named", advice="give the name or the folder of a cross-encoder")
        folder = Path(name).expanduser()
        if _looks_like_path(name) and not folder.is_dir():
            raise ConfigError(f"reranker: there is no folder {folder}", path=str(folder))
        try:
            library, torch = import_module("sentence_transformers"), import_module("torch")
        except ImportError as error:
            raise ConfigError(
                f"reranker: a cross-encoder needs sentence-transformers ({error})",
                advice="install the extra: pip install 'anaphora[rerank]'",
            ) from error
        try:
            # Some models bring their own activation: ask for the bare logits, or it would be applied twice.
            self._model: Any = library.CrossEncoder(
                str(folder) if folder.is_dir() else name, device=device, activation_fn=torch.nn.Identity()
            )
        except Exception as error:
            raise ConfigError(
                f"reranker: {name!r} is no cross-encoder that can be loaded ({type(error).__name__})",
                advice="name a model of one output, or a folder that holds one",
                model=name,
            ) from error
        self._batch_size = batch_size

    def __call__(self, query: str, rewritten: str, hits: Sequence[FusedHit], /) -> list[FusedHit]:
        """Return ``hits`` by falling score, ties in their old order.

        Raises:
            ConfigError: The model gives more than one score for a pair.
            ValueError: It gives a score that is no number.
        """
        asked = list(dict.fromkeys(text for text in (query.strip(), rewritten.strip()) if text))
        if not asked or not hits:
            return list(hits)
        pairs = [(text, hit.text) for text in asked for hit in hits]
        logits = self._model.predict(pairs, batch_size=self._batch_size, show_progress_bar=False)
        scores = [_number(logit) for logit in logits]
        best = [max(scores[place :: len(hits)]) for place in range(len(hits))]
        order = sorted(range(len(hits)), key=lambda place: -best[place])
        return [hits[place].model_copy(update={"score": _logistic(best[place])}) for place in order]


def _number(logit: Any) -> float:
    try:
        value = float(logit)
    except (TypeError, ValueError) as error:
        raise ConfigError(
            "reranker: the model gives more than one score for a pair", advice="use one with a single output"
        ) from error
    if math.isnan(value):
        raise ValueError("the cross-encoder gave a score that is no number")
    return value


def _logistic(logit: float) -> float:
    # tanh does not overflow where exp does.
    return 0.5 * (1 + math.tanh(logit / 2))


def _looks_like_path(name: str) -> bool:
    return name.startswith((".", "/", "~")) or "\\" in name or name.count("/") > 1
