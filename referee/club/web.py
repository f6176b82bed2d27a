"""The club's page: the network may read it; tables are invited and removed at the club's own computer."""

from __future__ import annotations

from pathlib import Path as FilePath
from typing import Annotated

from anyio import CapacityLimiter, to_thread
from fastapi import APIRouter, FastAPI, Path, Query, Request, Response
from fastapi.exceptions import RequestValidationError
from sqlalchemy import Engine
from starlette.responses import FileResponse
from starlette.staticfiles import StaticFiles

from referee.club.files import as_csv, as_json
from referee.club.members import invite, put_out
from referee.club.service import ClubService
from referee.club.settings import ClubSettings
from referee.club.views import EXPORTS, Views
from referee.errors import WorkFailedError
from referee.language import LANGUAGES, Language, catalogue
from referee.mqtt.client import shown_code
from referee.phrases import in_language
from referee.sayings import house
from referee.web.hosts import OwnNames, is_this_machine
from referee.web.limits import RefusedError, RequestLimits
from referee.web.responses import OWN_ERRORS, Json, on_bad_request, on_fault

FILES = FilePath(__file__).parent / "page"
TABLE_FILES = FilePath(__file__).parents[1] / "web" / "page"
"""The table page's files, by their path: an import of `referee.web.app` would load the card reader."""
MOST_ASKING, MOST_WAITING = 4, 8
"""Limits of concurrent and of waiting requests for pictures; other requests never wait for them."""
_Code = Annotated[str, Path(pattern="^(" + "|".join(LANGUAGES) + ")$")]
_Id = Annotated[str, Path(pattern=r"^[A-Za-z0-9_-]{1,64}$")]
_Number = Annotated[int, Path(ge=0, lt=1 << 31)]
_Date = Annotated[str | None, Query(pattern=r"^\d{4}-\d\d-\d\d$")]


def create_club_app(service: ClubService, engine: Engine, settings: ClubSettings) -> FastAPI:
    """Return the club's page as an ASGI application."""
    app = FastAPI(title="Ringmaster club", docs_url=None, redoc_url=None)
    app.state.language = lambda: "en"
    app.add_middleware(RequestLimits, names=OwnNames(), language=app.state.language)
    app.add_exception_handler(RequestValidationError, on_bad_request)
    for kind in OWN_ERRORS:
        app.add_exception_handler(kind, on_fault)
    views = Views(engine, service.live, settings.scale)
    app.include_router(_state_routes(service, settings, views))
    app.include_router(_records(views))
    app.include_router(_evidence(service, views))
    app.include_router(_changing(engine))
    app.include_router(_files())
    app.mount("/page", StaticFiles(directory=TABLE_FILES), name="page")
    app.mount("/club", StaticFiles(directory=FILES), name="club")
    return app


def _state_routes(service: ClubService, settings: ClubSettings, views: Views) -> APIRouter:
    router = APIRouter(prefix="/api")

    @router.get("/club/{language}")
    async def club(request: Request, language: _Code) -> Response:
        """Return the state of all tables, and of the club."""
        tables = await to_thread.run_sync(views.tables)
        line = "" if service.status == "up" else in_language(house.line(service.status), Language(language))
        client = request.client
        at_home = is_this_machine(client.host if client else None)
        about = {"name": settings.name, "line": line, "written": not service.complaint, "may_change": at_home}
        return Json({**about, "failed": service.failed, "set_aside": service.set_aside.count, "tables": tables})

    @router.get("/words/{language}")
    async def words(language: _Code) -> Response:
        """Return the page's words."""
        return Json({key[5:]: text for key, text in catalogue(language).items() if key.startswith("club.")})

    return router


def _records(views: Views) -> APIRouter:
    router = APIRouter(prefix="/api")

    @router.get("/evenings")
    async def evenings() -> Response:
        """Return the evenings."""
        return Json({"evenings": await to_thread.run_sync(views.evenings)})

    @router.get("/games")
    async def games(evening: _Date = None) -> Response:
        """Return the games of an evening, or the last ones."""
        return Json({"games": await to_thread.run_sync(views.games, evening)})

    @router.get("/league")
    async def league(since: _Date = None) -> Response:
        """Return the league, from an evening on."""
        return Json({"league": await to_thread.run_sync(views.league_rows, since)})

    @router.get("/players")
    async def players() -> Response:
        """Return all players."""
        return Json({"players": await to_thread.run_sync(views.players)})

    @router.get("/disputes/{language}")
    async def disputes(language: _Code) -> Response:
        """Return the disputed events."""
        return Json({"disputes": await to_thread.run_sync(views.disputes, Language(language))})

    @router.get("/export/{language}/{what}.{kind}")
    async def export(language: _Code, what: str, kind: str) -> Response:
        """Return an export as a file."""
        if what not in EXPORTS or kind not in ("csv", "json"):
            raise RefusedError(404, "fault.not_here")
        rows = await to_thread.run_sync(views.export, what, Language(language))
        text, media = (as_csv(rows), "text/csv") if kind == "csv" else (as_json(rows), "application/json")
        name = {"Content-Disposition": f'attachment; filename="{what}.{kind}"'}
        return Response(text, media_type=media, headers=name)

    return router


def _evidence(service: ClubService, views: Views) -> APIRouter:
    router = APIRouter()
    asking = CapacityLimiter(MOST_ASKING)

    @router.get("/api/evidence/{table}/{game}/{event}")
    async def evidence(table: _Id, game: _Id, event: _Number) -> Response:
        """Fetch a table's pictures of an event, and return their addresses."""
        key = await to_thread.run_sync(views.key_of, table)
        if key is None:
            raise RefusedError(404, "fault.not_here")
        if not service.live.of(table)["online"]:
            raise WorkFailedError("error.club.table_does_not_answer_is")
        if asking.statistics().tasks_waiting >= MOST_WAITING:
            raise RefusedError(503, "fault.many_ask")
        ask, found = await to_thread.run_sync(service.evidence.fetch, table, key, game, event, limiter=asking)
        return Json({"ask": ask, "times_ms": [t_ms for t_ms, _ in found.pictures]})

    @router.get("/evidence/{ask}/{number}.jpg")
    async def picture(ask: _Id, number: _Number) -> Response:
        """Return a fetched picture."""
        jpeg = service.evidence.picture(ask, number)
        if jpeg is None:
            raise RefusedError(404, "fault.no_picture")
        return Response(jpeg, media_type="image/jpeg")

    return router


def _changing(engine: Engine) -> APIRouter:
    router = APIRouter(prefix="/api")

    def demand_home(request: Request) -> None:
        if not is_this_machine(request.client.host if request.client else None):
            raise RefusedError(403, "fault.other_page")

    @router.post("/invite")
    async def invited(request: Request) -> Response:
        """Return a code that admits one table."""
        demand_home(request)
        return Json({"code": shown_code(await to_thread.run_sync(invite, engine))})

    @router.post("/out/{table}")
    async def out(request: Request, table: _Id) -> Response:
        """Remove a table."""
        demand_home(request)
        return Json({"name": await to_thread.run_sync(put_out, engine, table)})

    return router


def _files() -> APIRouter:
    router = APIRouter(include_in_schema=False)

    @router.get("/")
    async def page() -> Response:
        return FileResponse(FILES / "index.html", headers={"Cache-Control": "no-cache"})

    return router
