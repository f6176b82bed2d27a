"""The events of Piccolino."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import BeforeValidator, Field, PrivateAttr, TypeAdapter

from referee.engine.event_models import EventModel, Ns, Seat, Seats, parsed
from referee.engine.events import Event
from referee.errors import BadInputError
from referee.games.piccolino.tops import Mood
from referee.jsonlines import is_name, shown


def _colour(value: object) -> object:
    if not is_name(value):
        raise BadInputError("error.there_is_no_colour", colour=shown(value))
    return value


class _Face(EventModel):
    """A card at a seat; null for what of it cannot be identified with enough certainty (P10)."""

    seat: Seat
    colour: Annotated[str, BeforeValidator(_colour)] | None
    mood: Annotated[Mood, Field(strict=False)] | None


class CardShown(_Face):
    """A seat turned a card onto its discard pile."""

    event: Literal["card_shown"] = "card_shown"
    hidden_ns: Ns = 0
    """So long before it may have been there already, where a hand hid that."""


class CardRead(_Face):
    """A seat's top card, shown before, is known better now, or not any more (null)."""

    event: Literal["card_read"] = "card_read"


class PileGone(EventModel):
    """A seat's discard pile is not there any more, though nobody has won it."""

    event: Literal["pile_gone"] = "pile_gone"
    seat: Seat


class PileUnchanged(EventModel):
    """At a seat that was out of sight at a ring is the same pile as before it, or still nothing."""

    event: Literal["pile_unchanged"] = "pile_unchanged"
    seat: Seat


class Bell(EventModel):
    """Somebody rang."""

    event: Literal["bell"] = "bell"
    seat: Seat | None
    """Null as long as nobody knows who."""
    turning: Seats = ()
    """At which a card was in mid-turn at that instant (P9)."""
    unseen: Seats = ()
    """Of which nobody can say what was open then (P10)."""
    valid: bool | None = None
    """The ring's verdict by the players' word, whatever was seen; null: they gave none."""
    no_clowns: bool = False
    """Whether no card seen in this game is a clown of its deck."""

    _seen_again: bool = PrivateAttr(default=False)

    @property
    def seen_again(self) -> bool:
        """Return whether a seat was among the unseen until its pile came back into sight unchanged."""
        return self._seen_again

    def with_seen(self, seat: int) -> Bell:
        """Return the ring, now that the pile at a seat is known."""
        if seat not in self.unseen:
            return self
        ring = self.model_copy(update={"unseen": tuple(one for one in self.unseen if one != seat)})
        ring._seen_again = True
        return ring


class RingerNamed(EventModel):
    """The ringer of a ring of nobody."""

    event: Literal["ringer"] = "ringer"
    seat: Seat
    ring_t_ns: Ns | None = None
    """Which ring; null: the oldest that waits."""


class Decided(EventModel):
    """The players decided on a ring that was unclear (P10)."""

    event: Literal["decided"] = "decided"
    valid: bool


class Stopped(EventModel):
    """The players end the game by agreement (P7)."""

    event: Literal["stop"] = "stop"


Action = CardShown | CardRead | PileGone | PileUnchanged | Bell | RingerNamed | Decided | Stopped
EVENTS: TypeAdapter[Action] = TypeAdapter(Annotated[Action, Field(discriminator="event")])


def parse_action(event: Event, players: int) -> Action:
    """Return an event's model.

    Raises:
        BadInputError: Piccolino knows no such event, nobody sits there, or no card is like that.
    """
    return parsed(EVENTS, event, players, "Piccolino")
