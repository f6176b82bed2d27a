"""The marker cards: ArUco `DICT_4X4_50`, ids 0-15, 50 mm, anywhere near the table's edge."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.arrays import Points
from vision.errors import THE_PICTURE, BadTableError, DoubledMarkerError, MirroredError, Sentence
from vision.quads import moved_to_white
from vision.table import Table
from vision.table_fit import FlatShape, fit_table, misfit

_Find = tuple[int, int]
"""A marker's id, and the number of its detection in the picture, from 0."""

MARKER_MM = 50.0
MARKER_IDS = range(16)
_MIRRORED = range(50, 66)  # their mirrored prints, after the 50 of the dictionary
# A copy's width, px, and whether levels are linear: gamma-coded levels show dim things better.
_SEARCHES = ((960, True), (1920, False))
_WIDE = 9 / 16  # a usual picture's height by its width
_BRIGHTEST = 99.5  # percentile
_BEYOND_PX = 12
_WINDOW_PX = 23  # of the adaptive threshold
_ENOUGH = 4
_STRAIGHT = 0.6
_MOST_MOVED = 0.16  # of the shortest side
_UNLIKE = 1.25  # ratio of shape between squares on one table, exceeded only at a steep view
_BADLY_OFF = 3.0  # times the error that corners explain, and that of the other markers alone
_NO_SQUARE = 0.15  # of a side; a marker card on a book seems larger by a twentieth
_MOST_COPIES = 4  # of one number
_ELSEWHERE = 0.5  # of a side: detections of one number that are farther apart are two cards
_LIKE_MIRRORED = (8, 9)  # numbers whose mirrored print is the same print, turned
_CELLS = 6  # along a print's side
_CELL_PX = 4  # samples
_EXPLAINED = 0.5  # least explained share of a print's variance

SQUARE_MM = MARKER_MM / 2 * np.array([[-1.0, -1.0], [1.0, -1.0], [1.0, 1.0], [-1.0, 1.0]])


@dataclass(frozen=True, eq=False)
class Marker:
    """A marker card in a picture; `corners_px` (4, 2), clockwise from the print's own top-left corner."""

    id: int
    corners_px: Points


@dataclass(frozen=True, eq=False)
class MarkerSight:
    """The marker cards in a picture: `markers` in the order of their ids, and `copies`, several cards with one id.

    The picture does not show which copy is meant. `mirrored` are the ids of mirrored prints.
    """

    markers: tuple[Marker, ...]
    copies: tuple[Marker, ...] = ()
    mirrored: frozenset[int] = frozenset()

    @property
    def doubled(self) -> tuple[int, ...]:
        """Return the ids of several cards each."""
        return tuple(sorted({marker.id for marker in self.copies}))

    @property
    def cards(self) -> tuple[Marker, ...]:
        """Return all visible marker cards."""
        return (*self.markers, *self.copies)


@cache
def _dictionary() -> cv2.aruco.Dictionary:
    """Return the marker cards' dictionary, followed by their mirrored prints: one search finds both."""
    known = cv2.aruco.getPredefinedDictionary(cv2.aruco.DICT_4X4_50)
    side = known.markerSize
    cells = [known.getBitsFromByteList(known.bytesList[k : k + 1], side) for k in MARKER_IDS]
    mirrored = [known.getByteListFromBits(np.ascontiguousarray(bits[:, ::-1])) for bits in cells]
    return cv2.aruco.Dictionary(np.concatenate([known.bytesList, *mirrored]), side, known.maxCorrectionBits)


@cache
def _detector() -> cv2.aruco.ArucoDetector:
    parameters = cv2.aruco.DetectorParameters()
    # One window at a time: with several, the detector may keep the worse of two detections.
    parameters.adaptiveThreshWinSizeMin = parameters.adaptiveThreshWinSizeMax = _WINDOW_PX
    parameters.minMarkerPerimeterRate = 0.05
    return cv2.aruco.ArucoDetector(_dictionary(), parameters)


def find_markers(image: NDArray[np.uint8]) -> tuple[Marker, ...]:
    """Return the marker cards in a picture, (h, w, 3) BGR or (h, w) grey, in the order of their ids.

    Cards that share an id are left out: see `sight_markers`.
    """
    return sight_markers(image).markers


