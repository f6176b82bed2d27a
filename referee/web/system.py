"""The machine on the page: for paired devices, as names are in it and it can be switched off."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from fastapi import APIRouter, Request, Response
from pydantic import Field

from referee.match.system import System
from referee.models import Model
from referee.web.auth import Auth
from referee.web.responses import Desks, Json, JsonRoute


class Switch(Model):
    """Start the referee ("restart") or the computer ("reboot") again, or shut the computer down."""

    do: Literal["restart", "reboot", "shut_down"]


class ForgetGame(Model):
    """Delete a game with its pictures."""

    do: Literal["forget_game"]
    game: Annotated[str, Field(pattern=r"^[0-9]{1,15}$")]


class RenamePlayer(Model):
    """Rename a player in all games."""

    do: Literal["rename"]
    name: Annotated[str, Field(max_length=200)]
    new: Annotated[str, Field(max_length=200)]


class ForgetPlayer(Model):
    """Put "Somebody" in the place of a name in all games."""

    do: Literal["forget_player"]
    name: Annotated[str, Field(max_length=200)]


class Noted(Model):
    """Take note of files that made no sense and were set aside."""

    do: Literal["noted"]


Wish = Annotated[Switch | ForgetGame | RenamePlayer | ForgetPlayer | Noted, Field(discriminator="do")]


def routes(ask: Desks, auth: Auth, system: System | None) -> APIRouter:
    """Return the requests about the machine; the list is empty where nothing is shown of it."""
    router = APIRouter(route_class=JsonRoute)

    @router.get("/api/system")
    async def public(request: Request) -> Response:
        """Return how the machine is, and what is kept."""
        return Json(await ask(auth.shown(request, system).public))

    @router.post("/api/system")
    async def change(request: Request, wish: Wish) -> Response:
        """Carry out a wish, and give how it all is then."""
        auth.demand_paired(request)
        here = auth.shown(request, system)
        return Json(await ask(lambda: _carry_out(here, wish)))

    return router


def _carry_out(system: System, wish: Wish) -> dict[str, Any]:
    match wish:
        case Switch():
            system.switch(wish.do)
            return {}
        case ForgetGame():
            system.forget_game(int(wish.game))
        case Noted():
            system.note_set_aside()
        case RenamePlayer():
            system.rename(wish.name, wish.new)
        case ForgetPlayer():
            system.forget_player(wish.name)
    return system.public()
