"""The marker cards: ArUco `DICT_4X4_50`, ids 0-15, 50 mm, anywhere near the table's edge."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.errors import BadTableError, MirroredError
from vision.table import Table
from vision.table_fit import Piece, fit_table, misfit
from vision.white_edges import moved_to_white

Points = NDArray[np.float64]

MARKER_MM = 50.0
MARKER_IDS = range(16)
# Picture width and the threshold's window, both in px, and whether in the light: grey levels show better what is dim.
_SEARCHES = ((960, 23, True), (1920, 23, True), (960, 13, True), (960, 23, False))
_BRIGHTEST = 99.5  # percentile
_BEYOND_PX = 12
_ENOUGH = 4
_STRAIGHT = 0.6
_MOST_MOVED = 0.16  # of the shortest side
_UNLIKE = 1.25  # squares on one table differ in shape by so much or more only where it is seen steeply
_BADLY_OFF = 3.0  # times what the corners' error explains, and what the others alone show
_NO_SQUARE = 0.15  # of a side; a marker card on a book seems larger by a twentieth
_CELLS = 6  # along a print's side
_CELL_PX = 4  # samples
_EXPLAINED = 0.5  # of what varies in a print: more than by all else

SQUARE_MM = MARKER_MM / 2 * np.array([[-1.0, -1.0], [1.0, -1.0], [1.0, 1.0], [-1.0, 1.0]])


@dataclass(frozen=True, eq=False)
class Marker:
    """A marker card seen in a picture; `corners_px` (4, 2), clockwise from the print's own top-left corner."""

    id: int
    corners_px: Points


@cache
def _dictionary() -> cv2.aruco.Dictionary:
    return cv2.aruco.getPredefinedDictionary(cv2.aruco.DICT_4X4_50)


@cache
def _detector(window: int) -> cv2.aruco.ArucoDetector:
    parameters = cv2.aruco.DetectorParameters()
    # One window at a time: with several, the detector keeps the worse of two finds of one marker and loses it.
    parameters.adaptiveThreshWinSizeMin = window
    parameters.adaptiveThreshWinSizeMax = window
    parameters.minMarkerPerimeterRate = 0.05
    return cv2.aruco.ArucoDetector(_dictionary(), parameters)


def find_markers(image: NDArray[np.uint8]) -> tuple[Marker, ...]:
    """Find the marker cards in a picture, (h, w, 3) BGR or (h, w) grey, in the order of their ids.

    The search runs on a small copy, then on a larger one and with another threshold where that shows fewer than four;
    the corners are then refined in the full picture. What is no print of black and white cells is left out, and what
    others like it show to be no square on their table, such as the print of a card that happens to be read as a marker.
    """
    grey = image if image.ndim == 2 else np.asarray(cv2.cvtColor(image, cv2.COLOR_BGR2GRAY), np.uint8)
    rough: dict[int, Points] = {}
    for width, window, in_light in _SEARCHES:
        shrink = max(1.0, grey.shape[1] / width)
        size = (round(grey.shape[1] / shrink), round(grey.shape[0] / shrink))
        small = grey
        if shrink > 1:
            small = np.asarray(cv2.resize(grey, size, interpolation=cv2.INTER_AREA), np.uint8)
        # A marker is lost where its white rim nearly touches the picture's edge: there the picture is made larger.
        searched = _light(small) if in_light else small
        wider = np.asarray(cv2.copyMakeBorder(searched, *4 * (_BEYOND_PX,), cv2.BORDER_REPLICATE), np.uint8)
        found, ids, _ = _detector(window).detectMarkers(wider)
        for corners, number in zip(found, [] if ids is None else ids.ravel(), strict=True):
            if int(number) in MARKER_IDS and int(number) not in rough and _is_print(wider, corners, int(number)):
                rough[int(number)] = (corners.reshape(4, 2).astype(np.float64) - _BEYOND_PX + 0.5) * shrink - 0.5
        if len(_on_one_table(rough, grey.shape)) >= _ENOUGH:
            break
    numbers = sorted(rough)
    if not numbers:
        return ()
    fine = _refined(grey, np.stack([rough[number] for number in numbers]))
    together = _on_one_table(dict(zip(numbers, fine, strict=True)), grey.shape)
    return tuple(Marker(number, corners) for number, corners in together.items())


def markers_in(image: NDArray[np.uint8], name: str = "the picture") -> tuple[Marker, ...]:
    """Find the marker cards as `find_markers` does, and refuse a mirrored picture as `check_not_mirrored` does."""
    markers = find_markers(image)
    if not markers:
        check_not_mirrored(image, name)
    return markers


def check_not_mirrored(image: NDArray[np.uint8], name: str = "the picture") -> None:
    """Refuse a picture in which no marker was found as it is, and some are where left and right are swapped.

    Mirrored cards look much like other cards of their deck.

    Raises:
        MirroredError: it is mirrored; `name` is what it is called then.
    """
    if find_markers(np.asarray(cv2.flip(image, 1), np.uint8)):
        raise MirroredError(
            f"{name} is mirrored, left and right are swapped: turn mirroring off in the camera and take it again"
        )


