"""How much work a reading takes: counted, so that each picture ends alike on every machine, and bounded."""

from __future__ import annotations

from pathlib import Path
from threading import Thread

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.deck import Deck
from vision.effort import MOST, MOST_UNSIZED, YARDSTICK, at_most, counted, heard_by, spend
from vision.find.any_deck import find_any_cards
from vision.image import load_image
from vision.reading import Reading, reader_of

SCENES = Path(__file__).parents[1] / "data" / "scenes"
Image = NDArray[np.uint8]


def test_what_is_no_reading_is_never_ended_and_readings_in_threads_are_counted_apart() -> None:
    with at_most(0.001):
        spend(10)
    with counted() as effort:
        other = Thread(target=spend, args=(1000,))
        other.start()
        other.join()
        spend(3)
        with counted() as same:
            spend(4)
    assert same is effort
    assert (effort.steps, effort.cut_short) == (7, False)


def test_whoever_waits_hears_that_a_reading_goes_on() -> None:
    heard: list[float] = []
    with heard_by(heard.append), counted():
        for _ in range(100):
            spend(1000)
        assert heard[-1] >= 90_000
        count = len(heard)
    assert 5 <= count <= 100
    with counted():
        spend(MOST)
    assert len(heard) == count


def blurred(name: str, sigma: float) -> Image:
    half = cv2.resize(load_image(SCENES / name), None, fx=0.5, fy=0.5, interpolation=cv2.INTER_AREA)
    return np.asarray(cv2.GaussianBlur(half, (0, 0), sigma), np.uint8)


def as_data(reading: Reading) -> list[tuple[str, float, tuple[float, ...]]]:
    return [(card.named.id, card.confidence, tuple(card.corners_px.ravel())) for card in reading.cards]


def test_a_picture_that_is_hard_to_read_ends_in_time_and_alike_and_says_so(deck: Deck) -> None:
    picture = blurred("white-heap.jpg", 2)
    readings = []
    for _ in range(2):
        with counted(40 * YARDSTICK) as effort:
            readings.append(reader_of(deck).read(picture))
        assert effort.steps < 1.2 * effort.most
    assert as_data(readings[0]) == as_data(readings[1])
    assert readings[0].cut_short


def test_a_picture_of_no_cards_costs_no_more(deck: Deck) -> None:
    random = np.random.default_rng(1)
    picture = np.full((360, 640, 3), 255, np.uint8)
    for x, y, r, *colour in random.integers(0, [640, 360, 12, 256, 256, 256], (250, 6)).tolist():
        cv2.circle(picture, (x, y), 3 + r, colour, -1, cv2.LINE_AA)
    with counted() as known:
        assert reader_of(deck).read(picture).cards == ()
    with counted(MOST_UNSIZED) as unknown:
        find_any_cards(picture)
    assert max(known.steps, unknown.steps) < 1.2 * MOST_UNSIZED
