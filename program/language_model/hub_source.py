"""Weights from the model hub (or a mirror of it), by HTTP with Range resume.

Standard variables apply: ``HF_ENDPOINT`` names a mirror, ``HF_HUB_OFFLINE=1`` switches the hub off, and the usual proxy
and certificate variables are honoured by httpx.
"""

import os
from pathlib import Path

import httpx
from huggingface_hub import constants

from program.language_model.catalog import Weights
from program.language_model.sources import Progress, SourceError

# Without internet the next source should get its turn at once; a slow but living server may pause longer.
_TIMEOUT = httpx.Timeout(30.0, connect=5.0)


def fetch_from_hub(weights: Weights, folder: Path, progress: Progress) -> Path:
    """Fill the port ``program.language_model.sources.Source`` from the model hub.

    A broken connection is taken up again as long as each try brings new bytes.
    """
    if os.environ.get("HF_HUB_OFFLINE", "").upper() in constants.ENV_VARS_TRUE_VALUES:
        raise SourceError("switched off by HF_HUB_OFFLINE")
    # Read at each call, not at import as huggingface_hub does, so that a program can set it at any time.
    endpoint = (os.environ.get("HF_ENDPOINT") or constants.ENDPOINT).rstrip("/")
    url = f"{endpoint}/{weights.hub_repo}/resolve/main/{weights.hub_file}"
    target = folder / "hub.gguf"
    with _client() as client:
        while (start := _length(target)) < weights.size_bytes:
            reason = "the connection closed early"
            try:
                _append(client, url, target, weights.size_bytes, progress)
            except (httpx.HTTPError, httpx.InvalidURL) as error:
                reason = str(error) or type(error).__name__
            if _length(target) <= start:
                raise SourceError(f"{endpoint}: {reason}")
    return target


def _client() -> httpx.Client:
    try:
        return httpx.Client(timeout=_TIMEOUT, follow_redirects=True)
    except (OSError, ValueError, ImportError) as error:
        # A certificate file that is not there, a malformed proxy, a SOCKS proxy without its package.
        raise SourceError(f"proxy or certificate settings: {error}") from error


def _length(file: Path) -> int:
    return file.stat().st_size if file.exists() else 0


def _append(client: httpx.Client, url: str, target: Path, size: int, progress: Progress) -> None:
    """Append what is missing to ``target``; a server without Range support starts over."""
    start = _length(target)
    # "identity": a compressed answer would make byte positions meaningless.
    headers = {"Accept-Encoding": "identity"} | ({"Range": f"bytes={start}-"} if start else {})
    with client.stream("GET", url, headers=headers) as response:
        host = response.url.host
        if response.status_code == 416:
            target.unlink()
            raise SourceError(f"{host} has a shorter file than {size} bytes")
        if response.status_code not in (200, 206):
            raise SourceError(f"{host} answered {response.status_code} {response.reason_phrase}")
        resumed = response.status_code == 206
        if resumed and not response.headers.get("Content-Range", "").startswith(f"bytes {start}-"):
            raise SourceError(f"{host} answered another range than was asked for")
        done = start if resumed else 0
        with target.open("ab" if resumed else "wb") as file:
            progress(done, size)
            # No chunk size: with one, httpx drops the unfinished chunk when the connection breaks.
            for chunk in response.iter_raw():
                done += len(chunk)
                if done > size:
                    target.unlink()
                    raise SourceError(f"{host} has a longer file than {size} bytes")
                file.write(chunk)
                progress(done, size)
