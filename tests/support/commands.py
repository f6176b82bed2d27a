"""Commands as a page sends them, for tests."""

from __future__ import annotations

from collections.abc import Mapping

from pydantic import ValidationError

from referee.errors import BadInputError
from referee.match.commands import COMMAND, Command
from referee.models import first_fault, own_refusal


def sent(data: Mapping[str, object]) -> Command:
    """Return the command in a body. Raises BadInputError, as the page's server refuses it."""
    try:
        return COMMAND.validate_python(dict(data))
    except ValidationError as error:
        fault = first_fault(error)
        raise own_refusal(fault) or BadInputError(".".join(map(str, fault["loc"]))) from None
