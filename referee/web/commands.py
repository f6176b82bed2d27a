"""What a page may tell the desk: the shapes of its commands, checked before the desk sees them."""

from __future__ import annotations

import re
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, JsonValue, TypeAdapter

from referee.language import LANGUAGES
from referee.service.settings import PAGE_CAMERA, PAGE_NAME, Time
from referee.web.guard import RefusedError

MOST_PLAYERS = 7


Id = Annotated[str, Field(pattern=r"^[A-Za-z0-9_-]{1,64}$")]
Name = Annotated[str, Field(max_length=200)]
"""What a name may be is said in a sentence by `referee.names`."""
Seat = Annotated[int, Field(ge=0, lt=MOST_PLAYERS)]
CameraName = Annotated[str, Field(pattern=PAGE_CAMERA)]
_CODE = "^[0-9]{6}$"
EventData = Annotated[dict[str, JsonValue], Field(max_length=20)]


class _Command(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True)


class _Timely(_Command):
    """What hangs on how things stand: `moment`, as the page saw them; left out, whatever came in between."""

    moment: Annotated[str, Field(max_length=64)] = ""


class Start(_Timely):
    """Begin a game; `players` clockwise from the seat at the bottom of the picture."""

    do: Literal["start"]
    game: Annotated[str, Field(max_length=40)]
    players: Annotated[list[Name], Field(min_length=1, max_length=MOST_PLAYERS)]
    options: Annotated[dict[str, JsonValue], Field(max_length=20)] = {}


class Plain(_Timely):
    """What needs no more than its name."""

    do: Literal["stop", "pause", "resume", "flip", "time", "count", "undo"]


class Ringer(_Timely):
    """Say who rang."""

    do: Literal["ringer"]
    seat: Seat


class Ring(_Command):
    """Ring by a phone; t_ns: when the thumb came down, monotonic clock, and within_ms: how far off that may be."""

    do: Literal["ring"]
    seat: Seat
    t_ns: Annotated[int, Field(ge=0, lt=2**63)]
    within_ms: Annotated[int, Field(ge=0, le=60_000)]


class BellHere(_Command):
    """Say that this phone may ring."""

    do: Literal["bell_here"]


class Decide(_Timely):
    """Rule a ring that was unclear (P10)."""

    do: Literal["decide"]
    valid: bool


class TellEvent(_Timely):
    """Tell what happened, in a game that is played by hand."""

    do: Literal["event"]
    event: EventData


class CorrectRuling(_Timely):
    """Change or strike the event that led to a ruling."""

    do: Literal["correct"]
    ruling: Id
    new: EventData | None = Field(alias="with")


class CorrectEvent(_Timely):
    """Change or strike an event."""

    do: Literal["correct"]
    event: Id
    new: EventData | None = Field(alias="with")


class AnswerDoubt(_Timely):
    """Answer what the watcher cannot tell, by the number of the answer."""

    do: Literal["answer"]
    question: Id
    answer: Annotated[int, Field(ge=0, lt=20)]


class Sheet(_Command):
    """Ask what hands of Coloretto are worth."""

    do: Literal["sheet"]
    table: Literal["brown", "grey"]
    hands: Annotated[list[dict[str, JsonValue]], Field(min_length=1, max_length=5)]


class LookAgain(_Command):
    """Challenge a ruling (C11)."""

    do: Literal["look_again"]
    ruling: Id


class Setup(_Command):
    """Set the table up: open a step, answer it, keep what it has found, skip it, or close it."""

    do: Literal["setup"]
    act: Literal["open", "answer", "keep", "skip", "close"]
    step: Annotated[str, Field(max_length=20)] = ""
    answer: Annotated[dict[str, JsonValue], Field(max_length=4)] = {}


class ChangeSettings(_Command):
    """Change settings; what is left out stays."""

    do: Literal["settings"]
    language: Annotated[str, Field(pattern="^(" + "|".join(LANGUAGES) + ")$")] | None = None
    volume: Annotated[float, Field(ge=0, le=1, strict=False)] | None = None
    quiet: bool | None = None
    quiet_hours: Annotated[list[Time], Field(min_length=2, max_length=2)] | None = None
    camera: CameraName | None = None
    camera_turned: bool | None = None
    camera_mirrored: bool | None = None
    bell: Literal["one", "seats", "microphone", "none"] | None = None
    bell_pins: Annotated[list[Annotated[int, Field(ge=0, le=99)]], Field(min_length=1, max_length=20)] | None = None
    sandtimer: bool | None = None
    lamp: bool | None = None
    loudspeaker: bool | None = None
    voice_page: Annotated[str, Field(pattern=PAGE_NAME)] | None = None
    open_pictures: bool | None = None


Command = (
    Start
    | Plain
    | Ringer
    | Ring
    | BellHere
    | Decide
    | TellEvent
    | CorrectRuling
    | CorrectEvent
    | AnswerDoubt
    | Sheet
    | LookAgain
    | Setup
    | ChangeSettings
)
COMMAND: TypeAdapter[Command] = TypeAdapter(Command)


def _six_digits(code: str) -> str:
    if not re.fullmatch(_CODE, code):
        raise RefusedError(400, "fault.code_digits")
    return code


class Code(_Command):
    """A pairing code that somebody has typed."""

    code: Annotated[str, AfterValidator(_six_digits), Field(json_schema_extra={"pattern": _CODE})]


class ScreenCode(_Command):
    """The code that a waiting screen shows, as somebody with a paired device has typed it."""

    code: Annotated[str, Field(pattern=r"^[0-9]{4}$")]


class Forget(_Command):
    """Which devices to forget."""

    all: bool


def as_data(command: Command) -> dict[str, Any]:
    """Give a command as the desk takes it."""
    # What was not said is not passed on: settings that are left out stay, quiet hours that are null end.
    return command.model_dump(by_alias=True, exclude_unset=True)
