"""The table fitted to marker squares: OpenCV's own projection is the camera, and a ruler is the judge."""

from __future__ import annotations

import math
from dataclasses import dataclass

import cv2
import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from vision.errors import BadTableError
from vision.markers import SQUARE_MM
from vision.table import Table
from vision.table_fit import FlatShape, fit_table

Points = NDArray[np.float64]

SIZE = (1280, 720)
CARD_MM = 63.0
# Where markers lie, as shares of the picture: the corners first.
PLACES = [(x, y) for x in (0.1, 0.9) for y in (0.14, 0.86)] + [
    *((x, y) for y in (0.12, 0.88) for x in (0.3, 0.5, 0.7)),
    *((x, y) for y in (0.38, 0.62) for x in (0.1, 0.5, 0.9)),
]


@dataclass(frozen=True)
class Camera:
    """A camera over a table: angles in degrees, height in mm along the optical axis."""

    focal_share: float = 0.85
    tilt_deg: tuple[float, float] = (10.0, -5.0)
    roll_deg: float = 20.0
    height_mm: float = 900.0
    k1: float = 0.03

    @property
    def matrix(self) -> Points:
        focal = self.focal_share * SIZE[0]
        return np.array([[focal, 0, (SIZE[0] - 1) / 2], [0, focal, (SIZE[1] - 1) / 2], [0, 0, 1]])

    @property
    def turn(self) -> Points:
        roll, _ = cv2.Rodrigues(np.array([0, 0, math.radians(self.roll_deg)]))
        tilt, _ = cv2.Rodrigues(np.radians([*self.tilt_deg, 0]))
        return np.asarray(roll @ tilt, np.float64)

    def see(self, points_mm: Points) -> Points:
        lifted = np.column_stack([points_mm, np.zeros(len(points_mm))])
        shift = np.array([0, 0, self.height_mm])
        lens = np.array([self.k1, 0, 0, 0, 0])
        seen, _ = cv2.projectPoints(lifted, cv2.Rodrigues(self.turn)[0], shift, self.matrix, lens)
        return np.asarray(seen, np.float64)[:, 0]

    def table_at(self, share: tuple[float, float]) -> Points:
        ray = np.linalg.inv(self.matrix) @ [share[0] * SIZE[0], share[1] * SIZE[1], 1]
        plane = np.column_stack([self.turn[:, :2], [0, 0, self.height_mm]])
        x, y, depth = np.linalg.inv(plane) @ ray
        return np.array([x / depth, y / depth])

    def pieces(self, n: int, noise_px: float = 0.0, seed: int = 0) -> list[FlatShape]:
        random = np.random.default_rng(seed)
        found = []
        for share in PLACES[:n]:
            angle = random.uniform(0, 2 * math.pi)
            turn = np.array([[math.cos(angle), math.sin(angle)], [-math.sin(angle), math.cos(angle)]])
            corners = self.see(SQUARE_MM @ turn + self.table_at(share))
            found.append(FlatShape(SQUARE_MM, corners + random.normal(0, noise_px, (4, 2))))
        return found


def tilts(most: float) -> st.SearchStrategy[tuple[float, float]]:
    return st.tuples(st.floats(-most, most), st.floats(-most, most))


cameras = st.builds(
    Camera,
    focal_share=st.floats(0.65, 1.2),
    tilt_deg=tilts(25),
    roll_deg=st.floats(-180, 180),
    height_mm=st.floats(600, 1300),
    k1=st.floats(-0.08, 0.08),
)


def worst_length(camera: Camera, table: Table, reach: float = 0.4) -> float:
    """The greatest error, relative, of a card's width measured lengthwise or crosswise within the markers."""
    shares = [(0.5 + dx, 0.5 + dy) for dx in (-reach, 0, reach) for dy in (-reach, 0, reach)]
    starts = np.array([camera.table_at(share) for share in shares])
    errors = []
    for step in ((CARD_MM, 0.0), (0.0, CARD_MM)):
        ends = table.to_mm(camera.see(starts + step)) - table.to_mm(camera.see(starts))
        errors.append(np.abs(np.linalg.norm(ends, axis=1) / CARD_MM - 1).max())
    return float(max(errors))


@settings(max_examples=20)
@given(camera=cameras, n=st.integers(4, 16))
def test_sizes_are_right_within_one_percent_whatever_the_camera(camera: Camera, n: int) -> None:
    table, places = fit_table(camera.pieces(n), SIZE)
    assert places.shape == (n, 3)
    assert worst_length(camera, table) < 0.01


@settings(max_examples=20)
@given(tilt=tilts(20), n=st.integers(4, 16), seed=st.integers(0, 99))
def test_blurred_corners_cost_little(tilt: tuple[float, float], n: int, seed: int) -> None:
    camera = Camera(tilt_deg=tilt)
    table, _ = fit_table(camera.pieces(n, noise_px=0.2, seed=seed), SIZE)
    error = worst_length(camera, table)
    assert error < 0.025
    # What the fit says of itself must not be a promise that it breaks.
    assert error < 8 * table.scale_error


