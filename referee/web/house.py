"""Routes of house and club settings, for paired devices only."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Protocol

from fastapi import APIRouter, Request, Response
from pydantic import Field

from referee.language import Language
from referee.match.referee import Referee
from referee.mqtt.settings import HouseSettings
from referee.web.auth import Auth
from referee.web.responses import Desks, Json, JsonRoute


class House(Protocol):
    """The publisher, as the page uses it."""

    def public(self, language: Language) -> dict[str, Any]:
        """Return the settings without their secrets, and the connection's `status` and `text` in words."""

    def change(self, data: Mapping[str, Any]) -> None:
        """Apply settings. Raises BadInputError if they are invalid."""


class ChangeHouse(HouseSettings):
    """Change settings; missing ones stay. join: an invitation's code; leave: whether to leave the club."""

    join: Annotated[str, Field(max_length=40)] = ""
    leave: bool = False


def routes(desk: Referee, ask: Desks, auth: Auth, house: House | None) -> APIRouter:
    """Return the routes of the house; without a publisher they answer 404."""
    router = APIRouter(route_class=JsonRoute)

    def language() -> Language:
        return Language(str(desk.state().get("language", "en")))

    @router.get("/api/house")
    async def public(request: Request) -> Response:
        """Return the settings and the state of the connection."""
        shown = auth.shown(request, house)
        return Json(await ask(lambda: shown.public(language())))

    @router.post("/api/house")
    async def change(request: Request, wanted: ChangeHouse) -> Response:
        """Change the settings."""
        auth.demand_paired(request)
        shown = auth.shown(request, house)
        await ask(lambda: shown.change(wanted.model_dump(exclude_unset=True)))
        return Json(await ask(lambda: shown.public(language())))

    return router
