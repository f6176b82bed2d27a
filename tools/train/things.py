"""Things on a table that are no cards, and hands: they are on, beside and under cards."""

from __future__ import annotations

from collections.abc import Callable

import cv2
import numpy as np

from tools.train import draw
from tools.train.art import SHORT, TrainingDeck
from tools.train.canvas import NOBODY, SceneCanvas, Shadow, placed, some_shadow
from tools.train.draw import Floats, Image, Points, Random
from tools.train.grounds import some_part


class Maker:
    """Puts things on a canvas whose cards have this aspect; grounds and other decks serve as textures."""

    def __init__(
        self, g: Random, canvas: SceneCanvas, aspect: float, grounds: list[Image], decks: list[TrainingDeck]
    ) -> None:
        self.g, self.canvas, self.aspect, self.grounds, self.decks = g, canvas, aspect, grounds, decks

    def put_some(self, number: int, on_cards: bool) -> None:
        """Put random things; small ones occur more often on cards."""
        for _ in range(number):
            draw.chosen(self.g, [(make, small if on_cards else large) for make, large, small in _KINDS])(self)

    def somewhere(self) -> Points:
        """Return a random place on the canvas."""
        return self.g.uniform(0, self.canvas.side, 2)

    def mask(self) -> Image:
        """Return an empty mask of the canvas."""
        return np.zeros(self.canvas.image.shape[:2], np.uint8)

    def cloth(self) -> Floats:
        """Return an image (n, n, 3) of a ground or of one colour, as large as the canvas."""
        n, g = self.canvas.side, self.g
        return some_part(g, self.grounds, n) if g.random() < 0.5 else draw.filled(n, n, draw.colour(g))

    def size_of_no_card(self, least: float, most: float) -> Points:
        """Return sides (short, long) in px of a rectangle that differs by 20 % and more from a card."""
        while True:
            size = SHORT * self.g.uniform(least, most) * np.array([1, self.g.uniform(1, 2.6)])
            if np.abs(np.log(size / (SHORT, SHORT * self.aspect))).max() > 0.2:
                return size

    def lay_flat(self, colours: Floats, size: Points, rounding: float = 0) -> None:
        """Lay a rectangle of art (h, w, 3) of a size in px anywhere; `rounding` of its corners in shares of w."""
        h, w = colours.shape[:2]
        r, alpha = int(rounding * w), np.zeros((h, w), np.uint8)
        cv2.rectangle(alpha, (r, r), (w - 1 - r, h - 1 - r), 255.0, max(1, 2 * r))
        alpha[r : h - r, r : w - r] = 255
        art = np.dstack([np.clip(colours, 0, 255).astype(np.uint8), alpha])
        place = placed((size[0], size[1]), (w, h), self.somewhere(), self.g.uniform(0, 6.3))
        self.canvas.lay(art, place, NOBODY, some_shadow(self.g, 4))

    def cover_round(self, mask: Image, texture: Floats, reach: float, shadow: Shadow) -> None:
        """Cover a mask with a texture (n, n, 3) that is darker towards the outline, as on something round."""
        inside = cv2.distanceTransform((mask > 127).astype(np.uint8), cv2.DIST_L2, 3)
        light = np.float32(0.55) + np.float32(0.5) * np.sqrt(np.clip(inside / (SHORT * reach), 0, 1))
        rough = np.float32(8) * draw.noise(self.g, mask.shape[0], mask.shape[1], 12)
        self.canvas.cover(mask, texture * light[..., None] + rough, shadow)


def _sheet(m: Maker) -> None:
    """Paper, notes, envelopes with a flap, ruled forms."""
    g, size = m.g, m.size_of_no_card(0.3, 5)
    w, h = np.minimum(size, 300).astype(int)
    art, kind = draw.filled(h, w, draw.colour(g, "white" if g.random() < 0.6 else "light")), g.random()
    if kind < 0.4:
        draw.lines_of_text(g, art, (w * 0.06, h * 0.05, w * 0.94, h * 0.95), draw.colour(g, "dark"), g.uniform(3, 9))
    elif kind < 0.6:
        draw.fill_polygon(art, np.array([[0, 0], [w / 2, h * g.uniform(0.3, 0.6)], [w, 0]]), draw.colour(g, "grey"), 1)
    elif kind < 0.75:
        art[:: int(g.integers(5, 14))] = draw.colour(g)
    m.lay_flat(art, size)