def sight_markers(image: NDArray[np.uint8]) -> MarkerSight:
    """Return the marker cards in a picture, (h, w, 3) BGR or (h, w) grey.

    The search runs on a small copy, and on a larger one if that shows fewer than four; corners are refined in the full
    picture. Detections without black and white cells are dropped, as are squares that do not fit the table of the
    others, such as a card whose print resembles a marker.
    """
    grey = image if image.ndim == 2 else np.asarray(cv2.cvtColor(image, cv2.COLOR_BGR2GRAY), np.uint8)
    rough: dict[_Find, Points] = {}
    mirrored: set[int] = set()
    for width, in_light in _SEARCHES:
        # A panorama's copy has the area of a usual picture's, because its cards are as large.
        shrink = max(1.0, min(grey.shape[1] / width, math.sqrt(grey.size / (width * width * _WIDE))))
        size = (round(grey.shape[1] / shrink), round(grey.shape[0] / shrink))
        small = grey
        if shrink > 1:
            small = np.asarray(cv2.resize(grey, size, interpolation=cv2.INTER_AREA), np.uint8)
        # The detector loses a marker whose white rim touches the picture's edge, so the picture is padded.
        searched = _light(small) if in_light else small
        wider = np.asarray(cv2.copyMakeBorder(searched, *4 * (_BEYOND_PX,), cv2.BORDER_REPLICATE), np.uint8)
        found, ids, _ = _detector().detectMarkers(wider)
        for corners, number in zip(found, [] if ids is None else ids.ravel(), strict=True):
            if int(number) in _MIRRORED and _is_print(wider, corners, int(number)):
                mirrored.add(int(number) - _MIRRORED.start)
            elif int(number) in MARKER_IDS and _is_print(wider, corners, int(number)):
                square = (corners.reshape(4, 2).astype(np.float64) - _BEYOND_PX + 0.5) * shrink - 0.5
                copies = [other for (same, _), other in rough.items() if same == number]
                if all(_apart(square, other) for other in copies) and len(copies) < _MOST_COPIES:
                    rough[int(number), len(copies)] = square
        if len(_sight(_on_one_table(rough, grey.shape)).markers) >= _ENOUGH:
            break
    if not rough:
        return MarkerSight((), mirrored=frozenset(mirrored))
    finds = sorted(rough)
    fine, _ = _refined(grey, np.stack([rough[find] for find in finds]))
    sight = _sight(_on_one_table(dict(zip(finds, fine, strict=True)), grey.shape))
    return replace(sight, mirrored=frozenset(mirrored))


def markers_near(image_bgr: NDArray[np.uint8], places: Mapping[int, Points]) -> tuple[Marker, ...]:
    """Return the markers whose print and sides are visible at known places (4, 2) px, or nearly there.

    A search of the whole picture takes ten times as long.
    """
    if not places:
        return ()
    grey = np.asarray(cv2.cvtColor(image_bgr, cv2.COLOR_BGR2GRAY), np.uint8)
    squares, visible = _refined(grey, np.stack(list(places.values())))
    there = zip(places, squares, visible, strict=True)
    return tuple(Marker(number, square) for number, square, seen in there if seen and _is_print(grey, square, number))


def _sight(found: Mapping[_Find, Points]) -> MarkerSight:
    numbers = [number for number, _ in found]
    cards = [Marker(number, corners) for (number, _), corners in found.items()]
    alone = [numbers.count(card.id) == 1 for card in cards]
    once, copies = (tuple(c for c, one in zip(cards, alone, strict=True) if one is which) for which in (True, False))
    return MarkerSight(once, copies)


def _apart(one: Points, other: Points) -> bool:
    """Return whether two squares (4, 2) are two places, not one that was detected twice."""
    side = max(float(np.linalg.norm(square[1] - square[0])) for square in (one, other))
    return float(np.linalg.norm(one.mean(0) - other.mean(0))) > _ELSEWHERE * side


