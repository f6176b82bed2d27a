"""The table under a running game: by its profile as long as the camera stands, else by the marker cards."""

from __future__ import annotations

from pathlib import Path

import cv2
import numpy as np
import pytest
from numpy.typing import NDArray

from calibration.survey import survey
from referee.measured_table import profile_of
from referee.watchers.table_finder import TableFinder
from vision.errors import MovedCameraError
from vision.image import load_image

Image = NDArray[np.uint8]

SIZE = (960, 540)
PHOTO = load_image(Path(__file__).parents[2] / "data" / "tables" / "confetti-three-seats.jpg")
TABLE = np.asarray(cv2.resize(PHOTO, SIZE, interpolation=cv2.INTER_AREA), np.uint8)
PROFILE = profile_of(survey([("table", TABLE)]), 180.0)
CLOTH = np.full_like(TABLE, 110)


def moved(right: float, down: float) -> Image:
    shift = np.array([[1.0, 0, right], [0, 1, down]])
    return np.asarray(cv2.warpAffine(TABLE, shift, SIZE, borderMode=cv2.BORDER_REPLICATE), np.uint8)


def seat_px(finder: TableFinder) -> NDArray[np.float64]:
    """Where seat 0 is in the picture."""
    assert finder.place is not None
    part = finder.place.ring.part_of(0)
    return np.asarray(finder.place.table.to_px(part[len(part) // 2][None])[0])


def test_a_pushed_camera_moves_the_seats_in_the_picture_and_back() -> None:
    finder = TableFinder(PROFILE, 3)
    finder.look(TABLE)
    first, before = finder.place, seat_px(finder)
    finder.look(TABLE)
    assert finder.place is first
    finder.look(moved(24, -12))
    assert seat_px(finder) == pytest.approx(before + (24, -12), abs=2)
    # Arms over all of it show nothing new.
    finder.look(CLOTH)
    assert seat_px(finder) == pytest.approx(before + (24, -12), abs=2)
    finder.look(TABLE)
    assert seat_px(finder) == pytest.approx(before, abs=0.1)


def test_where_too_few_markers_are_left_in_sight_no_table_is_known() -> None:
    finder = TableFinder(PROFILE, 3)
    finder.look(TABLE)
    with pytest.raises(MovedCameraError):
        finder.look(moved(0, 200))
    assert finder.place is None


def test_a_game_does_not_begin_where_nothing_shows_that_the_camera_stands() -> None:
    finder = TableFinder(PROFILE, 3)
    with pytest.raises(MovedCameraError):
        finder.look(CLOTH)
    assert finder.place is None
