"""Table profiles: kept and loaded without loss, scaled to the picture, broken ones refused."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from vision.errors import BadTableError
from vision.profile import TableProfile, load_profile, profile_text
from vision.table import Table

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


def test_a_picture_of_another_shape_is_refused() -> None:
    with pytest.raises(BadTableError, match="1920 × 1080 pixels, and one of 1280 × 960"):
        TableProfile(TABLE).table_for((1280, 960))


GOOD = json.loads(profile_text(TableProfile(TABLE)))


@pytest.mark.parametrize(
    ("change", "complaint"),
    [
        ({"format": "else"}, '"format"'),
        ({"camera": [[1, 2], [3, 4]]}, '"camera".*3 × 3 numbers'),
        ({"homography": [[0, 0, 0]] * 3}, "no camera over a table"),
        ({"homography": [[1, 2, 3], [2, 4, 6], [0, 0, 1]]}, "no camera over a table"),
        ({"camera": [[1, 0, 960], [0, 1, 540], [0, 0, 1]]}, "no camera over a table"),
        ({"camera": [[1e-300, 0, 960], [0, 1500, 540], [0, 0, 1]]}, "no camera over a table"),
        ({"camera": [[1e6, 0, 960], [0, 1e6, 540], [0, 0, 1]]}, "no camera over a table"),
        ({"distortion": None}, '"distortion"'),
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
