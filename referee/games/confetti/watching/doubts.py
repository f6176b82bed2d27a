"""Which hands on a still table cannot be vouched for, and what the players are to do about each. Pure."""

from __future__ import annotations

from collections.abc import Mapping

from referee.engine.session import Notice
from referee.games.confetti.watching.hands_in_time import FOREIGN_SHARE
from referee.scoring.seats import SeatCards, Sharing

_HIDES = 0.5  # areas of a card: what is smaller leaves half of any card in sight


def doubts(
    t_ns: int, sharing: Sharing, kept: Mapping[int, int], foreign: Mapping[int, float | None]
) -> tuple[Notice, ...]:
    """Give a notice for each seat whose hand is not certain.

    kept: so many point cards a seat has, which lie before it with the other side up (C8). foreign: how much lies before
    a seat that is neither card nor table, in areas of a card, None where nobody knows: without cards that alone tells
    an empty hand from one that is not seen, and beside cards as much as half of one may hide one more.
    """
    told = (_doubt(t_ns, hand, kept.get(hand.seat, 0), foreign[hand.seat]) for hand in sharing.seats)
    return tuple(notice for notice in told if notice is not None)


def _doubt(t_ns: int, hand: SeatCards, kept: int, foreign: float | None) -> Notice | None:
    if hand.unclear:
        reasons = sorted({card.reason for card in hand.unclear})
        return Notice(t_ns, "unclear_cards", hand.seat, {"count": len(hand.unclear), "reasons": reasons})
    if len(hand.other_side) > kept:
        return Notice(t_ns, "wrong_side", hand.seat, {"count": len(hand.other_side) - kept})
    if not hand.cards and (foreign is None or foreign > FOREIGN_SHARE):
        return Notice(t_ns, "nothing_seen", hand.seat, {})
    if foreign is not None and foreign > _HIDES:
        return Notice(t_ns, "place_hidden", hand.seat, {})
    return None
