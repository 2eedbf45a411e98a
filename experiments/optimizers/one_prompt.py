"""The whole program, of which an optimizer sees one prompt: the coreference rewrite.

The program has a dozen prompts and most are switched off. DSPy's searches give each the same share of their trials, and GEPA cannot even
start on one that is never asked.
"""

import copy
from typing import Any

import dspy

from program.rewrite_program import RewriteProgram


class OnePrompt(dspy.Module):
    """Takes and gives what the program does; ``coreference`` is its only predictor."""

    def __init__(self, program: RewriteProgram) -> None:
        super().__init__()
        self.coreference = copy.deepcopy(program.coreference)
        self._rest = _Hidden(program)

    def forward(self, **inputs: Any) -> dspy.Prediction:
        """Run the program with this prompt in the place of its own."""
        return _with_coreference(copy.copy(self._rest.program), self.coreference)(**inputs)

    def whole(self) -> RewriteProgram:
        """A program of its own with this prompt."""
        return _with_coreference(self._rest.program.deepcopy(), copy.deepcopy(self.coreference))


class _Hidden:
    """Keeps a module out of DSPy's walk over predictors, and out of the many copies that a search makes."""

    def __init__(self, program: RewriteProgram) -> None:
        self.program = program

    def __deepcopy__(self, memo: dict[int, Any]) -> "_Hidden":
        return self


def _with_coreference(program: RewriteProgram, coreference: dspy.Predict) -> RewriteProgram:
    program.coreference = coreference
    return program
