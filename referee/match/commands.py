"""Commands to the referee, one model each: from a page, the house or the demonstration.

A game's own event is an object here: its rules check it with the game's models.
"""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field, JsonValue, TypeAdapter, model_validator

from referee.match.settings import PageSettings
from referee.models import Model
from referee.names import MOST_SEATS

Id = Annotated[str, Field(pattern=r"^[A-Za-z0-9_-]{1,64}$")]
Name = Annotated[str, Field(max_length=200)]
"""`referee.names` says in a sentence which names can be shown."""
Seat = Annotated[int, Field(ge=0, lt=MOST_SEATS)]
EventData = Annotated[dict[str, JsonValue], Field(max_length=20)]


class Timely(Model):
    """A command that depends on the state of the game.

    moment: the state's name as the sender saw it; null: the command holds whatever came in between.
    """

    moment: Annotated[str, Field(max_length=64)] | None = None


class Start(Timely):
    """Begin a game; `players` clockwise from the seat at the bottom of the picture."""

    do: Literal["start"] = "start"
    game: Annotated[str, Field(max_length=40)]
    players: Annotated[list[Name], Field(min_length=1, max_length=MOST_SEATS)]
    options: Annotated[dict[str, JsonValue], Field(default_factory=dict, max_length=20)]


class Simple(Timely):
    """A command without values: `flip` turns the sandtimer, `time` says that it ran out, `undo` takes back the last."""

    do: Literal["stop", "pause", "resume", "flip", "time", "count", "undo"]


class Ringer(Timely):
    """Say who rang."""

    do: Literal["ringer"] = "ringer"
    seat: Seat


class Ring(Model):
    """Ring by a phone; t_ns: when the thumb came down, monotonic clock; within_ms: the error of that at most."""

    do: Literal["ring"] = "ring"
    seat: Seat
    t_ns: Annotated[int, Field(ge=0, lt=2**63)]
    within_ms: Annotated[int, Field(ge=0, le=60_000)]


class BellHere(Model):
    """Say that this phone may ring from now on."""

    do: Literal["bell_here"] = "bell_here"


class Decide(Timely):
    """Rule a ring that was unclear (P10)."""

    do: Literal["decide"] = "decide"
    valid: bool


class ReportEvent(Timely):
    """Report an event of the game, where it is played by hand."""

    do: Literal["event"] = "event"
    event: EventData


class Correct(Timely):
    """Change an event, or strike it (`with`: null); a ruling's id means the event that led to it."""

    do: Literal["correct"] = "correct"
    ruling: Id | None = None
    event: Id | None = None
    new: EventData | None = Field(alias="with")

    @model_validator(mode="after")
    def _names_one(self) -> Correct:
        if (self.ruling is None) is (self.event is None):
            raise ValueError("a ruling or an event")
        return self

    @property
    def about(self) -> str:
        """Return the id of the ruling or event."""
        return self.event or self.ruling or ""


class AnswerDoubt(Timely):
    """Answer a question of the watcher; answer: the number of one of its answers."""

    do: Literal["answer"] = "answer"
    question: Id
    answer: Annotated[int, Field(ge=0, lt=20)]


class Sheet(Model):
    """Score hands of Coloretto, with the keys of the outside contract; changes nothing."""

    do: Literal["sheet"] = "sheet"
    table: Literal["brown", "grey"]
    hands: Annotated[list[dict[str, JsonValue]], Field(min_length=1, max_length=5)]


class LookAgain(Model):
    """Challenge a ruling (C11)."""

    do: Literal["look_again"] = "look_again"
    ruling: Id


class Setup(Model):
    """Set the table up: open a step, answer it, keep its finding, skip it, or close it."""

    do: Literal["setup"] = "setup"
    act: Literal["open", "answer", "keep", "skip", "close"]
    step: Annotated[str, Field(max_length=20)] = ""
    answer: Annotated[dict[str, JsonValue], Field(default_factory=dict, max_length=4)]


class ChangeSettings(PageSettings):
    """Change settings; those that are left out stay."""

    do: Literal["settings"] = "settings"


Command = Annotated[
    Start
    | Simple
    | Ringer
    | Ring
    | BellHere
    | Decide
    | ReportEvent
    | Correct
    | AnswerDoubt
    | Sheet
    | LookAgain
    | Setup
    | ChangeSettings,
    Field(discriminator="do"),
]
COMMAND: TypeAdapter[Command] = TypeAdapter(Command)
