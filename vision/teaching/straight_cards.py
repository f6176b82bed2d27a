"""Cards put straight at the scale of taught art, as they would look under white light.

A picture's levels are taken as they are, in the picture's own gamma: a lamp multiplies them there, too.
"""

from __future__ import annotations

from collections.abc import Sequence

import cv2
import numpy as np

from vision.arrays import Flags, Floats, Image, Singles
from vision.channels import largest, smallest
from vision.deck import ART_PX_PER_MM
from vision.markers import Marker, white_of
from vision.read.rectify import Pyramid
from vision.teaching.lesson_cards import CardSize

_DARKEST = 0.08  # of full: darker paper shows no colour
_ALIKE, _MOST_TINT = 0.06, 0.35  # of the mean of a white's channels: whites that agree; a lamp's own colour
_PAPER, _BRIGHT = 0.10, 0.7  # how far paper's channels differ; how bright it is by the card's brightest tenth
_MUCH, _EVERYWHERE = 0.35, 0.12  # of the card, and of each of its quarters
_MOST_SLOPE = 1.5
_STEP = 0.02  # of the brightest tenth, a pixel: no light falls off so fast
_AN_AREA, _AS_BRIGHT = 0.01, 0.9  # of the card; of the largest area of paper: what else is paper


def straight_cards(image_bgr: Image, quads_px: Floats, size: CardSize, markers: Sequence[Marker]) -> list[Singles]:
    """Return the rectified cards (n, 4, 2) of one picture under white light, (h, w, 3) levels 0 to 1."""
    if not len(quads_px):
        return []
    width, height = (round(side * ART_PX_PER_MM) for side in size.mm)
    cards = np.nan_to_num(Pyramid(image_bgr).straight(quads_px, height, width))
    white = white_of(image_bgr, markers)
    is_known = white is not None and float(white.max()) > _DARKEST
    paper = white if white is not None and is_known else _white_of_cards(cards)
    return [level(_under(card, paper), known_white=is_known) for card in cards]


def _under(card: Singles, white: Floats) -> Singles:
    """A card's levels (h, w, 3) as they would be where white paper has the level 1.

    No print is brighter than white paper: where it comes out so the lamp is nearer to the card than to the markers.
    """
    print_ = card / np.maximum(white, 1e-3).astype(np.float32)
    return np.asarray(np.clip(print_ / max(float(np.quantile(largest(print_), 0.97)), 1.0), 0, 1), np.float32)


def _white_of_cards(cards: Singles) -> Floats:
    """White paper (3,) as the cards of one picture show it, levels 0 to 1.

    The brightest of all cards counts as white; its tint is the lamp's only where most cards share it.
    """
    lights = [card.mean(axis=2) for card in cards]
    bright = [
        np.median(card[light >= np.quantile(light, 0.9)], axis=0) for card, light in zip(cards, lights, strict=True)
    ]
    whites = np.maximum(np.array(bright, np.float64), 1e-3)
    means = whites.mean(axis=1, keepdims=True)
    tint = np.median(whites / means, axis=0)
    is_lamp = np.mean(np.abs(whites / means - tint).max(axis=1) < _ALIKE) > 0.6 and np.abs(tint - 1).max() < _MOST_TINT
    return np.asarray(max(float(np.quantile(means, 0.9)), _DARKEST) * (tint / tint.mean() if is_lamp else np.ones(3)))


def level(card: Singles, *, known_white: bool) -> Singles:
    """The card (h, w, 3), levels 0 to 1, its paper equally bright all over; as it is where it has none.

    Unless white is known, from marker cards, the paper is also what white means: a lamp lights each card differently.
    """
    height, width = card.shape[:2]
    light = card.mean(axis=2)
    brightest = float(np.quantile(light, 0.9))
    grey = largest(card) - smallest(card) < _PAPER * brightest
    paper = _one_ground((light > _BRIGHT * brightest) & grey, light / brightest)
    quarters = paper[: height // 2 * 2, : width // 2 * 2].reshape(2, height // 2, 2, width // 2).mean(axis=(1, 3))
    if paper.mean() < _MUCH or quarters.min() < _EVERYWHERE:
        return card
    y, x = np.mgrid[-1 : 1 : height * 1j, -1 : 1 : width * 1j]
    terms = np.stack([np.ones_like(x), x, y, x * y, x * x, y * y], axis=-1)
    at = np.flatnonzero(paper.ravel())[:: max(1, int(paper.sum()) // 2000)]
    known = terms.reshape(-1, 6)[at]
    logs = np.log(np.maximum(light.ravel()[at], 1e-3))
    keep = np.ones(len(at), bool)
    for _ in range(3):
        slope = np.linalg.lstsq(known[keep], logs[keep], rcond=None)[0]
        off = np.abs(logs - known @ slope)
        # Print in a pale ink passes for paper at first.
        keep = off <= max(2.5 * float(np.median(off[keep])), 0.01)
    surface = terms @ slope
    gain = np.exp(np.clip(surface.max() - surface, 0, np.log(_MOST_SLOPE)))
    even = card * gain[..., None]
    if not known_white:
        even = even / np.median(even.reshape(-1, 3)[at[keep]], axis=0)
    return np.asarray(np.clip(even, 0, 1), np.float32)


def _one_ground(paper: Flags, light: Singles) -> Flags:
    """What of some paper (h, w) is as bright as its largest area; `light` (h, w) is by the card's brightest tenth.

    A grey panel in a card's middle begins at an edge; light has no edge. Without this test it would pass for a shadow.
    """
    soft = cv2.GaussianBlur(light, (0, 0), 1.0)
    down, across = np.gradient(soft)
    flat = (paper & (np.hypot(down, across) < _STEP)).astype(np.uint8)
    _, labels, stats, _ = cv2.connectedComponentsWithStats(flat)
    areas = 1 + np.flatnonzero(stats[1:, cv2.CC_STAT_AREA] >= _AN_AREA * light.size)
    if not len(areas):
        return np.zeros_like(paper)
    bright = np.array([np.median(light[labels == number]) for number in areas])
    largest = int(np.argmax(stats[areas, cv2.CC_STAT_AREA]))
    return np.asarray(np.isin(labels, areas[bright >= _AS_BRIGHT * bright[largest]]))
