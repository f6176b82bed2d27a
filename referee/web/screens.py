"""Screens without a keyboard, such as a TV: each shows a short code, which a paired device types."""

from __future__ import annotations

import secrets
import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Annotated

from fastapi import APIRouter, Request, Response
from pydantic import Field

from referee.models import Model
from referee.web.auth import Auth, address_of, let_in
from referee.web.hosts import is_at_home
from referee.web.limits import RefusedError
from referee.web.responses import Json, JsonRoute

TICKET = "ringmaster-screen"
GONE_S = 20.0
"""A screen that has not asked for this long is gone, s."""
MOST_WAITING = 32
MOST_OF_ADDRESS = 3


class ScreenCode(Model):
    """The code of a waiting screen, typed on a paired device."""

    code: Annotated[str, Field(pattern=r"^[0-9]{4}$")]


@dataclass
class _Screen:
    """A waiting screen: its code and address, time of its last request, s, and whether it was admitted."""

    code: str
    address: str
    asked_s: float
    is_let_in: bool = False


@dataclass
class Screens:
    """The waiting screens. Pure but for the clock and the random source; thread-safe."""

    clock: Callable[[], float]
    number: Callable[[int], int] = secrets.randbelow
    _waiting: dict[str, _Screen] = field(default_factory=dict)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def ask(self, ticket: str | None, address: str) -> tuple[str, str] | None:
        """Start or continue waiting: return ticket and code; None where too many wait."""
        with self._lock:
            self._forget_gone()
            known = self._waiting.get(ticket or "")
            if ticket is None or known is None:
                own = sum(one.address == address for one in self._waiting.values())
                if len(self._waiting) >= MOST_WAITING or own >= MOST_OF_ADDRESS:
                    return None
                taken = {one.code for one in self._waiting.values()}
                free = iter(lambda: f"{self.number(10_000):04}", "")
                code = next(code for code in free if code not in taken)
                ticket, known = secrets.token_urlsafe(24), _Screen(code, address, 0.0)
                self._waiting[ticket] = known
            known.asked_s = self.clock()
            return ticket, known.code

    def takes(self, ticket: str | None) -> bool:
        """Return whether a screen was admitted, and remove it then."""
        with self._lock:
            self._forget_gone()
            known = self._waiting.get(ticket or "")
            if known is None or not known.is_let_in:
                return False
            del self._waiting[ticket or ""]
            return True

    def let_in(self, code: str) -> bool:
        """Admit the screen that shows a code; return whether one does."""
        with self._lock:
            self._forget_gone()
            found = [one for one in self._waiting.values() if one.code == code]
            for one in found:
                one.is_let_in = True
            return bool(found)

    def _forget_gone(self) -> None:
        now = self.clock()
        self._waiting = {key: one for key, one in self._waiting.items() if now - one.asked_s <= GONE_S}


def routes(auth: Auth, screens: Screens) -> APIRouter:
    """Return the routes of such screens, and of the devices that admit them."""
    router = APIRouter(prefix="/api/pair/screen", route_class=JsonRoute)

    @router.post("")
    async def wait(request: Request) -> Response:
        """Start or continue waiting; return the code to show, and pair the screen once it was typed."""
        server, ticket = request.scope.get("server"), request.cookies.get(TICKET)
        if not is_at_home(address_of(request), server[0] if server else None):
            return Json({"code": None})
        if screens.takes(ticket):
            return let_in(auth.tokens.add(request.headers.get("user-agent", "")), kept=auth.tokens.kept)
        waits = screens.ask(ticket, address_of(request))
        answer = Json({"code": None if waits is None else waits[1]})
        if waits is not None:
            answer.set_cookie(TICKET, waits[0], httponly=True, samesite="strict", path="/api/pair")
        return answer

    @router.post("/let-in")
    async def admit(request: Request, shown: ScreenCode) -> Response:
        """Admit the screen that shows a code."""
        auth.demand_paired(request)
        if not screens.let_in(shown.code):
            raise RefusedError(404, "fault.no_screen")
        return Json({"let_in": True})

    return router
