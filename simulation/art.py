"""Pictures of cards, hands and things for the simulated table."""

from __future__ import annotations

import math
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from simulation.script import FLAT, PINCH, Colour, Person, SandNow, Spot
from simulation.view import Place, View, corners_mm
from vision.arrays import Image, Points
from vision.deck import Deck
from vision.render_face import face_image

FRONT, BACK = "front", "back"
_BACK_COLOUR = (120, 70, 60)  # BGR


class DeckArt:
    """The art of a deck: `card_mm`, and `cutout` (h, w) uint8, 255 on a card and 0 in its round corners."""

    def __init__(self, deck: Deck, px_per_mm: float) -> None:
        self._deck = deck
        self._px_per_mm = px_per_mm
        self._pictures: dict[tuple[str, str], Image] = {}
        self.card_mm = deck.card_mm
        size = (round(deck.card_mm[1] * px_per_mm), round(deck.card_mm[0] * px_per_mm), 3)
        self._blank_back = np.full(size, _BACK_COLOUR, np.uint8)
        self.cutout = cutout(self._blank_back, deck.corner_radius_mm / deck.card_mm[0])

    def picture(self, face: str, side: str) -> Image:
        """Return a face or the common back, (h, w, 3) uint8 BGR, with a cache; an unknown back has one colour."""
        key = ("", side) if side == BACK else (face, side)
        if key not in self._pictures:
            shown = self._deck.back if side == BACK else self._deck.face(face, side)
            self._pictures[key] = self._blank_back if shown is None else face_image(self._deck, shown, self._px_per_mm)
        return self._pictures[key]


MARKER_MM = 50.0
MARKER_CARD_MM = 66.0
_SHADOW_REACH_PX = 12


@dataclass(frozen=True, eq=False)
class Piece:
    """A flat thing: its picture, its corners in mm (TL TR BR BL), and its corner radius in mm."""

    picture: Image
    corners_mm: Points
    radius_mm: float


@dataclass(frozen=True, eq=False)
class Patch:
    """A piece as the camera sees it, within a window of the picture whose top-left pixel is `low`.

    `colour` (h, w, 3) uint8; `cover` (h, w, 1) float32, 1 on the piece; `shade` (h, w, 1), 1 in its darkest shadow.
    """

    low: tuple[int, int]
    colour: Image
    cover: NDArray[np.float32]
    shade: NDArray[np.float32]

    @property
    def box(self) -> tuple[int, int, int, int]:
        """Window of the patch: left, top, right, bottom."""
        height, width = self.colour.shape[:2]
        return self.low[0], self.low[1], self.low[0] + width, self.low[1] + height

    def blend(self, image: Image, box: tuple[int, int, int, int] | None = None) -> None:
        """Draw the patch into a picture, (h, w, 3) uint8; only within `box` (left, top, right, bottom), if given."""
        left, top, right, bottom = self.box if box is None else common(self.box, box)
        if right <= left or bottom <= top:
            return
        part = (slice(top - self.low[1], bottom - self.low[1]), slice(left - self.low[0], right - self.low[0]))
        under = image[top:bottom, left:right]
        cover = self.cover[part]
        shaded = under * (1 - 0.3 * self.shade[part]) * (1 - cover)
        under[:] = np.rint(shaded + self.colour[part] * cover).astype(np.uint8)


def common(one: tuple[int, int, int, int], other: tuple[int, int, int, int]) -> tuple[int, int, int, int]:
    """Return the intersection of two boxes (left, top, right, bottom); empty if a side is not positive."""
    return max(one[0], other[0]), max(one[1], other[1]), min(one[2], other[2]), min(one[3], other[3])


