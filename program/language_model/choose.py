"""Which language model answers: the embedded one, or anything DSPy can reach."""

import os
from pathlib import Path
from typing import Any

import dspy
from dspy.utils.exceptions import LMConfigurationError

from data.errors import LanguageModelError
from program.language_model import local, weights
from program.language_model.fetch import sha256_of

DEFAULT_WEIGHTS = "qwen2.5-coder-1.5b"
_TIMEOUT_S = 30.0
# Room for a rewritten query and four sub-questions, short enough that a model that rambles is cut off soon.
_MOST_OUTPUT_TOKENS = 96


def choose(name: str, *, api_base: str | None = None, timeout_s: float = _TIMEOUT_S) -> dspy.LM:
    """Return the language model called ``name``, deterministic (temperature 0) where it allows that, and cached by DSPy.

    The cache knows a model by its name, not by its address: two servers that call different models the same share their answers.
    Embedded weights are known by their content.

    Args:
        name: ``local`` (the embedded 1.5B), ``local:NAME`` (weights of the model store), ``local:PATH`` (any GGUF file), or a litellm id
            such as ``openai/gpt-4o-mini`` or ``ollama_chat/qwen2.5``. Keys come from the environment (``OPENAI_API_KEY`` …).
        api_base: Address of an OpenAI-compatible server, for litellm ids.
        timeout_s: Seconds without a byte after which a call is given up; it is not repeated.

    Raises:
        LanguageModelError: The embedded model cannot be loaded, ``api_base`` was given for it, or ``name`` is no id.
        ModelStoreError: Its weights are not there; the message says how to fetch them.
    """
    scheme, _, rest = name.strip().partition(":")
    if scheme == "local":
        if api_base:
            raise LanguageModelError(
                "the embedded model has no address", advice="leave out --api-base, or name a litellm id"
            )
        return _embedded(rest or DEFAULT_WEIGHTS, timeout_s)
    connection = {"api_base": api_base} if api_base else {}
    if api_base and not os.environ.get("OPENAI_API_KEY"):
        # A server of one's own usually has no key, but clients insist on one.
        connection["api_key"] = "none"
    return _lm(name.strip(), timeout_s, **connection)


def _embedded(name: str, timeout_s: float) -> dspy.LM:
    path = weights.path(name) if not _is_file_name(name) else _gguf(Path(name).expanduser())
    model = name if not _is_file_name(name) else f"{path.stem}-{sha256_of(path)[:12]}"
    # Named, because "auto" would leave for another client wherever OPENAI_BASE_URL is set.
    return _lm(f"openai/{model}", timeout_s, api_base=local.serve(path).api_base, api_key="none", engine="lm15")


def _is_file_name(name: str) -> bool:
    return name.lower().endswith(".gguf")


def _gguf(path: Path) -> Path:
    if not path.is_file():
        raise LanguageModelError(f"there is no file {path}", advice="give the path of a GGUF file", path=str(path))
    return path


def _lm(name: str, timeout_s: float, **connection: Any) -> dspy.LM:
    common = {"timeout": timeout_s, "num_retries": 0, **connection}
    try:
        try:
            return dspy.LM(name, temperature=0.0, max_tokens=_MOST_OUTPUT_TOKENS, **common)
        except LMConfigurationError:
            # Hosted reasoning models choose both themselves.
            return dspy.LM(name, temperature=None, max_tokens=None, **common)
    except ValueError as error:
        raise LanguageModelError(
            f"{name!r} is no language model: {error}",
            advice="name local, local:NAME, local:PATH, or PROVIDER/MODEL such as openai/gpt-4o-mini",
        ) from error
