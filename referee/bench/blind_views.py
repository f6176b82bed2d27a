"""What hides a table from a camera, as alterations of its pictures; each gives a new picture of the same size."""

from __future__ import annotations

import random
from collections.abc import Callable, Collection
from functools import cache
from itertools import count

import cv2
import numpy as np
from numpy.typing import NDArray

from referee.bench.strange_art import Paint
from simulation.art import BACK, CardArt
from simulation.pieces import MARKER_CARD_MM, marker_places
from simulation.view import View as Camera

Image = NDArray[np.uint8]
View = Callable[[Image], Image]

_DARK = ((45, 60, 110), (28, 24, 22), (60, 75, 120))  # BGR: skin and cloth close to the lens, in their own shadow


def covered_lens(luck: random.Random) -> View:
    """A hand or a cloth close to the lens: all of the picture, or the best part of it, is a dark blur."""
    whole = luck.random() < 0.4
    colour = np.array(luck.choice(_DARK), np.float32)
    x, y, reach = luck.random(), luck.random(), luck.uniform(0.45, 0.8)
    seed = luck.randrange(1 << 30)

    @cache
    def cover_and_dark(shape: tuple[int, ...]) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        height, width = shape[:2]
        cover = np.full((height, width), float(whole), np.float32)
        if not whole:
            cv2.circle(cover, (round(x * width), round(y * height)), round(reach * height), 1.0, -1)
            cover = np.asarray(cv2.GaussianBlur(cover, (0, 0), 0.04 * width), np.float32)
        noise = np.random.default_rng(seed).standard_normal(shape, np.float32)
        return cover[:, :, None], (colour + 2 * noise) * cover[:, :, None]

    shots = count()

    def view(image: Image) -> Image:
        cover, dark = cover_and_dark(image.shape)
        # A sensor's noise is never twice the same.
        dark = np.roll(dark, 7 * next(shots), axis=1) if whole else dark
        return np.asarray(np.clip(image * (1 - cover) + dark, 0, 255), np.uint8)

    return view


def half_table(luck: random.Random) -> View:
    """A camera that is aimed aside: the best part of one half of the table is out of the picture, floor is in it."""
    across, share = luck.random() < 0.6, luck.choice((-1, 1)) * luck.uniform(0.25, 0.6)
    floor = luck.randrange(60, 160)

    def view(image: Image) -> Image:
        height, width = image.shape[:2]
        x, y = (share * width, 0.0) if across else (0.0, share * height)
        moved = np.array([[1, 0, x], [0, 1, y]], np.float64)
        seen = cv2.warpAffine(image, moved, (width, height), borderValue=(floor, floor, floor))
        return np.asarray(seen, np.uint8)

    return view


def without_markers(camera: Camera, ids: tuple[int, ...], area_mm: tuple[float, float], gone: int) -> View:
    """Some of the marker cards are covered by sheets of one colour: `gone` of them, the first ones."""
    # Where they lie does not hang on chance, how they are turned does.
    places = list(marker_places(np.random.default_rng(0), ids, area_mm).values())[:gone]
    half = 0.75 * MARKER_CARD_MM
    around = np.array([[-half, -half], [half, -half], [half, half], [-half, half]])
    outlines = [camera.to_px(around + place[:2]) for place in places]

    def view(image: Image) -> Image:
        bare = image.copy()
        for outline in outlines:
            cv2.fillPoly(bare, [np.rint(outline).astype(np.int32)], (96, 104, 98), cv2.LINE_AA)
        return bare

    return view


def bare_floor(luck: random.Random) -> View:
    """Something else altogether is before the camera: one colour, with grain and light that fades."""
    colour = np.array([luck.uniform(40, 200) for _ in range(3)], np.float32)
    seed, fall, shots = luck.randrange(1 << 30), luck.uniform(0.5, 1.0), count()

    def view(image: Image) -> Image:
        height, width = image.shape[:2]
        ramp = np.linspace(1.0, fall, width, dtype=np.float32)[None, :, None]
        grain = np.random.default_rng((seed, next(shots))).standard_normal((height, width, 1), np.float32)
        return np.asarray(np.clip(colour * ramp + 4 * grain, 0, 255), np.uint8)

    return view


class _Disguise:
    """The art of a deck of which some faces look otherwise: a `CardArt` round another one."""

    def __init__(self, art: CardArt, paint: Paint, some: Collection[str] | None, back: Paint | None) -> None:
        self._art, self._paint, self._back = art, paint, back
        self._some = None if some is None else frozenset(some)
        self._painted: dict[str, Image] = {}
        self.card_mm = art.card_mm
        self.cutout = art.cutout

    def picture(self, face: str, side: str) -> Image:
        """Give one side of a card, (h, w, 3) uint8 BGR."""
        height, width = self.cutout.shape[:2]
        if side == BACK:
            return self._art.picture(face, side) if self._back is None else self._back("", (width, height))
        if self._some is not None and face not in self._some:
            return self._art.picture(face, side)
        if face not in self._painted:
            self._painted[face] = self._paint(face, (width, height))
        return self._painted[face]


def disguised(
    paint: Paint, some: Collection[str] | None = None, back: Paint | None = None
) -> Callable[[CardArt], CardArt]:
    """Give what makes the faces of some cards (None: of all), and their backs, look otherwise."""
    return lambda art: _Disguise(art, paint, some, back)
