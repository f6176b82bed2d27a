"""The survey of a table: by marker cards, or by sheets of paper of known size."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import cv2
import numpy as np

from vision.arrays import Image, Points
from vision.channels import smallest
from vision.errors import BadTableError
from vision.markers import Marker, check_not_doubled, table_from_markers, unmirrored_markers
from vision.profile import small_grey
from vision.quads import moved_to_white
from vision.table import Table
from vision.table_fit import FlatShape, fit_table

SHEETS_MM = {"a4": (210.0, 297.0), "letter": (215.9, 279.4), "poker": (63.5, 88.9), "bridge": (57.0, 88.9)}
"""Width and height of sheets: paper (ISO 216, ANSI/ASME Y14.1), playing cards of the two usual sizes."""
ENOUGH = {"a4": 3, "letter": 3, "poker": 4, "bridge": 4}
"""Sheets needed to fit the table."""
_WIDTH_PX = 960
_LEAST_SHARE, _MOST_SHARE = 0.0015, 0.35  # of the picture
_FULL = 0.93  # of its quadrilateral and of its hull; cards have round corners
_BEND = 0.03  # of the outline's length
_SHAPE = 0.14  # largest relative difference in aspect ratio, for a sheet seen at a slant
_SKEW = 0.12  # largest relative difference of opposite sides
_STRAIGHT = 0.55
_MOST_ERROR = 0.006  # of lengths on the table
_SIGMA_PX = 0.7  # edges of paper are less sharp than print
_GAMMA = 2.2


@dataclass(frozen=True, eq=False)
class SheetSurvey:
    """A table fitted to sheets: `corners_mm` (n, 4, 2) on it; `grey`: the picture at the size of textures."""

    table: Table
    corners_mm: Points
    grey: Image


def find_sheets(image: Image, size_mm: tuple[float, float]) -> Points:
    """Return the corners (n, 4, 2), px, of white sheets of one size in a picture (h, w, 3) BGR.

    Finds separate sheets that are wholly in the picture. Corners are clockwise, and the first side is a short one.
    """
    scale = max(1.0, image.shape[1] / _WIDTH_PX)
    size = (round(image.shape[1] / scale), round(image.shape[0] / scale))
    # White is bright in every channel.
    small = np.asarray(smallest(cv2.resize(image, size, interpolation=cv2.INTER_AREA)), np.uint8)
    level, _ = cv2.threshold(cv2.GaussianBlur(small, (0, 0), 1.5), 0, 255, cv2.THRESH_OTSU)
    quads: list[Points] = []
    for threshold in (level, level + (255 - level) / 3):
        _, white = cv2.threshold(cv2.GaussianBlur(small, (0, 0), 1.0), threshold, 255, cv2.THRESH_BINARY)
        contours, _ = cv2.findContours(np.asarray(white, np.uint8), cv2.RETR_EXTERNAL, cv2.CHAIN_APPROX_NONE)
        for contour in contours:
            quad = _quad_of(contour, size)
            if quad is not None and not any(np.linalg.norm(quad.mean(0) - one.mean(0)) < 8 for one in quads):
                quads.append(quad)
    if not quads:
        return np.zeros((0, 4, 2))
    rough = (np.stack(quads) + 0.5) * scale - 0.5
    # Inverted light: `moved_to_white` expects a dark shape on white.
    grey = cv2.cvtColor(image, cv2.COLOR_BGR2GRAY).astype(np.float32)
    light = np.asarray(255 * (1 - (grey / 255) ** _GAMMA), np.float32)
    fine, straight = moved_to_white(light, rough)
    fine = fine[straight > _STRAIGHT]
    long, short = max(size_mm), min(size_mm)
    kept = [_short_first(quad) for quad in fine]
    return np.array([quad for quad in kept if _is_like(quad, long / short)], np.float64).reshape(-1, 4, 2)


def survey_by_sheets(image: Image, kind: str) -> SheetSurvey:
    """Survey a table by sheets of a `kind` (of `SHEETS_MM`) in a picture (h, w, 3) BGR.

    Raises:
        BadTableError: too few sheets are in sight, or they are not on a flat table.
    """
    size_mm = SHEETS_MM[kind]
    quads = find_sheets(image, size_mm)
    if len(quads) < ENOUGH[kind]:
        raise BadTableError(
            "error.table.only_sheets_are_in_sight",
            "only {number} sheets are in sight: lay {least} or more apart from each other",
            number=len(quads),
            least=ENOUGH[kind],
        )
    short, long = sorted(size_mm)
    shape = np.array([[0, 0], [short, 0], [short, long], [0, long]]) - (short / 2, long / 2)
    size_px = (image.shape[1], image.shape[0])
    table, places = fit_table([FlatShape(shape, quad, _SIGMA_PX) for quad in quads], size_px)
    if table.scale_error > _MOST_ERROR:
        raise BadTableError(
            "error.table.sheets_tell_table_badly_lay",
            "the sheets tell the table badly: lay them flat, and apart from each other",
        )
    table = table.moved(places[0, :2])
    return SheetSurvey(table, np.stack([table.to_mm(quad) for quad in quads]), small_grey(image))


def _quad_of(contour: cv2.typing.MatLike, size: tuple[int, int]) -> Points | None:
    """Return an outline's quadrilateral (4, 2), clockwise; None for another shape, or beyond the picture."""
    area = cv2.contourArea(contour)
    if not _LEAST_SHARE < area / (size[0] * size[1]) < _MOST_SHARE:
        return None
    hull = cv2.convexHull(contour)
    quad = cv2.approxPolyDP(hull, _BEND * cv2.arcLength(hull, True), True).reshape(-1, 2).astype(np.float64)
    if len(quad) != 4 or quad.min() < 2 or (quad.max(axis=0) > np.array(size) - 3).any():
        return None
    if area < _FULL * cv2.contourArea(hull) or area < _FULL * cv2.contourArea(quad.astype(np.float32)):
        return None
    sides = np.roll(quad, -1, axis=0) - quad
    clockwise = sides[0, 0] * sides[1, 1] - sides[0, 1] * sides[1, 0] > 0
    return quad if clockwise else quad[::-1]


