"""Rulings of Coloretto: frozen records that together are the game's audit trail."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

from referee.games.coloretto.score import HandCards, HandScore


class ColorettoReason(Enum):
    """Why something is a foul, or is not taken; fouls in the order in which they are asked."""

    ALREADY_OUT = "already_out"
    NOT_YOUR_TURN = "not_your_turn"
    ROW_GONE = "row_gone"
    ROW_FULL = "row_full"
    ROW_EMPTY = "row_empty"
    GAME_OVER = "game_over"


@dataclass(frozen=True)
class ColorettoFoul:
    """A seat did what the rules do not allow (K4, K5); it changes nothing."""

    t_ns: int
    seat: int
    reason: ColorettoReason
    row: int

    def as_json(self) -> dict[str, object]:
        """Return the ruling with the keys of the outside contract."""
        start: dict[str, object] = {"ruling": "foul", "t_ns": self.t_ns, "seat": self.seat}
        return {**start, "reason": self.reason.value, "row": self.row}


@dataclass(frozen=True)
class ColorettoIgnored:
    """Something happened after the end; it changes nothing."""

    t_ns: int
    event: str
    seat: int | None
    reason: ColorettoReason

    def as_json(self) -> dict[str, object]:
        """Return the ruling as JSON."""
        seat: dict[str, object] = {} if self.seat is None else {"seat": self.seat}
        return {"ruling": "ignored", "t_ns": self.t_ns, **seat, "event": self.event, "reason": self.reason.value}


@dataclass(frozen=True)
class RoundEnded:
    """All have taken a row; who took last `starts` the next round (K5), unless this was the `last` (K6)."""

    t_ns: int
    starts: int
    last: bool = False

    def as_json(self) -> dict[str, object]:
        """Return the ruling with the keys of the outside contract."""
        last: dict[str, object] = {"last": True} if self.last else {}
        return {"ruling": "round_end", "t_ns": self.t_ns, "starts": self.starts, **last}


@dataclass(frozen=True)
class ColorettoEnded:
    """The game is over: each seat's hand, its best score (K7, K8), and the seats that share the win (K9).

    stopped: the players ended it before the last round was over.
    """

    t_ns: int
    winners: tuple[int, ...]
    hands: tuple[HandCards, ...]
    scores: tuple[HandScore, ...]
    stopped: bool = False

    def as_json(self) -> dict[str, object]:
        """Return the ruling with the keys of the outside contract, and the colours that count minus."""
        return {
            "ruling": "end",
            "t_ns": self.t_ns,
            "winners": list(self.winners),
            "points": [score.points for score in self.scores],
            "hands": [
                {
                    "colours": {colour: cards for colour, cards in hand.colours.items() if cards},
                    "jokers": hand.jokers,
                    "plus2": hand.plus2,
                    "plus": list(score.plus),
                    "minus": list(score.minus),
                    "joker_colours": list(score.jokers),
                }
                for hand, score in zip(self.hands, self.scores, strict=True)
            ],
            **({"stopped": True} if self.stopped else {}),
        }


ColorettoRuling = ColorettoFoul | ColorettoIgnored | RoundEnded | ColorettoEnded
