"""What a language model answered and what that cost, kept in a file: each prompt is asked once, its cost stays honest ever after.

DSPy's own cache forgets the cost: a repeated answer has no tokens and takes no time. Here the tokens are given back with the answer, and
the milliseconds by ``AnswerLog.take_saved_ms``. A change of prompt, demos, model or temperature is another key, so that nothing goes stale.
"""

import hashlib
import json
import time
from pathlib import Path

import dspy
from dspy.lm15 import Message, Request, Response, Usage
from pydantic import ValidationError

from data.records import Record


class Answer(Record):
    """One answer, by the hash of all that was asked."""

    key: str
    text: str
    input_tokens: int
    output_tokens: int
    elapsed_ms: float


class AnswerLog:
    """A DSPy engine that asks ``lm`` what it has not asked before, and appends to a JSONL file.

    The file holds model output, and so traces of the data: ``folder_for_answers`` keeps it out of git. A line that was cut short by an
    interruption is asked again.
    """

    def __init__(self, lm: dspy.LM, path: Path) -> None:
        self._lm = lm
        self._path = path
        self._answers = {answer.key: answer for answer in _read(path)}
        self._saved_ms = 0.0

    def complete(self, request: Request) -> Response:
        """Answer ``request`` from the file, else from the model; a failure is raised and not kept."""
        key = _key(request)
        if (answer := self._answers.get(key)) is not None:
            self._saved_ms += answer.elapsed_ms
        else:
            answer = self._ask(key, request)
            self._answers[key] = answer
            with self._path.open("a", encoding="utf-8") as file:
                file.write(answer.model_dump_json() + "\n")
        usage = Usage(
            input_tokens=answer.input_tokens,
            output_tokens=answer.output_tokens,
            total_tokens=answer.input_tokens + answer.output_tokens,
        )
        message = Message.assistant(answer.text)
        return Response(id=None, model=request.model, message=message, finish_reason="stop", usage=usage)

    def take_saved_ms(self) -> float:
        """Return the milliseconds that answers from the file took when they were made, since the last call of this."""
        saved, self._saved_ms = self._saved_ms, 0.0
        return saved

    def _ask(self, key: str, request: Request) -> Answer:
        start = time.perf_counter()
        # The tokens are counted once, by the model that wraps this engine.
        with dspy.context(usage_tracker=None):
            response = self._lm(request=request, cache=False)
        elapsed_ms = (time.perf_counter() - start) * 1000
        return Answer(
            key=key,
            text=response.message.text or "",
            input_tokens=response.usage.input_tokens or 0,
            output_tokens=response.usage.output_tokens or 0,
            elapsed_ms=round(elapsed_ms, 1),
        )


def recorded(lm: dspy.LM, log: AnswerLog) -> dspy.LM:
    """Return a model that answers from ``log`` as ``lm`` would, with the same temperature and room for the answer."""
    limits = {name: lm.kwargs.get(name) for name in ("temperature", "max_tokens")}
    return dspy.LM(lm.model, engine=log, cache=False, num_retries=0, **limits)


def folder_for_answers(output: Path) -> Path:
    """Make the folder ``output/answers``, which git ignores."""
    folder = output / "answers"
    folder.mkdir(parents=True, exist_ok=True)
    (folder / ".gitignore").write_text("*\n", encoding="utf-8")
    return folder


def _key(request: Request) -> str:
    system = request.system
    asked = [
        request.model,
        system if isinstance(system, str) or system is None else [part.text for part in system],
        [[message.role, message.text] for message in request.messages],
        request.config.temperature,
        request.config.max_tokens,
    ]
    return hashlib.sha256(json.dumps(asked, ensure_ascii=False).encode()).hexdigest()


def _read(path: Path) -> list[Answer]:
    if not path.exists():
        return []
    text = path.read_text(encoding="utf-8")
    if text and not text.endswith("\n"):
        # What follows must not be glued to a line that was cut short.
        path.write_text(text + "\n", encoding="utf-8")
    answers = []
    for line in text.split("\n"):
        try:
            answers.append(Answer.model_validate_json(line))
        except ValidationError:
            continue
    return answers