def _short_first(quad: Points) -> Points:
    lengths = np.linalg.norm(np.roll(quad, -1, axis=0) - quad, axis=1)
    return quad if lengths[0] + lengths[2] < lengths[1] + lengths[3] else np.roll(quad, -1, axis=0)


def _is_like(quad: Points, ratio: float) -> bool:
    lengths = np.linalg.norm(np.roll(quad, -1, axis=0) - quad, axis=1)
    seen = (lengths[1] + lengths[3]) / max(lengths[0] + lengths[2], 1e-6)
    # A sheet that is covered or cut by the picture's edge has opposite sides of different lengths.
    skew = np.abs(lengths[:2] / np.maximum(lengths[2:], 1e-6) - 1).max()
    return bool(abs(seen / ratio - 1) < _SHAPE and skew < _SKEW)


_STILL_PX, _STILL = 2.0, 0.04  # largest movement of a marker card that counts as none, px or a share of its side


@dataclass(frozen=True, eq=False)
class Survey:
    """A surveyed table with its marker cards, each at its median place.

    `grey` (h, w): the first picture at the size of textures.
    """

    table: Table
    markers: tuple[Marker, ...]
    grey: Image


def survey(pictures: Iterable[tuple[str, Image]]) -> Survey:
    """Survey the table in pictures (h, w, 3) uint8 BGR, each with its name, from a fixed camera.

    A marker covered in one picture may be visible in another.

    Raises:
        BadTableError: the pictures differ in size, one is mirrored, or one shows no marker card of another. Two marker
            cards have one number, one is elsewhere in another picture, or they are not on a flat table.
    """
    size_px: tuple[int, int] | None = None
    first: Image | None = None
    seen: dict[int, list[tuple[str, Marker]]] = {}
    for name, image in pictures:
        size = image.shape[1], image.shape[0]
        sight = unmirrored_markers(image, name)
        check_not_doubled(sight, name)
        markers = sight.markers
        if not markers:
            raise BadTableError(
                "error.no_marker_card_is_in_sight_in", "no marker card is in sight in {picture}", picture=name
            )
        if size_px is not None and size != size_px:
            raise BadTableError(
                "error.table.has_another_size_than_pictures",
                "{name} has another size than the pictures before it: take all with one camera",
                name=name,
            )
        if seen and not any(marker.id in seen for marker in markers):
            raise BadTableError(
                "error.table.shows_none_of_marker_cards",
                "{name} shows none of the marker cards that the pictures before it show",
                name=name,
            )
        size_px = size
        first = small_grey(image) if first is None else first
        for marker in markers:
            before = seen.setdefault(marker.id, [])
            if before and _moved(before[0][1], marker):
                raise BadTableError(
                    "error.table.marker_card_lies_elsewhere_in",
                    "marker card {number} lies elsewhere in {name} than in {before}: leave the camera and the "
                    "marker cards where they are between pictures",
                    number=marker.id,
                    name=name,
                    before=before[0][0],
                )
            before.append((name, marker))
    if size_px is None or first is None:
        raise BadTableError("error.table.there_is_no_picture_to", "there is no picture to survey the table by")
    middles = tuple(
        Marker(number, np.median([marker.corners_px for _, marker in seen[number]], axis=0)) for number in sorted(seen)
    )
    return Survey(table_from_markers(middles, size_px), middles, first)


def _moved(one: Marker, other: Marker) -> bool:
    way = float(np.linalg.norm(one.corners_px.mean(0) - other.corners_px.mean(0)))
    side = float(np.linalg.norm(one.corners_px[1] - one.corners_px[0]))
    return way > max(_STILL_PX, _STILL * side)
