"""What Piccolino is told: events of the outside contract, checked once and given types."""

from __future__ import annotations

from dataclasses import dataclass

from referee.errors import BadInputError
from referee.events import Event
from referee.games.piccolino_tops import Mood
from referee.jsonlines import is_name, one_of, shown


@dataclass(frozen=True)
class CardShown:
    """A seat turned a card onto its discard pile; None for what of it cannot be told with enough certainty (P10)."""

    t_ns: int
    seat: int
    colour: str | None
    mood: Mood | None


@dataclass(frozen=True)
class Bell:
    """Somebody rang; `seat` is None as long as nobody knows who."""

    t_ns: int
    seat: int | None


@dataclass(frozen=True)
class RingerNamed:
    """Who rang the bell that nobody knew the ringer of."""

    t_ns: int
    seat: int


@dataclass(frozen=True)
class Decided:
    """The players decided on a ring that was unclear (P10)."""

    t_ns: int
    valid: bool


@dataclass(frozen=True)
class Stopped:
    """The players end the game by agreement (P7)."""

    t_ns: int


Action = CardShown | Bell | RingerNamed | Decided | Stopped


def parse_action(event: Event, players: int) -> Action:
    """Give what an event says.

    Raises:
        BadInputError: Piccolino knows no such event, nobody sits there, or no card is like that.
    """
    match event.kind:
        case "card_shown":
            return _card(event, players)
        case "bell":
            if "seat" not in event.data:
                raise BadInputError('"seat" must say who rang, or be null')
            return Bell(event.t_ns, None if event.data["seat"] is None else event.seat(players))
        case "ringer":
            return RingerNamed(event.t_ns, event.seat(players))
        case "decided":
            valid = event.data.get("valid")
            if not isinstance(valid, bool):
                raise BadInputError(f'"valid" must be true or false, not {shown(valid)}')
            return Decided(event.t_ns, valid)
        case "stop":
            return Stopped(event.t_ns)
        case _:
            raise BadInputError(f"Piccolino knows no event {shown(event.kind)}")


def _card(event: Event, players: int) -> CardShown:
    seat = event.seat(players)
    for key in ("colour", "mood"):
        if key not in event.data:
            raise BadInputError(f'"{key}" must say what the card shows')
    colour, mood = event.data["colour"], event.data["mood"]
    if colour is not None and not is_name(colour):
        raise BadInputError(f"there is no colour {shown(colour)}")
    kind = None if mood is None else Mood(one_of(mood, "mood", [mood.value for mood in Mood]))
    return CardShown(event.t_ns, seat, None if colour is None else str(colour), kind)
