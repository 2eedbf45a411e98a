"""Runs in a real MLflow on a temporary SQLite file, and a server that is not there."""

import socket
from pathlib import Path

import mlflow
import pytest
from matplotlib.figure import Figure

from data.errors import TrackingError
from data.load import DataSet
from data.records import Passage
from experiments.tracking import MlflowTracker


@pytest.fixture
def tracker(tmp_path: Path) -> MlflowTracker:
    return MlflowTracker("tests", f"sqlite:///{tmp_path / 'mlflow.db'}")


def data_set() -> DataSet:
    return DataSet(name="小样本", passages=(Passage(id="a", text="保修两年"),), turns=(), content_sha256="ab" * 32)


def test_parent_and_child_runs_hold_what_was_logged(tracker: MlflowTracker, tmp_path: Path) -> None:
    (tmp_path / "program").mkdir()
    (tmp_path / "program" / "manifest.json").write_text("{}")
    with tracker.run("parent") as parent:
        parent.data_set(data_set(), {"train": 3, "dev": 2, "test": 1})
        parent.params({"fusion": {"original": 0.3}, "seed": 7})
        parent.table("turns", [{"turn_id": "t1", "recall_at_5": 1.0}, {"turn_id": "t2", "recall_at_5": 0.0}])
        parent.figure("plot", Figure())
        parent.text("prompt.md", "# 指令")
        parent.folder(tmp_path / "program", "program")
        with tracker.run("child", nested=True) as child:
            child.metrics({"dev.recall_at_5": 0.5})
    client = mlflow.MlflowClient(tracker.uri)
    run = client.get_run(parent.run_id)
    assert run.data.params["fusion.original"] == "0.3"
    assert run.data.params["data.sha256"] == "ab" * 32
    assert run.inputs.dataset_inputs[0].dataset.name == "小样本"
    assert {one.path for one in client.list_artifacts(parent.run_id)} == {
        "turns.json",
        "plot.png",
        "prompt.md",
        "program",
    }
    nested = client.get_run(child.run_id)
    assert nested.data.metrics == {"dev.recall_at_5": 0.5}
    assert nested.data.tags["mlflow.parentRunId"] == parent.run_id


def test_a_failing_body_fails_its_run(tracker: MlflowTracker) -> None:
    with pytest.raises(RuntimeError, match="boom"), tracker.run("bad") as log:
        raise RuntimeError("boom")
    assert mlflow.MlflowClient(tracker.uri).get_run(log.run_id).info.status == "FAILED"


def test_a_dead_server_is_one_clear_line(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MLFLOW_HTTP_REQUEST_MAX_RETRIES", "0")
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        port = unused.getsockname()[1]
    with pytest.raises(TrackingError, match=f"127.0.0.1:{port} does not answer"):
        MlflowTracker("tests", f"http://127.0.0.1:{port}")
