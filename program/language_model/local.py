"""The embedded language model: llama.cpp inside this process, spoken to over loopback."""

import atexit
import os
import threading
from pathlib import Path

from data.errors import LanguageModelError

CONTEXT_TOKENS = 4096
"""Room for instructions, demos and a trimmed window; llama.cpp reserves memory for all of it."""

_READY_S = 60.0

_lock = threading.Lock()
_servers: dict[Path, "LocalServer"] = {}


class LocalServer:
    """One model, loaded once, answering OpenAI-style requests at ``api_base`` until ``close``.

    Requests are answered one after another: on two cores that is fastest, and the shared prompt prefix stays cached.
    """

    def __init__(self, weights: Path, *, threads: int | None = None) -> None:
        """Load ``weights`` (a GGUF file).

        Raises:
            LanguageModelError: The extra ``local`` is not installed, or llama.cpp cannot load the file.
        """
        import httpx  # noqa: PLC0415 - only a process that runs a model needs it

        try:
            import xllamacpp  # noqa: PLC0415 - an optional extra, imported when asked for
        except ImportError as error:
            raise LanguageModelError(
                "the embedded model needs the package xllamacpp",
                advice="install the extra: pip install 'anaphora[local]'",
            ) from error
        parameters = xllamacpp.CommonParams()
        parameters.model.path = str(weights)
        parameters.n_ctx = CONTEXT_TOKENS
        parameters.n_parallel = 1
        parameters.n_gpu_layers = 0
        parameters.cache_ram_mib = 0
        parameters.verbosity = 0
        parameters.cpuparams.n_threads = parameters.cpuparams_batch.n_threads = threads or os.cpu_count() or 1
        try:
            self._server = xllamacpp.Server(parameters)
        except Exception as error:
            raise LanguageModelError(
                f"llama.cpp cannot load {weights}", advice="check that it is a GGUF file", path=str(weights)
            ) from error
        address = self._server.listening_address
        # The constructor returns before the server listens; one that is closed in between never ends.
        httpx.get(f"{address}/health", timeout=_READY_S, trust_env=False)
        self.api_base = f"{address}/v1"

    def close(self) -> None:
        """Stop the server and free the model; a second call does nothing."""
        self._server = None


def serve(weights: Path) -> LocalServer:
    """Return the server of ``weights``, started at the first call and shared by every later one of this process."""
    weights = weights.resolve()
    with _lock:
        if weights not in _servers:
            _servers[weights] = LocalServer(weights)
        return _servers[weights]


@atexit.register
def close_all() -> None:
    """Stop every embedded model of this process; called at exit."""
    with _lock:
        while _servers:
            _servers.popitem()[1].close()
