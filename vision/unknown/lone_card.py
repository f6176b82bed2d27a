"""A card that lies alone: the light area with four straight sides, where no other card tells a size."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import fields

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.quads import within_quads
from vision.unknown.card_borders import printed_share
from vision.unknown.card_corners import corner_cuts
from vision.unknown.card_edges import SideFit, fit_sides
from vision.unknown.card_kin import stands_out
from vision.unknown.card_plane import CardPlane, shape_of
from vision.unknown.card_votes import agree_on_planes
from vision.unknown.closed_lines import four_sides
from vision.unknown.marker_sheets import holds_marker
from vision.unknown.paper import darker_all_round
from vision.unknown.ruled_sheets import are_ruled
from vision.unknown.view import View

Floats = NDArray[np.float32]

_SCALE = 0.25
_LEVELS, _RANGE = 16, (2, 98)  # percentiles of a channel
_GRAIN = 5  # reduced pixels: what is thinner is no card
_LEAST, _MOST = 0.02, 0.5  # of the picture's area: what is smaller is found by straight edges
_REACH_PX = 8.0
_WHOLLY, _PLAIN = 0.9, 6.0  # of each side; weighted 8-bit Lab
_ONE_GROUND, _BARE = 0.2, 0.012  # oddness; share of its area that is printed
_ROUNDED = 0.004  # by its width, at each corner
_SAMPLES = 48


def lone_card(view: View, found: tuple[SideFit, CardPlane | None]) -> tuple[SideFit, CardPlane | None]:
    """The cards `found` and their plane; or, if that is none or one, the card that stands out as an area, about it.

    On a grained table lines as straight as a card's edges meet them everywhere, and no other card tells edges from
    frames.
    """
    (cards, _), lab = found, view.lab
    if len(cards.quads) > 1:
        return found
    quads = np.concatenate([np.zeros((0, 4, 2), np.float32), *(quad[None] for quad in _areas(lab))])
    quads = quads[~holds_marker(quads, view.markers)]
    if len(cards.quads):
        quads = quads[np.array([within_quads(cards.quads[0], quad[None]).all() for quad in quads], bool)]
    if len(quads) == 0:
        return found
    fit = _plain_cards(lab, fit_sides(lab, fit_sides(lab, quads, _REACH_PX, _SAMPLES).quads, 2.0, _SAMPLES))
    for k in np.argsort(-fit.rise.mean(axis=1) * fit.support.min(axis=1), kind="stable"):
        card = fit.take(np.array([k]))
        planes = agree_on_planes(card.quads, np.ones(1, np.float32), view.size_wh)
        if planes and np.nanmin(corner_cuts(lab, card, planes[0].size[1] / planes[0].size[0])) > _ROUNDED:
            return card, planes[0]
    return found


def _plain_cards(lab: NDArray[np.uint8], fit: SideFit) -> SideFit:
    """Those that are seen all round, darker beyond each side, of one ground with print on it, and end at their corners.

    Each begins with a shorter side.
    """
    plain = (fit.support.min(axis=1) > _WHOLLY) & (fit.contrast_beyond().min(axis=1) > _PLAIN)
    plain &= darker_all_round(fit.beyond, fit.inside) & (fit.oddness() < _ONE_GROUND)
    fit = fit.take(plain & (printed_share(lab, fit.quads) > _BARE))
    fit = fit.take(stands_out(lab, fit) & ~are_ruled(lab, fit.quads))
    long_first = ~shape_of(np.asarray(fit.quads, np.float64))[1]
    parts = {part.name: getattr(fit, part.name) for part in fields(fit)}
    turned = {name: np.where(_as(long_first, part), np.roll(part, -1, axis=1), part) for name, part in parts.items()}
    return SideFit(**turned)


def _as(which: NDArray[np.bool_], part: Floats) -> NDArray[np.bool_]:
    """The choice (n,) in the shape of a part (n, ...)."""
    return which.reshape(-1, *(1,) * (part.ndim - 1))


def _areas(lab: NDArray[np.uint8]) -> Iterator[Floats]:
    """The corners (4, 2), clockwise, of areas with four sides that are lighter, bluer or yellower than some level."""
    small = cv2.resize(lab, None, fx=_SCALE, fy=_SCALE, interpolation=cv2.INTER_AREA)
    height, width = small.shape[:2]
    for channel, way in ((0, 1), (2, -1), (2, 1)):
        values = cv2.medianBlur(np.ascontiguousarray(small[..., channel]), _GRAIN).astype(np.int16) * way
        low, high = np.percentile(values, _RANGE).tolist()
        levels = np.unique(np.linspace(low, high, _LEVELS).astype(np.int16))
        for level in levels:
            mask = np.asarray(values > level, np.uint8)
            for contour in cv2.findContours(mask, cv2.RETR_EXTERNAL, cv2.CHAIN_APPROX_NONE)[0]:
                x, y, w, h = cv2.boundingRect(contour)
                if x == 0 or y == 0 or x + w == width or y + h == height:
                    continue
                if _LEAST < cv2.contourArea(contour) / mask.size < _MOST:
                    quad = four_sides(np.asarray(contour))
                    if quad is not None:
                        yield np.asarray((quad + 0.5) / _SCALE - 0.5, np.float32)
