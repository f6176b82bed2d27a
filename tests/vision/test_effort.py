"""The work of a reading is counted, and bounded."""

from __future__ import annotations

from pathlib import Path
from threading import Thread

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.deck import Deck
from vision.effort import MOST, counted, heard_by, spend
from vision.find.any_deck import find_any_cards
from vision.image import load_image
from vision.reading import reader_of

SCENES = Path(__file__).parents[1] / "data" / "scenes"
Image = NDArray[np.uint8]


def test_readings_in_threads_are_counted_apart() -> None:
    spend(10)
    with counted() as effort:
        other = Thread(target=spend, args=(1000,))
        other.start()
        other.join()
        spend(3)
        with counted() as same:
            spend(4)
    assert same is effort
    assert effort.steps == 7


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


def test_a_hard_picture_takes_a_bounded_number_of_steps(deck: Deck) -> None:
    half = cv2.resize(load_image(SCENES / "white-heap.jpg"), None, fx=0.5, fy=0.5, interpolation=cv2.INTER_AREA)
    with counted() as effort:
        reader_of(deck).read(np.asarray(cv2.GaussianBlur(half, (0, 0), 2), np.uint8))
    assert effort.steps < MOST


def test_a_picture_of_no_cards_costs_no_more(deck: Deck) -> None:
    random = np.random.default_rng(1)
    picture = np.full((360, 640, 3), 255, np.uint8)
    for x, y, r, *colour in random.integers(0, [640, 360, 12, 256, 256, 256], (250, 6)).tolist():
        cv2.circle(picture, (x, y), 3 + r, colour, -1, cv2.LINE_AA)
    with counted() as known:
        assert reader_of(deck).read(picture).cards == ()
    with counted() as unknown:
        find_any_cards(picture)
    assert max(known.steps, unknown.steps) < 4 * MOST
