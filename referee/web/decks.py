"""The decks on the page: listed with their faces, renamed, downloaded, uploaded, removed."""

from __future__ import annotations

from typing import Annotated, Any, Literal
from urllib.parse import quote

from fastapi import APIRouter, Query, Request, Response
from pydantic import Field

from referee.decks.listing import face_picture, listed
from referee.decks.store import DeckStore
from referee.lessons.faults import LessonError, check_name
from referee.match.referee import Referee
from referee.models import Model
from referee.web.auth import Auth
from referee.web.limits import DECK_PATH, RefusedError
from referee.web.responses import Json, JsonRoute, Reads
from referee.web.uploads import Uploads
from vision.deck import Deck, deck_names
from vision.deck_file import SUFFIX, pack_deck, renamed, unpack_deck
from vision.errors import BadDeckError

_KEPT = {"Cache-Control": "private, max-age=3600"}
_MOST_TRIES = 100
_Name = Annotated[str, Field(min_length=1, max_length=100)]


class RenameDeck(Model):
    """Give a taught deck another name."""

    do: Literal["rename"]
    deck: _Name
    new: _Name


class Remove(Model):
    """Forget a taught deck."""

    do: Literal["remove"]
    deck: _Name


DeckCommand = Annotated[RenameDeck | Remove, Field(discriminator="do")]


def routes(referee: Referee, ask: Reads, auth: Auth, store: DeckStore, uploads: Uploads) -> APIRouter:
    """Return the requests that deal with decks."""
    router = APIRouter(route_class=JsonRoute)

    def answer() -> dict[str, Any]:
        return {"decks": listed(store), "in_use": _in_use(referee)}

    @router.get("/api/decks")
    async def decks() -> Response:
        """Return the decks with their faces, and the deck of the present game, or null."""
        return Json(await ask(answer))

    @router.get("/api/decks/face.png")
    async def face(
        deck: Annotated[str, Query(max_length=100)], n: Annotated[int, Query(ge=0, lt=2000)], v: str = ""
    ) -> Response:
        """Return a small picture of a face by its place in the list; `v` is the deck's version, for caches."""
        data = await ask(lambda: face_picture(store, deck, n))
        if data is None:
            raise RefusedError(404, "fault.no_picture")
        return Response(data, media_type="image/png", headers=_KEPT)

    @router.get(DECK_PATH)
    async def send(deck: Annotated[str, Query(max_length=100)]) -> Response:
        """Return a taught deck as a file."""
        data = await ask(lambda: pack_deck(_kept(store, deck)))
        name = f"attachment; filename=\"deck{SUFFIX}\"; filename*=UTF-8''{quote(deck + SUFFIX, safe='')}"
        return Response(data, media_type="application/zip", headers={"Content-Disposition": name})

    @router.post(
        DECK_PATH,
        openapi_extra={"requestBody": {"content": {"application/octet-stream": {"schema": {"type": "string"}}}}},
    )
    async def load(request: Request) -> Response:
        """Store a deck from a file, with another name if its own exists."""
        auth.demand_paired(request)
        async with uploads.taken(request) as file:
            name = await ask(lambda: _taken(store, file.read_bytes()))
        return Json({"deck": name, **await ask(answer)})

    @router.post("/api/decks")
    async def do(request: Request, command: DeckCommand) -> Response:
        """Rename or remove a taught deck."""
        auth.demand_paired(request)
        await ask(lambda: _carry_out(referee, store, command))
        return Json(await ask(answer))

    return router


def _carry_out(referee: Referee, store: DeckStore, command: RenameDeck | Remove) -> None:
    if command.deck in deck_names():
        raise LessonError("fault.deck_built_in")
    if command.deck not in store.names():
        raise LessonError("fault.deck_gone")
    if command.deck == _in_use(referee):
        raise LessonError("fault.deck_in_use")
    if isinstance(command, Remove):
        store.remove(command.deck)
        return
    new = command.new.strip()
    if new.casefold() != command.deck.casefold():
        check_name(store, new)
    store.rename(command.deck, new)


def _in_use(referee: Referee) -> str | None:
    state = referee.state()
    game = state.get("game")
    if state.get("mode") not in ("playing", "paused") or not game:
        return None
    deck = game.get("options", {}).get("deck")
    return deck if isinstance(deck, str) else None


def _kept(store: DeckStore, name: str) -> Deck:
    try:
        return store.load(name)
    except BadDeckError as error:
        raise LessonError("fault.deck_gone" if name not in store.names() else "fault.deck_file_bad") from error


def _taken(store: DeckStore, data: bytes) -> str:
    """Store the deck of a file, under its own name or a free numbered one."""
    try:
        deck = unpack_deck(data, "this file")
    except BadDeckError as error:
        raise LessonError("fault.deck_file_bad") from error
    own = deck.name
    for again in range(1, _MOST_TRIES):
        name = own if again == 1 else f"{own} {again}"
        try:
            check_name(store, name)
        except LessonError as error:
            if error.key == "fault.deck_name_taken" or own.casefold() in deck_names():
                continue
            raise
        store.add(renamed(deck, name))
        return name
    raise LessonError("fault.deck_name_taken", name=own)
