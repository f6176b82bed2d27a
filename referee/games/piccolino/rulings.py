"""Rulings of Piccolino: frozen records that together are the game's audit trail."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar, Literal

from referee.engine.events import Ruling
from referee.games.piccolino.tops import PiccolinoReason


@dataclass(frozen=True)
class ValidRing(Ruling):
    """A ring while `seats` showed `colour` happily (P3); the pair had been open for `reaction_ms`.

    `lucky`: sooner than anybody can react. `decided`: the players said so of an unclear ring (P10), so that colour and
    reaction are not known. `seen_again`: a pile hung in doubt until it came back into sight unchanged. `seat` is None
    where nobody ever said who rang; no card moves then.
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
    """A wrong ring, and the first reason that fits: the `colour` that `seats` show, or showed `ago_ms` before (P5).

    `reason` is None where the players `decided` so of an unclear ring (P10). At `turning` seats a card was in mid-turn
    and did not count yet (P9). `seen_again`: as of a valid ring.
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
    """The card that was still turning when `seat` rang has made a pair of `colour` at `seats`, so long after it."""

    name = "too_early"

    seat: int | None
    colour: str
    seats: tuple[int, ...]
    early_ms: float


@dataclass(frozen=True)
class UnclearRing(Ruling):
    """A ring that hangs on cards that cannot be read, those of `seats`: the players decide (P10).

    `reason`: "no_clowns" where nothing that has been seen in this game is a clown of its deck.
    """

    name = "unclear"

    seat: int | None
    seats: tuple[int, ...]
    reason: str | None = None


@dataclass(frozen=True)
class AlsoRang(Ruling):
    """A ring so soon after a ruled one that it belongs to it (P8); `again`: by the very player who rang that one."""

    name = "also_rang"

    seat: int | None
    lag_ms: float
    again: bool = False


@dataclass(frozen=True)
class PiccolinoIgnored(Ruling):
    """Something happened that the rules have no place for now; it changes nothing."""

    name = "ignored"

    seat: int | None
    event: str
    reason: PiccolinoReason


@dataclass(frozen=True)
class CardsMoved(Ruling):
    """A penalty card goes from a draw pile to another (P5), or all cards of the piles under a draw pile (P4, P5)."""

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
    """Something at a seat is worth a word, and is not punished."""

    name = "remark"

    seat: int
    reason: PiccolinoReason


@dataclass(frozen=True)
class PairsMissed(Ruling):
    """So many pairs went unrung in the round that ends, the longest of them open for `longest_ms`."""

    name = "missed"

    count: int
    longest_ms: float


@dataclass(frozen=True)
class PiccolinoEnded(Ruling):
    """The game is over: `cards[seat]` in draw and discard pile together, and the seats with most share the win (P7)."""

    name = "end"

    winners: tuple[int, ...]
    cards: tuple[int, ...]
