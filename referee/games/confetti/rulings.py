"""Rulings of Confetti: frozen records that together are the game's audit trail."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum

from referee.games.confetti.score import Card, Score


class ConfettiReason(Enum):
    """Why something is a foul, or is not taken."""

    AFTER_TIME = "after_time"
    TIMER_RUNNING = "timer_running"
    NO_TIMER = "no_timer"
    NO_ROUND = "no_round"
    NOT_COUNTED = "not_counted"
    NOTHING_COUNTED = "nothing_counted"
    NO_HAND = "no_hand"
    HAND_GONE = "hand_gone"
    GAME_OVER = "game_over"


@dataclass(frozen=True)
class RoundStarted:
    """The sandtimer was flipped (C4): round `number` of at most `limit` cards (C2) runs.

    `lay_out` cards are laid on the table for it, about (C3).
    """

    t_ns: int
    number: int
    limit: int
    lay_out: int

    def as_json(self) -> dict[str, object]:
        """Return the ruling with the keys of the outside contract."""
        return {
            "ruling": "round",
            "t_ns": self.t_ns,
            "number": self.number,
            "limit": self.limit,
            "lay_out": self.lay_out,
        }


@dataclass(frozen=True)
class TimeUp:
    """The last grain has fallen: no card may be taken or put back from here on (C4)."""

    t_ns: int

    def as_json(self) -> dict[str, object]:
        """Return the ruling with the keys of the outside contract."""
        return {"ruling": "time", "t_ns": self.t_ns}


@dataclass(frozen=True)
class HandCounted:
    """A seat's hand is scored (C6), and it has `kept` point cards now (C8); `seen` is False where no hand was shown."""

    t_ns: int
    seat: int
    cards: tuple[Card, ...]
    score: Score
    kept: int
    seen: bool = True

    def as_json(self) -> dict[str, object]:
        """Give the ruling with the keys of the outside contract, and the arrangement to show when challenged (C11)."""
        unseen: dict[str, object] = {} if self.seen else {"seen": False}
        start = {"ruling": "hand", "t_ns": self.t_ns, "seat": self.seat}
        return {**start, **self.score.as_json(), "kept": self.kept, **unseen}


@dataclass(frozen=True)
class HandsUnseen:
    """The count waits for the hands of `seats`, neither seen nor entered: an unseen hand is not an empty one.

    gone: by seat, the hand seen last of those whose cards went before they were counted, None where none was complete.
    """

    t_ns: int
    seats: tuple[int, ...]
    gone: Mapping[int, tuple[Card, ...] | None] = field(default_factory=dict)

    def as_json(self) -> dict[str, object]:
        """Return the ruling as JSON."""
        start = {"ruling": "unclear", "t_ns": self.t_ns, "seat": None, "seats": list(self.seats)}
        if not self.gone:
            return {**start, "reason": ConfettiReason.NO_HAND.value}
        hands = (self.gone.get(seat) for seat in self.seats)
        last_seen = [None if hand is None else [list(card) for card in hand] for hand in hands]
        return {**start, "reason": ConfettiReason.HAND_GONE.value, "last_seen": last_seen}


@dataclass(frozen=True)
class ConfettiFoul:
    """A seat took or put back cards when it was not allowed to: which ones, against the last hand seen before (C4)."""

    t_ns: int
    seat: int
    reason: ConfettiReason
    taken: tuple[Card, ...]
    put_back: tuple[Card, ...]

    def as_json(self) -> dict[str, object]:
        """Return the ruling with the keys of the outside contract."""
        return {
            "ruling": "foul",
            "t_ns": self.t_ns,
            "seat": self.seat,
            "reason": self.reason.value,
            "taken": [list(card) for card in self.taken],
            "put_back": [list(card) for card in self.put_back],
        }


@dataclass(frozen=True)
class ConfettiIgnored:
    """Something happened that the rules have no place for now; it changes nothing."""

    t_ns: int
    event: str
    reason: ConfettiReason
    seat: int | None = None

    def as_json(self) -> dict[str, object]:
        """Return the ruling as JSON."""
        seat: dict[str, object] = {} if self.seat is None else {"seat": self.seat}
        return {"ruling": "ignored", "t_ns": self.t_ns, **seat, "event": self.event, "reason": self.reason.value}


@dataclass(frozen=True)
class ArrangementShown:
    """The answer to a challenge (C11): the seat's hand as it was counted, and its sets on the fewest cards."""

    t_ns: int
    seat: int
    cards: tuple[Card, ...]
    score: Score

    def as_json(self) -> dict[str, object]:
        """Return the ruling as JSON."""
        return {
            "ruling": "arrangement",
            "t_ns": self.t_ns,
            "seat": self.seat,
            "cards": [list(card) for card in self.cards],
            **self.score.as_json(),
        }


@dataclass(frozen=True)
class ConfettiEnded:
    """The game is over: `points[seat]` point cards each, and the seats that have most, who share the win (C10).

    stopped: the players ended it early.
    """

    t_ns: int
    winners: tuple[int, ...]
    points: tuple[int, ...]
    stopped: bool = False

    def as_json(self) -> dict[str, object]:
        """Return the ruling with the keys of the outside contract."""
        early: dict[str, object] = {"stopped": True} if self.stopped else {}
        start: dict[str, object] = {"ruling": "end", "t_ns": self.t_ns}
        return {**start, "winners": list(self.winners), "points": list(self.points), **early}


ConfettiRuling = (
    RoundStarted
    | TimeUp
    | HandCounted
    | HandsUnseen
    | ConfettiFoul
    | ConfettiIgnored
    | ArrangementShown
    | ConfettiEnded
)
