"""Rulings of Confetti: frozen records that form the game's audit trail."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum

from referee.engine.events import Ruling
from referee.games.confetti.score import Card, Score


class ConfettiReason(Enum):
    """Reason why something is a foul, or is not taken."""

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
class RoundStarted(Ruling):
    """The sandtimer was turned (C4): round `number` begins, with at most `limit` cards a hand (C2).

    About `lay_out` cards are laid on the table for it (C3).
    """

    name = "round"

    number: int
    limit: int
    lay_out: int


@dataclass(frozen=True)
class TimeUp(Ruling):
    """The end of the sand: from now on no card may be taken or put back (C4)."""

    name = "time"


@dataclass(frozen=True)
class HandCounted(Ruling):
    """A seat's scored hand (C6), and its `kept` point cards afterwards (C8); `seen` is False for a hand never shown."""

    name = "hand"

    seat: int
    cards: tuple[Card, ...]
    score: Score
    kept: int
    seen: bool = True

    def as_json(self) -> dict[str, object]:
        """Return the contract's keys, with the arrangement that answers a challenge (C11)."""
        unseen: dict[str, object] = {} if self.seen else {"seen": False}
        start = {"ruling": "hand", "t_ns": self.t_ns, "seat": self.seat}
        return {**start, **self.score.as_json(), "kept": self.kept, **unseen}


@dataclass(frozen=True)
class HandsUnseen(Ruling):
    """The count waits for the hands of `seats`, neither seen nor entered: an unseen hand is not an empty one.

    gone: the last complete hand of each seat whose cards went before they were counted, or None.
    """

    name = "unclear"

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
class ConfettiFoul(Ruling):
    """A seat took or put back cards after time: the difference to its last hand in time (C4)."""

    name = "foul"

    seat: int
    reason: ConfettiReason
    taken: tuple[Card, ...]
    put_back: tuple[Card, ...]


@dataclass(frozen=True)
class ArrangementShown(Ruling):
    """The answer to a challenge (C11): the counted hand, and its sets on the fewest cards."""

    name = "arrangement"

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
class ConfettiEnded(Ruling):
    """The end: `points[seat]` point cards, and the seats with most of them, which share the win (C10).

    stopped: the players ended the game early.
    """

    name = "end"

    winners: tuple[int, ...]
    points: tuple[int, ...]
    stopped: bool = False
