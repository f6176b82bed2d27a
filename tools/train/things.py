"""Things on a table that are no cards, and hands: they are on, beside and under cards."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import cv2
import numpy as np

from tools.train.art import SHORT, Deck
from tools.train.canvas import NOBODY, Canvas, Shadow, placed, some_shadow
from tools.train.draw import (
    Floats,
    Image,
    Points,
    Random,
    colour,
    disc,
    fill_polygon,
    filled,
    frame,
    lines_of_text,
    noise,
    palette,
    pattern,
    picture,
    shape,
    word,
)
from tools.train.grounds import part_of


class Maker:
    """Puts things on a canvas whose cards have this aspect; grounds and other decks serve as textures."""

    def __init__(self, g: Random, canvas: Canvas, aspect: float, grounds: list[Image], decks: list[Deck]) -> None:
        self.g, self.canvas, self.aspect, self.grounds, self.decks = g, canvas, aspect, grounds, decks

    def put_something(self, on_cards: bool) -> None:
        """Put one random thing; small ones occur more often on cards."""
        weights = np.array([small if on_cards else large for _, large, small in _KINDS])
        _KINDS[self.g.choice(len(_KINDS), p=weights / weights.sum())][0](self)

    def somewhere(self) -> Points:
        """Return a random place on the canvas."""
        return self.g.uniform(0, self.canvas.side, 2)

    def mask(self) -> Image:
        """Return an empty mask of the canvas."""
        return np.zeros(self.canvas.image.shape[:2], np.uint8)

    def cloth(self, n: int) -> Floats:
        """Return an image (n, n, 3) of a ground or of one colour."""
        if self.g.random() < 0.5:
            return part_of(self.g, self.grounds[self.g.integers(0, len(self.grounds))], n).astype(np.float32)
        return filled(n, n, colour(self.g))

    def size_of_no_card(self, least: float, most: float) -> tuple[float, float]:
        """Return sides (short, long) in px of a rectangle that differs by 20 % and more from a card."""
        while True:
            short = SHORT * self.g.uniform(least, most)
            long = short * self.g.uniform(1, 2.6)
            if max(abs(np.log(short / SHORT)), abs(np.log(long / (SHORT * self.aspect)))) > 0.2:
                return short, long

    def lay_flat(self, colours: Floats, size: tuple[float, float], rounding: float = 0) -> None:
        """Lay a rectangle of art (h, w, 3) of a size in px anywhere; `rounding` of its corners in shares of w."""
        h, w = colours.shape[:2]
        r, alpha = int(rounding * w), np.zeros((h, w), np.uint8)
        cv2.rectangle(alpha, (r, r), (w - 1 - r, h - 1 - r), 255.0, max(1, 2 * r))
        alpha[r : h - r, r : w - r] = 255
        art = np.dstack([np.clip(colours, 0, 255).astype(np.uint8), alpha])
        place = placed(size, (w, h), self.somewhere(), self.g.uniform(0, 6.3))
        self.canvas.lay(art, place, NOBODY, some_shadow(self.g, 4))


def _sheet(m: Maker) -> None:
    """Paper, notes, envelopes with a flap, ruled forms."""
    g = m.g
    short, long = m.size_of_no_card(0.3, 5)
    w, h = int(min(short, 300)), int(min(long, 300))
    art, kind = filled(h, w, colour(g, "white" if g.random() < 0.6 else "light")), g.random()
    if kind < 0.4:
        lines_of_text(g, art, (w * 0.06, h * 0.05, w * 0.94, h * 0.95), colour(g, "dark"), g.uniform(3, 9))
    elif kind < 0.6:
        fill_polygon(art, np.array([[0, 0], [w / 2, h * g.uniform(0.3, 0.6)], [w, 0]]), colour(g, "grey"), 1)
    elif kind < 0.75:
        art[:: int(g.integers(5, 14))] = colour(g)
    m.lay_flat(art, (short, long))


def _book(m: Maker) -> None:
    """Books, boxes, boards, photographs; every sixth one is a phone."""
    g = m.g
    short, long = m.size_of_no_card(0.5, 5)
    phone = g.random() < 0.17
    if phone:
        short = SHORT * g.uniform(1.05, 1.3)
        long = short * g.uniform(1.95, 2.2)
    w, h, kind = int(min(short, 240)), int(min(long, 300)), g.random()
    art = (
        picture(g, h, w)
        if kind < 0.4
        else pattern(g, h, w, g.uniform(4, 50))
        if kind < 0.6
        else filled(h, w, colour(g))
    )
    if g.random() < 0.4:
        text = "".join(g.choice(list("AEIRSTLN"), 6))
        word(art, text, (0.1 * w, 0.3 * h), int(g.integers(0, 6)), w * 0.12, colour(g), 2)
    if phone or g.random() < 0.4:
        frame(art, 0, max(1, 0.05 * w), colour(g, "dark" if phone else ""))
    elif g.random() < 0.4:  # the spine or a side of the box
        art[:, : max(2, w // 10)] *= np.float32(g.uniform(0.4, 0.8))
    m.lay_flat(art, (short, long), 0.12 if phone else g.choice([0, 0.03]))


def _other_card(m: Maker) -> None:
    """Draw a card of another size, which is not to be found."""
    deck = m.decks[m.g.integers(0, len(m.decks))]
    art = deck.faces[m.g.integers(0, len(deck.faces))]
    place = placed(m.size_of_no_card(0.5, 2), (art.shape[1], art.shape[0]), m.somewhere(), m.g.uniform(0, 6.3))
    m.canvas.lay(art, place, NOBODY, some_shadow(m.g, 3))


def _marker_card(m: Maker) -> None:
    g, rim = m.g, int(m.g.integers(1, 4))
    cells = np.full((6 + 2 * rim, 6 + 2 * rim, 3), g.uniform(200, 255), np.float32)
    cells[rim:-rim, rim:-rim] = g.uniform(5, 50)
    cells[rim + 1 : -rim - 1, rim + 1 : -rim - 1] = g.choice([25, 235], (4, 4, 1))
    side = SHORT * g.uniform(0.6, 1.0) * (6 + 2 * rim) / 6
    m.lay_flat(
        np.asarray(cv2.resize(cells, (96, 96), interpolation=cv2.INTER_NEAREST)), (side, side * g.choice([1, 1, 1.2]))
    )


def _dice(m: Maker) -> None:
    g = m.g
    for _ in range(g.integers(1, 5)):
        art = filled(30, 30, colour(g))
        for x, y in g.uniform(6, 24, (g.integers(1, 7), 2)):
            disc(art, x, y, 3, colour(g, "light" if art.mean() < 120 else "dark"))
        side = SHORT * g.uniform(0.15, 0.32)
        m.lay_flat(art, (side, side), 0.15)


def _rounds(m: Maker) -> None:
    """Coins and beads in a bunch, pawns, or a mug, plate, bell or bottle with a handle: stacked discs."""
    g, kind, middle = m.g, m.g.integers(0, 3), m.somewhere()
    for _ in range(1 if kind == 2 else g.integers(1, (13, 5)[kind])):
        x, y = middle if kind == 2 else middle + g.normal(0, SHORT * (0.5, 2)[kind], 2)
        radius, tints = SHORT * g.uniform(*((0.09, 0.22), (0.08, 0.18), (0.3, 1.4))[kind]), palette(g, 4)
        lean, mask = g.normal(0, 2 if kind != 1 else 8, 2), m.mask()
        disc(mask, x, y, radius, 255)
        if kind == 2 and g.random() < 0.5:
            way = g.uniform(0, 6.3)
            disc(mask, x + radius * np.cos(way), y + radius * np.sin(way), radius * 0.35, 255, 5)
        if kind == 1:
            disc(mask, x + lean[0], y + lean[1], radius * 0.75, 255)
        texture = filled(m.canvas.side, m.canvas.side, tints[0])
        for part, scale in ((0.2, 0.85), (0.6, 0.75), (1, g.uniform(0.3, 0.7))):
            tint = tints[int(3 * part)] if kind == 2 else np.clip(tints[0] * g.uniform(0.7, 1.3), 0, 255)
            disc(texture, x + lean[0] * part, y + lean[1] * part, radius * scale, tint)
        shape(g, texture, x + radius * 0.3, y - radius * 0.3, radius * 0.15, np.full(3, 250.0))
        m.canvas.cover(mask, texture, some_shadow(g, (3, 12, 14)[kind]))


def _long_thing(m: Maker) -> None:
    """Pens, cables, spoons, sticks."""
    g, mask, way, bend, width = m.g, m.mask(), m.g.uniform(0, 6.3), m.g.choice([0, 0, 0.3]), int(m.g.integers(2, 14))
    points = [m.somewhere()]
    for _ in range(g.integers(3, 20)):
        way += bend * g.standard_normal()
        points.append(points[-1] + 14 * np.array([np.cos(way), np.sin(way)]))
    cv2.polylines(mask, [np.round(points).astype(np.int32)], False, 255.0, width, cv2.LINE_AA)
    if g.random() < 0.3:
        disc(mask, points[-1][0], points[-1][1], width * 1.6, 255)
    m.canvas.cover(mask, colour(g), some_shadow(g, 6))


def _lump(m: Maker) -> None:
    """Cushions, fruit, bags, napkins."""
    g, mask = m.g, m.mask()
    x, y = m.somewhere()
    shape(g, mask, x, y, SHORT * g.uniform(0.2, 2), 255)
    mask = np.clip((cv2.GaussianBlur(mask, (0, 0), 3).astype(np.float32) - 100) * 6, 0, 255).astype(np.uint8)
    m.canvas.cover(mask, _rounded(g, mask, m.cloth(m.canvas.side), 0.3), some_shadow(g, 14))


def _rounded(g: Random, mask: Image, texture: Floats, reach: float) -> Floats:
    """Return a texture (n, n, 3), darker towards the outline of the mask, as on something round."""
    inside = cv2.distanceTransform((mask > 127).astype(np.uint8), cv2.DIST_L2, 3)
    light = np.float32(0.55) + np.float32(0.5) * np.sqrt(np.clip(inside / (SHORT * reach), 0, 1))
    return np.asarray(texture * light[..., None] + noise(g, mask.shape[0], mask.shape[1], 12, 1, 3) * np.float32(8))


_KINDS: tuple[tuple[Callable[[Maker], None], float, float], ...] = (  # how often beside or under cards, and on them
    (_sheet, 2, 0.7), (_book, 2.5, 0.6), (_other_card, 1, 0.5), (_marker_card, 2.5, 0.3), (_dice, 0.6, 2),
    (_rounds, 2.5, 3), (_long_thing, 1, 1), (_lump, 1, 1),
)  # fmt: skip


def put_hand(m: Maker) -> None:
    """Draw a hand with its arm from the rim of the picture."""
    g, n = m.g, m.canvas.side
    palm, mask = g.uniform(0.1, 0.9, 2) * n, m.mask()
    start = n * (0.5 + np.array([np.cos(way := g.uniform(0, 6.3)), np.sin(way)]))
    forth = (palm - start) / np.linalg.norm(palm - start)
    side = np.array([-forth[1], forth[0]])
    width = SHORT * g.uniform(0.9, 1.45)  # a palm is 70–90 mm wide

    def limb(a: Points, b: Points, thick: float) -> None:
        ends: list[Any] = [tuple(int(v) for v in np.round(p)) for p in (a, b)]
        cv2.line(mask, ends[0], ends[1], 255.0, max(3, int(thick)), cv2.LINE_AA)

    limb(start, palm, width * 0.85)
    turn, axes = float(np.degrees(np.arctan2(forth[1], forth[0]))), (int(width * 0.65), int(width * 0.52))
    cv2.ellipse(mask, (int(palm[0]), int(palm[1])), axes, turn, 0, 360, 255.0, -1, cv2.LINE_AA)
    for finger in np.flatnonzero(g.random(4) < 0.85) - 1.5:
        spread = g.normal(0, 0.15) + finger * 0.12
        knuckle = palm + forth * width * 0.5 + side * width * finger * 0.27
        limb(
            knuckle,
            knuckle + (forth * np.cos(spread) + side * np.sin(spread)) * width * g.uniform(0.3, 1),
            width * 0.24,
        )
    if g.random() < 0.8:
        left = g.choice([-1, 1])
        thumb = palm + side * left * width * 0.4
        limb(thumb, thumb + (forth * g.uniform(0.3, 1) + side * left) * width * 0.5, width * 0.26)
    texture = filled(n, n, g.uniform((55, 75, 100), (190, 205, 245)))
    if g.random() < 0.7:  # a sleeve up to the wrist or higher
        x, y = np.arange(n, dtype=np.float32)[None], np.arange(n, dtype=np.float32)[:, None]
        behind = (x - palm[0]) * forth[0] + (y - palm[1]) * forth[1] < -width * g.uniform(0.6, 1.6)
        texture = np.where(behind[..., None], m.cloth(n), texture)
    shadow = Shadow((g.uniform(-16, 16), g.uniform(-16, 16)), int(g.integers(2, 9)) * 2 + 1, g.uniform(0.05, 0.6))
    m.canvas.cover(mask, _rounded(g, mask, texture, 0.35), shadow)
