"""A data set in the making: written to a folder beside its place, moved there once it is whole."""

import hashlib
import os
import shutil
import tempfile
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import IO, Any, Self

from pydantic import Field, ValidationError

from data.errors import DataError
from data.importers.raw import Place
from data.load import CORPUS_FILE, TURNS_FILE
from data.problems import Problem, data_error, shown
from data.records import Message, Passage, Record, Turn

_NAMED = 20


class ImportReport(Record):
    """What an import wrote, in numbers; ``missing_ids`` names the first 20 passages that labels want and the corpus lacks."""

    output: str
    turns: int
    conversations: int
    passages: int
    labelled_turns: int
    labels: int
    missing_labels: int = 0
    turns_with_missing_labels: int = 0
    missing_ids: tuple[str, ...] = ()
    left_out: dict[str, int] = Field(default_factory=dict)
    """What was left out or changed on the way, and how often, by reason."""


class Draft:
    """Takes passages and turns one by one and writes them as they come; what they refer to is checked at the end.

    Memory: about 200 bytes a passage and a turn (their ids, to find those given twice), and the labels.
    """

    def __init__(self, source: Path, output: Path, *, private: bool = False) -> None:
        """Begin a draft of ``output``.

        Args:
            source: What is read; named where there is nothing in it.
            output: The folder to make.
            private: Make it readable for its owner alone.

        Raises:
            DataError: ``output`` is there already and not an empty folder, or cannot be written.
        """
        if output.exists() and (not output.is_dir() or any(output.iterdir())):
            raise DataError(f"{output}: is there already", advice="name a new folder", path=str(output))
        self.problems: list[Problem] = []
        self.left_out: Counter[str] = Counter()
        self._source = source
        self._output = output
        self._private = private
        self._passages: dict[str, bytes] = {}
        self._turns: dict[str, bytes] = {}
        self._conversations: set[str] = set()
        self._labels: dict[str, tuple[str, ...]] = {}
        try:
            output.parent.mkdir(parents=True, exist_ok=True)
            self._folder = Path(tempfile.mkdtemp(prefix=f".{output.name}-", dir=output.resolve().parent))
        except OSError as error:
            raise DataError(f"{output}: cannot be written: {error.strerror}", path=str(output)) from error
        self._files: dict[str, IO[bytes]] = {}

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        """Drop what was not finished."""
        for file in self._files.values():
            file.close()
        shutil.rmtree(self._folder, ignore_errors=True)

    def has_passage(self, passage_id: str) -> bool:
        """Return whether a passage of this id was added."""
        return passage_id in self._passages

    @property
    def passage_ids(self) -> Iterable[str]:
        """Ids of the passages so far, in the order they came."""
        return self._passages.keys()

    def add_passage(
        self,
        place: Place,
        passage_id: str,
        text: str,
        title: str | None = None,
        metadata: Mapping[str, Any] = MappingProxyType({}),
    ) -> None:
        """Add a passage. The same one again is left out; another text under the same id is a problem; no text at all is left out.

        Metadata that is None is not kept.
        """
        text = text if text.strip() else title or ""
        if not text.strip():
            self.left_out["passages without text"] += 1
            return
        known = {name: value for name, value in metadata.items() if value is not None}
        try:
            passage = Passage(id=passage_id, text=text, title=title, metadata=known)
        except ValidationError as error:
            self._invalid(place, error)
            return
        if self._is_new(self._passages, place, passage_id, text, "passages given twice"):
            self._write(place, CORPUS_FILE, passage)

    def add_turn(
        self,
        place: Place,
        turn_id: str,
        *,
        conversation_id: str,
        turn: int,
        query: str,
        history: Sequence[Message] = (),
        gold_rewrite: str | None = None,
        relevant_ids: Iterable[str] = (),
        answerable: bool | None = None,
        metadata: Mapping[str, Any] = MappingProxyType({}),
        file: str = TURNS_FILE,
    ) -> None:
        """Add a turn to ``file``. The same one again is left out; another query under the same id is a problem.

        Labels keep their order, each once. Metadata that is None is not kept.
        """
        try:
            record = Turn(
                id=turn_id,
                conversation_id=conversation_id,
                turn=turn,
                history=tuple(history),
                query=query,
                gold_rewrite=gold_rewrite,
                relevant_ids=tuple(dict.fromkeys(relevant_ids)),
                answerable=answerable,
                metadata={name: value for name, value in metadata.items() if value is not None},
            )
        except ValidationError as error:
            self._invalid(place, error)
            return
        if self._is_new(self._turns, place, turn_id, query, "turns given twice"):
            self._conversations.add(conversation_id)
            if record.relevant_ids:
                self._labels[turn_id] = record.relevant_ids
            self._write(place, file, record)

    def finish(self) -> ImportReport:
        """Move the data set to its place and say what it holds. A set without passages has no corpus file.

        Raises:
            DataError: Something was wrong with the source (every problem is listed), or there is no turn in it; nothing is left behind.
        """
        if not self.problems and not self._turns:
            self.problems.append(
                Problem(file=str(self._source), line=None, field="", expected="turns in the named format", got="none")
            )
        if self.problems:
            raise data_error(self._source, self.problems)
        for file in self._files.values():
            file.close()
        missing = {
            turn_id: lacking
            for turn_id, labels in self._labels.items()
            if (lacking := [label for label in labels if label not in self._passages])
        }
        try:
            if not self._private:
                # mkdtemp made it for the owner alone.
                umask = os.umask(0)
                os.umask(umask)
                self._folder.chmod(0o777 & ~umask)
            self._folder.replace(self._output)
        except OSError as error:
            raise DataError(f"{self._output}: cannot be written: {error.strerror}", path=str(self._output)) from error
        return ImportReport(
            output=str(self._output),
            turns=len(self._turns),
            conversations=len(self._conversations),
            passages=len(self._passages),
            labelled_turns=len(self._labels),
            labels=sum(map(len, self._labels.values())),
            missing_labels=sum(map(len, missing.values())),
            turns_with_missing_labels=len(missing),
            missing_ids=tuple(sorted({one for lacking in missing.values() for one in lacking})[:_NAMED]),
            left_out=dict(sorted(self.left_out.items())),
        )

    def _is_new(self, known: dict[str, bytes], place: Place, name: str, text: str, reason: str) -> bool:
        content = hashlib.blake2b(text.encode(), digest_size=8).digest()
        before = known.setdefault(name, content)
        if before is content:
            return True
        if before == content:
            self.left_out[reason] += 1
        else:
            self.problems.append(place.problem("id", "an id of its own (another text has it already)", shown(name)))
        return False

    def _invalid(self, place: Place, error: ValidationError) -> None:
        for detail in error.errors(include_url=False):
            field = ".".join(map(str, detail["loc"]))
            self.problems.append(place.problem(field, detail["msg"], shown(str(detail["input"]))))

    def _write(self, place: Place, name: str, record: Record) -> None:
        # After the first problem nothing will be kept.
        if self.problems:
            return
        if name not in self._files:
            self._files[name] = (self._folder / name).open("wb")
        try:
            line = record.model_dump_json().encode()
        except ValueError:
            self.problems.append(place.problem("", "Unicode text", "half a character"))
            return
        self._files[name].write(line + b"\n")
