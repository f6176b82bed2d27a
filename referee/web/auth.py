"""Authentication: pairing, and the proof that a changing request has to carry."""

from __future__ import annotations

import hmac
from collections.abc import Mapping
from typing import Annotated, Any, TypeVar

from fastapi import APIRouter, Request, Response
from pydantic import Field

from referee.called import called
from referee.models import Model, refused_as
from referee.web.hosts import is_this_machine
from referee.web.limits import RefusedError
from referee.web.options import WebOptions
from referee.web.pairing import Pairing, TooManyTriesError
from referee.web.pairing_first import FirstDevice
from referee.web.responses import Json, JsonRoute
from referee.web.round_trips import RoundTrips
from referee.web.tokens import TokenStore, csrf_of

COOKIE = "ringmaster"
CSRF_HEADER = "x-csrf-token"
_YEAR_S = 365 * 24 * 3600
Part = TypeVar("Part")


class PairingCode(Model):
    """A pairing code that somebody has typed."""

    code: Annotated[str, Field(pattern="^[0-9]{6}$"), refused_as("fault.code_digits")]


class Forget(Model):
    """Which devices to forget: the one that asks, or all."""

    all: bool


class Auth:
    """Knows the paired devices."""

    def __init__(self, options: WebOptions) -> None:
        self._options = options
        self.pairing = Pairing(options.clock)
        # Where phones find the page: known once it is served, None if they cannot.
        self.address: str | None = None
        self.tokens = TokenStore(options.state_dir)
        self.round_trips = RoundTrips()
        self.first = FirstDevice(options.clock, lambda: not len(self.tokens))

    def token(self, request: Request) -> str | None:
        """Return the token of a paired device; None for any other."""
        token = request.cookies.get(COOKIE)
        return token if self.tokens.knows(token) else None

    def paired_token(self, request: Request) -> str:
        """Return the token of a paired device.

        Raises:
            RefusedError: the device is not paired.
        """
        token = self.token(request)
        if token is None:
            raise RefusedError(401, "fault.pair_first")
        return token

    def shown(self, request: Request, part: Part | None) -> Part:
        """Return a part of the machine that only paired devices see.

        Raises:
            RefusedError: the device is not paired, or this machine has no such part.
        """
        self.paired_token(request)
        if part is None:
            raise RefusedError(404, "fault.not_here")
        return part

    def demand_paired(self, request: Request) -> str:
        """Let a change through, and give the device's token.

        Raises:
            RefusedError: the device is not paired, or the change does not come from our page.
        """
        token = self.paired_token(request)
        given = request.headers.get(CSRF_HEADER, "")
        if not hmac.compare_digest(csrf_of(token).encode(), given.encode("utf-8", "replace")):
            raise RefusedError(403, "fault.other_page")
        return token

    def about(self, request: Request) -> dict[str, Any]:
        """Return a page's permissions; a screen in the room, paired or on this machine, also gets the valid code."""
        token = self.token(request)
        return {
            "paired": token is not None,
            "csrf": None if token is None else csrf_of(token),
            "code": self.code_for(request),
            "command": None if self._options.state_dir is None else called("code", self._options.state_dir),
            "printed": self._options.prints_code,
            "scan": self.address is not None,
            "devices": len(self.tokens) if token is not None else None,
            "first": not len(self.tokens),
            "here": is_here(request),
        }

    def code_for(self, request: Request) -> str | None:
        """Return the code that is valid to a screen in the room: a paired one, or this machine's own."""
        return self.pairing.code if self.token(request) is not None or is_here(request) else None

    def demand_sight(self, request: Request, settings: Mapping[str, Any]) -> None:
        """Let a request for a picture of the table through: by a paired device, a screen of this machine, or all.

        Raises:
            RefusedError: pictures are for those only.
        """
        if self.token(request) is None and not is_here(request) and not settings.get("open_pictures"):
            raise RefusedError(401, "fault.pictures_paired")

    def ask(self, request: Request) -> bool:
        """Have the code said; return whether it is: a guest may ask only now and then."""
        paired = self.token(request) is not None
        code, say = self.pairing.ask(give=paired or is_here(request), seldom=not paired)
        if say:
            self._options.say_code(code)
        return say

    def code_at_door(self) -> tuple[str, int, str]:
        """Return whoever works at this machine a code, its seconds and the page's address: a way past others' tries."""
        code = self.pairing.ask(give=True)[0]
        return code, self.pairing.left_s, self.address or ""

    def help_in(self) -> bool:
        """Let on who was refused, as somebody in the room has pressed the bell."""
        code = self.pairing.renew()
        if code is not None:
            self._options.say_code(code)
        return code is not None


def routes(auth: Auth) -> APIRouter:
    """Return the requests that deal with pairing."""
    router = APIRouter(prefix="/api", route_class=JsonRoute)

    @router.get("/me")
    async def me(request: Request) -> Response:
        """Return a page's permissions."""
        return Json(auth.about(request))

    @router.post("/pair/ask")
    async def ask(request: Request) -> Response:
        """Have a code said and shown in the room."""
        said = auth.ask(request)
        # Screens in the room learn that there is a code to show.
        request.app.state.feed.notify(0)
        return Json({"asked": True, "said": said})

    @router.post("/pair")
    async def pair(request: Request, code: PairingCode) -> Response:
        """Pair the device that sends the code."""
        try:
            auth.pairing.redeem(code.code, address_of(request), here=is_here(request))
        except TooManyTriesError as error:
            if error.may_renew and request.app.state.has_bell():
                error.key = "fault.ring_to_pair"
            raise
        return let_in(auth.tokens.add(request.headers.get("user-agent", "")), kept=auth.tokens.kept)

    @router.post("/pair/forget")
    async def forget(request: Request, whom: Forget) -> Response:
        """Forget the device that asks, or all."""
        token = auth.demand_paired(request)
        auth.tokens.forget(None if whom.all else token)
        answer = Json({"paired": False})
        answer.delete_cookie(COOKIE, path="/", httponly=True, samesite="strict")
        return answer

    return router


def address_of(request: Request) -> str:
    """Return the address that a request comes from, "" where nobody knows."""
    return "" if request.client is None else request.client.host


def is_here(request: Request) -> bool:
    """Return whether a browser runs on this machine: its screen stands in the room."""
    return is_this_machine(address_of(request))


def let_in(token: str, *, kept: bool) -> Json:
    """Return the answer to a device that is paired now; kept: also after the next start."""
    answer = Json({"paired": True, "csrf": csrf_of(token), "kept": kept})
    answer.set_cookie(COOKIE, token, max_age=_YEAR_S, httponly=True, samesite="strict", path="/")
    return answer
