"""The page as an ASGI application."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from fastapi import FastAPI, Request, Response
from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException
from starlette.middleware.gzip import GZipMiddleware
from starlette.responses import FileResponse, RedirectResponse
from starlette.staticfiles import StaticFiles
from starlette.types import Receive, Scope, Send

from referee.decks.store import DeckStore
from referee.match.referee import Referee
from referee.web import (
    auth,
    decks,
    house,
    pairing_routes,
    routes_backup,
    routes_read,
    routes_write,
    screens,
    setup,
    system,
    teaching,
)
from referee.web.feed import Feed
from referee.web.hosts import OwnNames, addresses, is_this_machine, name_of
from referee.web.limits import RefusedError, RequestLimits
from referee.web.options import WebOptions
from referee.web.pairing_socket import local_door
from referee.web.qr import qr_svg
from referee.web.refusal import refusal
from referee.web.responses import OWN_ERRORS, Json, Reads, on_bad_request, on_fault
from referee.web.uploads import Uploads

FILES = Path(__file__).parent / "page"


def create_app(referee: Referee, options: WebOptions | None = None) -> FastAPI:
    """Return the page of a referee; `app.state.auth` pairs devices, `app.state.feed` exists while the app runs."""
    options = options or WebOptions()

    def extras() -> dict[str, Any]:
        lesson = None if options.lessons is None else options.lessons.version
        return {"pairing": app.state.auth.pairing.asked, "lesson": lesson}

    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        async with (
            Feed.running(referee, extras) as feed,
            local_door(options.state_dir, app.state.auth.code_at_door),
        ):
            app.state.feed = feed
            end = referee.subscribe(bell_pressed, to_idle_bell=True)
            try:
                yield
            finally:
                end()

    app = FastAPI(title="Ringmaster", docs_url=None, redoc_url=None, lifespan=lifespan)
    app.state.auth = auth.Auth(options)

    def bell_pressed(t_ns: int) -> None:
        feed: Feed | None = getattr(app.state, "feed", None)
        app.state.auth.first.pressed(t_ns / 1e9)
        if app.state.auth.help_in() and feed is not None:
            feed.notify(0)

    app.state.bell_pressed = bell_pressed
    app.state.has_bell = lambda: options.has_room and pairing_routes.has_bell(referee.state())
    names = OwnNames(options.hosts)

    def language() -> str:
        return str(referee.state().get("language", "en"))

    app.state.language = language
    app.add_middleware(_Packed, minimum_size=1000, compresslevel=6)
    app.add_middleware(RequestLimits, names=names, language=language, demand_paired=app.state.auth.demand_paired)
    app.add_exception_handler(RequestValidationError, on_bad_request)

    async def on_http_error(request: Request, error: Exception) -> Response:
        if not isinstance(error, HTTPException):
            raise error
        answer = refusal(request.scope, names, language(), RefusedError(error.status_code, "fault.not_here"))
        answer.headers.update(error.headers or {})
        return answer

    app.add_exception_handler(HTTPException, on_http_error)
    for kind in OWN_ERRORS:
        app.add_exception_handler(kind, on_fault)
    ask, uploads = Reads(), Uploads(options.state_dir)
    app.include_router(routes_read.routes(referee, ask, app.state.auth, options))
    app.include_router(auth.routes(app.state.auth))
    app.include_router(screens.routes(app.state.auth, screens.Screens(options.clock)))
    app.include_router(pairing_routes.routes(referee, app.state.auth, options))
    app.include_router(routes_write.routes(referee, ask, app.state.auth, options.state_dir, uploads))
    app.include_router(setup.routes(referee, ask, app.state.auth))
    if options.state_dir is not None:
        app.include_router(house.routes(referee, ask, app.state.auth))
        app.include_router(system.routes(referee, ask, app.state.auth))
        app.include_router(routes_backup.routes(referee, app.state.auth, options.state_dir, uploads))
        app.include_router(decks.routes(referee, ask, app.state.auth, DeckStore(options.state_dir), uploads))
    if options.lessons is not None:
        app.include_router(teaching.routes(referee, ask, app.state.auth, options.lessons))
    _add_files(app)
    _add_address(app, names)
    return app


def _add_files(app: FastAPI) -> None:
    fresh = {"Cache-Control": "no-cache"}

    @app.get("/", include_in_schema=False)
    async def page() -> Response:
        return FileResponse(FILES / "index.html", headers=fresh)

    @app.get("/tv", include_in_schema=False)
    async def tv() -> Response:
        return RedirectResponse("/#tv")

    @app.get("/favicon.ico", include_in_schema=False)
    async def icon() -> Response:
        return FileResponse(FILES / "icon.svg", headers=fresh)

    app.mount("/page", _Files(directory=FILES), name="page")


def _add_address(app: FastAPI, names: OwnNames) -> None:
    def address_of(request: Request) -> str:
        host, server = request.headers.get("host", ""), request.scope.get("server") or (None, None)
        if is_this_machine(name_of(host)) or name_of(host) == "localhost":
            # Other devices cannot use an address of this machine's own screen.
            return addresses(names, None, server[1])[0]
        return f"{request.url.scheme}://{host}/"

    @app.get("/api/address")
    async def address(request: Request) -> Response:
        """Return the address by which other devices find the page."""
        return Json({"address": address_of(request)})

    @app.get("/api/pair/qr.svg", responses={200: {"content": {"image/svg+xml": {}}}})
    async def code_to_scan(request: Request) -> Response:
        """Return the address that pairs a device, as a QR code, to a screen in the room."""
        code = app.state.auth.code_for(request)
        if code is None or app.state.auth.address is None:
            raise RefusedError(404, "fault.not_here")
        return Response(qr_svg(f"{address_of(request)}#pair={code}"), media_type="image/svg+xml")

    @app.get("/qr.svg", responses={200: {"content": {"image/svg+xml": {}}}})
    async def code(request: Request) -> Response:
        """Return the page's address as a QR code."""
        return Response(qr_svg(address_of(request)), media_type="image/svg+xml")


class _Packed(GZipMiddleware):
    """Compresses the page, its files and words; pictures and the feed are compressed already."""

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request; see the ASGI specification."""
        packs = scope["type"] == "http" and (
            scope["path"] == "/" or scope["path"].startswith(("/page/", "/api/words/"))
        )
        await (super().__call__ if packs else self.app)(scope, receive, send)


class _Files(StaticFiles):
    """The page's files; browsers revalidate them each time, because an upgrade may change them."""

    def file_response(self, *args: object, **kwargs: object) -> Response:
        """Return a file."""
        response = super().file_response(*args, **kwargs)  # type: ignore[arg-type]
        response.headers["Cache-Control"] = "no-cache"
        return response
