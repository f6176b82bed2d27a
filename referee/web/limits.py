"""ASGI middleware: checks every request, and adds headers to every answer."""

from __future__ import annotations

import asyncio
import math
from collections.abc import Callable, Mapping

from starlette.datastructures import Headers, MutableHeaders
from starlette.requests import Request
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from referee.errors import RingmasterError
from referee.web.hosts import OwnNames, is_own_host
from referee.web.refusal import refusal

MOST_BODY_BYTES = 64 * 1024
MOST_GUEST_BYTES = 1024
"""For a device that is not paired: a code, or nothing."""
MOST_PICTURE_BYTES = 24 * 2**20
MOST_BACKUP_BYTES = 192 * 2**20
BODY_S = 30.0
"""Time limit for a body, and for each part of a large one, s."""
PICTURE_PATH = "/api/picture"
DECK_PATH = "/api/decks/file"
RESTORE_PATH = "/api/restore"
LARGE_BODIES = {PICTURE_PATH: MOST_PICTURE_BYTES, DECK_PATH: MOST_PICTURE_BYTES, RESTORE_PATH: MOST_BACKUP_BYTES}
"""Paths whose bodies `uploads` stores in a file, and their limits."""
GUESTS = frozenset({"/api/pair", "/api/pair/ask", "/api/pair/wait", "/api/pair/screen"})
"""All other changes are for paired devices."""
_READS = ("GET", "HEAD", "OPTIONS")

HEADERS: Mapping[str, str] = {
    "Content-Security-Policy": (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' blob:; connect-src 'self'; "
        "font-src 'self'; manifest-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; "
        "require-trusted-types-for 'script'"
    ),
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), microphone=(), geolocation=()",
}


class RefusedError(RingmasterError):
    """A refused request, with its status."""

    def __init__(self, status: int, key: str, /, **values: object) -> None:
        super().__init__(key, **values)
        self.status = status


def too_large(most: int) -> RefusedError:
    """Return the refusal of a body above `most` bytes."""
    return RefusedError(413, "fault.too_large", most=most // 1024)


class RequestLimits:
    """Passes requests to `app` that address this machine, come from its own pages and are not too large.

    demand_paired: raises RefusedError for a change by a device that is not paired, before its body is read.
    """

    def __init__(
        self,
        app: ASGIApp,
        names: OwnNames,
        language: Callable[[], str],
        demand_paired: Callable[[Request], object] = lambda _: None,
    ) -> None:
        self._app = app
        self._names = names
        self._language = language
        self._demand_paired = demand_paired

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request; see the ASGI specification."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return

        async def send_guarded(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in HEADERS.items():
                    headers.setdefault(name, value)
                headers.setdefault("Cache-Control", "no-store")
            await send(message)

        try:
            body = await self._checked(scope, receive)
        except RefusedError as error:
            answer = refusal(scope, self._names, self._language(), error)
            if _promised(scope) > MOST_BODY_BYTES:
                # A small body is skipped, which lets its sender read the answer; a large one is not awaited.
                answer.headers["Connection"] = "close"
            await answer(scope, receive, send_guarded)
            return
        await self._app(scope, receive if body is None else _given(body, receive), send_guarded)

    async def _checked(self, scope: Scope, receive: Receive) -> bytes | None:
        """Return the body of a change; None for a request that only reads, or whose body goes to a file."""
        headers = Headers(scope=scope)
        host = headers.get("host", "")
        if len(headers.getlist("host")) != 1 or not is_own_host(host, self._names):
            raise RefusedError(421, "fault.wrong_host")
        if scope["method"] in _READS:
            return None
        origin, fetched_from = headers.get("origin"), headers.get("sec-fetch-site", "same-origin")
        if (origin is not None and origin.lower() != f"{scope['scheme']}://{host}".lower()) or (
            fetched_from not in ("same-origin", "none")
        ):
            raise RefusedError(403, "fault.other_page")
        path = scope["path"]
        most = MOST_GUEST_BYTES if path in GUESTS else LARGE_BODIES.get(path, MOST_BODY_BYTES)
        if "content-length" in headers and _promised(scope) > most:
            raise too_large(most)
        if path not in GUESTS:
            self._demand_paired(Request(scope))
        if path in LARGE_BODIES:
            return None
        try:
            async with asyncio.timeout(BODY_S):
                return await _body(receive, most)
        except TimeoutError:
            raise RefusedError(408, "fault.too_slow") from None


def _promised(scope: Scope) -> float:
    """Return the length of a body by its headers, infinite if they do not give it."""
    headers = Headers(scope=scope)
    said = headers.get("content-length", "inf" if "transfer-encoding" in headers else "0")
    return int(said) if said.isdigit() and len(said) <= 12 else math.inf


async def _body(receive: Receive, most: int) -> bytes:
    parts: list[bytes] = []
    size = 0
    while True:
        message = await receive()
        if message["type"] == "http.disconnect":
            raise RefusedError(400, "fault.too_slow")
        parts.append(message.get("body", b""))
        size += len(parts[-1])
        if size > most:
            raise too_large(most)
        if not message.get("more_body", False):
            return b"".join(parts)


def _given(body: bytes, receive: Receive) -> Receive:
    """Return a `receive` that gives the body read before, then later messages."""
    pending: list[Message] = [{"type": "http.request", "body": body, "more_body": False}]

    async def receive_again() -> Message:
        return pending.pop() if pending else await receive()

    return receive_again
