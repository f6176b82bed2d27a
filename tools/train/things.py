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
    """Makes things for tables whose cards have this aspect, from grounds and other decks as textures."""

    def __init__(self, g: Random, aspect: float, grounds: list[Image], decks: list[Deck]) -> None:
        self.g, self.aspect, self.grounds, self.decks = g, aspect, grounds, decks

    def put_something(self, canvas: Canvas, on_cards: bool) -> None:
        """Put one random thing on the canvas; small ones occur more often on cards."""
        weights = np.array([small if on_cards else large for _, large, small in _KINDS])
        _KINDS[self.g.choice(len(_KINDS), p=weights / weights.sum())][0](self, canvas)

    def cloth(self, n: int) -> Floats:
        """(n, n, 3) of a ground or of one colour."""
        if self.g.random() < 0.5:
            return part_of(self.g, self.grounds[self.g.integers(0, len(self.grounds))], n).astype(np.float32)
        return filled(n, n, colour(self.g))

    def size_of_no_card(self, least: float, most: float) -> tuple[float, float]:
        """Sides (short, long) in px of a rectangle that differs by 20 % and more from a card."""
        while True:
            short = SHORT * self.g.uniform(least, most)
            long = short * self.g.uniform(1, 2.6)
            if max(abs(np.log(short / SHORT)), abs(np.log(long / (SHORT * self.aspect)))) > 0.2:
                return short, long


def _lay_flat(m: Maker, canvas: Canvas, colours: Floats, size: tuple[float, float], rounding: float = 0) -> None:
    g = m.g
    h, w = colours.shape[:2]
    alpha = np.full((h, w), 255, np.uint8)
    if rounding:
        alpha[:] = 0
        r = int(rounding * w)
        cv2.rectangle(alpha, (r, r), (w - 1 - r, h - 1 - r), 255.0, 2 * r)
        cv2.rectangle(alpha, (r, r), (w - 1 - r, h - 1 - r), 255.0, -1)
    art = np.dstack([np.clip(colours, 0, 255).astype(np.uint8), alpha])
    place = placed(size, (w, h), g.uniform(0, canvas.side, 2), g.uniform(0, 6.3))
    canvas.lay(art, place, NOBODY, some_shadow(g, 4))


def _paper(m: Maker, canvas: Canvas) -> None:
    """Sheets, notes, rules, envelopes with a flap."""
    g = m.g
    short, long = m.size_of_no_card(0.3, 5)
    w, h = int(min(short, 300)), int(min(long, 300))
    art = filled(h, w, colour(g, "white" if g.random() < 0.6 else "light"))
    kind = g.random()
    if kind < 0.4:
        box = (w * 0.06, h * 0.05, w * 0.94, h * 0.95)
        lines_of_text(g, art, box, colour(g, "dark"), g.uniform(3, 9))
    elif kind < 0.6:
        fold = np.array([[0, 0], [w / 2, h * g.uniform(0.3, 0.6)], [w, 0]])
        fill_polygon(art, fold, colour(g, "grey"), 1)
    elif kind < 0.75:
        art[:: int(g.integers(5, 14))] = colour(g)
    _lay_flat(m, canvas, art, (short, long))


