"""The base of models that check what comes from outside, and the sentence about what such a model refuses."""

from __future__ import annotations

from typing import Any

from pydantic import BaseModel, ConfigDict, ValidationError, ValidatorFunctionWrapHandler, WrapValidator
from pydantic_core import ErrorDetails, PydanticCustomError

from referee.errors import BadInputError, SettingError
from referee.jsonlines import shown

STRICT = ConfigDict(strict=True, frozen=True)
_SAID = "said"
"""Marks an error, among its values, whose text is a sentence of ours."""


class Model(BaseModel):
    """An object with these keys and no others; "1" is no number, and 1 is not true."""

    model_config = ConfigDict(**STRICT, extra="forbid")


def refusal(key: str, text: str, **values: object) -> PydanticCustomError:
    """Give an error for a validator to raise. key: which sentence the page says; text: the same, in English."""
    return PydanticCustomError(key, text, {**values, _SAID: True})


def refused_as(key: str, text: str) -> WrapValidator:
    """Refuse any value that does not fit by one sentence; see `refusal`."""

    def check(value: Any, fits: ValidatorFunctionWrapHandler) -> Any:  # noqa: ANN401 (a field may be anything)
        try:
            return fits(value)
        except ValidationError:
            raise refusal(key, text) from None

    return WrapValidator(check)


def own_refusal(fault: ErrorDetails) -> SettingError | None:
    """Give the error with a sentence of ours, None for one that has only a library's words."""
    values = dict(fault.get("ctx", {}))
    return SettingError(fault["msg"], fault["type"], **values) if values.pop(_SAID, False) else None


def first_fault(error: ValidationError) -> ErrorDetails:
    """Give what is wrong first."""
    return error.errors(include_url=False)[0]


def complaint(error: ValidationError) -> BadInputError:
    """Give the first fault of an event or a header as a sentence; a library's own words are for no one here."""
    fault = first_fault(error)
    if (own := own_refusal(fault)) is not None:
        return own
    name = next((f'"{part}"' for part in reversed(fault["loc"]) if isinstance(part, str)), "it")
    context = fault.get("ctx", {})
    must = {
        "missing": "must be there",
        "int_type": f"must be a whole number, not {shown(fault['input'])}",
        "bool_type": f"must be true or false, not {shown(fault['input'])}",
        "string_type": f"must be a text, not {shown(fault['input'])}",
        "list_type": "must be a list",
        "dict_type": "must be an object",
        "greater_than_equal": f"must be at least {context.get('ge')}",
        "less_than_equal": f"must be at most {context.get('le')}",
        "too_short": f"must have at least {context.get('min_length')} parts",
        "too_long": f"must have at most {context.get('max_length')} parts",
    }.get(fault["type"], f"cannot be {shown(fault['input'])}")
    return BadInputError(f"{name} {must}")
