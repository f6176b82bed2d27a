"""Piccolino's rulings in words for the people who read them again."""

from __future__ import annotations

from collections.abc import Sequence

from referee.games.piccolino_rulings import (
    AlsoRang,
    FalseRing,
    Ignored,
    PairsMissed,
    PiccolinoRuling,
    Remark,
    UnclearRing,
    ValidRing,
)
from referee.games.piccolino_tops import Reason
from referee.language import Language
from referee.sayings import piccolino
from referee.words import count_of

_REMARKS = {
    Reason.NO_DRAW_PILE: "turned a card, but should have no draw pile left: please count the cards",
    Reason.OUT_OF_TURN: "turned a card out of turn",
    Reason.TWO_AT_ONCE: "turned a card at once with another",
}
_WHAT = {
    "card_shown": "A card was turned",
    "ringer": "A ringer was named",
    "decided": "A ring was decided on",
}
_WHY = {
    Reason.OUT: "that player is out",
    Reason.GAME_OVER: "the game is over",
    Reason.NO_RING: "no ring waited for it",
}


def say(ruling: object, players: Sequence[str]) -> str:
    """Give the sentences for a ruling; `players` are the names by seat."""
    if not isinstance(ruling, PiccolinoRuling):
        raise TypeError(f"not a ruling of Piccolino: {ruling!r}")
    if words := _say_house(ruling, players):
        return words
    data, names = ruling.as_json(), list(players)
    if isinstance(ruling, AlsoRang) and ruling.seat is None:
        data, names = {**data, "seat": len(names)}, [*names, "Somebody"]
    return " ".join(piccolino.sentences(data, names, Language("en")))


def _say_house(ruling: PiccolinoRuling, players: Sequence[str]) -> str | None:
    """Give the sentence for a ruling beyond the outside contract."""
    match ruling:
        case ValidRing(seat=seat, decided=True):
            return f"Valid ring, {_name(seat, players)}: so you decided."
        case ValidRing(lucky=True, colour=str(colour), seats=seats, seat=seat):
            return f"Valid ring, {_name(seat, players)}: {len(seats)} happy clowns ({colour}), but a lucky guess."
        case FalseRing(reason=None, seat=seat):
            return f"False ring, {_name(seat, players)}: so you decided."
        case FalseRing(reason=Reason.LUCKY_GUESS, seat=seat):
            return f"False ring, {_name(seat, players)}: too soon, a lucky guess."
        case UnclearRing(seats=seats):
            unread = " and ".join(_name(seat, players) for seat in seats)
            return (
                f"Unclear: the card of {unread} could not be told for certain. Please look at the picture and decide."
            )
        case Remark(seat=seat, reason=reason):
            return f"{_name(seat, players)} {_REMARKS[reason]}."
        case PairsMissed(count=count, longest_ms=longest_ms):
            return f"{count_of(count, 'pair').capitalize()} went unrung, the longest {longest_ms / 1000:.1f} s."
        case Ignored(event=event, reason=reason, seat=seat) if event in _WHAT:
            who = "" if seat is None else f" ({_name(seat, players)})"
            return f"{_WHAT[event]}{who}, but {_WHY[reason]}: it changes nothing."
        case _:
            return None


def _name(seat: int | None, players: Sequence[str]) -> str:
    return "somebody" if seat is None else players[seat]
