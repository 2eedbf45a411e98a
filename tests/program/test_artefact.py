import copy
import json
import os
import subprocess
import sys
from pathlib import Path

import cloudpickle
import dspy
import pytest
import yaml

from data.errors import ProgramError
from program import artefact
from program.artefact import Manifest, load, read_manifest, save
from program.rewrite_program import RewriteProgram
from program.settings import FusionSettings, Settings

DEMOS = [
    {
        "history": "用户: 有台灯吗",
        "entities": "暖汐台灯",
        "query": "它多少钱",
        "rewrite": "暖汐台灯多少钱",
        "augmented": True,
    },
    {"history": "User: kettles?", "entities": "Brindle", "query": "its price?", "rewrite": "Brindle kettle price"},
]


def compiled() -> RewriteProgram:
    program = RewriteProgram(Settings(k=3, fusion=FusionSettings(original=0.1, strategy="rrf", rrf_k=1)))
    program.coreference.signature = program.coreference.signature.with_instructions(
        "把问题补全。 Complete the question."
    )
    program.coreference.demos = [dspy.Example(**demo).with_inputs("history", "entities", "query") for demo in DEMOS]
    return program


# Run as a program of its own: what the model is sent is what it answers, so equal outputs mean equal prompts.
_SCRIPT = """
import json, sys
from pathlib import Path
import dspy
from dspy.lm15 import Message, Response, TextPart, Usage
from program.artefact import load
from program.rewrite_program import rewritten_of

class Engine:
    prompts = []
    def complete(self, request):
        self.prompts.append([request.system if isinstance(request.system, str) else [p.text for p in request.system or ()],
                             [[m.role, m.text] for m in request.messages]])
        parts = [TextPart("暖汐台灯保修多久")]
        return Response(id=None, model=request.model, message=Message.assistant(parts), finish_reason="stop", usage=Usage())

def run(program):
    with dspy.context(lm=dspy.LM("scripted/model", engine=Engine(), cache=False)):
        out = rewritten_of(program(query="那个保修多久", history=[
            {"role": "user", "content": "有台灯吗"}, {"role": "assistant", "content": "有，暖汐台灯。也有落地灯。"}]))
    return {"queries": out.model_dump()["queries"], "rewritten": out.rewritten, "prompts": Engine.prompts,
            "settings": program.settings.model_dump()}
"""


