"""Playing cards whose marks are black: what tells two of them apart is the shape of the marks alone."""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray

CARD_MM = (64.0, 89.0)
_FINER = 4


def black_six(*, clubs: bool, cells_per_mm: float) -> NDArray[np.float32]:
    """(rows, columns, 3) in 0..1 a card with six marks, clubs or slim spades."""
    columns, rows = (round(side * cells_per_mm) for side in CARD_MM)
    fine = np.full((rows * _FINER, columns * _FINER, 3), 0.9, np.float32)
    black = (0.1, 0.1, 0.1)
    scale = cells_per_mm * _FINER

    def px(x: float, y: float) -> tuple[int, int]:
        return round(x * scale), round(y * scale)

    for x in (17.0, 47.0):
        for y in (17.0, 44.0, 72.0):
            if clubs:
                for across, down in ((-3.75, 1.7), (3.75, 1.7), (0, -4.2)):
                    cv2.circle(fine, px(x + across, y + down), round(2.9 * scale), black, -1, cv2.LINE_AA)
            else:
                half = [(0, -7.5), (3.3, -1.7), (5, 2.5), (1.7, 3.3)]
                outline = [*half, *((-across, down) for across, down in half[:0:-1])]
                points = np.array([px(x + across, y + down) for across, down in outline])
                cv2.fillPoly(fine, [points], black, cv2.LINE_AA)
            cv2.line(fine, px(x, y), px(x, y + 5.8), black, round(1.25 * scale), cv2.LINE_AA)
    return np.asarray(cv2.resize(fine, (columns, rows), interpolation=cv2.INTER_AREA), np.float32)
