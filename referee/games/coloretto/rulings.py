"""Rulings of Coloretto: frozen records that form the game's audit trail."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

from referee.engine.events import Ruling
from referee.games.coloretto.score import HandCards, HandScore


class ColorettoReason(Enum):
    """Reason why something is a foul, or is not taken; fouls in the order of the checks."""

    ALREADY_OUT = "already_out"
    NOT_YOUR_TURN = "not_your_turn"
    ROW_GONE = "row_gone"
    ROW_FULL = "row_full"
    ROW_EMPTY = "row_empty"
    GAME_OVER = "game_over"


@dataclass(frozen=True)
class ColorettoFoul(Ruling):
    """An action against the rules (K4, K5), which changes nothing."""

    name = "foul"

    seat: int
    reason: ColorettoReason
    row: int


@dataclass(frozen=True)
class RoundEnded(Ruling):
    """The end of a round: its last taker `starts` the next one (K5), unless this was the `last` (K6)."""

    name = "round_end"

    starts: int
    last: bool = False


@dataclass(frozen=True)
class ColorettoEnded(Ruling):
    """The end: each seat's hand, its best score (K7, K8), and the seats that share the win (K9).

    stopped: the players ended the game before its last round was over.
    """

    name = "end"

    winners: tuple[int, ...]
    hands: tuple[HandCards, ...]
    scores: tuple[HandScore, ...]
    stopped: bool = False

    def as_json(self) -> dict[str, object]:
        """Return the ruling with the contract's keys, and the colours that count minus."""
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
