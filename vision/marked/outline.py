"""Measures a card's edges in the picture: steps in colour across the four sides of a hypothetical card."""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from vision.arrays import Floats
from vision.channels import largest
from vision.deck import Deck
from vision.marked.layouts import Hypotheses
from vision.marked.sampler import Sampler

PER_SIDE = 12
_REACH_MM = 3.0
_STEPS = 9
_LEAST_STEP = 7.0  # grey levels over one step of the profile


def corners_of(deck: Deck) -> Floats:
    """Return the corners (4, 2) of a card in mm, clockwise from the top-left."""
    width, height = deck.card_mm
    return np.array([[0.0, 0.0], [width, 0.0], [width, height], [0.0, height]])


@lru_cache(maxsize=4)
def edge_points(deck: Deck) -> tuple[Floats, Floats]:
    """Return points (4·PER_SIDE, 2) along the sides, clear of the round corners, and their outward normals."""
    corners = corners_of(deck)
    points, normals = [], []
    for k in range(4):
        start, end = corners[k], corners[(k + 1) % 4]
        along = (end - start) / np.linalg.norm(end - start)
        inset = deck.corner_radius_mm + 1.5
        at = np.linspace(inset, float(np.linalg.norm(end - start)) - inset, PER_SIDE)
        points.append(start + at[:, None] * along)
        normals.append(np.repeat([[along[1], -along[0]]], PER_SIDE, axis=0))
    return np.concatenate(points), np.concatenate(normals)


def edge_steps(sampler: Sampler, hypotheses: Hypotheses, deck: Deck) -> tuple[Floats, Floats]:
    """Measure the step across each edge point.

    Return (n, 4·PER_SIDE) the strongest step in grey levels (of any channel), and its place in mm outwards.
    """
    points, normals = edge_points(deck)
    offsets = np.linspace(-_REACH_MM, _REACH_MM, _STEPS)
    profile = points[:, None] + offsets[None, :, None] * normals[:, None]
    levels, _ = sampler.levels(hypotheses.to_table(profile.reshape(-1, 2)))
    levels = levels.reshape(len(hypotheses), len(points), _STEPS, 3).astype(np.int16)
    step = largest(np.abs(levels[:, :, 2:] - levels[:, :, :-2]))
    where = step.argmax(-1)
    return step.max(-1).astype(np.float64), offsets[1:-1][where]


def edge_support(steps: Floats, places_mm: Floats) -> Floats:
    """Return the share (n, 4) of each side's points with a clear step at the side."""
    good = (steps > _LEAST_STEP) & (np.abs(places_mm) < 1.2)
    return np.asarray(good.reshape(len(steps), 4, PER_SIDE).mean(-1))
