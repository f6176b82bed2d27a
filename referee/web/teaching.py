"""Routes of the lesson, and its commands for paired devices."""

from __future__ import annotations

from typing import Annotated, Literal

from fastapi import APIRouter, Path, Request, Response
from pydantic import Field

from referee.lessons.draft import MOST_CARDS_SAID, Game
from referee.lessons.lessons import Lessons
from referee.match.referee import Referee
from referee.models import Model
from referee.web.auth import Auth
from referee.web.limits import RefusedError
from referee.web.responses import Json, JsonRoute, Reads

_KEPT = {"Cache-Control": "private, max-age=3600"}
_Number = Annotated[int, Field(ge=0, lt=1_000_000)]
_Word = Annotated[str, Field(min_length=1, max_length=40, pattern=r"^[^\x00-\x1f./\\:]+$")]
_Card = Annotated[str, Field(pattern=r"^[0-9]{1,6}-[0-9]{1,6}$")]
_Name = Annotated[str, Field(max_length=100)]
_Expected = Annotated[int, Field(ge=0, le=MOST_CARDS_SAID)]


class Begin(Model):
    """Begin to teach a deck; `expected`: number of colours, or cards, that people expect; 0: unknown."""

    do: Literal["begin"]
    name: _Name
    game: Game | None
    expected: _Expected = 0


class RenameCard(Model):
    """Rename the deck, or change its expected number."""

    do: Literal["rename"]
    name: _Name
    expected: _Expected


class LessonStep(Model):
    """A command of a lesson without further values."""

    do: Literal["look", "take_back", "confirm", "test", "save", "drop"]


class Say(Model):
    """Set a group's attributes."""

    do: Literal["say"]
    group: _Number
    attributes: Annotated[
        dict[Literal["colour", "mood", "kind", "room"], _Word], Field(default_factory=dict, max_length=4)
    ]
    back: bool = False


class Join(Model):
    """Join two groups of one face."""

    do: Literal["join"]
    first: _Number
    second: _Number


class Split(Model):
    """Split a group of two faces."""

    do: Literal["split"]
    group: _Number


class MoveCard(Model):
    """Move a card into another group, or, with null, into a new one."""

    do: Literal["move"]
    card: _Card
    to: _Number | None


class Mend(Model):
    """Correct a card of the test: its group, or null for a new face."""

    do: Literal["mend"]
    reading: _Number
    group: _Number | None


LessonCommand = Annotated[
    Begin | RenameCard | LessonStep | Say | Join | Split | MoveCard | Mend,
    Field(discriminator="do"),
]


def carried_out(lessons: Lessons, command: LessonCommand) -> None:
    """Apply a command.

    Raises:
        LessonError: the command is impossible now.
    """
    match command:
        case Begin():
            lessons.begin(command.name.strip(), command.game, command.expected)
        case RenameCard():
            lessons.rename(command.name.strip(), command.expected)
        case LessonStep():
            getattr(lessons, command.do)()
        case Say():
            lessons.say(command.group, {str(key): word for key, word in command.attributes.items()}, command.back)
        case Join():
            lessons.join(command.first, command.second)
        case Split():
            lessons.split(command.group)
        case MoveCard():
            lessons.move(command.card, command.to)
        case Mend():
            lessons.mend(command.reading, command.group)


def routes(referee: Referee, ask: Reads, auth: Auth, lessons: Lessons) -> APIRouter:
    """Return the routes of the lesson."""
    router = APIRouter(route_class=JsonRoute)

    @router.get("/api/lesson")
    async def lesson() -> Response:
        """Return the lesson."""
        return Json(await ask(lessons.view))

    @router.get("/lesson/picture/{number}.jpg")
    async def picture(request: Request, number: Annotated[int, Path(ge=0, lt=1_000_000)]) -> Response:
        """Return a picture of the lesson."""
        auth.demand_sight(request, referee.state()["settings"])
        return _image(await ask(lambda: lessons.picture(number)), "image/jpeg")

    @router.get("/lesson/card/{name}.png")
    async def card(request: Request, name: Annotated[str, Path(pattern=r"^[0-9]{1,6}-[0-9]{1,6}$")]) -> Response:
        """Return a card's own picture."""
        auth.demand_sight(request, referee.state()["settings"])
        return _image(await ask(lambda: lessons.card(name)), "image/png")

    @router.post("/api/lesson")
    async def do(request: Request, command: LessonCommand) -> Response:
        """Apply a command, and return the lesson."""
        auth.demand_paired(request)

        def done() -> dict[str, object]:
            carried_out(lessons, command)
            return lessons.view()

        return Json(await ask(done))

    return router


def _image(data: bytes | None, kind: str) -> Response:
    if data is None:
        raise RefusedError(404, "fault.no_picture")
    return Response(data, media_type=kind, headers=_KEPT)