def test_a_fresh_process_elsewhere_gives_the_same_outputs(tmp_path: Path) -> None:
    namespace: dict[str, object] = {}
    exec(_SCRIPT, namespace)
    before = json.loads(json.dumps(namespace["run"](compiled())))  # type: ignore[operator]
    folder = save(compiled(), tmp_path / "导出 folder" / "program")
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    code = _SCRIPT + "\nprint(json.dumps(run(load(Path(sys.argv[1])))))"
    done = subprocess.run(
        [sys.executable, "-c", code, str(folder)],
        cwd=elsewhere,
        env={**os.environ, "PYTHONPATH": str(Path(artefact.__file__).parents[1]), "PYTHONHASHSEED": "7"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    after = json.loads(done.stdout.splitlines()[-1])
    assert after == before
    assert "Brindle kettle price" in str(before["prompts"])
    assert before["rewritten"] == "暖汐台灯保修多久"


def test_demos_instructions_and_settings_come_back(tmp_path: Path) -> None:
    loaded = load(save(compiled(), tmp_path / "p"))
    assert loaded.settings == compiled().settings
    assert loaded.coreference.signature.instructions == compiled().coreference.signature.instructions
    assert [dict(demo) for demo in loaded.coreference.demos] == DEMOS


def test_saving_again_writes_the_same_bytes(tmp_path: Path) -> None:
    first, second = save(compiled(), tmp_path / "a"), save(load(tmp_path / "a"), tmp_path / "b")
    for name in ("program.json", "settings.yaml", "manifest.json"):
        assert (first / name).read_bytes() == (second / name).read_bytes()


def test_the_manifest_says_where_it_comes_from(tmp_path: Path) -> None:
    manifest = Manifest(name="test", data_sha256="ab", language_model="local", scores={"dev": {"original": 0.25}})
    found = read_manifest(save(compiled(), tmp_path / "p", manifest))
    assert (found.name, found.data_sha256, found.language_model) == ("test", "ab", "local")
    assert found.scores == {"dev": {"original": 0.25}}
    assert set(found.files) == {"program.json", "settings.yaml"}
    assert found.versions["dspy"] == dspy.__version__


def test_no_secret_and_no_user_is_in_it(tmp_path: Path) -> None:
    program = compiled()
    program.set_lm(dspy.LM("openai/secret-model", api_key="sk-TEST-1234", api_base="http://127.0.0.1:9/v1"))
    program.coreference.traces = program.step_back.train = [{"query": "我的电话是 5550100"}]
    folder = save(program, tmp_path / "p")
    content = "".join(path.read_text(encoding="utf-8") for path in folder.iterdir())
    for secret in ("sk-TEST", "127.0.0.1", "secret-model", "5550100", str(tmp_path)):
        assert secret not in content
    assert all(predictor.lm is None for predictor in load(folder).predictors())


def test_a_model_written_into_the_file_by_hand_is_not_called(tmp_path: Path) -> None:
    folder = save(compiled(), tmp_path / "p")
    state = json.loads((folder / "program.json").read_text(encoding="utf-8"))
    state["coreference"]["lm"] = {"model": "openai/gpt-4o-mini", "model_type": "chat", "cache": False}
    rewrite_file(folder, "program.json", json.dumps(state))
    assert load(folder).coreference.lm is None


def rewrite_file(folder: Path, name: str, content: str | bytes) -> None:
    """Change a file and the manifest's hash of it: what hashing cannot notice."""
    data = content.encode() if isinstance(content, str) else content
    (folder / name).write_bytes(data)
    manifest = read_manifest(folder)
    manifest.files[name] = artefact._sha256(folder / name)
    (folder / "manifest.json").write_text(manifest.model_dump_json(), encoding="utf-8")


@pytest.mark.parametrize("name", ["program.json", "settings.yaml"])
def test_a_changed_or_missing_file_is_refused_by_name(tmp_path: Path, name: str) -> None:
    folder = save(compiled(), tmp_path / "p")
    (folder / name).write_bytes((folder / name).read_bytes() + b" ")
    with pytest.raises(ProgramError, match=f"{name} is changed"):
        load(folder)
    (folder / name).unlink()
    with pytest.raises(ProgramError, match=f"{name} is missing"):
        load(folder)


def test_a_manifest_that_lists_no_files_checks_nothing_and_is_refused(tmp_path: Path) -> None:
    folder = save(compiled(), tmp_path / "p")
    (folder / "manifest.json").write_text(Manifest().model_dump_json(), encoding="utf-8")
    with pytest.raises(ProgramError, match="changed"):
        load(folder)


def test_no_program_there(tmp_path: Path) -> None:
    for folder in (tmp_path, tmp_path / "nothing"):
        with pytest.raises(ProgramError, match="anaphora compile"):
            load(folder)


@pytest.mark.parametrize("content", ["", "{", "[]", "null", '{"schema_version": "x"}', '{"unknown": 1}', b"\xff\xfe"])
def test_an_unreadable_manifest_is_one_clear_line(tmp_path: Path, content: str | bytes) -> None:
    folder = save(compiled(), tmp_path / "p")
    (folder / "manifest.json").write_bytes(content.encode() if isinstance(content, str) else content)
    with pytest.raises(ProgramError, match="cannot be read") as caught:
        load(folder)
    assert "\n" not in str(caught.value)


def test_a_newer_schema_says_to_update_whatever_else_is_new_in_it(tmp_path: Path) -> None:
    folder = save(compiled(), tmp_path / "p")
    (folder / "manifest.json").write_text(json.dumps({"schema_version": 99, "unheard_of": True}), encoding="utf-8")
    with pytest.raises(ProgramError, match="update anaphora"):
        load(folder)


@pytest.mark.parametrize(
    ("name", "content", "complaint"),
    [
        ("settings.yaml", yaml.safe_dump({"fusion": {"rrf_k": 0}}), "fusion.rrf_k"),
        ("settings.yaml", yaml.safe_dump({"fussion": {}}), "fussion"),
        ("settings.yaml", "a: [", "does not fit"),
        ("settings.yaml", "", "does not fit"),
        ("program.json", "{}", "coreference"),
        ("program.json", "[]", "does not fit"),
        ("program.json", "not json", "does not fit"),
        ("program.json", b"\xff", "does not fit"),
    ],
)
def test_what_does_not_fit_is_one_clear_line(tmp_path: Path, name: str, content: str | bytes, complaint: str) -> None:
    folder = save(compiled(), tmp_path / "p")
    rewrite_file(folder, name, content)
    with pytest.raises(ProgramError, match=complaint) as caught:
        load(folder)
    assert "\n" not in str(caught.value)


def test_prompts_of_another_signature_are_refused(tmp_path: Path) -> None:
    folder = save(compiled(), tmp_path / "p")
    state = json.loads((folder / "program.json").read_text(encoding="utf-8"))
    state["coreference"]["signature"]["fields"].pop()
    rewrite_file(folder, "program.json", json.dumps(state))
    with pytest.raises(ProgramError, match="does not fit"):
        load(folder)


def test_a_program_there_is_replaced_and_nothing_is_left_behind(tmp_path: Path) -> None:
    folder = save(RewriteProgram(), tmp_path / "p")
    save(compiled(), folder)
    assert load(folder).settings.k == 3
    assert [path.name for path in tmp_path.iterdir()] == ["p"]
    assert sorted(path.name for path in folder.iterdir()) == ["manifest.json", "program.json", "settings.yaml"]


@pytest.mark.parametrize("fails_at", ["manifest.json", "swap"])
def test_a_failing_save_leaves_the_old_program(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, fails_at: str) -> None:
    folder = save(compiled(), tmp_path / "p")
    write, replace = artefact._write, os.replace

    def full(path: Path, text: str) -> None:
        if path.name == fails_at:
            raise OSError(28, "No space left on device")
        write(path, text)

    def refuse(source: Path, target: Path) -> None:
        if fails_at == "swap" and target == folder and not source.name.endswith(".old"):
            raise OSError(1, "Operation not permitted")
        replace(source, target)

    monkeypatch.setattr(artefact, "_write", full)
    monkeypatch.setattr(os, "replace", refuse)
    with pytest.raises(ProgramError, match="cannot write"):
        save(RewriteProgram(), folder)
    assert load(folder).settings.k == 3
    assert [path.name for path in tmp_path.iterdir()] == ["p"]


def test_an_empty_folder_may_be_used_and_a_link_is_followed(tmp_path: Path) -> None:
    real = tmp_path / "real"
    real.mkdir()
    (tmp_path / "link").symlink_to(real)
    assert load(save(compiled(), tmp_path / "link")).settings.k == 3
    assert (tmp_path / "link").is_symlink()
    assert (real / "manifest.json").is_file()


@pytest.mark.parametrize("others", [["notes.txt"], ["manifest.json", "notes.txt"]])
def test_a_folder_with_other_files_is_left_alone(tmp_path: Path, others: list[str]) -> None:
    for name in others:
        (tmp_path / name).write_text("mine", encoding="utf-8")
    with pytest.raises(ProgramError, match=r"notes\.txt"):
        save(compiled(), tmp_path)
    assert {path.name: path.read_text(encoding="utf-8") for path in tmp_path.iterdir()} == dict.fromkeys(others, "mine")


def test_a_file_in_the_way_is_left_alone(tmp_path: Path) -> None:
    file = tmp_path / "p"
    file.write_text("mine", encoding="utf-8")
    with pytest.raises(ProgramError, match="something else"):
        save(compiled(), file)
    with pytest.raises(ProgramError, match="cannot write"):
        save(compiled(), file / "below")
    assert file.read_text(encoding="utf-8") == "mine"


def test_the_program_holds_nothing_that_cannot_travel(toy_retriever, scripted_lm) -> None:
    program = compiled()
    with dspy.context(rm=toy_retriever({"a": "暖汐台灯 259 元"}), lm=scripted_lm(reply=lambda _: "暖汐台灯多少钱")):
        program(query="它多少钱", history=[{"role": "user", "content": "暖汐台灯"}])
        for other in (copy.deepcopy(program), program.deepcopy(), cloudpickle.loads(cloudpickle.dumps(program))):
            assert other.settings == program.settings
            assert other.dump_state() == program.dump_state()
