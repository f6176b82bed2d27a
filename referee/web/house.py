"""Routes of house and club settings, for paired devices only."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Request, Response
from pydantic import Field

from referee.match.referee import Referee
from referee.mqtt.settings import HouseSettings
from referee.web.auth import Auth
from referee.web.responses import Json, JsonRoute, Reads


class ChangeHouse(HouseSettings):
    """Change settings; missing ones stay. join: an invitation's code; leave: whether to leave the club."""

    join: Annotated[str, Field(max_length=40)] = ""
    leave: bool = False


def routes(referee: Referee, ask: Reads, auth: Auth) -> APIRouter:
    """Return the routes of the house."""
    router = APIRouter(route_class=JsonRoute)

    @router.get("/api/house")
    async def public(request: Request) -> Response:
        """Return the settings and the state of the connection."""
        auth.paired_token(request)
        return Json(await ask(lambda: referee.publisher.public(referee.language)))

    @router.post("/api/house")
    async def change(request: Request, wanted: ChangeHouse) -> Response:
        """Change the settings."""
        auth.demand_paired(request)
        await ask(lambda: referee.publisher.change(wanted.model_dump(exclude_unset=True)))
        return Json(await ask(lambda: referee.publisher.public(referee.language)))

    return router
