"""The table under a running game, and the players' instruction where a picture does not show it."""

from __future__ import annotations

from pathlib import Path

import cv2
import numpy as np
import pytest
from numpy.typing import NDArray

from calibration.survey import survey
from referee.errors import BadInputError
from referee.language import Language
from referee.sayings.service import notice
from referee.setup.measured_table import profile_of
from referee.watchers.table_finder import TableFinder, no_table_notice
from vision.errors import BadTableError, DoubledMarkerError, MirroredError, MovedCameraError, VisionError
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


def test_a_pushed_camera_moves_the_seats_in_the_picture_and_back() -> None:
    finder = TableFinder(PROFILE, 3)
    seen = []
    # Arms over all of it show nothing new.
    for image in (TABLE, TABLE, moved(24, -12), CLOTH, TABLE):
        finder.look(image)
        assert finder.place is not None
        part = finder.place.ring.part_of(0)
        seen.append(np.asarray(finder.place.table.to_px(part[len(part) // 2][None])[0]))
    first, same, pushed, hidden, back = seen
    assert (same == first).all()
    assert pushed == pytest.approx(first + (24, -12), abs=2)
    assert hidden == pytest.approx(first + (24, -12), abs=2)
    assert back == pytest.approx(first, abs=0.1)


@pytest.mark.parametrize(("before", "image"), [([TABLE], moved(0, 200)), ([], CLOTH)])
def test_where_too_few_markers_are_in_sight_no_table_is_known(before: list[Image], image: Image) -> None:
    finder = TableFinder(PROFILE, 3)
    for one in before:
        finder.look(one)
    with pytest.raises(MovedCameraError):
        finder.look(image)
    assert finder.place is None


@pytest.mark.parametrize(
    ("error", "said"),
    [
        (BadInputError("no marker card"), "please uncover the marker cards"),
        (BadTableError("some.fault", "no flat table"), "please uncover the marker cards"),
        (MirroredError("some.fault", "mirrored"), "Please switch its mirroring off"),
        (DoubledMarkerError((1,)), "Two marker cards have the number one. Please take one of them away"),
        (MovedCameraError("some.fault", "moved"), "The camera was moved. Please put marker cards 0 to 3"),
    ],
)
def test_players_are_told_what_to_do(error: BadInputError | VisionError, said: str) -> None:
    told = no_table_notice(error, 5)
    assert said in notice(told.kind, told.seat, told.data, ["Ann"], Language("en"))
