"""Still pictures of a card table, drawn quickly from the deck, with the truth about every card.

Much simpler than a photograph (no thickness, no reflections, no hands): for tests, for the speed bench and for the
demo. The truth has the format of the rendered scenes: see `referee/bench/truth.py`.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from simulation.surface import finish, surface
from vision.deck import Deck, Face
from vision.render_face import face_image, mark_outline_mm

MARKER_MM = 50.0
_MARKER_CARD_MM = 66.0
_FREE_CELL_MM = 112.0
_DENSE_CELL_MM = (90.0, 112.0)
_MARGIN_MM = 60.0

Image = NDArray[np.uint8]
Points = NDArray[np.float64]


@dataclass(frozen=True)
class Look:
    """How the picture is taken.

    `tilt_deg` is the camera's angle from straight down, `blur_px` a Gaussian's sigma, `noise` a standard deviation in
    grey levels, `gradient` the light lost from the brightest to the darkest corner, `jpeg_quality` None for none,
    `table` one of `wood`, `cloth`, `plain`, `checked`, `white`.
    """

    table: str = "wood"
    tilt_deg: float = 12.0
    roll_deg: float = 2.0
    blur_px: float = 0.6
    noise: float = 2.0
    gradient: float = 0.25
    jpeg_quality: int | None = None


@dataclass(frozen=True)
class _Piece:
    """Something flat on the table: its picture, its corners in mm (TL TR BR BL), and its corner radius in mm."""

    picture: Image
    corners_mm: Points
    radius_mm: float


def table_picture(
    deck: Deck,
    n_cards: int,
    seed: int,
    size: tuple[int, int] = (1920, 1080),
    *,
    side: str = "white",
    overlap: bool = False,
    markers: Sequence[int] = (0, 1, 2, 3),
    look: Look | None = None,
) -> tuple[Image, dict[str, Any]]:
    """Draw a table with `n_cards` different cards, `side` up, and markers in its corners (at most four).

    Gives the picture, (h, w, 3) uint8 BGR with `size` = (width, height), and the truth about it; the same arguments
    always give the same picture. Without `overlap` every card lies free; with it they lie in a heap, later cards
    over earlier ones.

    Raises:
        ValueError: more cards than the deck has, or more than four markers.
    """
    faces = deck.side(side)
    if n_cards > len(faces) or len(markers) > 4:
        raise ValueError(f"asked for {n_cards} cards of {len(faces)} and {len(markers)} markers of 4")
    look = look or Look()
    random = np.random.default_rng(seed)
    chosen = [faces[i] for i in random.permutation(len(faces))[:n_cards]]
    area = _area_mm(n_cards, size, overlap)
    places = _heap(random, n_cards, area) if overlap else _free(random, n_cards, area)
    homography = _camera(area, size, look)
    px_per_mm = _scale(homography, area)
    marker_places = _marker_places(random, markers, area)
    pieces = [_marker_piece(number, place) for number, place in marker_places.items()]
    pieces += [
        _Piece(face_image(deck, face, px_per_mm), _corners_mm(deck.card_mm, place), deck.corner_radius_mm)
        for face, place in zip(chosen, places, strict=True)
    ]
    image = surface(random, look.table, homography, area, size)
    owner = np.zeros((size[1], size[0]), dtype=np.int16)
    for number, piece in enumerate(pieces, start=1):
        _lay(image, owner, piece, homography, number)
    image = finish(random, image, look.blur_px, look.noise, look.gradient, look.jpeg_quality)
    # Table coordinates have their origin at the lowest marker.
    origin = marker_places[min(marker_places)][:2] if marker_places else (area[0] / 2, area[1] / 2)
    shift = np.array([[1, 0, origin[0]], [0, 1, origin[1]], [0, 0, 1]])
    truth = {
        "image": f"still-{side}-{seed}.jpg",
        "size": list(size),
        "scenario": "still_heap" if overlap else "still",
        "seed": seed,
        "deck": deck.name,
        "up": side,
        "camera": {"H_table_mm_to_px": (homography @ shift).tolist()},
        "markers": [_marker_truth(number, place, homography, origin) for number, place in marker_places.items()],
        "cards": [
            _card_truth(deck, face, place, homography, origin, owner, len(marker_places) + index)
            for index, (face, place) in enumerate(zip(chosen, places, strict=True), start=1)
        ],
    }
    return image, truth


def _area_mm(n_cards: int, size: tuple[int, int], overlap: bool) -> tuple[float, float]:
    """Give the part of the table that the picture shows, at least 760 mm wide, large enough for free cards."""
    aspect = size[0] / size[1]
    width = 760.0
    while not overlap and math.prod(_grid(n_cards, (width, width / aspect))[:2]) < n_cards:
        width += 20.0
    return width, width / aspect


def _grid(n_cards: int, area: tuple[float, float]) -> tuple[int, int, float, float]:
    """Columns, rows and the cell's sides in mm: up to 24 cards lie at any angle, more lie nearly straight."""
    cell = (_FREE_CELL_MM, _FREE_CELL_MM) if n_cards <= 24 else _DENSE_CELL_MM
    return int((area[0] - 2 * _MARGIN_MM) // cell[0]), int((area[1] - 2 * _MARGIN_MM) // cell[1]), *cell


def _free(random: np.random.Generator, n_cards: int, area: tuple[float, float]) -> list[tuple[float, float, float]]:
    """Places (x_mm, y_mm, clockwise angle in degrees) in which no card touches another."""
    columns, rows, cell_width, cell_height = _grid(n_cards, area)
    cells = random.permutation(columns * rows)[:n_cards]
    left, top = (area[0] - columns * cell_width) / 2, (area[1] - rows * cell_height) / 2
    places = []
    for cell in cells:
        row, column = divmod(int(cell), columns)
        angle = random.uniform(0, 360) if n_cards <= 24 else random.choice([0, 180]) + random.uniform(-9, 9)
        x, y = left + (column + 0.5) * cell_width, top + (row + 0.5) * cell_height
        places.append((x + random.uniform(-1, 1), y + random.uniform(-1, 1), float(angle)))
    return places


def _heap(random: np.random.Generator, n_cards: int, area: tuple[float, float]) -> list[tuple[float, float, float]]:
    spread = np.clip(random.normal(0, 1, (n_cards, 2)), -1.6, 1.6) * (area[0] / 6, area[1] / 7)
    places = spread + np.array(area) / 2
    return [(float(x), float(y), float(random.uniform(0, 360))) for x, y in places]


def _camera(area: tuple[float, float], size: tuple[int, int], look: Look) -> Points:
    """Give the homography, (3, 3), from the area's mm to pixels: a pinhole camera 1.2 widths above its middle."""
    tilt, roll = math.radians(look.tilt_deg), math.radians(look.roll_deg)
    about_x = np.array([[1, 0, 0], [0, math.cos(tilt), -math.sin(tilt)], [0, math.sin(tilt), math.cos(tilt)]])
    about_z = np.array([[math.cos(roll), -math.sin(roll), 0], [math.sin(roll), math.cos(roll), 0], [0, 0, 1]])
    turn = about_z @ about_x
    distance = 1.2 * area[0]
    pose = np.column_stack([turn[:, 0], turn[:, 1], [0, 0, distance]])
    # A little narrower than the area at the middle, so that the far corners stay inside.
    focal = 0.93 * size[0] * distance / area[0]
    lens = np.array([[focal, 0, (size[0] - 1) / 2], [0, focal, (size[1] - 1) / 2], [0, 0, 1]])
    middle = np.array([[1, 0, -area[0] / 2], [0, 1, -area[1] / 2], [0, 0, 1]])
    homography = lens @ pose @ middle
    return np.asarray(homography / homography[2, 2], dtype=np.float64)


def _scale(homography: Points, area: tuple[float, float]) -> float:
    """Pixels per mm in the middle of the picture."""
    x, y = area[0] / 2, area[1] / 2
    ends = to_px(np.array([[x - 5, y], [x + 5, y]]), homography)
    return float(np.linalg.norm(ends[1] - ends[0]) / 10)


def to_px(points_mm: Points, homography: Points) -> Points:
    """Points (n, 2) in mm as pixels (n, 2)."""
    lifted = np.column_stack([points_mm, np.ones(len(points_mm))]) @ homography.T
    pixels: Points = lifted[:, :2] / lifted[:, 2:]
    return pixels


def _marker_places(
    random: np.random.Generator, markers: Sequence[int], area: tuple[float, float]
) -> dict[int, tuple[float, float, float]]:
    inset = _MARKER_CARD_MM * 0.75
    corners = [(x, y) for y in (inset, area[1] - inset) for x in (inset, area[0] - inset)]
    return {number: (x, y, float(random.uniform(-10, 10))) for number, (x, y) in zip(markers, corners, strict=False)}


def _corners_mm(card_mm: tuple[float, float], place: tuple[float, float, float]) -> Points:
    """Corners TL TR BR BL of a piece that lies with its middle at the place, turned clockwise."""
    return _place_mm(np.array([[0, 0], [card_mm[0], 0], card_mm, [0, card_mm[1]]]), card_mm, place)


def _place_mm(points: Points, card_mm: tuple[float, float], place: tuple[float, float, float]) -> Points:
    """Points (n, 2) in mm from a piece's top-left corner as mm on the table."""
    angle = math.radians(place[2])
    turn = np.array([[math.cos(angle), -math.sin(angle)], [math.sin(angle), math.cos(angle)]])
    placed: Points = (points - np.array(card_mm) / 2) @ turn.T + place[:2]
    return placed


def _marker_piece(number: int, place: tuple[float, float, float]) -> _Piece:
    dictionary = cv2.aruco.getPredefinedDictionary(cv2.aruco.DICT_4X4_50)
    side = round(_MARKER_CARD_MM * 4)
    picture = np.full((side, side, 3), 255, dtype=np.uint8)
    edge = round((_MARKER_CARD_MM - MARKER_MM) / 2 * 4)
    square = cv2.aruco.generateImageMarker(dictionary, number, round(MARKER_MM * 4))
    picture[edge:-edge, edge:-edge] = square[:, :, None]
    return _Piece(picture, _corners_mm((_MARKER_CARD_MM, _MARKER_CARD_MM), place), 0.0)


def _lay(image: Image, owner: NDArray[np.int16], piece: _Piece, homography: Points, number: int) -> None:
    """Draw the piece with a soft shadow, and mark its pixels as its own."""
    height, width = piece.picture.shape[:2]
    corners_px = to_px(piece.corners_mm, homography)
    # Shadows reach 12 pixels beyond the card at most.
    low = np.maximum(np.floor(corners_px.min(axis=0)).astype(int) - 12, 0)
    high = np.minimum(np.ceil(corners_px.max(axis=0)).astype(int) + 13, (image.shape[1], image.shape[0]))
    if (high <= low).any():
        return
    source = np.array([[0, 0], [width, 0], [width, height], [0, height]]) - 0.5
    warp = cv2.getPerspectiveTransform(source.astype(np.float32), (corners_px - low).astype(np.float32))
    window = (int(high[0] - low[0]), int(high[1] - low[1]))
    alpha = _cutout(width, height, piece)
    card = cv2.warpPerspective(piece.picture, warp, window, flags=cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
    cover = cv2.warpPerspective(alpha, warp, window, flags=cv2.INTER_LINEAR).astype(np.float32)[:, :, None] / 255
    shade = cv2.GaussianBlur(np.roll(cover[:, :, 0], (3, 2), axis=(0, 1)), (0, 0), 3.0)[:, :, None]
    under = image[low[1] : high[1], low[0] : high[0]]
    under[:] = np.rint(under * (1 - 0.3 * shade) * (1 - cover) + card * cover).astype(np.uint8)
    owner[low[1] : high[1], low[0] : high[0]][cover[:, :, 0] > 0.5] = number


def _cutout(width: int, height: int, piece: _Piece) -> Image:
    """255 where the piece is, with its rounded corners."""
    radius = max(1, round(piece.radius_mm * width / np.linalg.norm(piece.corners_mm[1] - piece.corners_mm[0])))
    alpha = np.zeros((height, width), dtype=np.uint8)
    cv2.rectangle(alpha, (radius, 0), (width - 1 - radius, height - 1), 255, -1)
    cv2.rectangle(alpha, (0, radius), (width - 1, height - 1 - radius), 255, -1)
    for x in (radius, width - 1 - radius):
        for y in (radius, height - 1 - radius):
            cv2.circle(alpha, (x, y), radius, 255, -1, cv2.LINE_AA)
    return alpha


def _marker_truth(
    number: int, place: tuple[float, float, float], homography: Points, origin: tuple[float, float]
) -> dict[str, Any]:
    corners = _corners_mm((MARKER_MM, MARKER_MM), place)
    return {
        "id": number,
        "size_mm": MARKER_MM,
        "center_mm": [place[0] - origin[0], place[1] - origin[1]],
        "corners_px": to_px(corners, homography).tolist(),
    }


def _card_truth(
    deck: Deck,
    face: Face,
    place: tuple[float, float, float],
    homography: Points,
    origin: tuple[float, float],
    owner: NDArray[np.int16],
    number: int,
) -> dict[str, Any]:
    """Give the card's entry; fractions are those of its pixels that nothing covers and that lie in the picture."""
    corners_px = to_px(_corners_mm(deck.card_mm, place), homography)
    # The round corners, 0.2 % of the card, are counted as visible.
    area = float(cv2.contourArea(corners_px.astype(np.float32)))
    visible = min(1.0, int((owner == number).sum()) / (0.998 * area))
    marks = []
    for mark in face.marks:
        outline = to_px(_place_mm(mark_outline_mm(deck, mark), deck.card_mm, place), homography)
        centre = to_px(_place_mm(np.array([[mark.x_mm, mark.y_mm]]), deck.card_mm, place), homography)[0]
        marks.append(
            {
                "size": mark.size,
                "colour": mark.colour,
                "shape": mark.shape,
                "diameter_mm": mark.diameter_mm,
                "center_px": centre.tolist(),
                "visible_fraction": _visible(outline, owner, number),
            }
        )
    return {
        "id": face.id,
        "side": "front",
        "corners_px": corners_px.tolist(),
        "center_mm": [place[0] - origin[0], place[1] - origin[1]],
        "visible_fraction": visible,
        "marks": marks,
    }


def _visible(outline_px: Points, owner: NDArray[np.int16], number: int) -> float:
    low = np.floor(outline_px.min(axis=0)).astype(int)
    high = np.ceil(outline_px.max(axis=0)).astype(int) + 1
    mask = np.zeros((high[1] - low[1], high[0] - low[0]), dtype=np.uint8)
    cv2.fillPoly(mask, [np.rint((outline_px - low) * 16).astype(np.int32)], 1, shift=4)
    whole = int(mask.sum())
    x, y = max(low[0], 0), max(low[1], 0)
    seen = owner[y : max(high[1], 0), x : max(high[0], 0)] == number
    inside = mask[y - low[1] : y - low[1] + seen.shape[0], x - low[0] : x - low[0] + seen.shape[1]]
    return float((seen & (inside > 0)).sum() / max(whole, 1))
