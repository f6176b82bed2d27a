"""The house and the club: who is told what happens at the table. Only for paired devices, which may read it, too."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Protocol

from fastapi import APIRouter, Request, Response
from pydantic import BaseModel, ConfigDict, Field, TypeAdapter

from referee.language import Language
from referee.match.referee import Referee
from referee.web.responses import Desks, Json, body_as
from referee.web.who import Who, json_body


class House(Protocol):
    """What tells others."""

    def public(self, language: Language) -> dict[str, Any]:
        """Give the settings but for their secrets, and how the line is, `status` and, in words, `text`."""

    def change(self, data: Mapping[str, Any]) -> None:
        """Take other settings. Raises BadInputError if they cannot be."""


class ChangeHouse(BaseModel):
    """What is to be otherwise; what is left out stays. join: an invitation's code, leave: the club is left."""

    model_config = ConfigDict(extra="forbid", strict=True)
    on: bool | None = None
    host: Annotated[str, Field(max_length=253)] | None = None
    port: Annotated[int, Field(ge=0, le=65535)] | None = None
    user: Annotated[str, Field(max_length=200)] | None = None
    password: Annotated[str, Field(max_length=500)] | None = None
    tls: bool | None = None
    ca: Annotated[str, Field(max_length=48_000)] | None = None
    buttons: bool | None = None
    name: Annotated[str, Field(max_length=60)] | None = None
    join: Annotated[str, Field(max_length=40)] | None = None
    leave: bool | None = None


def routes(desk: Referee, ask: Desks, who: Who, house: House | None) -> APIRouter:
    """Give the requests about the house; there are none where nothing can be told."""
    router = APIRouter()

    def language() -> Language:
        return Language(str(desk.state().get("language", "en")))

    @router.get("/api/house")
    async def public(request: Request) -> Response:
        """Give what is set, and how the line is."""
        told = who.shown(request, house)
        return Json(await ask(lambda: told.public(language())))

    @router.post("/api/house", openapi_extra=json_body(ChangeHouse.model_json_schema()))
    async def change(request: Request) -> Response:
        """Set it otherwise."""
        who.demand_paired(request)
        told = who.shown(request, house)
        data = (await body_as(TypeAdapter(ChangeHouse), request)).model_dump(exclude_none=True)
        await ask(lambda: told.change(data))
        return Json(await ask(lambda: told.public(language())))

    return router
