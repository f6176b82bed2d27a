"""Rulings of Piccolino: frozen records that together are the game's audit trail."""

from __future__ import annotations

from dataclasses import dataclass

from referee.games.piccolino.tops import PiccolinoReason


@dataclass(frozen=True)
class ValidRing:
    """A ring while `seats` showed `colour` happily (P3); the pair had been open for `reaction_ms`.

    `lucky`: sooner than anybody can react. `decided`: the players said so of an unclear ring (P10), so that colour and
    reaction are not known. `seen_again`: a pile hung in doubt until it came back into sight unchanged. `seat` is None
    where nobody ever said who rang; no card moves then.
    """

    t_ns: int
    seat: int | None
    colour: str | None
    seats: tuple[int, ...]
    reaction_ms: float | None
    lucky: bool = False
    decided: bool = False
    seen_again: bool = False

    def as_json(self) -> dict[str, object]:
        """Return the ruling with the keys of the outside contract."""
        marks = {"lucky": self.lucky, "decided": self.decided, "seen_again": self.seen_again}
        return {
            "ruling": "ring",
            "t_ns": self.t_ns,
            "valid": True,
            "seat": self.seat,
            "colour": self.colour,
            "seats": list(self.seats),
            **({} if self.reaction_ms is None else {"reaction_ms": self.reaction_ms}),
            **{key: value for key, value in marks.items() if value},
        }


@dataclass(frozen=True)
class FalseRing:
    """A wrong ring, and the first reason that fits: the `colour` that `seats` show, or showed `ago_ms` before (P5).

    `reason` is None where the players decided so of an unclear ring (P10). At `turning` seats a card was in mid-turn
    and did not count yet (P9). `seen_again`: as of a valid ring.
    """

    t_ns: int
    seat: int | None
    reason: PiccolinoReason | None
    colour: str | None = None
    seats: tuple[int, ...] = ()
    ago_ms: float | None = None
    turning: tuple[int, ...] = ()
    seen_again: bool = False

    def as_json(self) -> dict[str, object]:
        """Return the ruling with the keys of the outside contract."""
        reason: dict[str, object] = {"decided": True} if self.reason is None else {"reason": self.reason.value}
        of: dict[str, object] = {} if self.colour is None else {"colour": self.colour, "seats": list(self.seats)}
        more: dict[str, object] = {} if self.ago_ms is None else {"ago_ms": self.ago_ms}
        if self.turning:
            more["turning"] = list(self.turning)
        if self.seen_again:
            more["seen_again"] = True
        return {"ruling": "ring", "t_ns": self.t_ns, "valid": False, "seat": self.seat, **reason, **of, **more}


@dataclass(frozen=True)
class TooEarly:
    """The card that was still turning when `seat` rang has made a pair of `colour` at `seats`, so long after it."""

    t_ns: int
    seat: int | None
    colour: str
    seats: tuple[int, ...]
    early_ms: float

    def as_json(self) -> dict[str, object]:
        """Return the ruling as JSON."""
        return {
            "ruling": "too_early",
            "t_ns": self.t_ns,
            "seat": self.seat,
            "colour": self.colour,
            "seats": list(self.seats),
            "early_ms": self.early_ms,
        }


@dataclass(frozen=True)
class UnclearRing:
    """A ring that hangs on cards that cannot be read, those of `seats`: the players decide (P10).

    `no_clowns`: nothing that has been seen in this game is a clown of its deck.
    """

    t_ns: int
    seat: int | None
    seats: tuple[int, ...]
    no_clowns: bool = False

    def as_json(self) -> dict[str, object]:
        """Return the ruling as JSON."""
        reason: dict[str, object] = {"reason": "no_clowns"} if self.no_clowns else {}
        return {"ruling": "unclear", "t_ns": self.t_ns, "seat": self.seat, "seats": list(self.seats), **reason}


@dataclass(frozen=True)
class AlsoRang:
    """A ring so soon after a ruled one that it belongs to it (P8); `again`: by the very player who rang that one."""

    t_ns: int
    seat: int | None
    lag_ms: float
    again: bool = False

    def as_json(self) -> dict[str, object]:
        """Return the ruling with the keys of the outside contract."""
        again: dict[str, object] = {"again": True} if self.again else {}
        return {"ruling": "also_rang", "t_ns": self.t_ns, "seat": self.seat, "lag_ms": self.lag_ms, **again}


@dataclass(frozen=True)
class PiccolinoIgnored:
    """Something happened that the rules have no place for now; it changes nothing."""

    t_ns: int
    event: str
    seat: int | None
    reason: PiccolinoReason

    def as_json(self) -> dict[str, object]:
        """Return the ruling with the keys of the outside contract."""
        start: dict[str, object] = {"ruling": "ignored", "t_ns": self.t_ns, "seat": self.seat}
        return {**start, "event": self.event, "reason": self.reason.value}


@dataclass(frozen=True)
class CardGiven:
    """A penalty card from one draw pile to another (P5)."""

    t_ns: int
    giver: int
    to: int

    def as_json(self) -> dict[str, object]:
        """Return the ruling with the keys of the outside contract."""
        return {"ruling": "cards_move", "t_ns": self.t_ns, "from": self.giver, "to": self.to, "count": 1}


@dataclass(frozen=True)
class PilesWon:
    """All discard piles, `count` cards, go under a seat's draw pile (P4, P5)."""

    t_ns: int
    to: int
    count: int

    def as_json(self) -> dict[str, object]:
        """Return the ruling with the keys of the outside contract."""
        return {"ruling": "cards_move", "t_ns": self.t_ns, "from": "piles", "to": self.to, "count": self.count}


@dataclass(frozen=True)
class PlayerOut:
    """A seat has neither draw pile nor discard pile left (P6)."""

    t_ns: int
    seat: int

    def as_json(self) -> dict[str, object]:
        """Return the ruling with the keys of the outside contract."""
        return {"ruling": "out", "t_ns": self.t_ns, "seat": self.seat}


@dataclass(frozen=True)
class Remark:
    """Something at a seat is worth a word, and is not punished."""

    t_ns: int
    seat: int
    reason: PiccolinoReason

    def as_json(self) -> dict[str, object]:
        """Return the ruling as JSON."""
        return {"ruling": "remark", "t_ns": self.t_ns, "seat": self.seat, "reason": self.reason.value}


@dataclass(frozen=True)
class PairsMissed:
    """So many pairs went unrung in the round that ends, the longest of them open for `longest_ms`."""

    t_ns: int
    count: int
    longest_ms: float

    def as_json(self) -> dict[str, object]:
        """Return the ruling as JSON."""
        return {"ruling": "missed", "t_ns": self.t_ns, "count": self.count, "longest_ms": self.longest_ms}


@dataclass(frozen=True)
class PiccolinoEnded:
    """The game is over: `cards[seat]` in draw and discard pile together, and the seats with most share the win (P7)."""

    t_ns: int
    winners: tuple[int, ...]
    cards: tuple[int, ...]

    def as_json(self) -> dict[str, object]:
        """Return the ruling with the keys of the outside contract."""
        return {"ruling": "end", "t_ns": self.t_ns, "winners": list(self.winners), "cards": list(self.cards)}


PiccolinoRuling = (
    ValidRing
    | FalseRing
    | TooEarly
    | UnclearRing
    | AlsoRang
    | PiccolinoIgnored
    | CardGiven
    | PilesWon
    | PlayerOut
    | Remark
    | PairsMissed
    | PiccolinoEnded
)
