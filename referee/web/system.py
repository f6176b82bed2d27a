"""Routes of the machine, for paired devices: they show names and switch it off."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from fastapi import APIRouter, Request, Response
from pydantic import Field

from referee.errors import WorkFailedError
from referee.files import note_set_aside
from referee.match import system
from referee.match.referee import Referee
from referee.models import Model
from referee.web.auth import Auth
from referee.web.responses import Json, JsonRoute, Reads


class Switch(Model):
    """Restart the referee ("restart") or the computer ("reboot"), or shut the computer down."""

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
    """Replace a name by "Somebody" in all games."""

    do: Literal["forget_player"]
    name: Annotated[str, Field(max_length=200)]


class Noted(Model):
    """Confirm that files were set aside."""

    do: Literal["noted"]


Wish = Annotated[Switch | ForgetGame | RenamePlayer | ForgetPlayer | Noted, Field(discriminator="do")]


def routes(referee: Referee, ask: Reads, auth: Auth) -> APIRouter:
    """Return the routes of the machine."""
    router = APIRouter(route_class=JsonRoute)

    @router.get("/api/system")
    async def public(request: Request) -> Response:
        """Return the state of the machine and its storage."""
        auth.paired_token(request)
        return Json(await ask(lambda: system.public(referee)))

    @router.post("/api/system")
    async def change(request: Request, wish: Wish) -> Response:
        """Apply a wish, and return the new state."""
        auth.demand_paired(request)
        return Json(await ask(lambda: _carry_out(referee, wish)))

    return router


def _carry_out(referee: Referee, wish: Wish) -> dict[str, Any]:
    match wish:
        case Switch():
            if not referee.power.ask(wish.do):
                raise WorkFailedError("kept.that_cannot_be_done_from")
            return {}
        case ForgetGame():
            system.forget_game(referee, int(wish.game))
        case Noted():
            note_set_aside(referee.folder)
            referee.report_set_aside()
        case RenamePlayer():
            system.rename(referee, wish.name, wish.new)
        case ForgetPlayer():
            system.forget_player(referee, wish.name)
    return system.public(referee)