def markers_in(image: NDArray[np.uint8], name: str | Sentence = THE_PICTURE) -> tuple[Marker, ...]:
    """Return the marker cards like `find_markers`, if they define the table unambiguously.

    Raises:
        MirroredError: see `unmirrored_markers`.
        DoubledMarkerError: two have the same id, and fewer than four others are visible.
    """
    sight = unmirrored_markers(image, name)
    if len(sight.markers) < _ENOUGH:
        check_not_doubled(sight, name)
    return sight.markers


def check_not_doubled(sight: MarkerSight, name: str | Sentence = THE_PICTURE) -> None:
    """Check that no two marker cards share an id.

    Raises:
        DoubledMarkerError: they do; `name` is the picture's name in the message.
    """
    if sight.doubled:
        raise DoubledMarkerError(sight.doubled, name)


def unmirrored_markers(image: NDArray[np.uint8], name: str | Sentence = THE_PICTURE) -> MarkerSight:
    """Return the marker cards of a picture that is not mirrored.

    Mirrored cards resemble other cards of their deck, so a picture with more mirrored markers than normal ones is
    refused.

    Raises:
        MirroredError: left and right are swapped; `name` is the picture's name in the message.
    """
    sight = sight_markers(image)
    witnesses = {marker.id for marker in sight.cards}.difference(_LIKE_MIRRORED)
    if not witnesses and sight.mirrored.difference(_LIKE_MIRRORED):
        raise MirroredError(
            "error.is_mirrored_left_and_right",
            "{picture} is mirrored, left and right are swapped: turn mirroring off in the camera and take it again",
            picture=name,
        )
    return sight


