"""Whether two cards that were put straight show the same print: by where they differ most, not by how much in all.

Two clowns that differ by a hat are alike nearly everywhere; two sightings of one clown differ a little everywhere, by
noise, light and an outline that is off by a pixel. So light is fitted and taken off, a pixel's shift is forgiven, and
what counts is the worst small window.
"""

from __future__ import annotations

import cv2
import numpy as np

from vision.arrays import Singles
from vision.channels import largest
from vision.teaching.straighten import brought_onto, turned

_SMALL = 24
_WINDOW = 9  # px of art: four millimetres and a half
_RIM = 5  # px: there the table may look in
_LIGHT = 1 / 3  # of a card's length: light changes no faster
_MOST_LIGHT, _MOST_TINT = 1.6, 1.12
SAME, OTHER = 0.05, 0.08
"""Differences up to which two sightings are surely of one print, and from which surely of two."""


def small(card: Singles) -> Singles:
    """A card (h, w, 3) as a small sheet that is quick to compare."""
    return np.asarray(cv2.resize(card, (_SMALL, _SMALL), interpolation=cv2.INTER_AREA), np.float32)


def rough_difference(one: Singles, other: Singles) -> float:
    """Return how far two small sheets are apart, but for their brightness."""
    gain = float(np.clip((one * other).sum() / max(float((other * other).sum()), 1e-6), 0.6, 1.6))
    return float(np.sqrt(np.mean((one - gain * other) ** 2)))


def best_turn(one: Singles, other: Singles, turns: tuple[int, ...]) -> tuple[float, int]:
    """The turn by quarters in which the other small sheet is nearest to the one, and how near."""
    return min((rough_difference(one, np.rot90(other, turn)), turn) for turn in turns)


def laid_on(one: Singles, other: Singles, turn: int) -> Singles:
    """The other card turned, brought onto the one and put into its light, (h, w, 3)."""
    lying = brought_onto(one, turned(other, turn))
    return np.asarray(lying * _light_between(one, lying), np.float32)


def difference(one: Singles, other: Singles) -> float:
    """Return how much two cards differ in the worst window, 0 to 1; the other is laid on the one."""
    return float(differences(one, other).max())


def differences(one: Singles, other: Singles) -> Singles:
    """Return how much two cards differ about every pixel within their rims."""
    one, other = (np.asarray(cv2.GaussianBlur(np.clip(c, 0, 1), (3, 3), 0), np.float32) for c in (one, other))
    kernel = np.ones((3, 3), np.uint8)
    beyond = np.maximum(one - cv2.dilate(other, kernel), cv2.erode(other, kernel) - one)
    back = np.maximum(other - cv2.dilate(one, kernel), cv2.erode(one, kernel) - other)
    off = largest(np.maximum(np.maximum(beyond, back), 0))
    about = cv2.boxFilter(off, -1, (_WINDOW, _WINDOW), borderType=cv2.BORDER_REFLECT)
    return np.asarray(about[_RIM:-_RIM, _RIM:-_RIM], np.float32)


def _light_between(one: Singles, other: Singles) -> Singles:
    """(h, w, 1 or 3) by how much brighter the one's light is; it changes slowly, and is of one tint."""
    sigma = one.shape[0] * _LIGHT
    # Dark print says nothing of the light, and where light has clipped only the other card shows print.
    weight = (np.minimum(one, other).mean(axis=2) > 0.15).astype(np.float32) * (largest(np.maximum(one, other)) < 1)
    weight += 1e-3
    tint = np.array(
        [
            np.sum(weight * one[..., channel]) / max(float(np.sum(weight * other[..., channel])), 1e-6)
            for channel in range(3)
        ]
    )
    # Both are under white light as far as that is known: a tint beyond that is print.
    tint *= np.clip(tint / tint.mean(), 1 / _MOST_TINT, _MOST_TINT) / (tint / tint.mean())
    grey, lit = one.mean(axis=2) * weight, (other * tint).mean(axis=2) * weight
    slow = cv2.GaussianBlur(grey, (0, 0), sigma) / np.maximum(cv2.GaussianBlur(lit, (0, 0), sigma), 1e-4)
    gain = slow[..., None] * tint
    return np.asarray(np.clip(gain, 1 / _MOST_LIGHT, _MOST_LIGHT), np.float32)
