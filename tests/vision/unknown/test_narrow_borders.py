"""Cards with white borders a few pixels wide: outlines on the frame, and mixed ones, are moved to where paper ends."""

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.unknown.card_plane import plane_of
from vision.unknown.narrow_borders import in_borders

WIDTH, LENGTH, BORDER, SCALE = 60, 92, 4, 4
PLACES = [(90, 90, 0.3), (300, 110, 2.2), (520, 90, -0.5), (110, 330, 1.2), (330, 350, 0.0), (560, 330, 3.5)]


def placed(margin: float, x: float, y: float, angle: float) -> NDArray[np.float64]:
    """The corners (4, 2), clockwise, of what is so far within the card's edge."""
    w, h = WIDTH / 2 - margin, LENGTH / 2 - margin
    turn = np.array([[np.cos(angle), np.sin(angle)], [-np.sin(angle), np.cos(angle)]])
    return np.asarray(np.array([[-w, -h], [w, -h], [w, h], [-w, h]]) @ turn + [x, y])


def scene(border_grey: float, sharpening: float) -> NDArray[np.uint8]:
    """Cards with panels of several colours on a grey table, in 8-bit Lab."""
    random = np.random.default_rng(3)
    picture = np.full((480 * SCALE, 680 * SCALE, 3), 150, np.float32)
    for k, place in enumerate(PLACES):
        for margin, colour in ((0, (border_grey,) * 3), (BORDER, (60 + 20 * k, 70, 150 - 15 * k))):
            cv2.fillConvexPoly(picture, np.rint((placed(margin, *place) + 0.5) * SCALE).astype(np.int32), colour)
    small = cv2.GaussianBlur(cv2.resize(picture, (680, 480), interpolation=cv2.INTER_AREA), (0, 0), 0.7)
    small = small + sharpening * (small - cv2.GaussianBlur(small, (0, 0), 1.5))
    noisy = np.clip(small + random.normal(0, 1.5, small.shape), 0, 255).astype(np.uint8)
    return np.asarray(cv2.cvtColor(noisy, cv2.COLOR_BGR2LAB), np.uint8)


def cards_found(lab: NDArray[np.uint8], quads: NDArray[np.float64]) -> NDArray[np.float32]:
    plane = plane_of(np.array([0, 0, np.log(WIDTH - 2 * BORDER), np.log(LENGTH - 2 * BORDER), 0]), (680, 480))
    return in_borders(lab, plane, quads.astype(np.float32))[1]


def test_cards_are_told_by_their_panels() -> None:
    found = cards_found(scene(225, 0.0), np.stack([placed(BORDER, *place) for place in PLACES]))
    assert len(found) == len(PLACES)
    for card, place in zip(found, PLACES, strict=True):
        assert np.abs(card - placed(0, *place)).max() < 0.02 * WIDTH


def test_sides_on_the_frame_and_sides_on_the_edge_may_mix() -> None:
    panels = np.stack([placed(BORDER, *place) for place in PLACES])
    cards = np.stack([placed(0, *place) for place in PLACES])
    mixed = panels.copy()
    # The first sides of two of the cards lie on the edge, parallel to the frame's.
    across = (panels[:2, 3] - panels[:2, 0]) / np.linalg.norm(panels[:2, 3] - panels[:2, 0], axis=1, keepdims=True)
    mixed[:2, 0], mixed[:2, 1] = panels[:2, 0] - BORDER * across, panels[:2, 1] - BORDER * across
    found = cards_found(scene(225, 0.0), mixed)
    assert len(found) == len(PLACES)
    assert np.abs(found - cards).max() < 0.03 * WIDTH


def test_the_rim_that_sharpening_makes_round_dark_cards_is_no_border() -> None:
    lab, cards = scene(150, 1.5), np.stack([placed(BORDER, *place) for place in PLACES])
    assert len(cards_found(lab, cards)) == 0
