"""The events of Piccolino."""

from __future__ import annotations

from typing import Annotated, ClassVar, Literal

from pydantic import BeforeValidator, Field, TypeAdapter

from referee.engine.event_models import EventModel, Ns, Seat, Seats
from referee.errors import BadInputError
from referee.games.piccolino.tops import Mood
from referee.jsonlines import is_name, shown


def _colour(value: object) -> object:
    if not is_name(value):
        raise BadInputError("error.there_is_no_colour", colour=shown(value))
    return value


class _ShownFace(EventModel):
    """A card at a seat; null for an attribute that cannot be identified with enough certainty (P10)."""

    seat: Seat
    colour: Annotated[str, BeforeValidator(_colour)] | None
    mood: Annotated[Mood, Field(strict=False)] | None


class CardShown(_ShownFace):
    """A seat turned a card onto its discard pile."""

    event: Literal["card_shown"] = "card_shown"
    hidden_ns: Ns = 0
    """Time for which a hand may have hidden the card before, ns."""


class CardRead(_ShownFace):
    """A seat's top card, shown before, is identified better now, or (null) no longer."""

    event: Literal["card_read"] = "card_read"


class PileGone(EventModel):
    """A seat's discard pile has gone without a winner."""

    event: Literal["pile_gone"] = "pile_gone"
    seat: Seat


class PileUnchanged(EventModel):
    """A seat that was out of sight at a ring has the same pile as before it, or still none."""

    event: Literal["pile_unchanged"] = "pile_unchanged"
    seat: Seat


class Bell(EventModel):
    """A ring of the bell."""

    event: Literal["bell"] = "bell"
    seat: Seat | None
    """Null until the ringer is known."""
    turning: Seats = ()
    """Seats with a card in mid-turn at that instant (P9)."""
    unseen: Seats = ()
    """Seats with an unknown top card at that instant (P10)."""
    valid: bool | None = None
    """The players' own verdict, which overrides all pictures; null: they gave none."""
    no_clowns: bool = False
    """Whether no card of this game was identified as a clown of its deck yet."""

    seen_again: ClassVar[bool] = False
    """Whether a seat was unseen until its pile came back into sight unchanged."""

    def with_seen(self, seat: int) -> Bell:
        """Return the ring with the pile of a seat known."""
        unseen = tuple(one for one in self.unseen if one != seat)
        return self if unseen == self.unseen else _SeenBell(**{**dict(self), "unseen": unseen})


class _SeenBell(Bell):
    """A ring that could be ruled once a pile was in sight again."""

    seen_again: ClassVar[bool] = True


class RingerNamed(EventModel):
    """The name of the ringer of an anonymous ring."""

    event: Literal["ringer"] = "ringer"
    seat: Seat
    ring_t_ns: Ns | None = None
    """Time of the ring; null: the oldest one that waits."""


class Decided(EventModel):
    """The players' decision on an unclear ring (P10)."""

    event: Literal["decided"] = "decided"
    valid: bool


class Stopped(EventModel):
    """The players end the game by agreement (P7)."""

    event: Literal["stop"] = "stop"


Action = CardShown | CardRead | PileGone | PileUnchanged | Bell | RingerNamed | Decided | Stopped
EVENTS: TypeAdapter[Action] = TypeAdapter(Annotated[Action, Field(discriminator="event")])
