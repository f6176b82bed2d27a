"""White cards on a table as white show by the thin grey line of their rims; printed frames are such lines, too."""

import cv2
import numpy as np
import pytest
from numpy.typing import NDArray

from vision.unknown.closed_lines import closed_lines
from vision.unknown.find_cards import find_cards

WIDTH, LENGTH = 120.0, 186.0
SIZE_WH = (1000, 760)
OVERSAMPLED = 3


def outline(centre: NDArray[np.float64], degrees: float, inset: float = 0.0) -> NDArray[np.float32]:
    """Corners (4, 2), clockwise, of a card with its middle there, or of a frame so far inside its edges."""
    angle = np.radians(degrees)
    turn = np.array([[np.cos(angle), np.sin(angle)], [-np.sin(angle), np.cos(angle)]])
    half = np.array([WIDTH, LENGTH]) / 2 - inset
    return np.asarray(np.array([[-1, -1], [1, -1], [1, 1], [-1, 1]]) * half @ turn + centre, np.float32)


def places(seed: int) -> list[tuple[NDArray[np.float64], float]]:
    """Middles and turns of twelve cards in uneven rows, the gaps between them now wide, now narrow."""
    random = np.random.default_rng(seed)
    rows = [(130.0 + 165 * (k % 4), 140.0 + 232 * (k // 4)) for k in range(12)]
    return [(np.array(at) + random.uniform(-8, 8, 2), float(random.uniform(-4, 4))) for at in rows]


def draw_line(canvas: NDArray[np.float32], quad: NDArray[np.float32], value: float, width: float) -> None:
    """Draw a line of some width, in pixels, along a rectangle with round corners."""
    corners = [
        (
            quad
            + (np.roll(quad, way, axis=0) - quad)
            * 8
            / np.linalg.norm(np.roll(quad, way, axis=0) - quad, axis=1)[:, None]
        )
        for way in (1, -1)
    ]
    points = np.stack(corners, axis=1).reshape(-1, 2) * OVERSAMPLED
    cv2.polylines(canvas, [np.rint(points).astype(np.int32)], True, value, max(1, round(width * OVERSAMPLED)))


def picture(seed: int, frame: bool = False, step: float = 0.0) -> NDArray[np.uint8]:
    """Cards lit from one corner: a worn rim, a thin shadow on two sides, noise; with a thin frame printed or without.

    `step` is by how many grey levels the table is darker than the cards. (h, w, 3) BGR.
    """
    random = np.random.default_rng(seed)
    table = np.full((SIZE_WH[1] * OVERSAMPLED, SIZE_WH[0] * OVERSAMPLED), 200 - step, np.float32)
    ink = np.zeros_like(table)
    for centre, degrees in places(seed):
        quad = outline(centre, degrees)
        if step:
            cv2.fillPoly(table, [np.rint(quad * OVERSAMPLED).astype(np.int32)], 200)
        else:
            draw_line(table, quad, 188, 1.3)
            corners = np.rint((quad + 0.4) * OVERSAMPLED).astype(np.int32)
            cv2.polylines(table, [corners[1:]], False, 172, round(1.6 * OVERSAMPLED))
        if frame:
            draw_line(ink, outline(centre, degrees, 9.0), 1.0, 1.5)
        for k in range(3):
            at = centre + np.array([0, 46.0 * (k - 1)])
            cv2.ellipse(ink, (tuple((at * OVERSAMPLED).tolist()), (100, 50), degrees), 1.0, 6 if seed % 2 else -1)
    light = np.linspace(1.0, 0.8, SIZE_WH[0])[:, None] * np.array([0.96, 0.99, 1.0])
    shares = [cv2.resize(each, SIZE_WH, interpolation=cv2.INTER_AREA)[..., None] for each in (table, ink)]
    seen = shares[0] * (1 - shares[1]) + np.array([60.0, 60.0, 180.0]) * shares[1]
    seen = cv2.GaussianBlur(seen * light, (0, 0), 0.9) + random.normal(0, 1.5, seen.shape)
    return np.asarray(np.clip(np.rint(seen), 0, 255), np.uint8)


def off(found: NDArray[np.float32], true: NDArray[np.float32]) -> NDArray[np.float64]:
    """How far the nearest of those found (n, 4, 2) is from each of the true ones (m, 4, 2), by a card's width."""
    turned = np.stack([np.roll(found, k, axis=1) for k in range(4)])
    away = np.linalg.norm(turned[:, None] - true[None, :, None], axis=4).max(axis=3)
    return np.asarray(away.min(axis=(0, 2)) / WIDTH)


@pytest.mark.parametrize("seed", [1, 3])
def test_white_cards_are_found_by_the_line_of_their_rims(seed: int) -> None:
    true = np.stack([outline(*place) for place in places(seed)])
    found = find_cards(picture(seed)).corners_px
    assert len(found) <= len(true)
    assert (off(found, true) < 0.03).mean() >= 0.9


@pytest.mark.parametrize("seed", [2, 5])
def test_frames_printed_on_cards_are_not_their_edges(seed: int) -> None:
    true = np.stack([outline(*place) for place in places(seed)])
    found = find_cards(picture(seed, frame=True, step=9.0)).corners_px
    assert len(found) <= len(true)
    assert (off(found, true) < 0.03).mean() >= 0.9


def test_a_line_that_closes_is_told_by_its_middle() -> None:
    grey = np.full((300, 300), 190, np.uint8)
    quad = np.array([[60, 70], [220, 50], [240, 230], [70, 240]], np.float32)
    cv2.polylines(grey, [np.rint(quad * 16).astype(np.int32)], True, 175, 2, cv2.LINE_AA, 4)
    found = closed_lines(grey)
    assert off(found, quad[None])[0] * WIDTH < 1.5
    open_line = np.full((300, 300), 190, np.uint8)
    cv2.polylines(open_line, [np.rint(quad).astype(np.int32)], False, 175, 2)
    assert len(closed_lines(open_line)) == 0
