"""A frame is printed inside of each card's edge: outlines of two sides of either have one size as well."""

from collections.abc import Sequence

import cv2
import numpy as np
import pytest
from numpy.typing import NDArray

from vision.unknown.card_plane import CardPlane, plane_of
from vision.unknown.card_sizes import Stock
from vision.unknown.half_frames import but_half_frames

Floats = NDArray[np.float32]

WIDTH, LENGTH, MARGIN = 90, 140, 8
PLACES = [(60 + 130 * column, 40 + 175 * row) for row in range(2) for column in range(5)]
CORNERS = [(0, 0), (0, 2), (2, 0), (2, 2)]  # of a card, at which half of it and half of its frame begin


def picture(framed: bool) -> NDArray[np.uint8]:
    """Cards in rows, in 8-bit Lab, with frames and without; their colours fall equally at either."""
    image = np.full((400, 720, 3), 170, np.uint8)
    for x, y in PLACES:
        cv2.rectangle(image, (x, y), (x + WIDTH - 1, y + LENGTH - 1), (200, 200, 200), -1)
        if framed:
            inner = x + MARGIN, y + MARGIN, x + WIDTH - 1 - MARGIN, y + LENGTH - 1 - MARGIN
            cv2.rectangle(image, inner[:2], inner[2:], (225, 225, 225), -1)
    noise = np.random.default_rng(3).normal(0, 1.5, image.shape)
    return np.asarray(cv2.cvtColor(np.clip(image + noise, 0, 255).astype(np.uint8), cv2.COLOR_BGR2LAB), np.uint8)


def level(smaller_by: float) -> CardPlane:
    return plane_of(np.array([0, 0, np.log(WIDTH - smaller_by), np.log(LENGTH - smaller_by), 0]), (720, 400))


def outlines(corners: Sequence[tuple[float, float]], smaller_by: float = MARGIN) -> Floats:
    """An outline on each card, so much smaller than it, that begins so many half margins from its first corner."""
    starts = [np.add(place, np.multiply(corners[k % len(corners)], MARGIN / 2)) for k, place in enumerate(PLACES)]
    box = np.array([[0, 0], [1, 0], [1, 1], [0, 1]]) * [WIDTH - smaller_by, LENGTH - smaller_by]
    return np.asarray([start + box - 0.5 for start in starts], np.float32)


def told(image: NDArray[np.uint8], quads: Floats, smaller_by: float = MARGIN) -> tuple[bool, Floats]:
    """Whether the cards' own size is told instead of the smaller one, and the cards about the outlines."""
    smaller, larger = Stock(level(smaller_by), np.zeros(3), 0.9), Stock(level(0), np.zeros(3), 0.5)
    stock, cards = but_half_frames(image, smaller, quads, [larger, smaller])
    return stock is larger, cards


def test_outlines_that_begin_at_an_edge_here_and_at_a_frame_there_are_no_cards() -> None:
    larger, cards = told(picture(framed=True), outlines(CORNERS))
    assert larger
    assert np.abs(cards.mean(axis=1) - outlines([(0, 0)], 0).mean(axis=1)).max() < 2


@pytest.mark.parametrize(("corners", "smaller_by"), [([(2, 2)], 2 * MARGIN), ([(0, 0)], MARGIN)])
def test_frames_and_what_lies_alike_on_all_cards_are_no_mixtures(
    corners: Sequence[tuple[float, float]], smaller_by: float
) -> None:
    larger, cards = told(picture(framed=True), outlines(corners, smaller_by), smaller_by)
    assert not larger
    assert len(cards) == 0


def test_cards_without_frames_are_not_told_larger_than_they_are() -> None:
    plain = picture(framed=False)
    own, wider = Stock(level(0), np.zeros(3), 0.9), Stock(level(-MARGIN), np.zeros(3), 0.5)
    stock, cards = but_half_frames(plain, own, outlines([(0, 0)], 0), [wider, own])
    assert stock is own
    assert len(cards) == 0


def test_a_few_outlines_tell_no_mixture() -> None:
    assert not told(picture(framed=True), outlines(CORNERS)[:3])[0]
