"""Decks of synthetic cards: ten faces each, of one of many kinds of art."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import cv2
import numpy as np

from tools.train.draw import (
    Colour,
    Floats,
    Image,
    Random,
    colour,
    disc,
    filled,
    frame,
    lines_of_text,
    pattern,
    picture,
    shape,
    word,
)

SHORT = 56  # px of a card's short side in art and on the canvas: twice the network's scale
FACES = 10  # faces a deck; the last one is the back
_FINE = 2  # art is drawn larger by this and scaled down, which smooths it


@dataclass(frozen=True, eq=False)
class Deck:
    """Cards of one size: `faces` (h, SHORT, 4) BGRA, the last one a back; `aspect` is long side by short side."""

    aspect: float
    faces: tuple[Image, ...]

    def edge_colour(self, face: int) -> Colour:
        """Return the colour (3,) BGR that prevails along the rim of a face."""
        art = self.faces[face]
        rim = np.concatenate([art[2], art[-3], art[:, 2], art[:, -3]])[:, :3]
        return np.asarray(np.median(rim, axis=0), np.float64)


class _Painter:
    """Paints the faces of one deck, (h, w, 3) each, which share paper, inks, font, and the place of corner indices."""

    def __init__(self, g: Random, h: int, w: int) -> None:
        self.g, self.h, self.w = g, h, w
        self.base = colour(g, str(g.choice(["white", "light", "dark", ""], p=[0.38, 0.22, 0.24, 0.16])))
        self.inks = [colour(g, "vivid") if g.random() < 0.7 else colour(g) for _ in range(6)]
        self.font, self.figure, self.size = int(g.integers(0, 6)), int(g.integers(0, 1 << 30)), g.uniform(0.6, 1.4)
        self.corner, self.corners = g.uniform(0.08, 0.16, 2), 4 if g.random() < 0.3 else 2
        self.middle = int(g.integers(0, 5))

    def ink(self) -> Colour:
        """Return one of the deck's colours."""
        return self.inks[self.g.integers(0, 6)]

    def paper(self) -> Floats:
        """Return an empty face."""
        return filled(self.h, self.w, self.base)

    def _index(self, image: Floats, ink: Colour) -> None:
        sign, size = str(self.g.choice(list("A23456789JQK") + ["10"])), self.w * 0.11 * self.size
        dx, dy = self.corner
        for x, y in ((dx, dy), (1 - dx, 1 - dy), (1 - dx, dy), (dx, 1 - dy))[: self.corners]:
            at, below = (x * self.w, y * self.h), size * 1.1 * (1 if y < 0.5 else -1)
            word(image, sign, (at[0] - size * 0.4, at[1] + size * 0.4), self.font, size, ink, 2)
            shape(np.random.default_rng(self.figure), image, at[0], at[1] + below, size * 0.45, ink)

    def indexed(self) -> Floats:
        """Corner indices with pips, a framed picture, a number, a word or nothing between them."""
        g, h, w, image = self.g, self.h, self.w, self.paper()
        ink = self.inks[g.integers(0, 2)] if g.random() < 0.7 else colour(g, "dark")
        if self.middle < 2:
            count, columns = int(g.integers(1, 11)), int(g.choice([1, 2, 2, 3]))
            rows = -(-count // columns)
            for i in range(count):
                x = 0.5 if columns == 1 else 0.28 + 0.44 * (i % columns) / (columns - 1)
                y = 0.5 if rows == 1 else 0.15 + 0.7 * (i // columns) / (rows - 1)
                shape(np.random.default_rng(self.figure), image, x * w, y * h, w * 0.085 * self.size, ink)
        elif self.middle == 2:
            m = int(g.uniform(0.08, 0.2) * w)
            image[m:-m, m:-m] = picture(g, h - 2 * m, w - 2 * m)
            if g.random() < 0.7:
                frame(image, m, 1, colour(g, "dark"))
        elif self.middle == 3:
            sign = str(g.integers(0, 120))
            word(
                image,
                sign,
                (w * (0.5 - 0.17 * len(sign)), 0.5 * h + 0.2 * w),
                self.font,
                0.4 * w,
                ink,
                int(g.integers(2, 9)),
            )
        elif g.random() < 0.3:
            word(image, "JOKER", (0.1 * w, 0.55 * h), self.font, w * 0.13, ink, 2)
        self._index(image, ink)
        return image

    def marks(self) -> Floats:
        """Up to six figures anywhere, some cut by the edge; some faces are empty."""
        g, image = self.g, self.paper()
        low, high = (0.03, 0.1) if self.middle == 1 else (0.06, 0.3)
        for _ in range(g.integers(0, 2 if self.middle == 1 else 7)):
            x, y = g.uniform(-0.02, 1.02, 2) * (self.w, self.h)
            shape(g, image, x, y, g.uniform(low, high) * self.w, self.ink())
        return image

    def painted(self) -> Floats:
        """Art over the whole face, with or without roads as on tiles of a landscape."""
        g, h, w = self.g, self.h, self.w
        image = picture(g, h, w) if g.random() < 0.7 else pattern(g, h, w, g.uniform(20, 90))
        for _ in range(g.integers(1, 5) if self.middle == 0 else 0):
            end = np.array([w, h]) / 2 + w * np.array([np.cos(turn := g.uniform(0, 6.3)), np.sin(turn)])
            ink = tuple(float(v) for v in colour(g))
            cv2.line(
                image, (w // 2, h // 2), (int(end[0]), int(end[1])), ink, int(g.uniform(0.05, 0.25) * w), cv2.LINE_AA
            )
        return image

    def story(self) -> Floats:
        """Return a title, a picture and a box of text, or text alone."""
        g, h, w = self.g, self.h, self.w
        image = filled(h, w, self.ink() if g.random() < 0.7 else self.base)
        m, top, bottom = int(0.07 * w), int(g.uniform(0.06, 0.2) * h), int(g.uniform(0.5, 0.7) * h)
        if self.middle:
            image[top:bottom, m:-m] = picture(g, bottom - top, w - 2 * m)
        low = bottom + int(g.uniform(0.02, 0.1) * h) if self.middle else top
        image[low : h - m, m:-m] = colour(g, "light")
        lines_of_text(g, image, (2 * m, low + 4, w - 2 * m, h - 2 * m), colour(g, "dark"), g.uniform(7, 18))
        lines_of_text(g, image, (m, m, w * 0.7, top), colour(g, "dark"), top * 0.8)
        return image

    def emblem(self) -> Floats:
        """Return one big figure, often round, on paper; every other one is a head with eyes and a mouth."""
        g, w, image = self.g, self.w, self.paper()
        x, y, radius = w / 2, self.h / 2 + g.uniform(-0.04, 0.04) * w, w * g.uniform(0.25, 0.45)
        head = g.random() < 0.5
        if head and g.random() < 0.6:  # hair or a hat
            for side in (-0.9, 0.9):
                disc(image, x + side * radius, y - radius * 0.2, radius * g.uniform(0.3, 0.5), self.ink())
        if head or g.random() < 0.6:
            disc(image, x, y, radius, self.ink(), -1 if head else int(g.choice([-1, -1, 2, 6])))
        if not head:
            for _ in range(g.integers(1, 5)):
                dx, dy = g.normal(0, 0.06, 2) * w
                shape(g, image, x + dx, y + dy, radius * g.uniform(0.3, 0.8), self.ink())
            return image
        if g.random() < 0.5:
            disc(image, x, y, radius, colour(g, "dark"), max(1, int(radius * 0.06)))
        for side in (-0.4, 0.4):
            disc(image, x + side * radius, y - 0.25 * radius, radius * 0.2, colour(g, "light"))
            disc(image, x + side * radius, y - 0.25 * radius, radius * 0.1, colour(g, "dark"))
        disc(image, x, y + 0.05 * radius, radius * g.uniform(0.1, 0.25), colour(g, "vivid"))
        start, ink = int(g.choice([0, 180])), tuple(float(v) for v in colour(g, "vivid"))
        mouth, axes = (int(x), int(y + radius * (0.75 if start else 0.35))), (int(radius * 0.5), int(radius * 0.3))
        cv2.ellipse(image, mouth, axes, 0, start, start + 180, ink, max(2, int(radius * 0.12)), cv2.LINE_AA)
        return image

    def creature(self) -> Floats:
        """Return a figure of several parts on paper or on a painted ground."""
        g, w, main = self.g, self.w, self.ink()
        image = self.paper() if g.random() < 0.5 else picture(g, self.h, w) * np.float32(0.5) + np.float32(100)
        at = np.array([w, self.h]) / 2
        for _ in range(g.integers(4, 12)):
            shape(g, image, at[0], at[1], g.uniform(0.06, 0.24) * w, main if g.random() < 0.6 else colour(g))
            at = np.clip(at + g.normal(0, 0.14, 2) * w, 0.15 * w, [0.85 * w, self.h - 0.15 * w])
        return image

    def repeated(self) -> Floats:
        """Return one to three equal figures in a row, solid or in outline."""
        g, image, ink = self.g, self.paper(), self.ink()
        count, thick = int(g.integers(1, 4)), int(g.choice([-1, 2, 3]))
        figure, size = int(g.integers(0, 4)) + self.figure, g.uniform(0.14, 0.24) * self.w
        for i in range(count):
            shape(np.random.default_rng(figure), image, self.w / 2, self.h * (i + 1) / (count + 1), size, ink, thick)
        return image

    def back(self) -> Floats:
        """Return a pattern, a picture or one colour, mostly with a border."""
        g, h, w, kind = self.g, self.h, self.w, self.g.random()
        image = pattern(g, h, w, g.uniform(5, 40)) if kind < 0.6 else filled(h, w, colour(g))
        if kind > 0.8:
            image = picture(g, h, w)
        if g.random() < 0.5:
            shape(g, image, w / 2, h / 2, g.uniform(0.1, 0.4) * w, colour(g))
        if g.random() < 0.7:
            frame(image, 0, g.uniform(0.02, 0.12) * w, colour(g, "white"))
        return image


_Paint = Callable[[_Painter], Floats]
_KINDS: tuple[tuple[_Paint, float], ...] = (
    (_Painter.indexed, 4.5), (_Painter.marks, 4), (_Painter.painted, 2.5), (_Painter.story, 1.5),
    (_Painter.emblem, 2.5), (_Painter.creature, 1.5), (_Painter.repeated, 1.5), (_Painter.back, 0.5),
)  # fmt: skip


def _outline(h: int, w: int, radius: int) -> Image:
    """Return a mask (h, w), 255 within a card with rounded corners."""
    mask = np.zeros((h, w), np.uint8)
    cv2.rectangle(mask, (radius, radius), (w - 1 - radius, h - 1 - radius), 255.0, -1)
    return cv2.dilate(mask, cv2.getStructuringElement(cv2.MORPH_ELLIPSE, (2 * radius + 1, 2 * radius + 1)))


def make_deck(g: Random) -> Deck:
    """Return a deck of one kind of art, aspect, border, inner frame, rounding and back."""
    aspect = float(g.choice([1.0, 1.0, 88 / 63, 88 / 63, 88 / 57, 1.48, g.uniform(1, 1.82), g.uniform(1.3, 1.65)]))
    w, h = SHORT * _FINE, round(SHORT * _FINE * aspect)
    weights = np.array([weight for _, weight in _KINDS])
    paint, painter = _KINDS[g.choice(len(_KINDS), p=weights / weights.sum())][0], _Painter(g, h, w)
    border, inner = g.choice([0, 0, g.uniform(0.02, 0.12)]) * w, g.uniform(0.04, 0.14) * w * (g.random() < 0.25)
    border_colour, inner_colour = colour(g, "white") if g.random() < 0.5 else colour(g), colour(g)
    inner_width, outline = g.uniform(1, 5), _outline(h, w, int(g.choice([0, g.uniform(0.02, 0.12), 0.05]) * w))
    other_side = _Painter(g, h, w) if g.random() < 0.25 else None  # cards that show figures on both sides
    faces = []
    for number in range(FACES):
        back = number == FACES - 1
        image = np.ascontiguousarray(
            paint(painter) if not back else other_side.marks() if other_side else painter.back()
        )
        if border and not back:
            frame(image, 0, border, border_colour)
        if inner and not back:
            frame(image, inner, inner_width, inner_colour)
        if g.random() < 0.12:
            frame(image, 0, 1, colour(g, "grey"))
        art = np.dstack([np.clip(image, 0, 255).astype(np.uint8), outline])
        faces.append(np.asarray(cv2.resize(art, (SHORT, h // _FINE), interpolation=cv2.INTER_AREA), np.uint8))
    return Deck(faces[0].shape[0] / SHORT, tuple(faces))
