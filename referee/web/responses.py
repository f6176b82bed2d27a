"""How the page's server answers: JSON, and faults as one sentence that the page can show."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeVar

from anyio import CapacityLimiter, to_thread
from pydantic import TypeAdapter, ValidationError
from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from hardware.problems import HardwareError
from referee.errors import BadInputError, RingmasterError
from referee.jsonlines import parse_object
from referee.language import Language
from referee.web.feed import encoded
from referee.web.guard import RefusedError
from referee.web.refusal import fault
from vision.errors import VisionError

T = TypeVar("T")
_AT_ONCE = 8
_DEPTH = 6
"""So deep go the brackets of a command: event, hand, card, colour."""


class Json(JSONResponse):
    """Data as JSON."""

    def render(self, content: object) -> bytes:
        """Give the body."""
        return encoded(content).encode()


class Desks:
    """Where the desk is asked: in threads, few at once, so that slow questions never hold up the pages."""

    def __init__(self) -> None:
        self._limiter = CapacityLimiter(_AT_ONCE)

    async def __call__(self, question: Callable[[], T]) -> T:
        """Ask."""
        return await to_thread.run_sync(question, limiter=self._limiter)


async def body_as(model: TypeAdapter[T], request: Request) -> T:
    """Give the body of a change.

    Raises:
        RefusedError: it is not of that kind.
    """
    if request.headers.get("content-type", "").split(";")[0].strip().lower() != "application/json":
        raise RefusedError(415, "fault.bad_request")
    data = _plain_data(await request.body())
    try:
        return model.validate_python(data, by_alias=True)
    except ValidationError as error:
        raise not_taken(error.errors(include_url=False, include_context=False, include_input=False)) from None


def not_taken(faults: Sequence[Mapping[str, Any]]) -> RefusedError:
    """Give the refusal of data by where its first fault is; a library's own words about it are for no one here."""
    where = ".".join(str(part) for part in faults[0]["loc"])[:80]
    return RefusedError(400, "fault.bad_request", where=where)


def _plain_data(body: bytes) -> dict[str, object]:
    try:
        data = parse_object(body)
        encoded(data).encode()
    except (BadInputError, UnicodeEncodeError):
        raise RefusedError(400, "fault.bad_request") from None
    if not _is_flat(data, _DEPTH):
        raise RefusedError(400, "fault.bad_request")
    return data


def _is_flat(value: object, depth: int) -> bool:
    """Tell whether brackets are nested at most so deeply."""
    if not isinstance(value, dict | list):
        return True
    parts = value.values() if isinstance(value, dict) else value
    return depth > 0 and all(_is_flat(part, depth - 1) for part in parts)


async def on_fault(request: Request, error: Exception) -> Response:
    """Answer an error of the project's own, with its status: 400 for bad input, 409 for work that cannot be done."""
    status = getattr(error, "status", 400 if isinstance(error, ValueError) else 409)
    return Json(fault(error, Language(request.app.state.language())), status, getattr(error, "headers", None))


OWN_ERRORS = (RingmasterError, HardwareError, VisionError)
