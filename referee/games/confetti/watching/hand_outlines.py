"""Where the cards of the hands lie in the picture, whose they are and what they show, for the page to draw."""

from __future__ import annotations

import numpy as np

from referee.engine.session import Outline
from referee.games.confetti.table_score import card_of
from referee.scoring.seated_reading import SeatedReading
from referee.scoring.seats import share_out


def hand_outlines(seated: SeatedReading, side: str) -> tuple[Outline, ...]:
    """Give the outlines of all cards that were read; side: the one that is played."""
    sharing = share_out(seated.reading, seated.ring, side)
    owners = {id(card): hand.seat for hand in sharing.seats for card in (*hand.cards, *hand.unclear)}
    read = [
        Outline(_points(card.corners_px), owners.get(id(card)), " ".join(card_of(card.face)), True)
        for card in seated.reading.cards
    ]
    unclear = [
        Outline(_points(card.corners_px), owners.get(id(card)), card.reason, False) for card in seated.reading.unclear
    ]
    return (*read, *unclear)


def _points(corners_px: np.ndarray[tuple[int, ...], np.dtype[np.float64]]) -> tuple[tuple[float, float], ...]:
    return tuple((float(x), float(y)) for x, y in corners_px)
