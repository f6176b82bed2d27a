"""Routes of setting up: progress, findings of the open step, the whole picture, and prints."""

from __future__ import annotations

from functools import cache
from typing import Annotated, Literal

from anyio import CapacityLimiter, to_thread
from fastapi import APIRouter, Path, Query, Request, Response

from calibration.print import MARKER_IDS, marker_svg
from referee.match.referee import Referee
from referee.printing import printed
from referee.web.auth import Auth
from referee.web.limits import RefusedError
from referee.web.responses import Json, Reads

_Printable = Annotated[str, Path(pattern="^(markers|confetti|piccolino|coloretto|everdeck)$")]
_Marker = Annotated[int, Path(ge=0, lt=len(MARKER_IDS))]
_Paper = Annotated[Literal["a4", "letter"], Query()]


def routes(referee: Referee, ask: Reads, auth: Auth) -> APIRouter:
    """Return the routes of setting up; its changes are commands."""
    router = APIRouter()
    one_pdf = CapacityLimiter(1)

    @router.get("/api/setup")
    async def setup(request: Request) -> Response:
        """Return the progress; to a paired device also the findings of the open step."""
        paired = auth.token(request) is not None
        return Json(await ask(lambda: referee.walk.progress(look=paired)))

    @router.get("/setup.jpg", responses={200: {"content": {"image/jpeg": {}}}})
    async def picture(request: Request) -> Response:
        """Return the camera's whole picture, only to a paired device: people may be in it."""
        auth.paired_token(request)
        data = await ask(referee.pictures.whole)
        if data is None:
            raise RefusedError(404, "fault.no_picture")
        return Response(data, media_type="image/jpeg")

    @router.get("/marker/{number}.svg", responses={200: {"content": {"image/svg+xml": {}}}})
    async def marker(number: _Marker) -> Response:
        """Return a marker for a screen."""
        return Response(marker_svg(number), media_type="image/svg+xml")

    @router.get("/print/{what}.pdf", responses={200: {"content": {"application/pdf": {}}}})
    async def pdf(what: _Printable, paper: _Paper = "a4") -> Response:
        """Return a PDF of cards."""
        async with one_pdf:
            data = await to_thread.run_sync(_pdf, what, paper)
        named = {"Content-Disposition": f'inline; filename="{what}.pdf"'}
        return Response(data, media_type="application/pdf", headers=named)

    return router


@cache
def _pdf(what: str, paper: str) -> bytes:
    """Return a PDF of cards, cached: a deck takes a second of processor time."""
    return printed(what, paper)[0]