def _light(grey: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """Return about linear light, relative to the brightest: blur is linear in light, so black keeps its size."""
    brightest = max(1.0, float(np.percentile(grey[::8, ::8], _BRIGHTEST)))
    levels = 255 * np.minimum((np.arange(256) / brightest) ** 2, 1)
    return np.asarray(cv2.LUT(grey, levels.astype(np.uint8)), np.uint8)


def _is_print(grey: NDArray[np.uint8], corners_px: cv2.typing.MatLike, number: int) -> bool:
    """Return whether a square that was decoded as a marker (1, 4, 2) has that marker's uniform cells.

    A drawing in a dark frame may decode to an id by the majority in each cell, but its cells are hardly ever uniform.
    """
    seen, printed = (cells - cells.mean() for cells in (_seen(grey, corners_px)[:, 0], _printed(number)))
    together = float(seen @ printed)
    return together > 0 and together**2 > _EXPLAINED * float(seen @ seen) * float(printed @ printed)


def _seen(image: NDArray[np.uint8], corners_px: cv2.typing.MatLike) -> NDArray[np.uint8]:
    """Return the levels (k, channels) of a square's cells (1, 4, 2) in a grey or coloured picture."""
    side = _CELLS * _CELL_PX
    square = (side * np.array([[0, 0], [1, 0], [1, 1], [0, 1]]) - 0.5).astype(np.float32)
    upright = cv2.getPerspectiveTransform(corners_px.astype(np.float32), square)
    return _middles(cv2.warpPerspective(image, upright, (side, side), borderMode=cv2.BORDER_REPLICATE))


def _middles(square: cv2.typing.MatLike) -> NDArray[np.uint8]:
    """Return samples (k, channels) in the middle of each cell, away from blur across its sides."""
    samples = square.reshape(_CELLS, _CELL_PX, _CELLS, _CELL_PX, -1)[:, 1:-1, :, 1:-1]
    return np.asarray(samples.reshape(-1, samples.shape[-1]), np.uint8)


@cache
def _printed(number: int) -> NDArray[np.uint8]:
    """Return the levels of a marker's cells by its print alone, (k,)."""
    return _middles(cv2.aruco.generateImageMarker(_dictionary(), number, _CELLS * _CELL_PX))[:, 0]


def whites_of(image_bgr: NDArray[np.uint8], markers: Sequence[Marker]) -> Points:
    """Return the RGB levels (n, 3) of the white cells of markers in a picture (h, w, 3) BGR."""
    return levels_of(image_bgr, markers, white=True)


def white_of(image_bgr: NDArray[np.uint8], markers: Sequence[Marker]) -> Points | None:
    """Return white paper (3,), BGR 0..1, by the markers' own; None without markers."""
    if not markers:
        return None
    return np.asarray(np.median(whites_of(image_bgr, markers), axis=0)[::-1] / 255, np.float64)


def levels_of(image_bgr: NDArray[np.uint8], markers: Sequence[Marker], *, white: bool) -> Points:
    """Return the RGB levels (n, 3) of the markers' white cells or of their black ones."""
    cells = [cells_of(image_bgr, marker.corners_px, marker.id) for marker in markers]
    levels = [np.median(seen[is_white == white], axis=0)[::-1] for seen, is_white in cells]
    return np.array(levels, np.float64).reshape(-1, 3)


def cells_of(image: NDArray[np.uint8], corners_px: Points, number: int) -> tuple[Points, NDArray[np.bool_]]:
    """Return the levels (k, channels) of a marker's cells, corners (4, 2), and (k,) whether its print is white."""
    return _seen(image, corners_px).astype(np.float64), np.asarray(_printed(number) > 0)


def _refined(grey: NDArray[np.uint8], rough: Points) -> tuple[Points, NDArray[np.bool_]]:
    """Squares (n, 4, 2) with their corners where lines along the sides meet, and (n,) whether these are visible.

    A blurred corner itself is round. Sides that ran away are on something else: then the rough ones are kept.
    """
    side = np.linalg.norm(rough - np.roll(rough, 1, axis=1), axis=2).min(axis=1)
    fine, straight = moved_to_white(grey, rough, linear=True)
    moved = np.linalg.norm(fine - rough, axis=2).max(axis=1)
    kept = (straight > _STRAIGHT) & (moved < _MOST_MOVED * side + 1)
    return np.where(kept[:, None, None], fine, rough), kept


def _on_one_table(found: dict[_Find, Points], shape: tuple[int, ...]) -> dict[_Find, Points]:
    """Return the squares (4, 2) that share one table; at least three are needed to decide."""
    size_px = (shape[1], shape[0])
    while len(found) > 2 and _unlikeness(list(found.values())) > _UNLIKE:
        pieces = {find: FlatShape(SQUARE_MM, corners) for find, corners in found.items()}
        together, _ = misfit(list(pieces.values()), size_px)
        if together < _BADLY_OFF:
            break
        without = {odd: misfit([piece for find, piece in pieces.items() if find != odd], size_px) for odd in pieces}
        odd = min(without, key=lambda find: without[find][0])
        alone, table = without[odd]
        corners = table.to_mm(found[odd])
        sides = np.linalg.norm(corners - np.roll(corners, 1, axis=0), axis=1) / MARKER_MM
        if alone * _BADLY_OFF > together or np.abs(sides - 1).max() < _NO_SQUARE:
            break
        found = {find: corners for find, corners in found.items() if find != odd}
    return found


def _unlikeness(squares: list[Points]) -> float:
    """Return the ratio of stretch between the two least similar quads (4, 2), 1 for the same."""
    quads = np.stack(squares)
    along, down = (quads[:, a] - quads[:, b] + quads[:, c] - quads[:, d] for a, b, c, d in ((1, 0, 2, 3), (3, 0, 2, 1)))
    spread = along[:, :, None] * along[:, None] + down[:, :, None] * down[:, None]
    between = np.linalg.solve(spread[:, None], spread[None])
    # Two eigenvalues each.
    middle, product = np.trace(between, axis1=2, axis2=3) / 2, np.linalg.det(between)
    apart = np.sqrt(np.maximum(middle**2 - product, 0))
    return float(np.sqrt(((middle + apart) / (middle - apart)).max()))


def table_from_markers(markers: tuple[Marker, ...], size_px: tuple[int, int]) -> Table:
    """Return the table with its origin at the centre of the marker with the lowest number.

    Raises:
        BadTableError: no marker, or markers that no flat table could show.
    """
    table, places = fit_table([FlatShape(SQUARE_MM, marker.corners_px) for marker in markers], size_px)
    return table.moved(places[0, :2])


def table_if_shown(markers: tuple[Marker, ...], size_px: tuple[int, int]) -> Table | None:
    """Return the table by its markers; None without markers, or if they fit no plane, as one in a hand."""
    try:
        return table_from_markers(markers, size_px) if markers else None
    except BadTableError:
        return None
