"""Finds the two most similar faces of a deck under a lamp: draws cards as seen, and reads them."""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np

from vision.arrays import Floats, Image
from vision.channels import largest
from vision.deck import Deck, Face
from vision.read.rectify import Pyramid
from vision.read.verifier import Verifier


@dataclass(frozen=True)
class DrawnParams:
    """Parameters of drawing a card as a camera sees it."""

    pairs: int = 2  # most similar pairs; both cards of each are drawn and read
    columns: int = 32
    rows: int = 48
    most_a_cell: float = 0.25  # of white: a larger difference counts no more
    turn_deg: float = 7.0
    blur_px: float = 0.7
    noise_levels: float = 2.0
    table: float = 70.0  # levels under a white lamp
    margin_mm: float = 15.0
    safe: float = 20.0  # log-odds: twice the reader's, for a drawing lacks gloss and shadows


DRAWN = DrawnParams()

_MEANING = ("kind", "colour", "mood", "room")


@dataclass(frozen=True)
class ClosestPrints:
    """Two faces, by their ids, the log-odds between them, and whether they suffice."""

    one: str
    other: str
    odds: float
    is_enough: bool


class UnderLamp:
    """Draws cards of a deck under lamps, and reads them. Construction takes some tenths of a second, a card less."""

    def __init__(self, deck: Deck) -> None:
        self._deck = deck
        self._pairs = _nearest(deck)
        self._verifier = Verifier(deck)

    def closest(self, white: Floats, px_per_mm: float) -> ClosestPrints | None:
        """Return the two faces with the least log-odds where white paper shows as `white` (3,), BGR 0..1.

        Return None for a deck with fewer than two faces.
        """
        ways = [way for one, other in self._pairs for way in ((one.id, other.id), (other.id, one.id))]
        found = [self.compared(one, other, white, px_per_mm) for one, other in ways]
        return min(found, key=lambda pair: (pair.is_enough, pair.odds), default=None)

    def compared(self, one: str, other: str, white: Floats, px_per_mm: float) -> ClosestPrints:
        """Return the log-odds of face `one` against `other` for a card that shows `one`."""
        deck, verifier = self._deck, self._verifier
        image, quad = _as_seen(deck, deck.face(one), white, px_per_mm)
        picture = Pyramid(image)
        ranks = verifier.ranker.rank(picture, quad[None], white)
        verdict = verifier.judge(picture, quad[None], ranks, white)[0]
        if verdict is None:
            return ClosestPrints(one, other, 0.0, False)
        if deck.faces[verdict.face].id != one:
            return ClosestPrints(one, other, -abs(verdict.margin), False)
        return ClosestPrints(one, other, verdict.margin, verdict.margin >= DRAWN.safe)


def _nearest(deck: Deck) -> list[tuple[Face, Face]]:
    """Return the pairs of faces that differ least, either way up, and have different meanings."""
    fronts = [face for face in deck.fronts if _meaning(face)] or deck.fronts
    if len(fronts) < 2:
        return []
    small = [cv2.resize(face.art, (DRAWN.columns, DRAWN.rows), interpolation=cv2.INTER_AREA) / 255.0 for face in fronts]
    arts = np.stack(small)
    gaps: list[tuple[float, int, int]] = []
    for k in range(1, len(fronts)):
        ways = [largest(np.abs(arts[:k] - turned)) for turned in (arts[k], arts[k, ::-1, ::-1])]
        off = np.min([np.minimum(way, DRAWN.most_a_cell).mean((1, 2)) for way in ways], axis=0)
        gaps += [(float(gap), i, k) for i, gap in enumerate(off) if not _mean_one(fronts[i], fronts[k])]
    return [(fronts[i], fronts[k]) for _, i, k in sorted(gaps)[: DRAWN.pairs]]


def _mean_one(one: Face, other: Face) -> bool:
    """Return whether two faces mean the same in their game, so that either reading is right."""
    return bool(_meaning(one)) and _meaning(one) == _meaning(other)


def _meaning(face: Face) -> list[tuple[str, str]]:
    """Return a face's attributes in a game; empty where unnamed, or where the game leaves it out."""
    return [(key, face.attributes[key]) for key in _MEANING if key in face.attributes]


def _as_seen(deck: Deck, face: Face, white: Floats, px_per_mm: float) -> tuple[Image, Floats]:
    """Return a card drawn as a camera sees it, and its corners (4, 2), the first side a shorter one."""
    width, height = deck.card_mm if deck.has_true_size else (63.0, 63.0 * deck.card_mm[1] / deck.card_mm[0])
    size = round((np.hypot(width, height) + 2 * DRAWN.margin_mm) * px_per_mm)
    cos, sin = np.cos(np.radians(DRAWN.turn_deg)), np.sin(np.radians(DRAWN.turn_deg))
    corners = np.array([[-width, -height], [width, -height], [width, height], [-width, height]]) / 2 * px_per_mm
    quad = corners @ np.array([[cos, sin], [-sin, cos]]) + size / 2 + 0.3
    rows, columns = face.art.shape[:2]
    art_corners = np.array([[0, 0], [columns, 0], [columns, rows], [0, rows]], np.float32) - 0.5
    step = width * px_per_mm / columns
    # Print finer than a pixel blurs, as in a lens.
    art = cv2.GaussianBlur(face.art, (0, 0), max(0.3, DRAWN.blur_px / max(step, 1e-3)))
    to_picture = cv2.getPerspectiveTransform(art_corners, quad.astype(np.float32))
    ground = np.full((size, size, 3), DRAWN.table, np.float32)
    seen = cv2.warpPerspective(art.astype(np.float32), to_picture, (size, size), flags=cv2.INTER_LINEAR)
    share = cv2.warpPerspective(np.ones((rows, columns), np.float32), to_picture, (size, size), flags=cv2.INTER_LINEAR)
    lit = (seen + ground * (1 - share[..., None])) * white
    noise = np.random.default_rng(1).normal(0, DRAWN.noise_levels, lit.shape)
    image = np.clip(np.rint(lit + noise), 0, 255).astype(np.uint8)
    return image, quad if width <= height else np.roll(quad, 1, axis=0)
