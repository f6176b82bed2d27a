"""White cards on a white table: what each shows of its edge is less than noise, all together tell where it is."""

import cv2
import numpy as np
import pytest
from numpy.typing import NDArray

from vision.unknown.card_edges import fit_sides
from vision.unknown.card_plane import CardPlane, plane_of
from vision.unknown.card_surroundings import cards_about

Floats = NDArray[np.float64]

WIDTH, LENGTH, SCALE = 90, 130, 4
LEFT, TOP, RIGHT, BOTTOM = 9, 14, 81, 74  # of the picture on each card
PLACES = [(90, 90, 0.3), (300, 110, 2.2), (520, 90, -0.5), (110, 330, 1.2), (330, 350, 0.0), (560, 330, 3.5)]


def placed(points: list[list[float]], x: float, y: float, angle: float) -> Floats:
    """Places (n, 2) on a card as places in the picture."""
    turn = np.array([[np.cos(angle), np.sin(angle)], [-np.sin(angle), np.cos(angle)]])
    return np.asarray((np.array(points) - [WIDTH / 2, LENGTH / 2]) @ turn + [x, y])


def box(left: float, top: float, right: float, bottom: float) -> list[list[float]]:
    return [[left, top], [right, top], [right, bottom], [left, bottom]]


def scene(step: float) -> NDArray[np.uint8]:
    """A table in 8-bit Lab, darker by `step` grey levels than the white of cards with a picture above some words."""
    random = np.random.default_rng(7)
    picture = np.full((480 * SCALE, 680 * SCALE, 3), 214 - step, np.float32)

    def fill(points: Floats, colour: tuple[float, float, float]) -> None:
        cv2.fillConvexPoly(picture, np.rint((points + 0.5) * SCALE).astype(np.int32), colour)

    for k, place in enumerate(PLACES):
        fill(placed(box(0, 0, WIDTH, LENGTH), *place), (214, 214, 214))
        fill(placed(box(LEFT, TOP, RIGHT, BOTTOM), *place), (60 + 20 * k, 70, 150 - 15 * k))
        for word in range(12):
            start, line = 12 + 18 * (word % 4), 83 + 8 * (word // 4)
            fill(placed(box(start, line, start + int(random.integers(8, 15)), line + 2), *place), (90, 90, 90))
    small = cv2.GaussianBlur(cv2.resize(picture, (680, 480), interpolation=cv2.INTER_AREA), (0, 0), 0.7)
    noisy = np.clip(small + random.normal(0, 2.0, small.shape), 0, 255).astype(np.uint8)
    return np.asarray(cv2.cvtColor(noisy, cv2.COLOR_BGR2LAB), np.uint8)


def level(short: float, long: float) -> CardPlane:
    """A table seen from straight above with things of a size on it."""
    return plane_of(np.array([0, 0, np.log(short), np.log(long), 0]), (680, 480))


def found_about_pictures(step: float, others: int = 0) -> tuple[CardPlane, NDArray[np.float32]]:
    """What is found about the pictures, and places of the same size on the bare table."""
    bare = [(200 + 230 * k, 225, 0.4 * k) for k in range(others)]
    pictures = np.stack([placed(box(LEFT, TOP, RIGHT, BOTTOM), *place) for place in PLACES + bare])
    lab = scene(step)
    fit = fit_sides(lab, pictures.astype(np.float32), 1.0)
    return cards_about(lab, level(BOTTOM - TOP, RIGHT - LEFT), fit)


def worst(found: NDArray[np.float32]) -> float:
    """How far corners of cards lie from those found, at most."""
    true = [placed(box(0, 0, WIDTH, LENGTH), *place) for place in PLACES]
    turns = [np.stack([np.roll(found, k, axis=1) for k in range(4)]) - each for each in true]
    return max(float(np.linalg.norm(each, axis=3).max(axis=2).min()) for each in turns)


@pytest.mark.parametrize("step", [2.0, 3.0, 5.0])
def test_cards_are_found_about_the_pictures_on_them(step: float) -> None:
    plane, quads = found_about_pictures(step)
    assert np.allclose(plane.size, (WIDTH, LENGTH), rtol=0.03)
    assert len(quads) == len(PLACES)
    assert worst(quads) < 0.03 * WIDTH


def test_what_has_not_the_same_about_it_is_no_card() -> None:
    _, quads = found_about_pictures(5.0, others=1)
    assert len(quads) == len(PLACES)


def test_pictures_on_bare_paper_are_not_made_larger() -> None:
    _, quads = found_about_pictures(0.0)
    assert len(quads) == 0


def test_two_pictures_may_agree_by_chance() -> None:
    lab = scene(5.0)
    pictures = np.stack([placed(box(LEFT, TOP, RIGHT, BOTTOM), *place) for place in PLACES[:2]]).astype(np.float32)
    _, quads = cards_about(lab, level(BOTTOM - TOP, RIGHT - LEFT), fit_sides(lab, pictures, 1.0))
    assert len(quads) == 0
