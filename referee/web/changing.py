"""What only a paired device may do: tell the desk, and have a picture of a table scored."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Annotated

from anyio import to_thread
from fastapi import APIRouter, Query, Request, Response

from referee.language import Language
from referee.match.referee import Referee
from referee.web.commands import COMMAND, as_data
from referee.web.guard import PICTURE_PATH
from referee.web.picture_score import score_upload
from referee.web.responses import Desks, Json, body_as
from referee.web.uploads import Uploads
from referee.web.who import Who, json_body


def routes(desk: Referee, ask: Desks, who: Who, state: Path | None, uploads: Uploads) -> APIRouter:
    """Give the requests that change something; `state` is the folder with the decks that were taught."""
    router = APIRouter()

    @router.post("/api/do", openapi_extra=json_body(COMMAND.json_schema()))
    async def do(request: Request) -> Response:
        """Carry out a command."""
        came_ns = time.monotonic_ns()
        device = who.demand_paired(request)
        command = as_data(await body_as(COMMAND, request))
        if command["do"] == "ring":
            command |= {"came_ns": came_ns, "half_ns": who.round_trips.half_ns(device)}
        return Json(await ask(lambda: desk.do(command)))

    @router.post(PICTURE_PATH, openapi_extra={"requestBody": {"content": {"image/*": {"schema": {"type": "string"}}}}})
    async def picture(
        request: Request,
        players: Annotated[int, Query(ge=1, le=7)],
        limit: Annotated[int, Query(ge=1, le=84)],
        deck: Annotated[str, Query(max_length=100)] = "confetti",
    ) -> Response:
        """Score a picture of a table of Confetti."""
        who.demand_paired(request)
        language = Language(str(desk.state().get("language", "en")))
        async with uploads.taken(request) as file:
            return Json(await to_thread.run_sync(score_upload, file, players, limit, deck, state, language))

    return router
