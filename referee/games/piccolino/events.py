"""What Piccolino is told: events of the outside contract, checked once and given types."""

from __future__ import annotations

from dataclasses import dataclass, replace

from referee.engine.events import Event
from referee.errors import BadInputError
from referee.games.piccolino.tops import Mood
from referee.jsonlines import is_name, one_of, shown, whole_number


@dataclass(frozen=True)
class CardShown:
    """A seat turned a card onto its discard pile; None for what of it cannot be told with enough certainty (P10).

    hidden_ns: so long before it may have lain there already, where a hand hid that.
    """

    t_ns: int
    seat: int
    colour: str | None
    mood: Mood | None
    hidden_ns: int = 0


@dataclass(frozen=True)
class CardRead:
    """A seat's top card, shown before, is known better now, or not any more (None)."""

    t_ns: int
    seat: int
    colour: str | None
    mood: Mood | None


@dataclass(frozen=True)
class PileGone:
    """A seat's discard pile lies there no more, though nobody has won it."""

    t_ns: int
    seat: int


@dataclass(frozen=True)
class PileUnchanged:
    """At a seat that was out of sight at a ring lies what lay there before it, as it lay, or still nothing."""

    t_ns: int
    seat: int


@dataclass(frozen=True)
class Bell:
    """Somebody rang; `seat` is None as long as nobody knows who.

    `turning`: the seats at which a card was in mid-turn at that instant (P9). `unseen`: those of which nobody can
    say what lay open then (P10). `decided`: what the players say the ring was, whatever was seen; None: nothing.
    `seen_again`: a seat was among the unseen until its pile came back into sight unchanged. `no_clowns`: nothing that
    has been seen in this game is a clown of its deck.
    """

    t_ns: int
    seat: int | None
    turning: tuple[int, ...] = ()
    unseen: tuple[int, ...] = ()
    decided: bool | None = None
    seen_again: bool = False
    no_clowns: bool = False

    def with_seen(self, seat: int) -> Bell:
        """Give the ring, now that it is known what lay at a seat."""
        if seat not in self.unseen:
            return self
        return replace(self, unseen=tuple(one for one in self.unseen if one != seat), seen_again=True)


@dataclass(frozen=True)
class RingerNamed:
    """Who rang the bell that nobody knew the ringer of; `ring_t_ns` is which ring, None: the oldest that waits."""

    t_ns: int
    seat: int
    ring_t_ns: int | None = None


@dataclass(frozen=True)
class Decided:
    """The players decided on a ring that was unclear (P10)."""

    t_ns: int
    valid: bool


@dataclass(frozen=True)
class Stopped:
    """The players end the game by agreement (P7)."""

    t_ns: int


Action = CardShown | CardRead | PileGone | PileUnchanged | Bell | RingerNamed | Decided | Stopped


def parse_action(event: Event, players: int) -> Action:
    """Give what an event says.

    Raises:
        BadInputError: Piccolino knows no such event, nobody sits there, or no card is like that.
    """
    match event.kind:
        case "card_shown":
            hidden_ns = whole_number(event.data.get("hidden_ns", 0), "hidden_ns")
            return CardShown(event.t_ns, event.seat(players), *_face(event), hidden_ns)
        case "card_read":
            return CardRead(event.t_ns, event.seat(players), *_face(event))
        case "pile_gone":
            return PileGone(event.t_ns, event.seat(players))
        case "pile_unchanged":
            return PileUnchanged(event.t_ns, event.seat(players))
        case "bell":
            if "seat" not in event.data:
                raise BadInputError("error.games.seat_must_say_who_rang")
            seat = None if event.data["seat"] is None else event.seat(players)
            decided = event.data.get("valid")
            if decided is not None and not isinstance(decided, bool):
                raise BadInputError("error.games.valid_must_be_true_false", decided=shown(decided))
            turning, unseen = (_seats(event, key, players) for key in ("turning", "unseen"))
            return Bell(event.t_ns, seat, turning, unseen, decided, no_clowns=event.data.get("no_clowns") is True)
        case "ringer":
            ring_t_ns = event.data.get("ring_t_ns")
            which = None if ring_t_ns is None else whole_number(ring_t_ns, "ring_t_ns")
            return RingerNamed(event.t_ns, event.seat(players), which)
        case "decided":
            valid = event.data.get("valid")
            if not isinstance(valid, bool):
                raise BadInputError("error.games.valid_must_be_true_or", valid=shown(valid))
            return Decided(event.t_ns, valid)
        case "stop":
            return Stopped(event.t_ns)
        case _:
            raise BadInputError("error.games.piccolino_knows_no_event", kind=shown(event.kind))


def _seats(event: Event, key: str, players: int) -> tuple[int, ...]:
    seats = event.data.get(key, [])
    if not isinstance(seats, list | tuple):
        raise BadInputError("error.games.must_be_list_of_seats", key=key)
    return tuple(replace(event, data={"seat": seat}).seat(players) for seat in seats)


def _face(event: Event) -> tuple[str | None, Mood | None]:
    for key in ("colour", "mood"):
        if key not in event.data:
            raise BadInputError("error.games.must_say_what_card_shows", key=key)
    colour, mood = event.data["colour"], event.data["mood"]
    if colour is not None and not is_name(colour):
        raise BadInputError("error.there_is_no_colour", colour=shown(colour))
    kind = None if mood is None else Mood(one_of(mood, "mood", [mood.value for mood in Mood]))
    return None if colour is None else str(colour), kind
