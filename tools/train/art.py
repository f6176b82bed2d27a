"""Decks of synthetic cards: ten faces each, of one of many kinds of art."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import cv2
import numpy as np

from tools.train import draw
from tools.train.draw import Colour, Floats, Image, Place, Random

SHORT = 56  # px of a card's short side in art and on the canvas: twice the network's scale
FACES = 10  # faces a deck; the last one is the back
_FINE = 2  # art is drawn larger by this and scaled down, which smooths it


@dataclass(frozen=True, eq=False)
class TrainingDeck:
    """Cards of one size: `faces` (h, SHORT, 4) BGRA, the last one a back; `aspect` is long side by short side."""

    aspect: float
    faces: tuple[Image, ...]

    def edge_colour(self, face: int) -> Colour:
        """Return the colour (3,) BGR that prevails along the rim of a face."""
        art = self.faces[face]
        rim = np.concatenate([art[2], art[-3], art[:, 2], art[:, -3]])[:, :3]
        return np.asarray(np.median(rim, axis=0), np.float64)


class _Painter:
    """Paints the faces of one deck, (h, w, 3) each; they share paper, inks, font and places of indices."""

    def __init__(self, g: Random, h: int, w: int) -> None:
        self.g, self.h, self.w = g, h, w
        self.base = draw.colour(g, str(g.choice(["white", "light", "dark", ""], p=[0.38, 0.22, 0.24, 0.16])))
        self.inks = [draw.colour(g, "vivid") if g.random() < 0.7 else draw.colour(g) for _ in range(6)]
        self.font, self.figure, self.size = int(g.integers(0, 6)), int(g.integers(0, 1 << 30)), g.uniform(0.6, 1.4)
        self.corner, self.corners = g.uniform(0.08, 0.16, 2), 4 if g.random() < 0.3 else 2
        self.middle = int(g.integers(0, 5))

    def ink(self) -> Colour:
        """Return one of the deck's colours."""
        return self.inks[self.g.integers(0, 6)]

    def paper(self) -> Floats:
        """Return an empty face."""
        return draw.filled(self.h, self.w, self.base)

    def pip(self, image: Floats, at: Place, size: float, ink: Colour, number: int = 0, thick: int = -1) -> None:
        """Draw a figure that is the same on each face of the deck."""
        draw.shape(np.random.default_rng(self.figure + number), image, at, size, ink, thick)

    def indexed(self) -> Floats:
        """Corner indices with pips, a framed picture, a number, a word or nothing between them."""
        g, h, w, image = self.g, self.h, self.w, self.paper()
        ink = self.inks[g.integers(0, 2)] if g.random() < 0.7 else draw.colour(g, "dark")
        if self.middle < 2:
            count, columns = int(g.integers(1, 11)), int(g.choice([1, 2, 2, 3]))
            xs, ys = np.linspace(0.28, 0.72, columns), np.linspace(0.15, 0.85, -(-count // columns))
            for i in range(count):
                self.pip(image, (xs[i % columns] * w, ys[i // columns] * h), w * 0.085 * self.size, ink)
        elif self.middle == 2:
            m = int(g.uniform(0.08, 0.2) * w)
            image[m:-m, m:-m] = draw.picture(g, h - 2 * m, w - 2 * m)
            if g.random() < 0.7:
                draw.frame(image, m, 1, draw.colour(g, "dark"))
        elif self.middle == 3:
            sign = str(g.integers(0, 120))
            at = w * (0.5 - 0.17 * len(sign)), 0.5 * h + 0.2 * w
            draw.word(image, sign, at, self.font, 0.4 * w, ink, int(g.integers(2, 9)))
        elif g.random() < 0.3:
            draw.word(image, "JOKER", (0.1 * w, 0.55 * h), self.font, w * 0.13, ink, 2)
        sign, size = str(g.choice(list("A23456789JQK") + ["10"])), w * 0.11 * self.size
        dx, dy = self.corner
        for x, y in ((dx, dy), (1 - dx, 1 - dy), (1 - dx, dy), (dx, 1 - dy))[: self.corners]:
            draw.word(image, sign, (x * w - size * 0.4, y * h + size * 0.4), self.font, size, ink, 2)
            self.pip(image, (x * w, y * h + size * 1.1 * np.sign(0.5 - y)), size * 0.45, ink)
        return image

    def marks(self) -> Floats:
        """Up to six figures anywhere, some cut by the edge; some faces are empty."""
        g, image = self.g, self.paper()
        low, high, most = (0.03, 0.1, 2) if self.middle == 1 else (0.06, 0.3, 7)
        for at in g.uniform(-0.02, 1.02, (g.integers(0, most), 2)) * (self.w, self.h):
            draw.shape(g, image, at, g.uniform(low, high) * self.w, self.ink())
        return image

    def painted(self) -> Floats:
        """Art over the whole face, with or without roads as on tiles of a landscape."""
        g, h, w = self.g, self.h, self.w
        image = draw.picture(g, h, w) if g.random() < 0.7 else draw.pattern(g, h, w, g.uniform(20, 90))
        for _ in range(g.integers(1, 5) if self.middle == 0 else 0):
            road = np.outer([0, w], draw.way(g.uniform(0, 6.3))) + (w / 2, h / 2)
            draw.line(image, road, draw.colour(g), g.uniform(0.05, 0.25) * w)
        return image

    def story(self) -> Floats:
        """Return a title, a picture and a box of text, or text alone."""
        g, h, w = self.g, self.h, self.w
        image = draw.filled(h, w, self.ink() if g.random() < 0.7 else self.base)
        m, top, bottom = int(0.07 * w), int(g.uniform(0.06, 0.2) * h), int(g.uniform(0.5, 0.7) * h)
        if self.middle:
            image[top:bottom, m:-m] = draw.picture(g, bottom - top, w - 2 * m)
        low = bottom + int(g.uniform(0.02, 0.1) * h) if self.middle else top
        image[low : h - m, m:-m] = draw.colour(g, "light")
        draw.lines_of_text(g, image, (2 * m, low + 4, w - 2 * m, h - 2 * m), draw.colour(g, "dark"), g.uniform(7, 18))
        draw.lines_of_text(g, image, (m, m, w * 0.7, top), draw.colour(g, "dark"), top * 0.8)
        return image

    def emblem(self) -> Floats:
        """Return one big figure, often round, on paper; every other one is a head with eyes and a mouth."""
        g, w, image = self.g, self.w, self.paper()
        at, radius = np.array([w, self.h]) / 2 + (0, g.uniform(-0.04, 0.04) * w), w * g.uniform(0.25, 0.45)
        if g.random() < 0.5:
            if g.random() < 0.6:
                draw.disc(image, at, radius, self.ink(), int(g.choice([-1, -1, 2, 6])))
            for _ in range(g.integers(1, 5)):
                draw.shape(g, image, at + g.normal(0, 0.06, 2) * w, radius * g.uniform(0.3, 0.8), self.ink())
            return image
        hair, mouth = g.random() < 0.6, g.choice([-1, 1])  # a hat, too
        for side in (-0.9, 0.9) if hair else ():
            draw.disc(image, at + (side * radius, -radius * 0.2), radius * g.uniform(0.3, 0.5), self.ink())
        draw.disc(image, at, radius, self.ink())
        if g.random() < 0.5:
            draw.disc(image, at, radius, draw.colour(g, "dark"), max(1, int(radius * 0.06)))
        for eye in at + np.array([[-0.4, -0.25], [0.4, -0.25]]) * radius:
            draw.disc(image, eye, radius * 0.2, draw.colour(g, "light"))
            draw.disc(image, eye, radius * 0.1, draw.colour(g, "dark"))
        draw.disc(image, at + (0, 0.05 * radius), radius * g.uniform(0.1, 0.25), draw.colour(g, "vivid"))
        x = np.linspace(-0.5, 0.5, 12)
        curve = np.stack([x, 0.55 + mouth * (0.15 - 0.3 * (1 - 4 * x**2) ** 0.5)], 1) * radius
        draw.line(image, at + curve, draw.colour(g, "vivid"), max(2, radius * 0.12))
        return image

    def creature(self) -> Floats:
        """Return a figure of several parts on paper or on a painted ground."""
        g, w, main = self.g, self.w, self.ink()
        image = self.paper() if g.random() < 0.5 else draw.picture(g, self.h, w) * np.float32(0.5) + np.float32(100)
        at = np.array([w, self.h]) / 2
        for _ in range(g.integers(4, 12)):
            draw.shape(g, image, at, g.uniform(0.06, 0.24) * w, main if g.random() < 0.6 else draw.colour(g))
            at = np.clip(at + g.normal(0, 0.14, 2) * w, 0.15 * w, [0.85 * w, self.h - 0.15 * w])
        return image

    def repeated(self) -> Floats:
        """Return one to three equal figures in a row, solid or in outline."""
        g, image, ink = self.g, self.paper(), self.ink()
        count, thick = int(g.integers(1, 4)), int(g.choice([-1, 2, 3]))
        number, size = int(g.integers(0, 4)), g.uniform(0.14, 0.24) * self.w
        for i in range(count):
            self.pip(image, (self.w / 2, self.h * (i + 1) / (count + 1)), size, ink, number, thick)
        return image

    def back(self) -> Floats:
        """Return a pattern, a picture or one colour, mostly with a border."""
        g, h, w, kind = self.g, self.h, self.w, self.g.random()
        image = draw.pattern(g, h, w, g.uniform(5, 40)) if kind < 0.6 else draw.picture(g, h, w)
        if kind > 0.8:
            image[:] = draw.colour(g)
        if g.random() < 0.5:
            draw.shape(g, image, (w / 2, h / 2), g.uniform(0.1, 0.4) * w, draw.colour(g))
        if g.random() < 0.7:
            draw.frame(image, 0, g.uniform(0.02, 0.12) * w, draw.colour(g, "white"))
        return image


_KINDS: tuple[tuple[Callable[[_Painter], Floats], float], ...] = (
    (_Painter.indexed, 4.5), (_Painter.marks, 4), (_Painter.painted, 2.5), (_Painter.story, 1.5),
    (_Painter.emblem, 2.5), (_Painter.creature, 1.5), (_Painter.repeated, 1.5), (_Painter.back, 0.5),
)  # fmt: skip


def _outline(h: int, w: int, radius: int) -> Image:
    """Return a mask (h, w), 255 within a card with rounded corners."""
    mask = np.zeros((h, w), np.uint8)
    mask[radius : h - radius, radius : w - radius] = 255
    return cv2.dilate(mask, cv2.getStructuringElement(cv2.MORPH_ELLIPSE, (2 * radius + 1, 2 * radius + 1)))


def make_deck(g: Random) -> TrainingDeck:
    """Return a deck of one kind of art, aspect, border, inner frame, rounding and back."""
    aspect = float(g.choice([1.0, 1.0, 88 / 63, 88 / 63, 88 / 57, 1.48, g.uniform(1, 1.82), g.uniform(1.3, 1.65)]))
    w, h = SHORT * _FINE, round(SHORT * _FINE * aspect)
    paint, painter = draw.chosen(g, _KINDS), _Painter(g, h, w)
    border, inner = g.choice([0, 0, g.uniform(0.02, 0.12)]) * w, g.uniform(0.04, 0.14) * w * (g.random() < 0.25)
    border_colour, inner_colour = draw.colour(g, "white") if g.random() < 0.5 else draw.colour(g), draw.colour(g)
    inner_width, outline = g.uniform(1, 5), _outline(h, w, int(g.choice([0, g.uniform(0.02, 0.12), 0.05]) * w))
    # A quarter of the decks have figures on both sides.
    arts = [paint(painter) for _ in range(FACES - 1)]
    back = _Painter(g, h, w).marks() if g.random() < 0.25 else painter.back()
    for image in arts:
        if border:
            draw.frame(image, 0, border, border_colour)
        if inner:
            draw.frame(image, inner, inner_width, inner_colour)
    faces = []
    for image in (*arts, back):
        if g.random() < 0.12:
            draw.frame(image, 0, 1, draw.colour(g, "grey"))
        art = np.dstack([np.clip(image, 0, 255).astype(np.uint8), outline])
        faces.append(np.asarray(cv2.resize(art, (SHORT, h // _FINE), interpolation=cv2.INTER_AREA), np.uint8))
    return TrainingDeck(faces[0].shape[0] / SHORT, tuple(faces))