def patch_of(picture: Image, cutout: Image, corners_px: Points, size: tuple[int, int]) -> Patch | None:
    """Return a piece with its corners (4, 2) at `corners_px` in a picture of `size`; None outside it."""
    height, width = picture.shape[:2]
    low = np.maximum(np.floor(corners_px.min(axis=0)).astype(int) - _SHADOW_REACH_PX, 0)
    high = np.minimum(np.ceil(corners_px.max(axis=0)).astype(int) + _SHADOW_REACH_PX + 1, size)
    if (high <= low).any():
        return None
    source = np.array([[0, 0], [width, 0], [width, height], [0, height]]) - 0.5
    warp = cv2.getPerspectiveTransform(source.astype(np.float32), (corners_px - low).astype(np.float32))
    window = (int(high[0] - low[0]), int(high[1] - low[1]))
    colour = cv2.warpPerspective(picture, warp, window, flags=cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
    seen = cv2.warpPerspective(cutout, warp, window, flags=cv2.INTER_LINEAR)
    cover = seen.astype(np.float32)[:, :, None] / np.float32(255)
    shade = cv2.GaussianBlur(np.roll(cover[:, :, 0], (3, 2), axis=(0, 1)), (0, 0), 3.0)[:, :, None]
    return Patch((int(low[0]), int(low[1])), np.asarray(colour, np.uint8), cover, np.asarray(shade, np.float32))


def piece_patch(piece: Piece, corners_px: Points, size: tuple[int, int]) -> Patch | None:
    """Return a piece with its corners (4, 2) at `corners_px`."""
    width_mm = float(np.linalg.norm(piece.corners_mm[1] - piece.corners_mm[0]))
    return patch_of(piece.picture, cutout(piece.picture, piece.radius_mm / width_mm), corners_px, size)


def cutout(picture: Image, radius: float) -> Image:
    """Return a mask, 255 on a piece with round corners; `radius` as a share of its width."""
    height, width = picture.shape[:2]
    corner = max(1, round(radius * width))
    alpha = np.zeros((height, width), dtype=np.uint8)
    cv2.rectangle(alpha, (corner, 0), (width - 1 - corner, height - 1), 255, -1)
    cv2.rectangle(alpha, (0, corner), (width - 1, height - 1 - corner), 255, -1)
    for x in (corner, width - 1 - corner):
        for y in (corner, height - 1 - corner):
            cv2.circle(alpha, (x, y), corner, 255, -1, cv2.LINE_AA)
    return alpha


def marker_piece(number: int, place: Place) -> Piece:
    """Return a marker card (ArUco, DICT_4X4_50) at a place."""
    dictionary = cv2.aruco.getPredefinedDictionary(cv2.aruco.DICT_4X4_50)
    side = round(MARKER_CARD_MM * 4)
    picture = np.full((side, side, 3), 255, dtype=np.uint8)
    edge = round((MARKER_CARD_MM - MARKER_MM) / 2 * 4)
    square = cv2.aruco.generateImageMarker(dictionary, number, round(MARKER_MM * 4))
    picture[edge:-edge, edge:-edge] = square[:, :, None]
    return Piece(picture, corners_mm((MARKER_CARD_MM, MARKER_CARD_MM), place), 0.0)


def marker_places(
    random: np.random.Generator, markers: tuple[int, ...], area_mm: tuple[float, float]
) -> dict[int, Place]:
    """Return the places of at most four marker cards: in the corners of the area, slightly turned."""
    inset = MARKER_CARD_MM * 0.75
    corners = [(x, y) for y in (inset, area_mm[1] - inset) for x in (inset, area_mm[0] - inset)]
    return {number: (x, y, float(random.uniform(-10, 10))) for number, (x, y) in zip(markers, corners, strict=False)}


PX_PER_MM = 2.0
WIDTH_MM, LENGTH_MM = 150.0, 900.0
TIP_MM = (75.0, 26.0)
"""Fingertips, mm from the picture's top-left; the arm extends down from there."""

# Each finger: knuckle, middle joint and tip in mm, and the radius at both ends; the topmost finger last.
_FINGERS = {
    PINCH: (
        ((104, 112), (108, 78), (100, 58), 9.0, 7.0),
        ((92, 100), (98, 62), (90, 40), 10.0, 8.0),
        ((78, 96), (86, 56), (80, 28), 10.5, 8.0),
        ((62, 98), (68, 56), (69, 27), 10.5, 8.0),
        ((46, 150), (44, 100), (60, 44), 13.0, 9.0),
    ),
    FLAT: (
        ((106, 118), (114, 84), (118, 62), 9.0, 7.0),
        ((94, 104), (99, 62), (101, 32), 10.0, 8.0),
        ((79, 98), (80, 52), (81, 20), 10.5, 8.0),
        ((63, 100), (60, 56), (59, 26), 10.5, 8.0),
        ((48, 152), (30, 116), (20, 88), 13.0, 9.5),
    ),
}


@dataclass(frozen=True, eq=False)
class HandArt:
    """`picture` (h, w, 4) uint8: blue, green and red, premultiplied, and cover; `PX_PER_MM` to the mm.

    `cover` (h / 4, w / 4) is the fourth channel at a quarter of the size, for the shadow.
    """

    picture: Image
    cover: Image


def hand_art(person: Person, pose: str) -> HandArt:
    """Return a person's forearm and hand in a pose (PINCH or FLAT)."""
    scale = PX_PER_MM
    size = (round(LENGTH_MM * scale), round(WIDTH_MM * scale))
    colour = np.zeros((*size, 3), dtype=np.float32)
    cover = np.zeros(size, dtype=np.uint8)
    centre = WIDTH_MM / 2
    sleeve = np.array([[centre - 38, 248], [centre + 38, 248], [centre + 54, LENGTH_MM], [centre - 54, LENGTH_MM]])
    wrist = np.array([[centre - 25, 170], [centre + 25, 170], [centre + 31, 262], [centre - 31, 262]])
    palm = np.array([[46, 104], [62, 92], [96, 94], [112, 112], [110, 150], [102, 182], [52, 182], [42, 150]])
    _limb(colour, cover, _filled(size, wrist, scale), person.skin, 34 * scale)
    _limb(colour, cover, _filled(size, sleeve, scale), person.sleeve, 46 * scale)
    cuff = np.array([[centre - 40, 240], [centre + 40, 240], [centre + 41, 258], [centre - 41, 258]])
    _limb(colour, cover, _filled(size, cuff, scale), _brighter(person.sleeve, 1.25), 44 * scale)
    soft_palm = np.asarray(cv2.GaussianBlur(_filled(size, palm, scale), (0, 0), 3 * scale), np.uint8)
    _limb(colour, cover, soft_palm, person.skin, 30 * scale)
    for finger in _FINGERS[pose]:
        _limb(colour, cover, _finger(size, finger, scale), person.skin, 8 * scale)
        _nail(colour, finger, person.skin, scale)
    premultiplied = np.rint(colour * (cover[:, :, None] / np.float32(255))).astype(np.uint8)
    picture = np.dstack([premultiplied, cover])
    picture = np.ascontiguousarray(picture[:, ::-1] if person.left_handed else picture)
    return HandArt(picture, small_cover(picture))


def small_cover(picture: Image) -> Image:
    """Return the cover of a picture (h, w, 4) at a quarter of its size."""
    size = (max(1, picture.shape[1] // 4), max(1, picture.shape[0] // 4))
    return np.asarray(cv2.resize(picture[:, :, 3], size, interpolation=cv2.INTER_AREA), np.uint8)


def _limb(colour: NDArray[np.float32], cover: Image, mask: Image, paint: Colour, round_px: float) -> None:
    """Paint a rounded part, darker towards its outline, with a dark seam on what is below."""
    rows = np.flatnonzero(mask.any(axis=1))
    if not len(rows):
        return
    part = slice(max(int(rows[0]) - 8, 0), int(rows[-1]) + 8)
    inside = (mask[part] > 127).astype(np.uint8)
    depth = np.minimum(cv2.distanceTransform(inside, cv2.DIST_L2, 3) / round_px, 1.0)
    shade = 0.55 + 0.45 * np.sqrt(np.maximum(2 * depth - depth**2, 0))
    seam = cv2.GaussianBlur(inside.astype(np.float32), (0, 0), 2.5)[:, :, None]
    colour[part] *= 1 - 0.35 * seam
    soft = (mask[part] / np.float32(255))[:, :, None]
    colour[part] = colour[part] * (1 - soft) + np.array(paint, np.float32) * shade[:, :, None] * soft
    np.maximum(cover[part], mask[part], out=cover[part])


def _filled(size: tuple[int, int], outline_mm: NDArray[np.float64], scale: float) -> Image:
    mask = np.zeros(size, dtype=np.uint8)
    cv2.fillPoly(mask, [np.rint(outline_mm * scale).astype(np.int32)], 255, cv2.LINE_AA)
    return mask


def _finger(size: tuple[int, int], finger: tuple[object, ...], scale: float) -> Image:
    """Return a finger's mask, made of circles along its bones."""
    joints, (start, end) = np.array(finger[:3], dtype=np.float64), np.array(finger[3:], dtype=np.float64)
    mask = np.zeros(size, dtype=np.uint8)
    for share in np.linspace(0, 2, 61):
        bone = min(int(share), 1)
        x, y = joints[bone] + (joints[bone + 1] - joints[bone]) * (share - bone)
        radius = start + (end - start) * share / 2
        cv2.circle(mask, (round(x * scale), round(y * scale)), round(radius * scale), 255, -1, cv2.LINE_AA)
    return mask


def _nail(colour: NDArray[np.float32], finger: tuple[object, ...], skin: Colour, scale: float) -> None:
    middle, tip = np.array(finger[1:3], dtype=np.float64)
    way = (tip - middle) / np.linalg.norm(tip - middle)
    centre = (tip + way * 1.5) * scale
    angle = float(np.degrees(np.arctan2(way[1], way[0])))
    axes = (round(4.2 * scale), round(3.2 * scale))
    place = (round(float(centre[0])), round(float(centre[1])))
    cv2.ellipse(colour, place, axes, angle, 0, 360, _brighter(skin, 1.12), -1, cv2.LINE_AA)


def _brighter(paint: Colour, factor: float) -> Colour:
    blue, green, red = (min(round(part * factor), 255) for part in paint)
    return blue, green, red


Paint = tuple[float, float, float]

GLASS_MM = 86.0
_WOOD: Paint = (52, 82, 128)
_SAND: Paint = (120, 180, 226)
_CLEAR: Paint = (196, 202, 196)


def draw_bell(image: Image, view: View, spot: Spot) -> None:
    """Draw a call bell of 74 mm, 40 mm high, into a picture, (h, w, 3) uint8 BGR."""
    _shadow(image, view, spot, 42.0, 24.0)
    for share in np.linspace(0, 1, 5):
        _disc(image, view, (*spot, 7 * float(share)), 37.0, (60 + 22 * share, 58 + 22 * share, 58 + 22 * share))
    for share in np.linspace(0, 1, 24):
        radius, height = 33 * math.cos(share * math.pi / 2), 7 + 27 * math.sin(share * math.pi / 2)
        # Polished metal: bright on the side of the lamp, with a dark ring below.
        grey = 120 + 105 * math.sin(share * 2.6) ** 2
        _disc(image, view, (*spot, height), max(radius, 3.0), (grey, grey * 0.99, grey * 0.97))
    highlight = (spot[0] - 8, spot[1] - 9, 33.0)
    _disc(image, view, highlight, 5.0, (250, 250, 248))
    for height in (35.0, 38.0, 40.0):
        _disc(image, view, (*spot, height), 5.5, (150 + height, 150 + height, 148 + height))


def draw_sandtimer(image: Image, view: View, spot: Spot, sand: SandNow, light: Paint) -> None:
    """Draw the sandtimer, 86 mm high, into a picture; `light`: the lamp's there, 1 is full (blue, green, red)."""
    _shadow(image, view, spot, 34.0, 30.0 + sand.height_mm)
    turn = math.radians(sand.turn_deg)
    middle = np.array([spot[0], spot[1], GLASS_MM / 2 + sand.height_mm])
    axis = np.array([math.sin(turn), 0.35 * math.sin(turn), math.cos(turn)])
    discs = []
    for share in np.linspace(-0.5, 0.5, 27):
        centre = middle + axis * share * GLASS_MM
        above = share * (1 if axis[2] >= 0 else -1)
        discs.append((float(centre[2]), centre, *_slice(abs(float(share)), above, sand.left)))
    for _, centre, radius, colour in sorted(discs, key=lambda disc: disc[0]):
        blue, green, red = (part * lamp for part, lamp in zip(colour, light, strict=True))
        _disc(image, view, (float(centre[0]), float(centre[1]), float(centre[2])), radius, (blue, green, red))


def _slice(off: float, above: float, left: float) -> tuple[float, Paint]:
    """Return radius and colour of the glass at `off` (0 to 0.5) from its neck; `above`: negative in the lower half."""
    if off > 0.46:
        return 23.0, _WOOD
    radius = 3.0 + 17.0 * min(1.0, off / 0.3) ** 0.8
    # Sand is at the neck of the upper half, and on the floor of the lower one.
    filled = off < 0.4 * left if above >= 0 else off > 0.46 - 0.4 * (1 - left)
    return radius, _SAND if filled else _CLEAR


def _disc(image: Image, view: View, centre_mm: tuple[float, float, float], radius_mm: float, colour: Paint) -> None:
    x, y, height = centre_mm
    px = view.project(np.array([[x, y, height], [x + radius_mm, y, height], [x, y + radius_mm, height]]))
    across, down = np.linalg.norm(px[1] - px[0]), np.linalg.norm(px[2] - px[0])
    place = (round(float(px[0][0]) * 16), round(float(px[0][1]) * 16))
    axes = (max(1, round(float(across) * 16)), max(1, round(float(down) * 16)))
    cv2.ellipse(image, place, axes, 0, 0, 360, colour, -1, cv2.LINE_AA, 4)


def _shadow(image: Image, view: View, spot: Spot, radius_mm: float, throw_mm: float) -> None:
    """Draw a soft shadow beside a thing that stands on the table."""
    centre = view.to_px(np.array([[spot[0] + throw_mm * 0.35, spot[1] + throw_mm * 0.25]]))[0]
    radius = radius_mm * view.px_per_mm(*spot)
    low = np.maximum(np.floor(centre - 1.6 * radius).astype(int), 0)
    high = np.minimum(np.ceil(centre + 1.6 * radius).astype(int), view.size)
    if (high <= low).any():
        return
    mask = np.zeros((high[1] - low[1], high[0] - low[0]), np.uint8)
    place = (round(float(centre[0] - low[0])), round(float(centre[1] - low[1])))
    cv2.circle(mask, place, max(1, round(radius)), 255, -1)
    soft = cv2.GaussianBlur(mask, (0, 0), radius / 4)
    under = image[low[1] : high[1], low[0] : high[0]]
    cv2.multiply(under, cv2.merge([255 - np.asarray(soft * 0.45, np.uint8)] * 3), dst=under, scale=1 / 255)
