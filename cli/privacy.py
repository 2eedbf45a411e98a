"""No usage reports to anybody: the libraries used here send some unless told not to."""

import os

_OFF = {
    "ANONYMIZED_TELEMETRY": "False",  # chromadb
    "HF_HUB_DISABLE_TELEMETRY": "1",  # huggingface_hub, datasets
    "MLFLOW_DISABLE_TELEMETRY": "true",
    "DO_NOT_TRACK": "1",  # the common convention
}


def switch_telemetry_off() -> None:
    """Set the libraries' own switches, before any of them is imported; a value the user has set is kept."""
    for name, value in _OFF.items():
        os.environ.setdefault(name, value)