def _book(m: Maker, canvas: Canvas) -> None:
    """Books, boxes, boards, photographs: a rectangle with a picture, a pattern or one colour."""
    g = m.g
    short, long = m.size_of_no_card(0.5, 5)
    w, h = int(min(short, 240)), int(min(long, 300))
    kind = g.random()
    art = (
        picture(g, h, w)
        if kind < 0.4
        else pattern(g, h, w, g.uniform(4, 50))
        if kind < 0.6
        else filled(h, w, colour(g))
    )
    if g.random() < 0.4:
        word(
            art,
            "".join(g.choice(list("AEIRSTLN"), 6)),
            (0.1 * w, 0.3 * h),
            int(g.integers(0, 6)),
            w * 0.12,
            colour(g),
            2,
        )
    if g.random() < 0.4:
        frame(art, 0, max(1, 0.05 * w), colour(g))
    if g.random() < 0.4:  # the spine or a side of the box
        art[:, : max(2, w // 10)] *= np.float32(g.uniform(0.4, 0.8))
    _lay_flat(m, canvas, art, (short, long), g.choice([0, 0.03]))


def _phone(m: Maker, canvas: Canvas) -> None:
    g = m.g
    short = SHORT * g.uniform(1.05, 1.3)
    art = filled(150, 75, colour(g, "dark" if g.random() < 0.8 else "light"))
    if g.random() < 0.6:
        art[8:-8, 4:-4] = picture(g, 134, 67) * np.float32(g.uniform(0.4, 1.3))
    _lay_flat(m, canvas, art, (short, short * g.uniform(1.95, 2.2)), 0.12)


def _other_card(m: Maker, canvas: Canvas) -> None:
    """A card of another size: not what is searched for."""
    g = m.g
    deck = m.decks[g.integers(0, len(m.decks))]
    art = deck.faces[g.integers(0, len(deck.faces))]
    short, long = m.size_of_no_card(0.5, 2)
    place = placed((short, long), (art.shape[1], art.shape[0]), g.uniform(0, canvas.side, 2), g.uniform(0, 6.3))
    canvas.lay(art, place, NOBODY, some_shadow(g, 3))


def _marker_card(m: Maker, canvas: Canvas) -> None:
    g = m.g
    cells = np.full((8, 8, 3), g.uniform(200, 255), np.uint8)
    cells[1:7, 1:7] = g.uniform(5, 50)
    cells[2:6, 2:6] = g.choice([25, 235], (4, 4, 1))
    art = cv2.resize(cells, (80, 80), interpolation=cv2.INTER_NEAREST).astype(np.float32)
    side = SHORT * g.uniform(0.55, 1.35)
    _lay_flat(m, canvas, art, (side, side * (1.2 if g.random() < 0.3 else 1)))


def _coins(m: Maker, canvas: Canvas) -> None:
    """One to twelve coins, tokens or beads close together."""
    g = m.g
    middle, metal = g.uniform(0, canvas.side, 2), colour(g)
    for _ in range(g.integers(1, 13)):
        x, y = middle + g.normal(0, SHORT * 0.5, 2)
        radius = SHORT * g.uniform(0.09, 0.22)
        mask = np.zeros(canvas.image.shape[:2], np.uint8)
        disc(mask, x, y, radius, 255)
        canvas.cover(mask, np.float32(metal + g.normal(0, 15, 3)), some_shadow(g, 3))
        if g.random() < 0.7:
            disc(canvas.image, x, y, radius * 0.75, np.clip(metal * g.uniform(0.6, 1.3), 0, 255), 1)


def _dice(m: Maker, canvas: Canvas) -> None:
    g = m.g
    for _ in range(g.integers(1, 5)):
        art = filled(30, 30, colour(g))
        for _ in range(g.integers(1, 7)):
            x, y = g.uniform(6, 24, 2)
            disc(art, x, y, 3, colour(g, "light" if art.mean() < 120 else "dark"))
        side = SHORT * g.uniform(0.15, 0.32)
        _lay_flat(m, canvas, art, (side, side), 0.15)


def _pawns(m: Maker, canvas: Canvas) -> None:
    g = m.g
    for _ in range(g.integers(1, 5)):
        x, y = g.uniform(0, canvas.side, 2)
        tint, radius, lean = colour(g), SHORT * g.uniform(0.08, 0.18), g.normal(0, 8, 2)
        for part, scale in ((0.0, 1.0), (0.5, 0.6), (1.0, 0.75)):
            mask = np.zeros(canvas.image.shape[:2], np.uint8)
            disc(mask, x + lean[0] * part, y + lean[1] * part, radius * scale, 255)
            shadow = some_shadow(g, 12) if part == 0 else None
            canvas.cover(mask, np.float32(np.clip(tint * (0.8 + 0.3 * part), 0, 255)), shadow)


def _mug(m: Maker, canvas: Canvas) -> None:
    """Mugs, plates, bells, bottles from above: rings of several colours, some with a handle."""
    g = m.g
    x, y = g.uniform(0, canvas.side, 2)
    radius, tints = SHORT * g.uniform(0.3, 1.4), palette(g, 4)
    mask = np.zeros(canvas.image.shape[:2], np.uint8)
    disc(mask, x, y, radius, 255)
    if g.random() < 0.5:
        way = g.uniform(0, 6.3)
        disc(mask, x + radius * np.cos(way), y + radius * np.sin(way), radius * 0.35, 255, 5)
    texture = filled(canvas.side, canvas.side, tints[0])
    for i, scale in enumerate((0.9, 0.8, g.uniform(0.3, 0.7))):
        disc(texture, x + g.normal(0, 2), y + g.normal(0, 2), radius * scale, tints[i + 1])
    shape(g, texture, x + radius * 0.3, y - radius * 0.3, radius * 0.15, np.float64((250, 250, 250)))
    canvas.cover(mask, texture, some_shadow(g, 14))


def _long_thing(m: Maker, canvas: Canvas) -> None:
    """Pens, cables, spoons, glasses, sticks."""
    g = m.g
    mask = np.zeros(canvas.image.shape[:2], np.uint8)
    at, way = g.uniform(0, canvas.side, 2), g.uniform(0, 6.3)
    bend, width = g.choice([0, 0, 0.3]), int(g.integers(2, 14))
    points = [at]
    for _ in range(g.integers(3, 20)):
        way += g.normal(0, bend) if bend else 0
        points.append(points[-1] + 14 * np.array([np.cos(way), np.sin(way)]))
    cv2.polylines(mask, [np.int32(np.round(points))], False, 255.0, width, cv2.LINE_AA)
    if g.random() < 0.3:
        disc(mask, points[-1][0], points[-1][1], width * 1.6, 255)
    canvas.cover(mask, np.float32(colour(g)), some_shadow(g, 6))


def _blob(m: Maker, canvas: Canvas) -> None:
    """Cushions, fruit, bags, napkins: a lump of cloth."""
    g = m.g
    mask = np.zeros(canvas.image.shape[:2], np.uint8)
    x, y = g.uniform(0, canvas.side, 2)
    shape(g, mask, x, y, SHORT * g.uniform(0.2, 2), 255)
    mask = cv2.GaussianBlur(mask, (0, 0), 3)
    mask = np.asarray(np.clip((mask.astype(np.float32) - 100) * 6, 0, 255), np.uint8)
    canvas.cover(mask, _rounded_light(g, mask, m.cloth(canvas.side), 0.3), some_shadow(g, 14))


def _rounded_light(g: Random, mask: Image, texture: Floats, reach: float) -> Floats:
    """(n, n, 3) texture darker towards the outline of the mask, as on something round."""
    inside = cv2.distanceTransform((mask > 127).astype(np.uint8), cv2.DIST_L2, 3)
    height = np.sqrt(np.clip(inside / (SHORT * reach), 0, 1))[..., None]
    side = texture.shape[0]
    return texture * (np.float32(0.55) + np.float32(0.5) * height) + noise(g, side, side, 12, 1, 3) * np.float32(8)


_Kind = tuple[Callable[[Maker, Canvas], None], float, float]
_KINDS: tuple[_Kind, ...] = (  # how often beside or under cards, and on them
    (_paper, 2, 0.7), (_book, 2, 0.4), (_phone, 0.7, 0.3), (_other_card, 1, 0.5), (_marker_card, 1, 0.3),
    (_coins, 1, 1), (_dice, 0.6, 2), (_pawns, 0.6, 2), (_mug, 1.5, 1), (_long_thing, 1, 1), (_blob, 1, 1),
)  # fmt: skip


def put_hand(m: Maker, canvas: Canvas) -> None:
    """A hand with its arm, or two fingers that hold something, from the rim of the picture."""
    g, n = m.g, canvas.side
    palm = g.uniform(0.1, 0.9, 2) * n
    start = np.array([n / 2, n / 2]) + n * np.array([np.cos(way := g.uniform(0, 6.3)), np.sin(way)])
    forth = (palm - start) / np.linalg.norm(palm - start)
    side = np.array([-forth[1], forth[0]])
    width = SHORT * g.uniform(0.9, 1.45)  # a palm is 70–90 mm wide
    mask = np.zeros((n, n), np.uint8)

    def limb(a: Points, b: Points, thick: float) -> None:
        ends: list[Any] = [tuple(int(v) for v in np.round(p)) for p in (a, b)]
        cv2.line(mask, ends[0], ends[1], 255.0, max(3, int(thick)), cv2.LINE_AA)

    limb(start, palm, width * 0.85)
    turn = float(np.degrees(np.arctan2(forth[1], forth[0])))
    axes = (int(width * 0.65), int(width * 0.52))
    cv2.ellipse(mask, (int(palm[0]), int(palm[1])), axes, turn, 0, 360, 255.0, -1, cv2.LINE_AA)
    for finger in range(4):
        if g.random() < 0.85:
            spread = g.normal(0, 0.15) + (finger - 1.5) * 0.12
            knuckle = palm + forth * width * 0.5 + side * width * (finger - 1.5) * 0.27
            limb(
                knuckle,
                knuckle + (forth * np.cos(spread) + side * np.sin(spread)) * width * g.uniform(0.3, 1),
                width * 0.24,
            )
    if g.random() < 0.8:
        left = g.choice([-1, 1])
        root = palm + side * left * width * 0.4
        limb(root, root + (forth * g.uniform(0.3, 1) + side * left) * width * 0.5, width * 0.26)
    texture = filled(n, n, g.uniform((55, 75, 100), (190, 205, 245)))
    if g.random() < 0.7:  # a sleeve up to the wrist or higher
        x, y = np.arange(n, dtype=np.float32)[None], np.arange(n, dtype=np.float32)[:, None]
        behind = (x - palm[0]) * forth[0] + (y - palm[1]) * forth[1] < -width * g.uniform(0.6, 1.6)
        texture = np.where(behind[..., None], m.cloth(n), texture)
    shadow = Shadow((g.uniform(-16, 16), g.uniform(-16, 16)), int(g.integers(2, 9)) * 2 + 1, g.uniform(0.05, 0.6))
    canvas.cover(mask, _rounded_light(g, mask, texture, 0.35), shadow)