def _light(grey: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """About how much light there was, by the brightest; lenses blur light, and black keeps its size in it."""
    brightest = max(1.0, float(np.percentile(grey[::8, ::8], _BRIGHTEST)))
    levels = 255 * np.minimum((np.arange(256) / brightest) ** 2, 1)
    return np.asarray(cv2.LUT(grey, levels.astype(np.uint8)), np.uint8)


def _is_print(grey: NDArray[np.uint8], corners_px: cv2.typing.MatLike, number: int) -> bool:
    """Tell whether a square that was read as a marker (1, 4, 2) has that one's even black and white cells.

    In whatever is drawn in a dark frame, a number may be read by what most of each cell shows; hardly ever by all.
    """
    seen, printed = (cells - cells.mean() for cells in (_seen(grey, corners_px)[:, 0], _printed(number)))
    together = float(seen @ printed)
    return together > 0 and together**2 > _EXPLAINED * float(seen @ seen) * float(printed @ printed)


def _seen(image: NDArray[np.uint8], corners_px: cv2.typing.MatLike) -> NDArray[np.uint8]:
    """What the cells of a square (1, 4, 2) show in a grey picture (h, w) or one in colours: levels (k, channels)."""
    side = _CELLS * _CELL_PX
    square = (side * np.array([[0, 0], [1, 0], [1, 1], [0, 1]]) - 0.5).astype(np.float32)
    upright = cv2.getPerspectiveTransform(corners_px.astype(np.float32), square)
    return _middles(cv2.warpPerspective(image, upright, (side, side), borderMode=cv2.BORDER_REPLICATE))


def _middles(square: cv2.typing.MatLike) -> NDArray[np.uint8]:
    """The samples (k, channels) of each cell that lie clear of the next one, which blur mixes with it."""
    samples = square.reshape(_CELLS, _CELL_PX, _CELLS, _CELL_PX, -1)[:, 1:-1, :, 1:-1]
    return np.asarray(samples.reshape(-1, samples.shape[-1]), np.uint8)


@cache
def _printed(number: int) -> NDArray[np.uint8]:
    """What a marker's cells would show of its print alone, (k,)."""
    return _middles(cv2.aruco.generateImageMarker(_dictionary(), number, _CELLS * _CELL_PX))[:, 0]


def whites_of(image_bgr: NDArray[np.uint8], markers: Sequence[Marker]) -> Points:
    """(n, 3) the RGB levels of the white cells of markers in a picture (h, w, 3) BGR."""
    whites = [np.median(_seen(image_bgr, m.corners_px)[_printed(m.id) > 0], axis=0)[::-1] for m in markers]
    return np.array(whites, np.float64).reshape(-1, 3)


def cells_of(image: NDArray[np.uint8], corners_px: Points, number: int) -> tuple[Points, NDArray[np.bool_]]:
    """What the cells of a marker, corners (4, 2), show: levels (k, channels), and (k,) whether its print is white."""
    return _seen(image, corners_px).astype(np.float64), np.asarray(_printed(number) > 0)


def _refined(grey: NDArray[np.uint8], rough: Points) -> Points:
    """Squares (n, 4, 2) with their corners where lines along the sides meet: a blurred corner itself is round."""
    side = np.linalg.norm(rough - np.roll(rough, 1, axis=1), axis=2).min(axis=1)
    fine, straight = moved_to_white(grey, rough, linear=True)
    # Sides that ran away lie on something else: then the detector's own are kept.
    moved = np.linalg.norm(fine - rough, axis=2).max(axis=1)
    kept = (straight > _STRAIGHT) & (moved < _MOST_MOVED * side + 1)
    return np.where(kept[:, None, None], fine, rough)


def _on_one_table(found: dict[int, Points], shape: tuple[int, ...]) -> dict[int, Points]:
    """Leave out squares (4, 2), by id, that are none on the table that the others lie on; it takes three to tell."""
    size_px = (shape[1], shape[0])
    while len(found) > 2 and _unlikeness(list(found.values())) > _UNLIKE:
        pieces = {number: Piece(SQUARE_MM, corners) for number, corners in found.items()}
        together, _ = misfit(list(pieces.values()), size_px)
        if together < _BADLY_OFF:
            break
        without = {odd: misfit([piece for number, piece in pieces.items() if number != odd], size_px) for odd in pieces}
        odd = min(without, key=lambda number: without[number][0])
        alone, table = without[odd]
        corners = table.to_mm(found[odd])
        sides = np.linalg.norm(corners - np.roll(corners, 1, axis=0), axis=1) / MARKER_MM
        if alone * _BADLY_OFF > together or np.abs(sides - 1).max() < _NO_SQUARE:
            break
        found = {number: corners for number, corners in found.items() if number != odd}
    return found


def _unlikeness(squares: list[Points]) -> float:
    """How much more the most unlike two of some quads (4, 2) are stretched one way than the other, 1 for the same."""
    quads = np.stack(squares)
    along, down = (quads[:, a] - quads[:, b] + quads[:, c] - quads[:, d] for a, b, c, d in ((1, 0, 2, 3), (3, 0, 2, 1)))
    spread = along[:, :, None] * along[:, None] + down[:, :, None] * down[:, None]
    between = np.linalg.solve(spread[:, None], spread[None])
    # The two eigenvalues of each.
    middle, product = np.trace(between, axis1=2, axis2=3) / 2, np.linalg.det(between)
    apart = np.sqrt(np.maximum(middle**2 - product, 0))
    return float(np.sqrt(((middle + apart) / (middle - apart)).max()))


def table_from_markers(markers: tuple[Marker, ...], size_px: tuple[int, int]) -> Table:
    """The table whose origin is the centre of the lowest-numbered marker.

    Raises:
        BadTableError: no marker, or markers that no flat table could show.
    """
    table, places = fit_table([Piece(SQUARE_MM, marker.corners_px) for marker in markers], size_px)
    return table.moved(places[0, :2])


def table_if_shown(markers: tuple[Marker, ...], size_px: tuple[int, int]) -> Table | None:
    """The table that markers show; None without any, or where one is held up in a hand and they make no plane."""
    try:
        return table_from_markers(markers, size_px) if markers else None
    except BadTableError:
        return None
