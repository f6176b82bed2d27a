"""A camera that was pushed is told from one that stands, by the marker cards or by the table itself."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import cv2
import numpy as np
import pytest
from numpy.typing import NDArray

from calibration.survey import survey
from referee.measured_table import profile_of
from vision.camera_moved import stand_of, table_now, what_is_wrong
from vision.errors import MovedCameraError
from vision.image import load_image
from vision.markers import find_markers, sight_markers
from vision.profile import TableProfile, load_profile, profile_text

Image = NDArray[np.uint8]

# A smaller copy is searched as surely, and costs less.
TABLE = np.asarray(
    cv2.resize(
        load_image(Path(__file__).parents[1] / "data" / "tables" / "confetti-three-seats.jpg"),
        (960, 540),
        interpolation=cv2.INTER_AREA,
    ),
    np.uint8,
)
PROFILE = profile_of(survey([("table", TABLE)]), 180.0)
PX_PER_MM = float(PROFILE.table.px_per_mm(np.array([[480.0, 270]]))[0])


def moved(image: Image, mm: float, degrees: float = 0.0) -> Image:
    """What the camera shows when it was pushed to the left, and turned."""
    shift = cv2.getRotationMatrix2D((480, 270), degrees, 1.0)
    shift[0, 2] += mm * PX_PER_MM
    return np.asarray(cv2.warpAffine(image, shift, image.shape[1::-1], borderMode=cv2.BORDER_REPLICATE), np.uint8)


def bare(image: Image, *ids: int) -> Image:
    """The table without some of its marker cards."""
    changed = image.copy()
    for marker in find_markers(image):
        if marker.id in ids:
            middle = marker.corners_px.mean(0)
            wide = middle + 1.4 * (marker.corners_px - middle)
            cv2.fillConvexPoly(changed, np.rint(wide).astype(np.int32), (60, 90, 120))
    return changed


def pushed(image: Image, number: int, mm: float) -> Image:
    """The table with one marker card pushed aside by a hand."""
    (marker,) = (marker for marker in find_markers(image) if marker.id == number)
    middle = marker.corners_px.mean(0)
    left, top = (middle - 24).astype(int)
    card, changed, way = image[top : top + 48, left : left + 48], bare(image, number), round(mm * PX_PER_MM)
    changed[top : top + 48, left + way : left + way + 48] = card
    return changed


def stand(image: Image, profile: TableProfile = PROFILE) -> tuple[bool | None, tuple[int, ...]]:
    found = stand_of(profile, image, find_markers(image))
    return found.stands, found.pushed


@pytest.mark.parametrize(("mm", "degrees", "stands"), [(0, 0, True), (4.5, 0, False), (30, 0, False), (0, 1.0, False)])
def test_markers_show_whether_the_camera_stands(mm: float, degrees: float, *, stands: bool) -> None:
    assert stand(moved(TABLE, mm, degrees)) == (stands, ())
    assert stand(moved(bare(TABLE, 0, 1, 2), mm, degrees))[0] == stands


def test_a_marker_pushed_by_a_hand_is_out_and_the_camera_stands() -> None:
    assert stand(pushed(TABLE, 2, 20.0)) == (True, (2,))
    # Alone in sight it may be as well the camera; the table itself tells.
    alone = bare(pushed(TABLE, 2, 20.0), 0, 1, 3)
    assert stand(alone) == (True, (2,))
    assert stand(alone, replace(PROFILE, texture=None)) == (False, ())


@pytest.mark.parametrize("size", [(960, 540), (640, 360), (1440, 810)])
def test_with_no_marker_in_sight_the_table_itself_shows_it(size: tuple[int, int]) -> None:
    without = bare(TABLE, 0, 1, 2, 3)
    dim = np.asarray(cv2.resize(without, size, interpolation=cv2.INTER_AREA) * 0.6, np.uint8)
    assert stand(dim) == (True, ())
    assert not stand(moved(without, 6.0))[0]
    assert not stand(moved(without, 80.0))[0]


def test_nothing_in_sight_shows_nothing_and_a_push_is_refused_in_a_sentence() -> None:
    cloth = np.full_like(TABLE, 110)
    assert stand(cloth) == (None, ())
    table, shown = table_now(PROFILE, cloth, sight_markers(cloth))
    assert table is not None
    assert "nothing in sight shows that the camera still stands" in what_is_wrong(PROFILE, shown)
    aside = moved(TABLE, 330.0)
    with pytest.raises(MovedCameraError, match="the camera was moved since the table was calibrated"):
        table_now(PROFILE, aside, sight_markers(aside))


def test_a_table_turned_about_is_told_as_a_camera_that_was_moved() -> None:
    assert stand(np.ascontiguousarray(TABLE[::-1, ::-1])) == (False, ())


def test_a_profile_of_an_earlier_version_asks_to_be_made_anew(tmp_path: Path) -> None:
    old = TableProfile(PROFILE.table, PROFILE.edge_mm)
    without = bare(TABLE, 0, 1, 2, 3)
    assert stand(without, old) == (None, ())
    assert "of an earlier version" in what_is_wrong(old, stand_of(old, without, ()))
    assert table_now(old, TABLE, sight_markers(TABLE))[0] is None  # its own markers tell
    kept = tmp_path / "table.json"
    kept.write_text(profile_text(PROFILE), encoding="utf-8")
    assert stand(without, load_profile(kept)) == (True, ())


def test_what_lies_beside_the_table_is_not_kept() -> None:
    texture = PROFILE.texture
    assert texture is not None
    outside = np.ones(texture.grey.shape, np.uint8)
    cv2.fillPoly(outside, [np.rint(texture.outline).astype(np.int32)], 0)
    assert outside.any()
    assert not texture.grey[outside > 0].any()
