"""A terse prompt format for small models.

DSPy's ``ChatAdapter`` asks for ``[[ ## field ## ]]`` markers around each value. A small model forgets them, and they cost about forty
prompt and twenty output tokens a call. Here the fields are ``name: value`` lines and, when a signature has one output field, the whole
completion is its value.
"""

import re
from typing import Any

import dspy
from dspy.adapters.utils import format_field_value, parse_value
from dspy.utils.exceptions import AdapterParseError

_QUOTES = {'"': '"', "'": "'", "“": "”", "「": "」", "『": "』", "`": "`"}
_FENCED = re.compile(r"^```\w*\n(.*?)(?:\n?```|\Z)", re.DOTALL)
# What small models write before the value although they were not asked to.
_LABEL = re.compile(
    r"^(?:(?:the )?(?:rewritten|rewrite|standalone|stand-alone|search)(?: (?:search )?(?:query|question))?(?: is)?|output|"
    r"(?:改写|重写)(?:后的?)?(?:查询|问题|问句)?(?:是|为)?)\s*[:：]\s*",
    re.IGNORECASE,
)


class PlainAdapter(dspy.ChatAdapter):
    """Fields as ``name: value`` lines; signatures with several outputs fall back to ``ChatAdapter``'s format.

    A completion that cannot be read is an error at once. ``ChatAdapter`` would ask again in JSON: twice the wait, uncounted, and a turn
    has a fallback of its own.
    """

    def __init__(self) -> None:
        super().__init__(use_json_adapter_fallback=False)

    def format_system_message(self, signature: type[dspy.Signature]) -> str:
        """Return the instructions alone, first and the same for every call, so that a prompt cache can keep them."""
        if len(signature.output_fields) > 1:
            return super().format_system_message(signature)
        return signature.instructions

    def format_user_message_content(
        self,
        signature: type[dspy.Signature],
        inputs: dict[str, Any],
        prefix: str = "",
        suffix: str = "",
        main_request: bool = False,
    ) -> str:
        """Return the inputs, a line each (blank ones left out), and the name of the output to write."""
        if len(signature.output_fields) > 1:
            return super().format_user_message_content(signature, inputs, prefix, suffix, main_request)
        lines = [
            f"{name}: {format_field_value(field_info=field, value=inputs[name])}"
            for name, field in signature.input_fields.items()
            if str(inputs.get(name) or "").strip()
        ]
        (output,) = signature.output_fields
        return "\n".join([*lines, f"{output}:"])

    def format_assistant_message_content(
        self, signature: type[dspy.Signature], outputs: dict[str, Any], missing_field_message: str | None = None
    ) -> str:
        """Return the one output's value, as the model is to write it."""
        if len(signature.output_fields) > 1:
            return super().format_assistant_message_content(signature, outputs, missing_field_message)
        (output,) = signature.output_fields
        return str(outputs.get(output) or missing_field_message or "")

    def parse(self, signature: type[dspy.Signature], completion: str) -> dict[str, Any]:
        """Return ``{field: value}`` from a completion: fences, a repeated field name and quotes around the value are dropped.

        Raises:
            AdapterParseError: The value does not have the field's type.
        """
        if len(signature.output_fields) > 1:
            return super().parse(signature, completion)
        ((name, field),) = signature.output_fields.items()
        value = _strip(completion, name)
        try:
            return {name: parse_value(value, field.annotation)}
        except ValueError as error:
            raise AdapterParseError(
                adapter_name="PlainAdapter", signature=signature, lm_response=completion, message=str(error)
            ) from error


def _strip(completion: str, name: str) -> str:
    text = completion.strip()
    if fenced := _FENCED.match(text):
        text = fenced.group(1).strip()
    text = re.sub(rf"^(?:\[\[ ## {name} ## \]\]|{name}\s*[:：])\s*", "", text, flags=re.IGNORECASE)
    text = _LABEL.sub("", text).split("[[ ##")[0].strip()
    if len(text) > 1 and _QUOTES.get(text[0]) == text[-1]:
        text = text[1:-1].strip()
    return text
