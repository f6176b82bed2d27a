"""A hand's shadow across a card: how deep it is and of what colour, by the margin; where it lies, by the print.

A shadow's edge is too steep for a light that changes smoothly, so to a fit its dark side looks like another print, or
like something that hides the card. White printed margin runs round the whole card: where it is grey, and not of skin's
colour, light is missing there. Where the edge crosses the print, each cell is given the depth at which the art and its
neighbours fit best, as matching costs are filtered in stereo (Hosni et al., Fast cost-volume filtering, CVPR 2011).
"""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np

from vision.arrays import Flags, Floats, Singles
from vision.prints.light_model import CAP

_LIT, _AS_BRIGHT = 90, 0.85  # percentile of a margin's light that is in no shadow, and what is about as bright
_SHADED, _LEAST = 0.7, 0.05  # of that light: what is darker is shaded; the share of a margin that must be
# Logarithms by which a shadow's channels differ from their mean: as other lamps reach into it; skin differs by more.
# A weak shadow has less colour, and a little more than noise makes of it.
_TINT, _FAINT = 0.45, 0.3
_DEEPEST = 10  # percentile of shaded cells: how deep the shadow goes
_STEP = 0.8  # of light, from one depth to the next
_FAR, _NEAR, _SOFT = 6.0, 2.0, 0.6  # cells: of a first guess, of a cell's neighbours, and of the shadow's edge
_BRIGHTER = 0.5  # of a cell's error: by how much less a depth must explain than no shadow does
_DARKEST = 1e-5


@dataclass(frozen=True, eq=False)
class Shadow:
    """A shadow: `lit_levels` (3,) of the white beside it, `depths` (n, 3) of that light from none to the deepest.

    `guess` (h, w, 3) is how much of the light reaches each cell of the card, as far as the margin tells.
    """

    lit_levels: Floats
    depths: Floats
    guess: Singles


def shadow_on(card: Singles, margin: Flags) -> Shadow | None:
    """The shadow that the margin (h, w) of a card's grey levels (h, w, 3) shows; None if it shows none."""
    light = np.maximum((card[margin].astype(np.float64) / 255) ** 2, _DARKEST)
    brightness = light.mean(axis=1)
    lit = light[brightness >= _AS_BRIGHT * np.percentile(brightness, _LIT)].mean(axis=0)
    channels = np.log(light / lit)
    depth = channels.mean(axis=1)
    tint = np.abs(channels - depth[:, None]).max(axis=1)
    grey = tint < _TINT * np.clip(-depth, _FAINT, 1)
    shaded = grey & (depth < np.log(_SHADED))
    if shaded.mean() < _LEAST:
        return None
    deepest = float(np.percentile(depth[shaded], _DEEPEST))
    colour = channels[shaded].mean(axis=0) / depth[shaded].mean()
    count = int(np.ceil(deepest / np.log(_STEP)))
    told = grey | (depth > np.log(_SHADED))
    known, depths = np.zeros((2, *margin.shape), np.float32)
    known[margin] = told
    depths[margin] = np.clip(depth, deepest, 0) * told
    near = cv2.GaussianBlur(depths, (0, 0), _FAR) / (cv2.GaussianBlur(known, (0, 0), _FAR) + _DARKEST)
    guess = np.where(known > 0, depths, np.clip(near, deepest, 0))
    return Shadow(
        255 * np.sqrt(lit),
        np.exp(np.linspace(0, deepest, count + 1)[:, None] * colour),
        np.exp(guess[..., None] * colour).astype(np.float32),
    )


def shade_of(
    shadow: Shadow, levels: Singles, print_levels: Singles, noise: Singles, cells: tuple[Flags, Flags]
) -> Singles:
    """How much of the light reaches each cell, (3, cells), if a card's grey levels (3, cells) show a print.

    `print_levels` (3, cells) is what it looks like in no shadow, `noise` (2, cells) the variance of the print and of
    the camera, all by the white in no shadow; `cells` are the used ones and the margin (h, w).
    """
    used, margin = cells
    weight = used.astype(np.float32)
    around = np.maximum(cv2.GaussianBlur(weight, (0, 0), _NEAR), _DARKEST)
    costs = np.zeros((len(shadow.depths), *used.shape), np.float32)
    for cost, depth in zip(costs, shadow.depths, strict=True):
        gap = print_levels * np.sqrt(depth)[:, None].astype(np.float32) - levels
        cost[used] = np.minimum((gap**2).sum(axis=0) / (noise[0] * np.float32(depth.mean()) + noise[1]), CAP)
        cost[:] = cv2.GaussianBlur(cost, (0, 0), _NEAR) / around
    costs[1:] += _BRIGHTER
    deep = costs.argmin(axis=0).astype(np.float32)
    # A shadow that a hand casts comes in over the margin, as the hand does.
    count, labels = cv2.connectedComponents((deep > 0).astype(np.uint8))
    comes_in = np.zeros(count, bool)
    comes_in[labels[margin & (deep > 0)]] = True
    deep *= comes_in[labels] * weight
    soft = cv2.GaussianBlur(deep, (0, 0), _SOFT) / np.maximum(cv2.GaussianBlur(weight, (0, 0), _SOFT), _DARKEST)
    by_step = np.log(shadow.depths[-1]) / (len(shadow.depths) - 1)
    return np.asarray(np.exp(soft[used] * by_step[:, None]), np.float32)
