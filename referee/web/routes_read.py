"""Routes that anybody at home may read: state, feed, explanations, history; pictures need pairing."""

from __future__ import annotations

import time
from typing import Annotated

from fastapi import APIRouter, Path, Query, Request, Response

from referee.language import LANGUAGES
from referee.match import queries
from referee.match.referee import Referee
from referee.match.settings import PageSettings
from referee.phrases import in_language
from referee.store import history as kept
from referee.web.auth import Auth, address_of
from referee.web.feed import Feed
from referee.web.games import games_in
from referee.web.limits import RefusedError
from referee.web.options import WebOptions
from referee.web.responses import Json, Reads
from referee.web.stream import EventStream
from referee.web.words import words_in

_Id = Annotated[str, Path(pattern=r"^[A-Za-z0-9_-]{1,64}$")]
_Code = Annotated[str, Path(pattern="^(" + "|".join(LANGUAGES) + ")$")]
_Echo = Annotated[str, Query(max_length=32)]
_KEPT = {"Cache-Control": "private, max-age=3600, immutable"}


def routes(referee: Referee, ask: Reads, auth: Auth, options: WebOptions) -> APIRouter:
    """Return the routes that only read."""
    router = APIRouter()

    def feed_of(request: Request) -> Feed:
        feed: Feed = request.app.state.feed
        return feed

    @router.get("/api/state")
    async def state(request: Request) -> Response:
        """Return the present state of the table: a device that changed something sees the change."""
        feed = feed_of(request)
        await feed.look()
        return Response(feed.state(), media_type="application/json")

    @router.get("/api/events", responses={200: {"content": {"text/event-stream": {}}}})
    async def events(request: Request) -> Response:
        """Follow the state of the table."""
        token = auth.token(request)
        # Guests leave half of the connections to paired devices, and each device has its own limit.
        most = options.most_watchers // 2 if token is None else options.most_watchers
        return EventStream(feed_of(request), token or address_of(request), most, options.most_of_one)

    @router.get("/api/clock")
    async def clock(request: Request, echo: _Echo = "") -> Response:
        """Return the time, ns, of the clock for rings.

        A paired device gets an `echo`; it sends that back at once, which measures its round trip.
        """
        device = auth.token(request)
        if device is None:
            return Json({"t_ns": time.monotonic_ns()})
        auth.round_trips.came(device, echo)
        return Json({"t_ns": time.monotonic_ns(), "echo": auth.round_trips.send(device)})

    @router.get("/live.jpg")
    async def live(request: Request) -> Response:
        """Return the camera's picture of the table."""
        auth.demand_sight(request, referee.state()["settings"])
        return _jpeg(await ask(lambda: referee.picture("live")), {})

    @router.get("/pictures/{which}.jpg")
    async def picture(request: Request, which: _Id) -> Response:
        """Return an evidence picture."""
        auth.demand_sight(request, referee.state()["settings"])
        return _jpeg(await ask(lambda: referee.picture(which)), _KEPT)

    @router.get("/api/rulings/{ruling}/timeline")
    async def timeline(ruling: _Id) -> Response:
        """Return the photo-finish of a ring."""
        return Json(await ask(lambda: queries.timeline(referee, ruling)))

    @router.get("/api/rulings/{ruling}/explain")
    async def explain(ruling: _Id) -> Response:
        """Return the reasons of a ruling."""
        return Json(await ask(lambda: queries.explain(referee, ruling)))

    @router.get("/api/history")
    async def history() -> Response:
        """Return the past games."""
        return Json(await ask(lambda: kept.history(referee.store.read, referee.language)))

    @router.get("/api/history/{which}")
    async def game(which: _Id) -> Response:
        """Return one past game."""
        pictures = referee.evidence.of_game(int(which)) if which.isascii() and which.isdecimal() else {}
        return Json(await ask(lambda: kept.one_game(referee.store.read, which, referee.language, pictures)))

    @router.get("/api/statistics")
    async def statistics() -> Response:
        """Return the statistics of all evenings."""
        return Json(await ask(lambda: kept.statistics(referee.store.read)))

    @router.get("/api/quality")
    async def quality() -> Response:
        """Return the accuracy at this table."""
        return Json(await ask(lambda: kept.quality(referee.store.read, referee.language)))

    @router.get("/api/settings/schema")
    async def settings_schema() -> Response:
        """Return the JSON schema of the settings, for the page's form."""
        return Json(PageSettings.model_json_schema())

    @router.get("/api/cameras")
    async def cameras() -> Response:
        """Return the cameras that are plugged in, and a sentence for each setting that the used one refused."""
        found = await ask(referee.plugged)
        notes = [in_language(note, referee.language) for note in referee.devices.camera_notes]
        return Json({"cameras": [{"camera": spec, "name": name} for spec, name in found], "notes": notes})

    @router.get("/api/table/decks")
    async def table_decks() -> Response:
        """Return the possible decks by game, the last used first, and the colours of those for Coloretto.

        A game's own deck has its name. `Start` takes one of them as the option `deck`.
        """
        decks = referee.table_decks
        choices = await ask(lambda: decks.choices(referee.store.read))
        return Json({"decks": choices, "colours": await ask(lambda: decks.colours(choices))})

    @router.get("/api/games/{language}")
    async def games(language: _Code) -> Response:
        """Return the games that can be started, with their options in words."""
        return Json({"games": games_in(language)})

    @router.get("/api/words/{language}")
    async def words(language: _Code) -> Response:
        """Return the page's words in a language."""
        return Json(words_in(language))

    return router


def _jpeg(data: bytes | None, headers: dict[str, str]) -> Response:
    if data is None:
        raise RefusedError(404, "fault.no_picture")
    return Response(data, media_type="image/jpeg", headers=headers)
