"""Which size most of what was found agrees on: cards, not pictures on them, nor rows of them, nor telephones."""

import numpy as np
import pytest
from numpy.typing import NDArray

from vision.unknown.card_plane import apply_homography, rectifier
from vision.unknown.card_votes import agree_on_planes

SIZE_WH = (1280, 720)
WIDTH, LENGTH = 90.0, 140.0
PLACES = [(120, 130, 8), (360, 140, -20), (600, 120, 55), (160, 460, 80), (420, 470, 5), (660, 440, -35)]


def rectangle(
    x: float, y: float, degrees: float, width: float, length: float, down: float = 0.0
) -> NDArray[np.float64]:
    """Corners, clockwise, of a rectangle whose middle lies `down` its own length axis from (x, y)."""
    angle = np.radians(degrees)
    turn = np.array([[np.cos(angle), np.sin(angle)], [-np.sin(angle), np.cos(angle)]])
    half = np.array([[-width, -length], [width, -length], [width, length], [-width, length]]) / 2
    return np.asarray((half + [0, down]) @ turn + [x, y])


# As they were seen in the upper left part of a picture taken from the side.
STEEP = np.array(
    [
        [(1057, 509), (1138, 629), (904, 643), (839, 516)],
        [(755, 335), (728, 248), (928, 275), (968, 359)],
        [(807, 463), (764, 360), (974, 374), (1031, 474)],
        [(876, 138), (916, 207), (731, 189), (701, 120)],
        [(362, 154), (354, 234), (111, 194), (136, 114)],
        [(461, 612), (436, 478), (696, 488), (742, 615)],
    ],
    float,
)
CARDS = np.stack([rectangle(*place, WIDTH, LENGTH) for place in PLACES])


def sizes(quads: NDArray[np.float64], quality: list[float]) -> list[tuple[float, float]]:
    return [plane.size for plane in agree_on_planes(quads, np.array(quality), SIZE_WH)]


def test_a_picture_on_every_card_is_a_part_of_it() -> None:
    pictures = np.stack([rectangle(*place, 70, 100, down=-12) for place in PLACES])
    found = sizes(np.concatenate([pictures, CARDS]), [0.9] * 6 + [0.6] * 6)
    assert np.allclose(found[0], (WIDTH, LENGTH), rtol=0.02)


def test_cards_side_by_side_are_not_one_large_card() -> None:
    rows = [(200.0, 200.0), (700.0, 250.0), (400.0, 520.0)]
    singles = np.stack(
        [rectangle(x + side * (WIDTH + 2) / 2, y, 0, WIDTH, LENGTH) for x, y in rows for side in (-1, 1)]
    )
    pairs = np.stack([rectangle(x, y, 90, LENGTH, 2 * WIDTH + 2) for x, y in rows])
    found = sizes(np.concatenate([pairs, singles]), [0.95] * 3 + [0.4] * 6)
    assert np.allclose(found[0], (WIDTH, LENGTH), rtol=0.02)


@pytest.mark.parametrize("degrees", [0.0, 40.0])
def test_cards_side_by_side_are_told_where_some_are_hardly_seen(degrees: float) -> None:
    middles = [(200.0, 200.0), (700.0, 250.0), (400.0, 520.0)]
    aside = (WIDTH + 2) / 2 * np.array([np.cos(np.radians(degrees)), np.sin(np.radians(degrees))])
    singles = np.stack(
        [
            rectangle(x + way * aside[0], y + way * aside[1], degrees, WIDTH, LENGTH)
            for x, y in middles
            for way in (-1, 1)
        ]
    )
    pairs = np.stack([rectangle(*middle, degrees + 90, LENGTH, 2 * WIDTH + 2) for middle in middles])
    found = sizes(np.concatenate([pairs, singles]), [0.95] * 3 + [0.5, 0.1, 0.5, 0.5, 0.5, 0.1])
    assert np.allclose(found[0], (WIDTH, LENGTH), rtol=0.02)


@pytest.mark.parametrize("singles", [2, 4])
def test_of_a_known_shape_cards_are_told_where_only_pairs_side_by_side_are_well_seen(singles: int) -> None:
    middles, gap = [(200.0, 200.0), (700.0, 250.0), (400.0, 520.0), (950.0, 500.0)], 8
    pairs = np.stack([rectangle(x, y, 90, LENGTH, 2 * WIDTH + gap) for x, y in middles])
    cards = np.stack([rectangle(x - (WIDTH + gap) / 2, y, 0, WIDTH, LENGTH) for x, y in middles[:singles]])
    quads, quality = np.concatenate([pairs, cards]), np.array([0.9] * 4 + [0.5] * singles)
    aspect = LENGTH / WIDTH
    (plane,) = agree_on_planes(quads, quality, SIZE_WH, (aspect / 1.1, aspect * 1.1))
    assert np.allclose(plane.size, (WIDTH, LENGTH), rtol=0.02)


def test_cards_seen_from_the_side_outvote_what_is_printed_on_one() -> None:
    x, y = STEEP[0].mean(axis=0)
    prints = np.stack([rectangle(x, y, degrees, 28, 52) for degrees in (0, 4, 8)])
    quads, quality = np.concatenate([prints, STEEP]), np.array([0.9] * 3 + [0.6] * len(STEEP))
    plane = agree_on_planes(quads, quality, (1195, 709))[0]
    # The picture was cropped: as seen, the cards are not quite of one size.
    assert np.median(plane.deviation(STEEP)) < 0.12


def test_two_telephones_beside_the_cards_are_no_larger_cards() -> None:
    phones = np.stack([rectangle(960, 200, 10, 95, 185), rectangle(1080, 500, -30, 95, 185)])
    found = sizes(np.concatenate([phones, CARDS[:4]]), [0.99] * 2 + [0.6] * 4)
    assert np.allclose(found[0], (WIDTH, LENGTH), rtol=0.02)


def test_something_poor_and_alone_is_no_card() -> None:
    assert sizes(CARDS[:1], [0.1]) == []
    assert len(sizes(CARDS[:1], [0.9])) == 1


@pytest.mark.parametrize("direction", [0.0, 100.0, 215.0])
def test_one_card_seen_from_far_aside_may_be_a_card(direction: float) -> None:
    tilt = np.radians(60) * np.array([np.cos(np.radians(direction)), np.sin(np.radians(direction))])
    aside = np.asarray(np.linalg.inv(rectifier(tilt, SIZE_WH)), np.float64)
    seen = apply_homography(aside, rectangle(600, 380, 25, 200, 310)[None])
    (plane,) = agree_on_planes(seen, np.ones(1), SIZE_WH)
    assert plane.deviation(seen).max() < 0.05
