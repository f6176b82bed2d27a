"""The machine on the page: for paired devices, as names are in it and it can be switched off."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from fastapi import APIRouter, Request, Response
from pydantic import BaseModel, ConfigDict, Field, TypeAdapter

from referee.match.system import System
from referee.web.responses import Desks, Json, body_as
from referee.web.who import Who, json_body


class _Wish(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True)


class Switch(_Wish):
    """Start the referee ("restart") or the computer ("reboot") anew, or shut the computer down."""

    do: Literal["restart", "reboot", "shut_down"]


class ForgetGame(_Wish):
    """Delete a game with its pictures."""

    do: Literal["forget_game"]
    game: Annotated[str, Field(pattern=r"^[0-9]{1,15}$")]


class Rename(_Wish):
    """Call a player otherwise in all games."""

    do: Literal["rename"]
    name: Annotated[str, Field(max_length=200)]
    new: Annotated[str, Field(max_length=200)]


class ForgetPlayer(_Wish):
    """Put "Somebody" in the place of a name in all games."""

    do: Literal["forget_player"]
    name: Annotated[str, Field(max_length=200)]


class Noted(_Wish):
    """Take note of files that made no sense and were set aside."""

    do: Literal["noted"]


Wish = Switch | ForgetGame | Rename | ForgetPlayer | Noted
WISH: TypeAdapter[Wish] = TypeAdapter(Wish)


def routes(ask: Desks, who: Who, system: System | None) -> APIRouter:
    """Give the requests about the machine; there are none where nothing is shown of it."""
    router = APIRouter()

    @router.get("/api/system")
    async def public(request: Request) -> Response:
        """Give how the machine is, and what is kept."""
        return Json(await ask(who.shown(request, system).public))

    @router.post("/api/system", openapi_extra=json_body(WISH.json_schema()))
    async def change(request: Request) -> Response:
        """Carry out a wish, and give how it all is then."""
        who.demand_paired(request)
        here = who.shown(request, system)
        wish = await body_as(WISH, request)
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
        case Rename():
            system.rename(wish.name, wish.new)
        case ForgetPlayer():
            system.forget_player(wish.name)
    return system.public()