def _book(m: Maker) -> None:
    """Books, boxes, boards, photographs; every sixth one is a phone."""
    g, size, phone = m.g, m.size_of_no_card(0.5, 5), m.g.random() < 0.17
    if phone:
        size = SHORT * g.uniform(1.05, 1.3) * np.array([1, g.uniform(1.95, 2.2)])
    (w, h), kind = np.minimum(size, 280).astype(int), g.random()
    art = draw.picture(g, h, w) if kind < 0.4 else draw.pattern(g, h, w, g.uniform(4, 50))
    if kind > 0.6:
        art[:] = draw.colour(g)
    if g.random() < 0.4:
        text = "".join(g.choice(list("AEIRSTLN"), 6))
        draw.word(art, text, (0.1 * w, 0.3 * h), int(g.integers(0, 6)), w * 0.12, draw.colour(g), 2)
    if phone or g.random() < 0.4:
        draw.frame(art, 0, max(1, 0.05 * w), draw.colour(g, "dark" if phone else ""))
    elif g.random() < 0.4:  # the spine or a side of the box
        art[:, : max(2, w // 10)] *= np.float32(g.uniform(0.4, 0.8))
    m.lay_flat(art, size, 0.12 if phone else g.choice([0, 0.03]))


def _other_card(m: Maker) -> None:
    """Draw a card of another size, which is not to be found."""
    deck = m.decks[m.g.integers(0, len(m.decks))]
    m.lay_flat(deck.faces[m.g.integers(0, len(deck.faces))][..., :3], m.size_of_no_card(0.5, 2), m.g.choice([0, 0.08]))


def _marker_card(m: Maker) -> None:
    g, rim = m.g, int(m.g.integers(1, 4))
    cells = np.full((6 + 2 * rim, 6 + 2 * rim, 3), g.uniform(200, 255), np.float32)
    cells[rim:-rim, rim:-rim] = g.uniform(5, 50)
    cells[rim + 1 : -rim - 1, rim + 1 : -rim - 1] = g.choice([25, 235], (4, 4, 1))
    side = SHORT * g.uniform(0.6, 1.0) * (6 + 2 * rim) / 6
    m.lay_flat(cells.repeat(12, 0).repeat(12, 1), np.array([side, side * g.choice([1, 1, 1.2])]))


def _dice(m: Maker) -> None:
    for _ in range(m.g.integers(1, 5)):
        art = draw.filled(30, 30, draw.colour(m.g))
        for at in m.g.uniform(6, 24, (m.g.integers(1, 7), 2)):
            draw.disc(art, at, 3, draw.colour(m.g, "light" if art.mean() < 120 else "dark"))
        m.lay_flat(art, np.full(2, SHORT * m.g.uniform(0.15, 0.32)), 0.15)


def _rounds(m: Maker) -> None:
    """Coins and beads in a bunch, pawns, or a mug, plate, bell or bottle with a handle: stacked discs."""
    g, kind, middle = m.g, m.g.integers(0, 3), m.somewhere()
    for _ in range(1 if kind == 2 else g.integers(1, (13, 5)[kind])):
        at = middle + (0 if kind == 2 else g.normal(0, SHORT * (0.5, 2)[kind], 2))
        radius, tints = SHORT * g.uniform(*((0.09, 0.22), (0.08, 0.18), (0.3, 1.4))[kind]), draw.palette(g, 4)
        lean, mask = g.normal(0, 2 if kind != 1 else 8, 2), m.mask()
        draw.disc(mask, at, radius, 255)
        if kind == 2 and g.random() < 0.5:
            draw.disc(mask, at + radius * draw.way(g.uniform(0, 6.3)), radius * 0.35, 255, 5)
        if kind == 1:
            draw.disc(mask, at + lean, radius * 0.75, 255)
        texture = draw.filled(m.canvas.side, m.canvas.side, tints[0])
        for part, scale in ((0.2, 0.85), (0.6, 0.75), (1, g.uniform(0.3, 0.7))):
            tint = tints[int(3 * part)] if kind == 2 else np.clip(tints[0] * g.uniform(0.7, 1.3), 0, 255)
            draw.disc(texture, at + lean * part, radius * scale, tint)
        draw.shape(g, texture, at + radius * np.array([0.3, -0.3]), radius * 0.15, np.full(3, 250.0))
        m.canvas.cover(mask, texture, some_shadow(g, (3, 12, 14)[kind]))


def _long_thing(m: Maker) -> None:
    """Pens, cables, spoons, sticks."""
    g, mask, width, n = m.g, m.mask(), m.g.integers(2, 14), m.g.integers(4, 21)
    turns = g.uniform(0, 6.3) + np.cumsum(g.choice([0, 0, 0.3]) * g.standard_normal(n))
    points = m.somewhere() + 14 * np.cumsum(draw.way(turns), 1).T
    draw.line(mask, points, 255, width)
    if g.random() < 0.3:
        draw.disc(mask, points[-1], width * 1.6, 255)
    m.canvas.cover(mask, draw.colour(g), some_shadow(g, 6))


def _lump(m: Maker) -> None:
    """Cushions, fruit, bags, napkins."""
    mask = m.mask()
    draw.shape(m.g, mask, m.somewhere(), SHORT * m.g.uniform(0.2, 2), 255)
    mask = np.clip((cv2.GaussianBlur(mask, (0, 0), 3).astype(np.float32) - 100) * 6, 0, 255).astype(np.uint8)
    m.cover_round(mask, m.cloth(), 0.3, some_shadow(m.g, 14))


_KINDS: tuple[tuple[Callable[[Maker], None], float, float], ...] = (  # how often beside or under cards, and on them
    (_sheet, 2, 0.7), (_book, 2.5, 0.6), (_other_card, 1, 0.5), (_marker_card, 2.5, 0.3), (_dice, 0.6, 2),
    (_rounds, 2.5, 3), (_long_thing, 1, 1), (_lump, 1, 1),
)  # fmt: skip


def put_hand(m: Maker) -> None:
    """Draw a hand with its arm from the rim of the picture."""
    g, n, mask = m.g, m.canvas.side, m.mask()
    palm, start = g.uniform(0.1, 0.9, 2) * n, n * (0.5 + draw.way(g.uniform(0, 6.3)))
    forth = (palm - start) / np.linalg.norm(palm - start)
    side, width = np.array([-forth[1], forth[0]]), SHORT * g.uniform(0.9, 1.45)  # a palm is 70–90 mm wide
    draw.line(mask, np.array([start, palm]), 255, width * 0.85)
    draw.disc(mask, palm, width * 0.58, 255)
    for finger in np.flatnonzero(g.random(4) < 0.85) - 1.5:
        knuckle, spread = palm + (forth * 0.5 + side * finger * 0.27) * width, g.normal(0, 0.15) + finger * 0.12
        tip = knuckle + (forth * np.cos(spread) + side * np.sin(spread)) * width * g.uniform(0.3, 1)
        draw.line(mask, np.array([knuckle, tip]), 255, width * 0.24)
    if g.random() < 0.8:
        left = side * g.choice([-1, 1]) * width
        thumb = palm + left * 0.4
        draw.line(
            mask, np.array([thumb, thumb + forth * g.uniform(0.3, 1) * width * 0.5 + left * 0.5]), 255, width * 0.26
        )
    texture = draw.filled(n, n, g.uniform((55, 75, 100), (190, 205, 245)))
    if g.random() < 0.7:  # a sleeve up to the wrist or higher
        behind = (np.moveaxis(np.mgrid[:n, :n], 0, -1) - palm[::-1]) @ forth[::-1] < -width * g.uniform(0.6, 1.6)
        texture = np.where(behind[..., None], m.cloth(), texture)
    x, y = g.uniform(-16, 16, 2)
    m.cover_round(mask, texture, 0.35, Shadow((x, y), int(g.integers(2, 9)) * 2 + 1, g.uniform(0.05, 0.6)))
