"""Pictures of tables with piles, drawn quickly: heights, shadows, light, blur, noise and JPEG."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.deck import Deck, load_deck
from vision.table import Table

Image = NDArray[np.uint8]
Floats = NDArray[np.float64]
TABLES = ((70, 110, 160), (70, 90, 40), (150, 155, 150), (40, 42, 45), (225, 232, 236))


@dataclass(frozen=True)
class TrueTop:
    """A card on top: its face (None for a back), corners in px, clockwise from the face's top-left, and its seat."""

    face: str | None
    corners_px: Floats
    seat: int


@cache
def piccolino() -> Deck:
    return load_deck("piccolino")


class PileTable:
    """A pinhole camera over a table of `width_mm`; mm lead from the table's middle, right, down and up."""

    def __init__(self, size: tuple[int, int] = (1280, 720), width_mm: float = 900.0, tilt_deg: float = 12.0) -> None:
        self.size = size
        tilt = math.radians(tilt_deg)
        self._turn = np.array([[1, 0, 0], [0, math.cos(tilt), -math.sin(tilt)], [0, math.sin(tilt), math.cos(tilt)]])
        self._distance = 1.1 * width_mm
        focal = size[0] * self._distance / width_mm
        self._lens = np.array([[focal, 0, (size[0] - 1) / 2], [0, focal, (size[1] - 1) / 2], [0, 0, 1]])

    def to_px(self, points: Floats) -> Floats:
        """Return points (n, 3) in mm (z up) as px (n, 2)."""
        seen = (points * (1, 1, -1)) @ self._turn.T + (0, 0, self._distance)
        flat = seen @ self._lens.T
        return np.asarray(flat[:, :2] / flat[:, 2:])

    @property
    def table(self) -> Table:
        pose = np.column_stack([self._turn[:, 0], self._turn[:, 1], [0, 0, self._distance]])
        homography = self._lens @ pose
        return Table(self._lens, np.zeros(5), homography / homography[2, 2], self.size, 0.001)


def card_corners(place: tuple[float, float, float], height: float) -> Floats:
    """Return corners (4, 3) of a card at x, y, clockwise angle in degrees."""
    width, tall = piccolino().card_mm
    angle = math.radians(place[2])
    turn = np.array([[math.cos(angle), -math.sin(angle)], [math.sin(angle), math.cos(angle)]])
    flat = np.array([[-1, -1], [1, -1], [1, 1], [-1, 1]]) * (width / 2, tall / 2) @ turn.T + place[:2]
    return np.column_stack([flat, np.full(4, height)])


def lay(image: Image, picture: Image, corners_px: Floats) -> None:
    height, width = picture.shape[:2]
    low = np.maximum(np.floor(corners_px.min(axis=0)).astype(int) - 8, 0)
    high = np.minimum(np.ceil(corners_px.max(axis=0)).astype(int) + 9, (image.shape[1], image.shape[0]))
    if (high <= low).any():
        return
    source = np.array([[0, 0], [width, 0], [width, height], [0, height]]) - 0.5
    warp = cv2.getPerspectiveTransform(source.astype(np.float32), (corners_px - low).astype(np.float32))
    window = (int(high[0] - low[0]), int(high[1] - low[1]))
    # Shrunk before it is warped, or the warp would skip pixels.
    card = cv2.warpPerspective(picture, warp, window, flags=cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
    cover = cv2.warpPerspective(np.ones((height, width), np.float32), warp, window, flags=cv2.INTER_LINEAR)
    shade = cv2.GaussianBlur(np.roll(cover, (2, 2), axis=(0, 1)), (0, 0), 2.0)[:, :, None]
    under = image[low[1] : high[1], low[0] : high[0]]
    under[:] = np.rint(under * (1 - 0.3 * shade) * (1 - cover[:, :, None]) + card * cover[:, :, None]).astype(np.uint8)


def shrunk(name: str, px_per_mm: float) -> Image:
    width, height = (max(8, round(side * px_per_mm * 1.1)) for side in piccolino().card_mm)
    return np.asarray(
        cv2.resize(
            piccolino().face(name, "back" if name == "back" else "front").art,
            (width, height),
            interpolation=cv2.INTER_AREA,
        ),
        np.uint8,
    )


def pile(
    random: np.random.Generator,
    image: Image,
    camera: PileTable,
    place: tuple[float, float, float],
    names: Sequence[str],
    under: int,
) -> Floats:
    """Lay a pile of the named cards, the last on top, with `under` more beneath; gives the top's corners in px."""
    scale = camera.size[0] / 900
    corners = np.zeros((4, 2))
    for level, name in enumerate(names):
        jitter = np.clip(random.normal(0, 1.5, 2), -3, 3)
        where = (place[0] + jitter[0], place[1] + jitter[1], place[2] + float(np.clip(random.normal(0, 2), -5, 5)))
        corners = camera.to_px(card_corners(where, 0.3 * (under + level + 1)))
        lay(image, shrunk(name, scale), corners)
    return corners


def bare(random: np.random.Generator, camera: PileTable, kind: int) -> Image:
    width, height = camera.size
    grain = cv2.GaussianBlur(random.normal(0, 1, (height, width)).astype(np.float32), (0, 0), sigmaX=25, sigmaY=1.2)
    relief = 1 + 0.08 * grain / grain.std()
    lit = relief[:, :, None] * np.array(TABLES[kind % len(TABLES)], np.float32)
    return np.asarray(np.clip(lit, 0, 255), np.uint8)


def photographed(random: np.random.Generator, image: Image, hard: float) -> Image:
    """Return a camera's picture of it; `hard`, 0 to 1: the strength of bad light, blur and noise."""
    light = np.linspace(1, 1 - 0.5 * hard, image.shape[1], dtype=np.float32)[None, :, None]
    shown = cv2.GaussianBlur(image * light, (0, 0), 0.4 + 0.5 * hard)
    noise = random.normal(0, 1 + 3 * hard, shown.shape)
    packed = cv2.imencode(".jpg", np.clip(shown + noise, 0, 255).astype(np.uint8), [cv2.IMWRITE_JPEG_QUALITY, 85])[1]
    return np.asarray(cv2.imdecode(packed, cv2.IMREAD_COLOR), np.uint8)


def pile_scene(seed: int, hard: float, size: tuple[int, int] = (1280, 720)) -> tuple[Image, PileTable, list[TrueTop]]:
    """Return a table with piles at three to five seats: the picture, its camera, and the true tops."""
    random = np.random.default_rng(seed)
    camera = PileTable(size, tilt_deg=float(random.uniform(0, 30)))
    image = bare(random, camera, int(random.integers(len(TABLES))))
    seats = int(random.integers(3, 6))
    faces = [face.id for face in piccolino().fronts for _ in range(face.count or 0)]
    tops: list[TrueTop] = []
    for seat in range(seats):
        angle = math.pi / 2 + 2 * math.pi * seat / seats
        middle = np.array([300 * math.cos(angle), 150 * math.sin(angle)])
        along = np.array([-math.sin(angle), math.cos(angle)]) * 48
        for kind, way in (("draw", 1), ("discard", -1)):
            where = middle + along * way
            place = (float(where[0]), float(where[1]), math.degrees(angle) - 90 + float(random.uniform(-25, 25)))
            shown = ["back"] * 3 if kind == "draw" else [str(name) for name in random.choice(faces, 4)]
            corners = pile(random, image, camera, place, shown, int(random.integers(0, 50)))
            tops.append(TrueTop(None if kind == "draw" else shown[-1], corners, seat))
    return photographed(random, image, hard), camera, tops
