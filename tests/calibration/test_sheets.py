"""A table surveyed by sheets of paper or playing cards, where nobody has a printer."""

from __future__ import annotations

import cv2
import numpy as np
import pytest
from numpy.typing import NDArray

from calibration.survey import SHEETS_MM, find_sheets, survey_by_sheets
from simulation.art import Piece, piece_patch
from simulation.drawing import finish, surface
from simulation.view import Look, View, corners_mm, view_of
from vision.errors import BadTableError
from vision.table import Table

AREA_MM = (1150.0, 647.0)
SIZE = (1920, 1080)
Image = NDArray[np.uint8]
Points = NDArray[np.float64]


def laid(kind: str, seed: int, count: int = 4, look: Look | None = None) -> tuple[Image, View]:
    """Return a picture of a table with white sheets near its corners, each turned as it was put."""
    rng = np.random.default_rng(seed)
    look = look or Look(tilt_deg=float(rng.uniform(-12, 12)), table=str(rng.choice(["wood", "cloth", "checked"])))
    view = view_of(AREA_MM, SIZE, look)
    image = surface(rng, look.table, view.homography, AREA_MM, SIZE)
    size_mm = SHEETS_MM[kind]
    for k in range(count):
        x, y = ((0.2, 0.8)[k % 2] * AREA_MM[0], (0.27, 0.73)[k // 2] * AREA_MM[1])
        turn = float(rng.uniform(82, 98) if size_mm[1] > 200 else rng.uniform(0, 360))
        place = (x + float(rng.uniform(-6, 6)), y + float(rng.uniform(-6, 6)), turn)
        radius = 3.0 if size_mm[1] < 200 else 0.0
        paper = np.full((round(4 * size_mm[1]), round(4 * size_mm[0]), 3), 244, np.uint8)
        if radius:
            cv2.circle(paper, (paper.shape[1] // 2, paper.shape[0] // 2), paper.shape[1] // 4, (40, 30, 200), -1)
        patch = piece_patch(
            Piece(paper, corners_mm(size_mm, place), radius), view.to_px(corners_mm(size_mm, place)), SIZE
        )
        assert patch is not None
        patch.blend(image)
    return finish(rng, image, look), view


def errors_mm(table: Table, view: View) -> Points:
    """Return how far points all over the table lie from where they are, the frame's own place and turn taken off."""
    x, y = np.meshgrid(np.linspace(60, AREA_MM[0] - 60, 9), np.linspace(60, AREA_MM[1] - 60, 6))
    true = np.column_stack([x.ravel(), y.ravel()])
    found = table.to_mm(view.to_px(true))
    a, b = true - true.mean(0), found - found.mean(0)
    u, _, vt = np.linalg.svd(b.T @ a)
    return np.asarray(np.linalg.norm(b @ (u @ vt) - a, axis=1))


@pytest.mark.parametrize("kind", ["a4", "poker"])
def test_points_on_the_table_are_right_to_three_millimetres(kind: str) -> None:
    image, view = laid(kind, seed=5)
    assert np.quantile(errors_mm(survey_by_sheets(image, kind).table, view), 0.95) < 3.0


def test_what_is_no_such_sheet_is_left_out() -> None:
    image, _ = laid("poker", seed=2)
    assert len(find_sheets(image, SHEETS_MM["poker"])) == 4
    assert len(find_sheets(image, (100.0, 300.0))) == 0
    with pytest.raises(BadTableError, match="only 0 sheets"):
        survey_by_sheets(np.full((540, 960, 3), 90, np.uint8), "a4")
