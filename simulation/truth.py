"""Truth of a script at an instant: poses of cards, their visible share, and places of hands."""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from simulation.art import HandArt
from simulation.drawing import card_corners, hand_corners
from simulation.live import LiveTable
from simulation.script import CardNow, HandNow
from vision.arrays import Points

Owner = NDArray[np.int16]
"""(h, w) of a small picture: number of the visible card at each pixel, -1 without one."""

_STEP = 2
_TURNING_DEG = 12.0


@dataclass(frozen=True, eq=False)
class CardTruth:
    """The truth of a card.

    side: the visible one. corners_px (4, 2): clockwise from that side's top-left. visible: uncovered share within the
    picture. turning: in mid-turn. since_ns: start of this state, None while it is carried.
    """

    key: str
    face: str
    side: str
    centre_mm: tuple[float, float]
    corners_px: Points
    visible: float
    turning: bool
    since_ns: int | None


@dataclass(frozen=True, eq=False)
class TableTruth:
    """A table at `t_ns`; `cards` the lowest first, `hands` only those over the table."""

    t_ns: int
    cards: tuple[CardTruth, ...]
    hands: tuple[HandNow, ...]

    def card(self, key: str) -> CardTruth:
        """Return a card. Raises KeyError for an unknown key."""
        for card in self.cards:
            if card.key == key:
                return card
        raise KeyError(key)


def truth_at(table: LiveTable, t_ns: int) -> TableTruth:
    """Return the truth at a time of the monotonic clock; for a frame, pass its end of exposure."""
    t_s = table.seconds(t_ns)
    cards, hands = table.motion.cards(t_s), table.motion.hands(t_s)
    corners = [table.view.project(card_corners(card, table.art.card_mm)) for card in cards]
    owner = np.full((table.view.size[1] // _STEP, table.view.size[0] // _STEP), -1, np.int16)
    for number, px in enumerate(corners):
        cv2.fillConvexPoly(owner, np.rint(px / _STEP * 16).astype(np.int32), number, cv2.LINE_8, 4)
    for hand in hands:
        _cover(table, owner, hand)
    return TableTruth(
        t_ns,
        tuple(
            _card(table, card, px, owner, number) for number, (card, px) in enumerate(zip(cards, corners, strict=True))
        ),
        tuple(hands),
    )


def _card(table: LiveTable, card: CardNow, px: Points, owner: Owner, number: int) -> CardTruth:
    area = float(abs(cv2.contourArea((px / _STEP).astype(np.float32))))
    seen = float((owner == number).sum())
    since_ns = None if card.since_s is None else table.start_ns + round(card.since_s * 1e9)
    turning = _TURNING_DEG < card.turn_deg < 180 - _TURNING_DEG
    visible = min(1.0, seen / max(area, 1.0))
    centre = (card.x_mm, card.y_mm)
    return CardTruth(card.key, card.face, card.side, centre, px, visible, turning, since_ns)


def _cover(table: LiveTable, owner: Owner, hand: HandNow) -> None:
    art: HandArt = table.hand_art(hand.seat, hand.pose)
    height, width = art.cover.shape
    px = table.view.project(hand_corners(hand, table.script.people[hand.seat])) / _STEP
    source = np.array([[0, 0], [width, 0], [width, height], [0, height]], np.float32) - np.float32(0.5)
    warp = cv2.getPerspectiveTransform(source, px.astype(np.float32))
    owner[cv2.warpPerspective(art.cover, warp, owner.shape[::-1]) > 127] = -1
