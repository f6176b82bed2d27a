"""Rulings of Piccolino: frozen records that form the game's audit trail."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar, Literal

from referee.engine.events import Ruling
from referee.games.piccolino.tops import PiccolinoReason


@dataclass(frozen=True)
class ValidRing(Ruling):
    """A ring while `seats` showed `colour` happily (P3); the pair had been open for `reaction_ms`.

    `lucky`: faster than anybody can react. `decided`: the players ruled an unclear ring (P10), so colour and reaction
    are unknown. `seen_again`: a pile was in doubt until it came back into sight unchanged. `seat` is None for a ringer
    who was never named; no card moves then.
    """

    name = "ring"
    fixed: ClassVar[Mapping[str, object]] = {"valid": True}

    seat: int | None
    colour: str | None
    seats: tuple[int, ...]
    reaction_ms: float | None = None
    lucky: bool = False
    decided: bool = False
    seen_again: bool = False


@dataclass(frozen=True)
class FalseRing(Ruling):
    """A wrong ring with the first reason that fits: `seats` show `colour`, or showed it `ago_ms` before (P5).

    `reason` is None where the players `decided` an unclear ring (P10). A card at the `turning` seats was in mid-turn
    and did not count yet (P9). `seen_again`: see `ValidRing`.
    """

    name = "ring"
    fixed: ClassVar[Mapping[str, object]] = {"valid": False}

    seat: int | None
    reason: PiccolinoReason | None = None
    colour: str | None = None
    seats: tuple[int, ...] = ()
    ago_ms: float | None = None
    turning: tuple[int, ...] = ()
    seen_again: bool = False
    decided: bool = False


@dataclass(frozen=True)
class TooEarly(Ruling):
    """The card in mid-turn at a ring of `seat` made a pair of `colour` at `seats` `early_ms` after it."""

    name = "too_early"

    seat: int | None
    colour: str
    seats: tuple[int, ...]
    early_ms: float


@dataclass(frozen=True)
class UnclearRing(Ruling):
    """A ring that depends on unreadable cards at `seats`: the players decide (P10).

    `reason`: "no_clowns" if no card of this game was identified as a clown of its deck.
    """

    name = "unclear"

    seat: int | None
    seats: tuple[int, ...]
    reason: str | None = None


@dataclass(frozen=True)
class AlsoRang(Ruling):
    """A ring so soon after a ruled one that it belongs to it (P8); `again`: by the same player."""

    name = "also_rang"

    seat: int | None
    lag_ms: float
    again: bool = False


@dataclass(frozen=True)
class PiccolinoIgnored(Ruling):
    """An event that the rules do not allow now; it changes nothing."""

    name = "ignored"

    seat: int | None
    event: str
    reason: PiccolinoReason


@dataclass(frozen=True)
class CardsMoved(Ruling):
    """A penalty card moves between draw piles (P5), or all discard piles move under a draw pile (P4, P5)."""

    name = "cards_move"

    from_: int | Literal["piles"]
    to: int
    count: int


@dataclass(frozen=True)
class PlayerOut(Ruling):
    """A seat has neither draw pile nor discard pile left (P6)."""

    name = "out"

    seat: int


@dataclass(frozen=True)
class Remark(Ruling):
    """A remark about a seat, without a penalty."""

    name = "remark"

    seat: int
    reason: PiccolinoReason


@dataclass(frozen=True)
class PairsMissed(Ruling):
    """Number of pairs without a ring in the ended round; the longest was open for `longest_ms`."""

    name = "missed"

    count: int
    longest_ms: float


@dataclass(frozen=True)
class PiccolinoEnded(Ruling):
    """The end: `cards[seat]` in both piles together; the seats with most share the win (P7)."""

    name = "end"

    winners: tuple[int, ...]
    cards: tuple[int, ...]
