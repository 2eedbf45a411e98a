"""Runs in MLflow: the only file that knows it.

The default is a SQLite file under ``mlruns/``; ``MLFLOW_TRACKING_URI`` names any other server. User text is not logged, except that demos
chosen from the training data stand in the saved program.
"""

import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Protocol

from matplotlib.figure import Figure

from data.errors import TrackingError
from data.load import DataSet

_LOCAL = Path("mlruns")


class RunLog(Protocol):
    """What can be written to one run."""

    run_id: str

    def params(self, values: Mapping[str, Any]) -> None:
        """Log parameters; nested mappings become dotted names."""

    def metrics(self, values: Mapping[str, float]) -> None:
        """Log numbers, 0–1 unless the name says a unit."""

    def data_set(self, data: DataSet, split_sizes: Mapping[str, int]) -> None:
        """Log which data was used: name, hash, sizes."""

    def table(self, name: str, rows: Sequence[Mapping[str, Any]]) -> None:
        """Log rows as a table, one a turn."""

    def figure(self, name: str, figure: Figure) -> None:
        """Log a plot."""

    def text(self, name: str, text: str) -> None:
        """Log a text file."""

    def folder(self, path: Path, name: str) -> None:
        """Log a folder of files."""


class Tracker(Protocol):
    """Opens runs."""

    def run(self, name: str, *, nested: bool = False) -> Any:
        """Return a context manager that yields a ``RunLog``; the run fails if its body raises."""


class MlflowTracker:
    """Runs go to MLflow.

    Raises:
        TrackingError: The server does not answer, so that nothing starts that could not be recorded.
    """

    def __init__(self, experiment: str, uri: str | None = None) -> None:
        os.environ.setdefault("MLFLOW_DISABLE_TELEMETRY", "true")
        # It would stand among the results.
        os.environ.setdefault("MLFLOW_SUPPRESS_PRINTING_URL_TO_STDOUT", "true")
        import mlflow  # noqa: PLC0415 - seconds to import, and only a compile needs it

        self._mlflow = mlflow
        self.uri = uri or os.environ.get("MLFLOW_TRACKING_URI") or _local_uri()
        remote = self.uri.startswith("http")
        if remote:
            # Fail in seconds, not after MLflow's default of seven retries of two minutes.
            os.environ.setdefault("MLFLOW_HTTP_REQUEST_MAX_RETRIES", "1")
            os.environ.setdefault("MLFLOW_HTTP_REQUEST_TIMEOUT", "10")
        try:
            mlflow.set_tracking_uri(self.uri)
            if mlflow.get_experiment_by_name(experiment) is None:
                mlflow.create_experiment(experiment, artifact_location=_artifacts(self.uri))
            mlflow.set_experiment(experiment)
        except Exception as error:
            raise TrackingError(
                f"the tracking server {self.uri} does not answer",
                advice="start it, or unset MLFLOW_TRACKING_URI to use a local file",
                uri=self.uri,
            ) from error

    @contextmanager
    def run(self, name: str, *, nested: bool = False) -> Iterator["MlflowRunLog"]:
        """See ``Tracker.run``."""
        with self._mlflow.start_run(run_name=name, nested=nested) as run:
            yield MlflowRunLog(self._mlflow, run.info.run_id)


class MlflowRunLog:
    """Writes to the active MLflow run."""

    def __init__(self, mlflow: Any, run_id: str) -> None:
        self._mlflow = mlflow
        self.run_id = run_id

    def params(self, values: Mapping[str, Any]) -> None:
        """See ``RunLog.params``."""
        self._mlflow.log_params(dict(_flat(values)))

    def metrics(self, values: Mapping[str, float]) -> None:
        """See ``RunLog.metrics``."""
        self._mlflow.log_metrics(dict(values))

    def data_set(self, data: DataSet, split_sizes: Mapping[str, int]) -> None:
        """See ``RunLog.data_set``."""
        from mlflow.data.code_dataset_source import CodeDatasetSource  # noqa: PLC0415
        from mlflow.data.meta_dataset import MetaDataset  # noqa: PLC0415

        # MLflow keeps 36 characters of a digest; the whole hash is a parameter.
        source = CodeDatasetSource(tags={"name": data.name})
        self._mlflow.log_input(MetaDataset(source, name=data.name, digest=data.content_sha256[:36]), context="compile")
        self.params({"data": {"name": data.name, "sha256": data.content_sha256, **split_sizes}})

    def table(self, name: str, rows: Sequence[Mapping[str, Any]]) -> None:
        """See ``RunLog.table``."""
        columns = {key: [row[key] for row in rows] for key in rows[0]} if rows else {}
        self._mlflow.log_table(columns, artifact_file=f"{name}.json")

    def figure(self, name: str, figure: Figure) -> None:
        """See ``RunLog.figure``."""
        self._mlflow.log_figure(figure, f"{name}.png")

    def text(self, name: str, text: str) -> None:
        """See ``RunLog.text``."""
        self._mlflow.log_text(text, name)

    def folder(self, path: Path, name: str) -> None:
        """See ``RunLog.folder``."""
        self._mlflow.log_artifacts(str(path), artifact_path=name)


def _local_uri() -> str:
    _LOCAL.mkdir(exist_ok=True)
    return f"sqlite:///{_LOCAL / 'mlflow.db'}"


def _artifacts(uri: str) -> str | None:
    """Beside a SQLite file; anything else has a place of its own."""
    if not uri.startswith("sqlite:///"):
        return None
    database = Path(uri.removeprefix("sqlite:///"))
    return (database.parent / "artifacts").resolve().as_uri()


def _flat(values: Mapping[str, Any], prefix: str = "") -> Iterator[tuple[str, Any]]:
    for key, value in values.items():
        if isinstance(value, Mapping):
            yield from _flat(value, f"{prefix}{key}.")
        else:
            yield f"{prefix}{key}", value
