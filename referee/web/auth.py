"""Authentication: pairing, and the proof that a changing request must carry."""

from __future__ import annotations

import hmac
from collections.abc import Mapping
from typing import Annotated, Any

from fastapi import APIRouter, Request, Response
from pydantic import Field

from referee.models import Model, refused_as
from referee.state_folder import as_typed
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


class PairingCode(Model):
    """A pairing code that a person typed."""

    code: Annotated[str, Field(pattern="^[0-9]{6}$"), refused_as("fault.code_digits")]


class Forget(Model):
    """The devices to forget: the one that asks, or all."""

    all: bool


class Auth:
    """Identifies paired devices and checks their requests."""

    def __init__(self, options: WebOptions) -> None:
        self._options = options
        self.pairing = Pairing(options.clock)
        # The page's address for phones; None before it is served, and where phones cannot reach it.
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

    def demand_paired(self, request: Request) -> str:
        """Check a change, and return the device's token.

        Raises:
            RefusedError: the device is not paired, or the request does not come from our page.
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
            "command": None if self._options.state_dir is None else as_typed("code", self._options.state_dir),
            "printed": self._options.prints_code,
            "scan": self.address is not None,
            "devices": len(self.tokens) if token is not None else None,
            "first": not len(self.tokens),
            "here": is_here(request),
        }

    def code_for(self, request: Request) -> str | None:
        """Return the valid code to a screen in the room, which is paired or on this machine; else None."""
        return self.pairing.code if self.token(request) is not None or is_here(request) else None

    def demand_sight(self, request: Request, settings: Mapping[str, Any]) -> None:
        """Check a request for a picture of the table: by a paired device, this machine's screen, or any if allowed.

        Raises:
            RefusedError: the device may not see pictures.
        """
        if self.token(request) is None and not is_here(request) and not settings.get("open_pictures"):
            raise RefusedError(401, "fault.pictures_paired")

    def ask(self, request: Request) -> bool:
        """Announce the code, and return whether it is said aloud; a guest's requests are limited."""
        paired = self.token(request) is not None
        code, say = self.pairing.ask(give=paired or is_here(request), seldom=not paired)
        if say:
            self._options.say_code(code)
        return say

    def code_at_door(self) -> tuple[str, int, str]:
        """Return a code, its seconds and the page's address to a user of this machine, despite others' wrong tries."""
        code = self.pairing.ask(give=True)[0]
        return code, self.pairing.left_s, self.address or ""

    def help_in(self) -> bool:
        """Renew the code and its tries after refusals, because a person in the room has pressed the bell.

        Returns whether there is a new code.
        """
        code = self.pairing.renew()
        if code is not None:
            self._options.say_code(code)
        return code is not None


def routes(auth: Auth) -> APIRouter:
    """Return the routes of pairing."""
    router = APIRouter(prefix="/api", route_class=JsonRoute)

    @router.get("/me")
    async def me(request: Request) -> Response:
        """Return a page's permissions."""
        return Json(auth.about(request))

    @router.post("/pair/ask")
    async def ask(request: Request) -> Response:
        """Announce a code in the room, aloud and on screens."""
        said = auth.ask(request)
        # Notify the screens in the room of the code.
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
    """Return the address that a request comes from, "" if unknown."""
    return "" if request.client is None else request.client.host


def is_here(request: Request) -> bool:
    """Return whether the browser runs on this machine, whose screen is in the room."""
    return is_this_machine(address_of(request))


def let_in(token: str, *, kept: bool) -> Json:
    """Return the answer to a newly paired device; kept: whether the pairing survives a restart."""
    answer = Json({"paired": True, "csrf": csrf_of(token), "kept": kept})
    answer.set_cookie(COOKIE, token, max_age=_YEAR_S, httponly=True, samesite="strict", path="/")
    return answer
