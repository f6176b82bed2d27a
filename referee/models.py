"""Base of the models that validate outside data, and the sentence about an invalid value."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pydantic import BaseModel, ConfigDict, ValidationError, ValidatorFunctionWrapHandler, WrapValidator
from pydantic_core import ErrorDetails

from referee.errors import BadInputError, SettingError
from referee.jsonlines import shown


class Model(BaseModel):
    """A strict object with these keys and no others; "1" is not a number, and 1 is not true."""

    model_config = ConfigDict(strict=True, frozen=True, extra="forbid")


def refused_as(key: str) -> WrapValidator:
    """Validator that replaces every error by one sentence of the catalogues."""

    def check(value: Any, fits: ValidatorFunctionWrapHandler) -> Any:  # noqa: ANN401 (a field may be anything)
        try:
            return fits(value)
        except ValidationError:
            raise SettingError(key) from None

    return WrapValidator(check)


def own_refusal(fault: Mapping[str, Any]) -> BadInputError | None:
    """Return the error of a validator of ours, None for a library's own."""
    error = fault.get("ctx", {}).get("error")
    return error if isinstance(error, BadInputError) else None


def first_fault(error: ValidationError) -> ErrorDetails:
    """Return the first fault."""
    return error.errors(include_url=False)[0]


def complaint(error: ValidationError) -> BadInputError:
    """Return the first fault as a sentence, without the library's own words."""
    fault = first_fault(error)
    if (own := own_refusal(fault)) is not None:
        return own
    name = next((part for part in reversed(fault["loc"]) if isinstance(part, str)), "it")
    limits, given = fault.get("ctx", {}), shown(fault["input"])
    match fault["type"]:
        case "missing":
            return BadInputError("error.model.must_be_there", name=name)
        case "tuple_type":
            return BadInputError("error.model.must_be_list", name=name)
        case "greater_than_equal":
            return BadInputError("error.jsonlines.must_be_at_least", name=name, least=limits["ge"])
        case "int_type":
            return BadInputError("error.jsonlines.must_be_whole_number_not", name=name, value=given)
        case "bool_type":
            return BadInputError("error.jsonlines.must_be_not", name=name, list="true or false", value=given)
        case "enum":
            words = limits["expected"].replace("'", "")
            return BadInputError("error.jsonlines.must_be_not", name=name, list=words, value=given)
        case _:
            return BadInputError("error.model.cannot_be", name=name, value=given)
