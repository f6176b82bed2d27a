"""The base of models that check what comes from outside, and the sentence about what such a model refuses."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pydantic import BaseModel, ConfigDict, ValidationError, ValidatorFunctionWrapHandler, WrapValidator
from pydantic_core import ErrorDetails

from referee.errors import BadInputError, SettingError
from referee.jsonlines import shown


class Model(BaseModel):
    """An object with these keys and no others; "1" is no number, and 1 is not true."""

    model_config = ConfigDict(strict=True, frozen=True, extra="forbid")


def refused_as(key: str, text: str) -> WrapValidator:
    """Refuse any value that does not fit by one sentence. key: which one the page says; text: the same, in English."""

    def check(value: Any, fits: ValidatorFunctionWrapHandler) -> Any:  # noqa: ANN401 (a field may be anything)
        try:
            return fits(value)
        except ValidationError:
            raise SettingError(text, key) from None

    return WrapValidator(check)


def own_refusal(fault: Mapping[str, Any]) -> BadInputError | None:
    """Give the error that a validator of ours has raised, None for one that has only a library's words."""
    error = fault.get("ctx", {}).get("error")
    return error if isinstance(error, BadInputError) else None


def first_fault(error: ValidationError) -> ErrorDetails:
    """Give what is wrong first."""
    return error.errors(include_url=False)[0]


def complaint(error: ValidationError) -> BadInputError:
    """Give the first fault as a sentence; a library's own words are for no one here."""
    fault = first_fault(error)
    if (own := own_refusal(fault)) is not None:
        return own
    name = next((part for part in reversed(fault["loc"]) if isinstance(part, str)), "it")
    given, limits = shown(fault["input"]), fault.get("ctx", {})
    must = {
        "missing": "must be there",
        "int_type": f"must be a whole number, not {given}",
        "bool_type": f"must be true or false, not {given}",
        "string_type": f"must be a text, not {given}",
        "tuple_type": "must be a list",
        "greater_than_equal": f"must be at least {limits.get('ge')}",
        "less_than_equal": f"must be at most {limits.get('le')}",
        "enum": f"must be {str(limits.get('expected')).replace(chr(39), '')}, not {given}",
    }.get(fault["type"], f"cannot be {given}")
    return BadInputError(f'"{name}" {must}')
