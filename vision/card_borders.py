"""What is printed on cards: how much of them, and frames that are plainer than the edge of a card on a pale table."""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.card_edges import frames, sample_lab
from vision.card_plane import CardPlane

Floats = NDArray[np.float32]

_WIDEST = 0.17  # of a card's shorter side
_NARROWEST = 0.03
_STEP_PX = 0.5
_ALONG = np.linspace(0.1, 0.9, 24, dtype=np.float32)
_LEAST_CHANGE = 0.6  # weighted 8-bit Lab
_NOISE_FACTOR = 3.0
_MOST_SIDES = 0.7
_PROMINENT = 1.5
_MOST_CARDS = 16
_PRINT = 12.0  # what differs from a card's ground by more, in 8-bit Lab, is print


def beyond_frames(image_lab: NDArray[np.uint8], quads: Floats, plane: CardPlane) -> float:
    """How far beyond all sides of the cards `quads` (n, 4, 2) the same faint edge runs, in the plane's units; else 0.

    One side alone shows little, but a border is as wide on all sides of all cards, which no shadow and no gap between
    neighbours is.
    """
    if len(quads) == 0:
        return 0.0
    quads = quads[:_MOST_CARDS]
    short = plane.size[0]
    scale = np.linalg.norm(np.roll(quads, -1, axis=1) - quads, axis=2).sum(axis=1) / (2 * sum(plane.size))
    start, side, outward = frames(quads)
    reach = float(_WIDEST * short * scale.max()) + 3
    offsets = np.arange(-2, reach, _STEP_PX, dtype=np.float32)
    lab = sample_lab(image_lab, start, side, outward, _ALONG, offsets, True)
    profile = np.median(lab, axis=1)
    half = round(1 / _STEP_PX)
    change = np.zeros(profile.shape[:2], np.float32)
    change[:, half:-half] = np.linalg.norm(profile[:, 2 * half :] - profile[:, : -2 * half], axis=2)
    least = np.maximum(_LEAST_CHANGE, _NOISE_FACTOR * np.percentile(change, 30, axis=1))
    margins = np.arange(_NARROWEST * short, _WIDEST * short, 0.5)
    rows, scales = np.arange(len(change))[:, None], np.repeat(scale, 4)[:, None]
    place = np.clip(np.rint((margins * scales + 2) / _STEP_PX).astype(int), 0, len(offsets) - 1)
    nearby = np.max([change[rows, np.clip(place + k, 0, len(offsets) - 1)] for k in (-1, 0, 1)], axis=0)
    share = (nearby > least[:, None]).mean(axis=0)
    typical = np.median(change[rows, place], axis=0)
    # The frame's own edge fades first; only then may another come.
    rising = np.flatnonzero(np.diff(typical) > 0)
    if len(rising) == 0:
        return 0.0
    valley = int(rising[0])
    falling = np.flatnonzero(np.diff(typical[valley:]) < 0)
    peak = valley + int(falling[0]) if len(falling) else valley + int(typical[valley:].argmax())
    stands_out = typical[peak] > _PROMINENT * typical[valley] and share[peak] > _MOST_SIDES
    return float(margins[peak]) if stands_out else 0.0


def widened(quads: Floats, plane: CardPlane, margin: float) -> Floats:
    """The cards (n, 4, 2) with every side moved outward by `margin` in the plane's units."""
    corners = plane.to_plane(quads)
    u = np.roll(corners, -1, axis=1) - corners
    u /= np.maximum(np.linalg.norm(u, axis=2, keepdims=True), 1e-6)
    return np.asarray(plane.to_picture(corners + margin * (np.roll(u, 1, axis=1) - u)), np.float32)


def printed_share(image_lab: NDArray[np.uint8], quads: Floats) -> Floats:
    """The share of each card (n,) whose colour is not that of its ground."""
    t = np.linspace(0.08, 0.92, 24, dtype=np.float32)
    u, v = np.meshgrid(t, t)
    weight = np.stack([(1 - u) * (1 - v), u * (1 - v), u * v, (1 - u) * v]).reshape(4, -1)
    points = np.einsum("nkc,km->nmc", quads, weight).astype(np.float32)
    pixels = cv2.remap(image_lab, points[..., 0], points[..., 1], cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
    colours = np.asarray(pixels, np.float32).reshape(len(quads), -1, 3)
    away = np.linalg.norm(colours - np.median(colours, axis=1, keepdims=True), axis=2)
    return np.asarray((away > _PRINT).mean(axis=1), np.float32)
