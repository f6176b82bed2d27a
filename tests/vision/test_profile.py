"""Table profiles: kept without loss, scaled to the picture, refused when broken; a pushed camera is recognised."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import cv2
import numpy as np
import pytest
from numpy.typing import NDArray

from calibration.survey import survey
from referee.setup.measured_table import profile_of
from vision.errors import BadTableError, MovedCameraError
from vision.image import load_image
from vision.markers import find_markers, sight_markers
from vision.profile import TableProfile, load_profile, profile_text
from vision.profile_check import not_shown_to_stand, stand_of, table_now
from vision.table import Table

Image = NDArray[np.uint8]
TABLE = Table(
    np.array([[1600.0, 0, 959.5], [0, 1600, 539.5], [0, 0, 1]]),
    np.array([-0.1, 0.02, 0, 0, 0]),
    np.array([[2.0, 0.1, 300], [-0.1, 2.1, 200], [1e-5, 2e-5, 1]]),
    (1920, 1080),
    0.002,
)
EDGE = np.array([[800.0, 500], [0, 500], [0, 0], [800, 0]])


def test_a_profile_comes_back_as_it_was_kept(tmp_path: Path) -> None:
    path = tmp_path / "table.json"
    path.write_text(profile_text(TableProfile(TABLE, EDGE, 150.0)), encoding="utf-8")
    back = load_profile(path)
    for name in ("camera", "distortion", "homography"):
        np.testing.assert_array_equal(getattr(back.table, name), getattr(TABLE, name))
    assert (back.table.size_px, back.reach_mm) == ((1920, 1080), 150.0)
    np.testing.assert_array_equal(back.edge_mm, EDGE)


def test_a_picture_of_another_size_shows_the_same_table() -> None:
    points_mm = np.array([[0.0, 0], [700, 30], [400, 400]])
    large = TABLE.to_px(points_mm)
    small = TableProfile(TABLE).table_for((960, 540)).to_px(points_mm)
    np.testing.assert_allclose((small + 0.5) * 2 - 0.5, large, atol=1e-6)
    np.testing.assert_allclose(TableProfile(TABLE).table_for((960, 540)).to_mm(small), points_mm, atol=0.01)
    with pytest.raises(BadTableError, match="1920 × 1080 pixels, and one of 1280 × 960"):
        TableProfile(TABLE).table_for((1280, 960))


GOOD = json.loads(profile_text(TableProfile(TABLE)))


@pytest.mark.parametrize(
    ("change", "complaint"),
    [
        ({"format": "else"}, '"format"'),
        ({"camera": [[1, 2], [3, 4]]}, '"camera".*3 × 3 numbers'),
        ({"homography": [[0, 0, 0]] * 3}, "no camera over a table"),
        ({"camera": [[1e-300, 0, 960], [0, 1500, 540], [0, 0, 1]]}, "no camera over a table"),
        ({"distortion": [0, 0, 0, 0, "x"]}, '"distortion"'),
        ({"size_px": [0, 0]}, "no camera over a table"),
        ({"size_px": [float("nan"), 5]}, '"size_px"'),
        ({"reach_mm": -3}, "no camera over a table"),
        ({"scale_error": -0.01}, "no camera over a table"),
        ({"edge_mm": [1, 2]}, '"edge_mm"'),
    ],
)
def test_broken_profiles_are_refused_in_one_line(tmp_path: Path, change: dict[str, object], complaint: str) -> None:
    path = tmp_path / "table.json"
    path.write_text(json.dumps(GOOD | change), encoding="utf-8")
    with pytest.raises(BadTableError, match=complaint):
        load_profile(path)


@pytest.mark.parametrize("text", [b"", b"{", b"[1]", b"\xff\xfe", b"[" * 100_000])
def test_what_is_no_profile_is_refused(tmp_path: Path, text: bytes) -> None:
    path = tmp_path / "table.json"
    path.write_bytes(text)
    with pytest.raises(BadTableError, match="is not a table profile"):
        load_profile(path)
    with pytest.raises(BadTableError, match="there is no table profile"):
        load_profile(tmp_path / "none.json")
    with pytest.raises(BadTableError, match="cannot be read"):
        load_profile(tmp_path)


# A smaller copy is searched as surely, and costs less.
PHOTO = load_image(Path(__file__).parents[1] / "data" / "tables" / "confetti-three-seats.jpg")
SEEN = np.asarray(cv2.resize(PHOTO, (960, 540), interpolation=cv2.INTER_AREA), np.uint8)
PROFILE = profile_of(survey([("table", SEEN)]), 180.0)
PX_PER_MM = float(PROFILE.table.px_per_mm(np.array([[480.0, 270]]))[0])


def moved(image: Image, mm: float, degrees: float = 0.0) -> Image:
    shift = cv2.getRotationMatrix2D((480, 270), degrees, 1.0)
    shift[0, 2] += mm * PX_PER_MM
    return np.asarray(cv2.warpAffine(image, shift, image.shape[1::-1], borderMode=cv2.BORDER_REPLICATE), np.uint8)


def bare(image: Image, *ids: int) -> Image:
    changed = image.copy()
    for marker in find_markers(image):
        if marker.id in ids:
            middle = marker.corners_px.mean(0)
            wide = middle + 1.4 * (marker.corners_px - middle)
            cv2.fillConvexPoly(changed, np.rint(wide).astype(np.int32), (60, 90, 120))
    return changed


def pushed(image: Image, number: int, mm: float) -> Image:
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
    assert stand(moved(SEEN, mm, degrees)) == (stands, ())
    assert stand(moved(bare(SEEN, 0, 1, 2), mm, degrees))[0] == stands


def test_a_marker_pushed_by_a_hand_is_out_and_the_camera_stands() -> None:
    assert stand(pushed(SEEN, 2, 20.0)) == (True, (2,))
    # Alone in sight it may be as well the camera; the table itself decides.
    alone = bare(pushed(SEEN, 2, 20.0), 0, 1, 3)
    assert stand(alone) == (True, (2,))
    assert stand(alone, replace(PROFILE, texture=None)) == (False, ())


@pytest.mark.parametrize("size", [(960, 540), (640, 360), (1440, 810)])
def test_with_no_marker_in_sight_the_table_itself_shows_it(size: tuple[int, int]) -> None:
    without = bare(SEEN, 0, 1, 2, 3)
    dim = np.asarray(cv2.resize(without, size, interpolation=cv2.INTER_AREA) * 0.6, np.uint8)
    assert stand(dim) == (True, ())
    assert not stand(moved(without, 6.0))[0]
    assert not stand(moved(without, 80.0))[0]


def test_nothing_in_sight_shows_nothing_and_a_push_is_refused_in_a_sentence() -> None:
    cloth = np.full_like(SEEN, 110)
    assert stand(cloth) == (None, ())
    table, shown = table_now(PROFILE, cloth, sight_markers(cloth))
    assert table is not None
    assert "nothing in sight shows that the camera still stands" in str(not_shown_to_stand(PROFILE, shown))
    # Turned about is moved, too.
    assert stand(np.ascontiguousarray(SEEN[::-1, ::-1])) == (False, ())
    aside = moved(SEEN, 330.0)
    with pytest.raises(MovedCameraError, match="the camera was moved since the table was calibrated"):
        table_now(PROFILE, aside, sight_markers(aside))


def test_a_profile_of_an_earlier_version_asks_to_be_made_anew(tmp_path: Path) -> None:
    old = TableProfile(PROFILE.table, PROFILE.edge_mm)
    without = bare(SEEN, 0, 1, 2, 3)
    assert stand(without, old) == (None, ())
    assert "of an earlier version" in str(not_shown_to_stand(old, stand_of(old, without, ())))
    assert table_now(old, SEEN, sight_markers(SEEN))[0] is None  # its own markers decide
    kept = tmp_path / "table.json"
    kept.write_text(profile_text(PROFILE), encoding="utf-8")
    assert stand(without, load_profile(kept)) == (True, ())
