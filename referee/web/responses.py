"""Answers of the page's server: JSON, and errors as one sentence for the page."""

from __future__ import annotations

import time
from collections.abc import Callable, Coroutine
from typing import Any, TypeVar

from anyio import CapacityLimiter, to_thread
from fastapi.exceptions import RequestValidationError
from fastapi.routing import APIRoute
from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from hardware.problems import HardwareError
from referee.errors import BadInputError, RingmasterError
from referee.jsonlines import parse_object
from referee.language import Language
from referee.models import own_refusal
from referee.web.feed import encoded
from referee.web.limits import RefusedError
from referee.web.refusal import fault
from vision.errors import VisionError

T = TypeVar("T")
_AT_ONCE = 8
_DEPTH = 6
"""Deepest nesting of a command: event, hand, card, colour."""


class Json(JSONResponse):
    """Data as JSON."""

    def render(self, content: object) -> bytes:
        """Return the body."""
        return encoded(content).encode()


class Reads:
    """Runs reads of the referee in a few threads, which keeps slow ones from blocking the pages."""

    def __init__(self) -> None:
        self._limiter = CapacityLimiter(_AT_ONCE)

    async def __call__(self, question: Callable[[], T]) -> T:
        """Run a function in a thread, and return its result."""
        return await to_thread.run_sync(question, limiter=self._limiter)


class JsonRoute(APIRoute):
    """A route whose body, if any, is a strict JSON object; `request.state.came_ns` is the time of arrival."""

    def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        """Return the handler of requests."""
        answer = super().get_route_handler()

        async def answer_strictly(request: Request) -> Response:
            request.state.came_ns = time.monotonic_ns()
            if self.body_field is None:
                return await answer(request)
            if request.headers.get("content-type", "").split(";")[0].strip().lower() != "application/json":
                raise RefusedError(415, "fault.bad_request")
            return await answer(_JsonRequest(request, await request.body()))

        return answer_strictly


class _JsonRequest(Request):
    """A request with a strictly parsed body: no NaN, no duplicate keys, no deep nesting."""

    def __init__(self, request: Request, body: bytes) -> None:
        super().__init__(request.scope)
        self._bytes, self._data = body, _strict_data(body)

    async def body(self) -> bytes:
        """Return the bytes."""
        return self._bytes

    async def json(self) -> dict[str, object]:
        """Return the object."""
        return self._data


async def on_bad_request(request: Request, error: Exception) -> Response:
    """Answer a request that fits no model: by our own sentence, if any, else by the place of its first fault."""
    if not isinstance(error, RequestValidationError):
        raise error
    fault = error.errors()[0]
    if (own := own_refusal(fault)) is not None:
        return await on_fault(request, own)
    # The first part is only "body", "path" or "query".
    unknown = fault.get("ctx", {}).get("discriminator", "").strip("'")
    where = ".".join(filter(None, [*map(str, fault["loc"][1:]), unknown]))[:80]
    return await on_fault(request, RefusedError(400, "fault.bad_request", where=where))


def _strict_data(body: bytes) -> dict[str, object]:
    try:
        data = parse_object(body)
        encoded(data).encode()
    except (BadInputError, UnicodeEncodeError):
        raise RefusedError(400, "fault.bad_request") from None
    if not _is_flat(data, _DEPTH):
        raise RefusedError(400, "fault.bad_request")
    return data


def _is_flat(value: object, depth: int) -> bool:
    """Return whether brackets are nested at most `depth` deep."""
    if not isinstance(value, dict | list):
        return True
    parts = value.values() if isinstance(value, dict) else value
    return depth > 0 and all(_is_flat(part, depth - 1) for part in parts)


async def on_fault(request: Request, error: Exception) -> Response:
    """Answer an error of the project, with its status: 400 for bad input, 409 for work that failed."""
    status = getattr(error, "status", 400 if isinstance(error, ValueError) else 409)
    return Json(fault(error, Language(request.app.state.language())), status, getattr(error, "headers", None))


OWN_ERRORS = (RingmasterError, HardwareError, VisionError)