def are_true_to_size(table: Table, pieces: list[FlatShape]) -> None:
    for piece in pieces:
        corners = table.to_mm(piece.points_px)
        sides = np.linalg.norm(corners - np.roll(corners, 1, axis=0), axis=1)
        assert sides == pytest.approx(np.full(4, 50.0), rel=0.04)


@settings(max_examples=20)
@given(camera=cameras, n=st.integers(1, 16))
def test_every_marker_measures_as_it_was_printed(camera: Camera, n: int) -> None:
    pieces = camera.pieces(n)
    are_true_to_size(fit_table(pieces, SIZE)[0], pieces)


@settings(max_examples=30)
@given(tilt=tilts(25), row=st.sampled_from([(4, 5, 6), (7, 8, 9), (10, 12, 14)]))
@example(tilt=(25.0, -9.0), row=(4, 5, 6))  # their areas leave the tilt across the row open
@example(tilt=(-25.0, 11.0), row=(7, 8, 9))
def test_markers_in_a_row_measure_as_they_were_printed_on_a_slanting_table(
    tilt: tuple[float, float], row: tuple[int, ...]
) -> None:
    pieces = [Camera(tilt_deg=tilt).pieces(16)[k] for k in row]
    are_true_to_size(fit_table(pieces, SIZE)[0], pieces)


def test_marks_in_a_row_on_each_of_three_cards_tell_the_scale() -> None:
    camera, row = Camera(), np.array([[-25.0, 0.0], [0.0, 0.0], [25.0, 0.0]])
    ways = {0.0: (0.2, 0.3), 1.0: (0.8, 0.4), 2.0: (0.4, 0.8)}
    pieces = []
    for angle, share in ways.items():
        turn = np.array([[math.cos(angle), math.sin(angle)], [-math.sin(angle), math.cos(angle)]])
        pieces.append(FlatShape(row, camera.see(row @ turn + camera.table_at(share))))
    table, _ = fit_table(pieces, SIZE)
    assert worst_length(camera, table, reach=0.2) < 0.05


@pytest.mark.parametrize("n", [1, 2, 3])
def test_few_markers_say_how_vague_they_are(n: int) -> None:
    few, _ = fit_table(Camera().pieces(n), SIZE)
    many, _ = fit_table(Camera().pieces(8), SIZE)
    assert few.scale_error > 1.5 * many.scale_error
    assert worst_length(Camera(), few, reach=0.1) < 0.05


def test_moving_the_origin_and_stretching_change_only_the_coordinates() -> None:
    table, places = fit_table(Camera().pieces(5), SIZE)
    points = np.array([[300.0, 200], [1000, 600]])
    moved = table.moved(places[0, :2]).to_mm(points)
    assert moved == pytest.approx(table.to_mm(points) - places[0, :2])
    assert table.stretched(1.05).to_mm(points) == pytest.approx(table.to_mm(points) / 1.05)
    assert table.to_mm(np.zeros((0, 2))).shape == table.to_px(np.zeros((0, 2))).shape == (0, 2)


def test_nothing_gives_no_table_and_pieces_that_contradict_each_other_neither() -> None:
    with pytest.raises(BadTableError, match="known size"):
        fit_table([], SIZE)
    pieces = Camera().pieces(4)
    middle = pieces[1].points_px.mean(axis=0)
    grown = FlatShape(SQUARE_MM, middle + 4 * (pieces[1].points_px - middle))
    with pytest.raises(BadTableError, match="flat table"):
        fit_table([*pieces, grown], SIZE)


@dataclass(frozen=True)
class Cut(Camera):
    """A picture that was cut from a larger one, or pulled out of shape by a program."""

    shift: tuple[float, float] = (0.0, 0.0)
    stretch: float = 1.0
    keystone: float = 0.0

    def see(self, points_mm: Points) -> Points:
        right, down = np.multiply(self.shift, SIZE)
        # The top of the picture comes out smaller than its bottom.
        program = np.array([[1, 0, right], [0, self.stretch, down], [0, -self.keystone / SIZE[1], 1 + self.keystone]])
        return np.asarray(cv2.perspectiveTransform(super().see(points_mm)[None], program)[0], np.float64)


@settings(max_examples=20)
@given(
    tilt=tilts(20),
    shift=st.tuples(st.floats(-0.35, 0.35), st.floats(-0.35, 0.35)),
    stretch=st.floats(0.75, 1.33),
    n=st.integers(4, 16),
)
def test_sizes_are_right_in_a_picture_that_was_cut_or_squeezed(
    tilt: tuple[float, float], shift: tuple[float, float], stretch: float, n: int
) -> None:
    camera = Cut(tilt_deg=tilt, shift=shift, stretch=stretch)
    table, _ = fit_table(camera.pieces(n), SIZE)
    assert worst_length(camera, table) < 0.02


@pytest.mark.parametrize("keystone", [-0.3, -0.1, 0.1, 0.3, 0.5])
def test_sizes_are_right_in_a_picture_that_a_program_straightened(keystone: float) -> None:
    camera = Cut(keystone=keystone)
    table, _ = fit_table(camera.pieces(4), SIZE)
    # The lens bent the picture before the program did.
    assert worst_length(camera, table) < 0.02
