"""Routes for paired devices only: commands to the referee, and the score of a picture."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from anyio import to_thread
from fastapi import APIRouter, Query, Request, Response

from referee.language import Language
from referee.match.commands import Command
from referee.match.devices import Arrival
from referee.match.referee import Referee
from referee.web.auth import Auth
from referee.web.limits import PICTURE_PATH
from referee.web.picture_score import score_upload
from referee.web.responses import Json, JsonRoute, Reads
from referee.web.uploads import Uploads


def routes(referee: Referee, ask: Reads, auth: Auth, state: Path | None, uploads: Uploads) -> APIRouter:
    """Return the routes that change something; `state` is the folder with the taught decks."""
    router = APIRouter(route_class=JsonRoute)

    @router.post("/api/do")
    async def do(request: Request, command: Command) -> Response:
        """Carry out a command."""
        arrival = Arrival(request.state.came_ns, auth.round_trips.half_ns(auth.demand_paired(request)))
        return Json(await ask(lambda: referee.do(command, arrival)))

    @router.post(PICTURE_PATH, openapi_extra={"requestBody": {"content": {"image/*": {"schema": {"type": "string"}}}}})
    async def picture(
        request: Request,
        players: Annotated[int, Query(ge=1, le=7)],
        limit: Annotated[int, Query(ge=1, le=84)],
        deck: Annotated[str, Query(max_length=100)] = "confetti",
    ) -> Response:
        """Score a picture of a Confetti table."""
        auth.demand_paired(request)
        language = Language(str(referee.state().get("language", "en")))
        async with uploads.taken(request) as file:
            return Json(await to_thread.run_sync(score_upload, file, players, limit, deck, state, language))

    return router
