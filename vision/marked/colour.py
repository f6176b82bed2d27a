"""Measures the colour of print on a card: how it changes the light that the card's ground reflects.

Hue is measured in Oklab (Ottosson 2020), against the deck's palette as this picture shows it. Marks that the layout
has identified calibrate the colours under these lamps.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from vision.arrays import Floats
from vision.channels import largest, smallest
from vision.deck import Deck

_RGB_TO_LMS = np.array(
    [
        [0.4122214708, 0.5363325363, 0.0514459929],
        [0.2119034982, 0.6806995451, 0.1073969566],
        [0.0883024619, 0.2817188376, 0.6299787005],
    ]
)
_LMS_TO_LAB = np.array(
    [
        [0.2104542553, 0.7936177850, -0.0040720468],
        [1.9779984951, -2.4285922050, 0.4505937099],
        [0.0259040371, 0.7827717662, -0.8086757660],
    ]
)
_SRGB = np.arange(256) / 255
LINEAR = np.where(_SRGB <= 0.04045, _SRGB / 12.92, ((_SRGB + 0.055) / 1.055) ** 2.4)

NEUTRAL = np.ones(3)  # a lamp in which white is white
_DARK_WHITE, _CLIPPED_WHITE = 40.0, 250.0  # levels: no camera shows the tint of a darker white
_LEAST_OF_LAMP = 0.1
CLIPPED = 248
LEAST_CHROMA, GRAIN_CHROMA = 0.05, 0.02  # of print that nothing pales; of grain
LEAST_LIGHT = 0.02  # of print on black
_HALF = 0.5  # of the chroma of a card's palest visible mark


def lamp_of(whites: Floats) -> Floats:
    """Return the linear RGB (3,) of white, the greatest 1, from the levels (n, 3) RGB of white paper in a picture.

    Return `NEUTRAL` where no white paper shows its tint.
    """
    # Where one channel clips, the others still show the lamp's tint.
    shown = whites[(whites.max(1) > _DARK_WHITE) & (whites.min(1) < _CLIPPED_WHITE)]
    if not len(shown):
        return NEUTRAL
    light = linear_of(shown)
    return np.asarray(np.maximum(np.median(light / light.max(1, keepdims=True), axis=0), _LEAST_OF_LAMP))


def linear_of(levels: NDArray[np.uint8] | Floats) -> Floats:
    """Return the linear light, 0 to 1, of sRGB levels (...), 0 to 255, rounded to whole levels."""
    return np.asarray(LINEAR[levels if levels.dtype == np.uint8 else np.rint(levels).astype(np.intp)])


def linear_rgb(hexadecimal: str) -> Floats:
    """Return the linear RGB (3,) of `#rrggbb`."""
    return np.asarray(LINEAR[[int(hexadecimal[i : i + 2], 16) for i in (1, 3, 5)]])


def oklab(rgb: Floats) -> Floats:
    """Return the Oklab values (..., 3) of linear RGB (white = 1, 1, 1)."""
    return np.asarray(np.cbrt(np.maximum(rgb, 0) @ _RGB_TO_LMS.T) @ _LMS_TO_LAB.T)


def hue_deg(lab: Floats) -> Floats:
    """Return the hue angle (...) in degrees, 0 to 360."""
    return np.asarray(np.degrees(np.arctan2(lab[..., 2], lab[..., 1])) % 360)


def hues_on(levels: NDArray[np.uint8] | Floats, ground: Floats, side: str) -> Floats:
    """Return the hues (n,) in degrees of print on a ground (3,) or (n, 3), nan where levels (n, 3) have no colour."""
    printed = freed(levels, ground, side)
    lab = oklab(printed)
    strong = np.hypot(lab[:, 1], lab[:, 2]) > LEAST_CHROMA
    if side == "black":
        strong &= largest(printed) > LEAST_LIGHT
    return np.where(strong, hue_deg(lab), np.nan)


def hue_gap(a: Floats, b: Floats) -> Floats:
    """Return the signed difference a − b of hues in degrees, -180 to 180."""
    return np.asarray((a - b + 180) % 360 - 180)


def least_print(chroma: Floats, marks: NDArray[np.intp], side: str) -> Floats:
    """Return the least chroma (n,) that counts as print on cards with `marks` (n, 3), -1 for unseen.

    `chroma` (n, 3) is that of the marks. Haze and glare take the same share of colour from all of a white card's print.
    On black they add to print and ground alike, so the difference keeps its colour.
    """
    if side == "black":
        return np.full(len(chroma), LEAST_CHROMA)
    palest = np.where(marks >= 0, chroma, np.inf).min(axis=1)
    return np.asarray(np.clip(_HALF * palest, GRAIN_CHROMA, LEAST_CHROMA))


@dataclass(frozen=True, eq=False)
class Palette:
    """The n colours of all sides, side by side: `hues_deg` (n,), and the standard deviation of each, `sigmas_deg` (n,).

    `sides` (n,): the number of each colour's side.
    """

    sides: NDArray[np.intp]
    hues_deg: Floats
    sigmas_deg: Floats

    def likelihood(self, hues_deg: Floats, spread_deg: Floats) -> Floats:
        """Return the density (k, n) per degree of k hues under each colour; each hue has its own spread."""
        sigma = np.sqrt(self.sigmas_deg[None] ** 2 + spread_deg[:, None] ** 2)
        gap = hue_gap(hues_deg[:, None], self.hues_deg[None])
        return np.asarray(0.95 * np.exp(-0.5 * (gap / sigma) ** 2) / (sigma * np.sqrt(2 * np.pi)) + 0.05 / 360)

    def fitted(self, colours: NDArray[np.intp], hues_deg: Floats) -> Palette:
        """Return the palette of a picture with marks whose colour the layout has identified.

        `colours` (k,): index of each mark's colour; `hues_deg` (k,). A colour with few marks keeps its printed hue,
        shifted like its neighbours.
        """
        hues, sigmas = self.hues_deg.copy(), self.sigmas_deg.copy()
        shifts = np.full(len(hues), np.nan)
        for colour in range(len(hues)):
            gaps = hue_gap(hues_deg[colours == colour], self.hues_deg[colour])
            if len(gaps) >= 2:
                middle = np.median(gaps)
                shifts[colour] = middle * len(gaps) / (len(gaps) + 1)
                spread = 1.4826 * np.median(np.abs(gaps - middle))
                sigmas[colour] = np.hypot(max(spread, _SEEN_SIGMA_DEG), self.sigmas_deg[colour] / (len(gaps) + 1))
        known = ~np.isnan(shifts)
        near = np.exp(-0.5 * (hue_gap(hues[:, None], hues[known][None]) / _NEAR_HUE_DEG) ** 2)
        near *= self.sides[:, None] == self.sides[known][None]
        guess = (near * shifts[known]).sum(1) / (near.sum(1) + 0.5)
        return Palette(self.sides, (hues + np.where(known, shifts, guess)) % 360, sigmas)


# Errors of a printed hue under an unmeasured lamp: white ground cancels most of the lamp, black ground nothing of it.
PRINT_SIGMA_DEG = {"white": 13.0, "black": 18.0}
_SEEN_SIGMA_DEG, _NEAR_HUE_DEG = 5.0, 40.0


def printed_palette(deck: Deck, lamp: Floats = NEUTRAL) -> Palette:
    """Return the palette of the deck's description under a lamp, linear RGB (3,); white ground cancels it."""
    sides, hues, sigmas = [], [], []
    for number, side in enumerate(deck.background):
        ground = linear_rgb(deck.background[side])
        for colour in deck.palette[side].values():
            rgb = linear_rgb(colour)
            sides.append(number)
            hues.append(hue_deg(oklab(rgb / ground if side == "white" else (rgb - ground) * lamp)))
            sigmas.append(PRINT_SIGMA_DEG[side])
    return Palette(np.array(sides, np.intp), np.array(hues, np.float64), np.array(sigmas))


def like_ground(levels: NDArray[np.uint8] | Floats, ground: Floats, side: str) -> NDArray[np.bool_]:
    """Return whether levels look like a card's ground in any light: of its colour on white, as dark on black."""
    noise = 10.0
    if side == "white":
        shares = (levels + noise) / (ground + noise)
        least, most = smallest(shares), largest(shares)
        return np.asarray((least > 0.6) & (most < 1.5) & (most - least < 0.16 * most))
    off = levels - ground
    least, most = smallest(off), largest(off)
    return np.asarray((most < 28) & (least > -28) & (most - least < 20))


def freed(levels: NDArray[np.uint8] | Floats, ground: Floats, side: str) -> Floats:
    """Return linear print (..., 3) on a ground: its share of white ground, what it adds to black."""
    mark, bare = linear_of(levels), linear_of(ground)
    return np.asarray((mark + 0.002) / (bare + 0.002) if side == "white" else np.maximum(mark - bare, 0))
