"""The route of a device that waits to be paired as the first one (see `pairing_first`)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from anyio import CapacityLimiter, to_thread
from fastapi import APIRouter, Request, Response

from referee.match.referee import Referee
from referee.web.auth import Auth, let_in
from referee.web.hosts import is_at_home
from referee.web.options import WebOptions
from referee.web.pairing_first import Wait
from referee.web.pairing_marker import mark_rows, marks_in
from referee.web.responses import Json

TICKET = "ringmaster-waits"
LOOK_S = 0.7
"""Shortest time between two looks at pictures, s."""
_BUTTONS = ("one", "seats")


def routes(referee: Referee, auth: Auth, options: WebOptions) -> APIRouter:
    """Return the route of waiting devices."""
    router = APIRouter(prefix="/api")
    look = _MarkSearch(auth, options)

    @router.post("/pair/wait")
    async def wait(request: Request) -> Response:
        """Start or continue waiting; return the acts that admit this device, and pair it after one."""
        client, server = request.client, request.scope.get("server")
        if not is_at_home(client.host if client else None, server[0] if server else None):
            return Json({"first": False, "home": False})
        acts = acts_of(referee.state(), options) if options.has_room else []
        if "camera" in acts:
            await look()
        waits = auth.first.ask(request.cookies.get(TICKET))
        if waits is not None and waits.granted:
            token = auth.tokens.add_first(request.headers.get("user-agent", ""))
            auth.first.leave(waits.ticket)
            if token is not None:
                return let_in(token, kept=auth.tokens.kept)
        if waits is None:
            return Json({"first": not len(auth.tokens), "home": True, "acts": []})
        answer = Json(_answer(waits, acts))
        answer.set_cookie(TICKET, waits.ticket, httponly=True, samesite="strict", path="/api/pair")
        return answer

    return router


def acts_of(state: Mapping[str, Any], options: WebOptions) -> list[str]:
    """Return the possible acts that admit a device: "bell", "camera".

    A microphone's bell is excluded: a sound from outside the room could ring it. During a game a press counts as a
    ring, so the bell admits no device then.
    """
    acts = []
    if has_bell(state) and state["mode"] != "playing":
        acts.append("bell")
    if options.newest_picture is not None and _works(state, "camera"):
        acts.append("camera")
    return acts


def has_bell(state: Mapping[str, Any]) -> bool:
    """Return whether the table has a button that can be pressed."""
    return state["settings"]["bell"] in _BUTTONS and _works(state, "bell")


def _works(state: Mapping[str, Any], kind: str) -> bool:
    return all(one["state"] == "ok" for one in state["devices"] if str(one["name"]).partition(" ")[0] == kind)


class _MarkSearch:
    """Looks for marks in the newest picture."""

    def __init__(self, auth: Auth, options: WebOptions) -> None:
        self._first, self._options = auth.first, options
        self._one = CapacityLimiter(1)
        self._looked_s = -LOOK_S
        self._seen_ns = 0

    async def __call__(self) -> None:
        now = self._options.clock()
        if now - self._looked_s < LOOK_S or not self._first.is_awaited:
            return
        self._looked_s = now
        await to_thread.run_sync(self._look, limiter=self._one)

    def _look(self) -> None:
        taken = None if self._options.newest_picture is None else self._options.newest_picture()
        if taken is None or taken[0] <= self._seen_ns:
            return
        self._seen_ns = taken[0]
        self._first.seen(marks_in(taken[1]), taken[0] / 1e9)


def _answer(waits: Wait, acts: list[str]) -> dict[str, Any]:
    return {
        "first": True,
        "home": True,
        "acts": acts,
        "presses": waits.presses,
        "mark": mark_rows(waits.mark),
        "pressed": waits.pressed,
        "miscounted": waits.miscounted,
        "others": waits.others,
        "bell_rests": waits.bell_rests,
    }
