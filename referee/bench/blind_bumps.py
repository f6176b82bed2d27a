"""Cameras that were pushed since their table was calibrated: whether each picture shows it."""

from __future__ import annotations

from collections.abc import Iterator

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.survey import survey
from referee.bench.blind import BlindSetting, Outcome, Trial
from referee.measured_table import profile_of
from referee.scoring.seats import marker_rectangle
from simulation.still import table_picture
from simulation.view import Look
from vision.camera_moved import MOST_OFF_MM, stand_of
from vision.deck import load_deck
from vision.errors import BadTableError
from vision.markers import Marker, sight_markers
from vision.table import Table

Image = NDArray[np.uint8]
Points = NDArray[np.float64]

_SIZE = (1280, 720)
_TABLES = ("wood", "cloth", "plain", "checked", "white")
_CARDS = 8
_MM, _DEG = (2.0, 30.0), (0.2, 6.0)  # of pushes and turns, on a scale of their logarithms
_STILL, _HIDDEN = 0.3, 0.5  # shares of the trials in which the camera stands, and in which no marker is in sight
_BAND = 0.5  # about the bound, either answer is true
_SHEET = 1.45
_NOISE, _LIGHT = 3.0, (0.6, 1.15)


def bumps(setting: BlindSetting) -> Iterator[Trial]:
    """Drawn tables: the camera is pushed or turned, or stands; the marker cards are in sight, or none is."""
    deck = load_deck("confetti")
    random = np.random.default_rng(setting.seed)
    for number in range(setting.trials):
        look = Look(table=_TABLES[number % len(_TABLES)], tilt_deg=float(random.uniform(0, 25)))
        image, _ = table_picture(deck, _CARDS, int(random.integers(1 << 30)), _SIZE, look=look)
        found = survey([("drawn", image)])
        profile = profile_of(found, 180.0)
        mm, degrees = _push(random)
        warp = _seen_from(found.table, random, mm, degrees)
        hidden = random.random() < _HIDDEN
        now = _without(image, found.markers) if hidden else image
        now = _photographed(cv2.warpPerspective(now, warp, _SIZE, borderMode=cv2.BORDER_REPLICATE), random)
        off_mm = _off_mm(found.table, warp, marker_rectangle(found.markers, found.table))
        try:
            stands = stand_of(profile, now, sight_markers(now).markers).stands
        except BadTableError:
            stands = None
        what = f"{look.table}, {'no marker in sight' if hidden else 'markers in sight'}, {off_mm:.1f} mm off"
        yield Trial("bumped camera", what, _outcome(off_mm, stands=stands), str(stands))


def _outcome(off_mm: float, *, stands: bool | None) -> Outcome:
    if stands is None:
        return "unclear"
    if (1 - _BAND) * MOST_OFF_MM < off_mm < (1 + _BAND) * MOST_OFF_MM or stands == (off_mm < MOST_OFF_MM):
        return "right"
    # A false alarm costs a look at the marker cards, never a ruling.
    return "wrong" if stands else "unclear"


def _push(random: np.random.Generator) -> tuple[float, float]:
    if random.random() < _STILL:
        return 0.0, 0.0
    mm, degrees = (float(np.exp(random.uniform(*np.log(ends)))) for ends in (_MM, _DEG))
    return (mm, 0.0) if random.random() < 0.5 else (0.0, degrees)


def _seen_from(table: Table, random: np.random.Generator, mm: float, degrees: float) -> Points:
    """The homography (3, 3) from the picture to that of the camera pushed by `mm` and turned, each some way."""
    seen = np.linalg.solve(table.camera, table.homography)
    seen /= (np.linalg.norm(seen[:, 0]) + np.linalg.norm(seen[:, 1])) / 2 * np.sign(seen[2, 2])
    way, axis = (vector / np.linalg.norm(vector) for vector in random.standard_normal((2, 3)))
    turn = np.asarray(cv2.Rodrigues(np.radians(degrees) * axis)[0], np.float64)
    pushed = turn @ (seen + np.outer(mm * way, [0, 0, 1]))
    return np.asarray(table.camera @ pushed @ np.linalg.inv(table.homography), np.float64)


def _off_mm(table: Table, warp: Points, edge_mm: Points) -> float:
    """How far the corners of the table lie off their places, at most."""
    moved = cv2.perspectiveTransform(table.to_px(edge_mm)[None], warp)[0]
    return float(np.linalg.norm(table.to_mm(np.asarray(moved, np.float64)) - edge_mm, axis=1).max())


def _without(image: Image, markers: tuple[Marker, ...]) -> Image:
    """The picture with something plain on each marker card."""
    covered = image.copy()
    for marker in markers:
        middle = marker.corners_px.mean(0)
        wide = middle + _SHEET * (marker.corners_px - middle)
        cv2.fillConvexPoly(covered, np.rint(wide).astype(np.int32), (70, 90, 110))
    return covered


def _photographed(image: cv2.typing.MatLike, random: np.random.Generator) -> Image:
    """In other light, and with noise of its own."""
    lit = image * random.uniform(*_LIGHT) + _NOISE * random.standard_normal(image.shape)
    return np.asarray(np.clip(lit, 0, 255), np.uint8)
