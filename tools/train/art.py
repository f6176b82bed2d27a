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
        """(3,) BGR that prevails along the rim of a face."""
        art = self.faces[face]
        rim = np.concatenate([art[2], art[-3], art[:, 2], art[:, -3]])[:, :3]
        return np.asarray(np.median(rim, axis=0), np.float64)


@dataclass(frozen=True, eq=False)
class Style:
    """Choices that all faces of a deck share."""

    base: Colour
    colours: list[Colour]
    font: int
    figure: int
    corner: tuple[float, float]
    size: float
    many_corners: bool


def _style(g: Random) -> Style:
    base = colour(g, "white") if g.random() < 0.5 else colour(g, "light") if g.random() < 0.6 else colour(g)
    colours = [colour(g, "vivid") if g.random() < 0.7 else colour(g) for _ in range(6)]
    corner = (g.uniform(0.08, 0.16), g.uniform(0.07, 0.16))
    return Style(base, colours, int(g.integers(0, 6)), int(g.integers(0, 1 << 30)), corner, g.uniform(0.6, 1.4),
                 g.random() < 0.3)  # fmt: skip


def _pick(g: Random, style: Style) -> Colour:
    return style.colours[g.integers(0, 6)]


def _index(g: Random, image: Floats, style: Style, ink: Colour) -> None:
    """A sign and a figure in two or four corners, as on playing cards."""
    h, w = image.shape[:2]
    sign = str(g.choice(list("A23456789JQK") + ["10"]))
    size = w * 0.11 * style.size
    dx, dy = style.corner
    corners = [(dx, dy), (1 - dx, 1 - dy), (1 - dx, dy), (dx, 1 - dy)][: 4 if style.many_corners else 2]
    for x, y in corners:
        word(image, sign, (x * w - size * 0.4, y * h + size * 0.4), style.font, size, ink, 2)
        figure = np.random.default_rng(style.figure)
        shape(figure, image, x * w, y * h + (size * 1.1 if y < 0.5 else -size * 1.1), size * 0.45, ink)


def _marks(g: Random, h: int, w: int, style: Style) -> Floats:
    image = filled(h, w, style.base)
    for _ in range(g.integers(1, 7)):
        x, y = g.uniform(-0.02, 1.02, 2) * (w, h)
        shape(g, image, x, y, g.uniform(0.06, 0.3) * w, _pick(g, style))
    return image


def _pips(g: Random, h: int, w: int, style: Style) -> Floats:
    image = filled(h, w, style.base)
    ink = style.colours[g.integers(0, 2)] if g.random() < 0.7 else colour(g, "dark")
    count, columns = int(g.integers(1, 11)), int(g.choice([1, 2, 2, 3]))
    rows = -(-count // columns)
    for i in range(count):
        x = 0.5 if columns == 1 else 0.28 + 0.44 * (i % columns) / (columns - 1)
        y = 0.5 if rows == 1 else 0.15 + 0.7 * (i // columns) / (rows - 1)
        shape(np.random.default_rng(style.figure), image, x * w, y * h, w * 0.085 * style.size, ink)
    _index(g, image, style, ink)
    return image


def _court(g: Random, h: int, w: int, style: Style) -> Floats:
    image = filled(h, w, style.base)
    margin = int(g.uniform(0.08, 0.2) * w)
    image[margin:-margin, margin:-margin] = picture(g, h - 2 * margin, w - 2 * margin)
    if g.random() < 0.7:
        frame(image, margin, 1, colour(g, "dark"))
    _index(g, image, style, _pick(g, style))
    return image


def _corner_only(g: Random, h: int, w: int, style: Style) -> Floats:
    image = filled(h, w, style.base)
    _index(g, image, style, colour(g, "dark") if g.random() < 0.5 else _pick(g, style))
    if g.random() < 0.3:
        word(image, "JOKER", (0.1 * w, 0.55 * h), style.font, w * 0.13, colour(g, "dark"), 2)
    return image


def _nearly_empty(g: Random, h: int, w: int, style: Style) -> Floats:
    image = filled(h, w, style.base)
    if g.random() < 0.8:
        x, y = g.uniform(0.1, 0.9, 2) * (w, h)
        shape(g, image, x, y, g.uniform(0.03, 0.1) * w, _pick(g, style))
    return image


def _full_bleed(g: Random, h: int, w: int, style: Style) -> Floats:
    return picture(g, h, w)


def _story(g: Random, h: int, w: int, style: Style) -> Floats:
    """A title, a picture and a box of text."""
    image = filled(h, w, _pick(g, style) if g.random() < 0.7 else style.base)
    m, top, bottom = int(0.07 * w), int(g.uniform(0.06, 0.2) * h), int(g.uniform(0.5, 0.7) * h)
    image[top:bottom, m:-m] = picture(g, bottom - top, w - 2 * m)
    low = bottom + int(g.uniform(0.02, 0.1) * h)
    image[low : h - m, m:-m] = colour(g, "light")
    lines_of_text(g, image, (2 * m, low + 4, w - 2 * m, h - 2 * m), colour(g, "dark"), 8)
    lines_of_text(g, image, (m, m, w * 0.7, top), colour(g, "dark"), top * 0.8)
    return image


def _face(g: Random, image: Floats, radius: float, style: Style) -> None:
    """A round head with eyes and a mouth."""
    h, w = image.shape[:2]
    x, y = w / 2, h / 2 + g.uniform(-0.04, 0.04) * h
    skin = _pick(g, style)
    if g.random() < 0.6:  # hair or a hat
        for side in (-1, 1):
            disc(image, x + side * radius * 0.9, y - radius * 0.2, radius * g.uniform(0.3, 0.5), _pick(g, style))
    disc(image, x, y, radius, skin)
    if g.random() < 0.5:
        disc(image, x, y, radius, colour(g, "dark"), max(1, int(radius * 0.06)))
    for side in (-0.4, 0.4):
        disc(image, x + side * radius, y - 0.25 * radius, radius * 0.2, colour(g, "light"))
        disc(image, x + side * radius, y - 0.25 * radius, radius * 0.1, colour(g, "dark"))
    disc(image, x, y + 0.05 * radius, radius * g.uniform(0.1, 0.25), colour(g, "vivid"))
    ends = (0, 180) if g.random() < 0.6 else (180, 360)
    mouth = (int(x), int(y + radius * (0.35 if ends[0] == 0 else 0.75)))
    ink = tuple(float(v) for v in colour(g, "vivid"))
    axes = (int(radius * 0.5), int(radius * 0.3))
    cv2.ellipse(image, mouth, axes, 0, *ends, ink, max(2, int(radius * 0.12)), cv2.LINE_AA)


def _emblem(g: Random, h: int, w: int, style: Style) -> Floats:
    """One big figure, often round, on plain paper."""
    image = filled(h, w, style.base)
    radius = w * g.uniform(0.25, 0.45)
    if g.random() < 0.5:
        _face(g, image, radius, style)
        return image
    if g.random() < 0.6:
        disc(image, w / 2, h / 2, radius, _pick(g, style), int(g.choice([-1, -1, 2, 6])))
    for _ in range(g.integers(1, 5)):
        x, y = g.normal(0, 0.06, 2) * w + (w / 2, h / 2)
        shape(g, image, x, y, radius * g.uniform(0.3, 0.8), _pick(g, style))
    return image


def _creature(g: Random, h: int, w: int, style: Style) -> Floats:
    """A figure of several parts on plain or painted ground."""
    image = filled(h, w, style.base) if g.random() < 0.5 else picture(g, h, w) * np.float32(0.5) + np.float32(100)
    main = _pick(g, style)
    at = np.array([w / 2, h / 2])
    for _ in range(g.integers(4, 12)):
        shape(g, image, at[0], at[1], g.uniform(0.06, 0.24) * w, main if g.random() < 0.6 else colour(g))
        at = np.clip(at + g.normal(0, 0.14, 2) * w, 0.15 * w, [0.85 * w, h - 0.15 * w])
    return image


def _repeated(g: Random, h: int, w: int, style: Style) -> Floats:
    """One to three equal figures in a row, solid or in outline."""
    image, ink = filled(h, w, style.base), _pick(g, style)
    count, thick = int(g.integers(1, 4)), int(g.choice([-1, 2, 3]))
    figure, size = int(g.integers(0, 4)) + style.figure, g.uniform(0.14, 0.24) * w
    for i in range(count):
        shape(np.random.default_rng(figure), image, w / 2, h * (i + 1) / (count + 1), size, ink, thick)
    return image


def _number(g: Random, h: int, w: int, style: Style) -> Floats:
    image, ink = filled(h, w, style.base if g.random() < 0.6 else _pick(g, style)), _pick(g, style)
    sign = str(g.integers(0, 120))
    word(
        image,
        sign,
        (0.5 * w - 0.17 * w * len(sign), 0.5 * h + 0.2 * w),
        style.font,
        0.4 * w,
        ink,
        int(g.integers(2, 9)),
    )
    _index(g, image, style, ink)
    return image


def _text(g: Random, h: int, w: int, style: Style) -> Floats:
    image = filled(h, w, style.base)
    lines_of_text(g, image, (0.1 * w, 0.12 * h, 0.9 * w, 0.9 * h), colour(g, "dark"), g.uniform(7, 20))
    return image


def _dark(g: Random, h: int, w: int, style: Style) -> Floats:
    image = filled(h, w, colour(g, "dark"))
    for _ in range(g.integers(1, 8)):
        x, y = g.uniform(0, 1, 2) * (w, h)
        shape(g, image, x, y, g.uniform(0.05, 0.3) * w, colour(g, "dark") if g.random() < 0.6 else _pick(g, style))
    return image


def _landscape(g: Random, h: int, w: int, style: Style) -> Floats:
    """Fields with roads that run over the edge, as on tiles."""
    image = picture(g, h, w) if g.random() < 0.5 else pattern(g, h, w, g.uniform(20, 90))
    for _ in range(g.integers(1, 5)):
        turn = g.uniform(0, 6.3)
        end = (int(w / 2 + w * np.cos(turn)), int(h / 2 + h * np.sin(turn)))
        ink = tuple(float(v) for v in colour(g))
        cv2.line(image, (w // 2, h // 2), end, ink, int(g.uniform(0.05, 0.25) * w), cv2.LINE_AA)
    return image


def _back(g: Random, h: int, w: int, style: Style) -> Floats:
    kind = g.random()
    if kind < 0.6:
        image = pattern(g, h, w, g.uniform(5, 40))
    elif kind < 0.8:
        image = picture(g, h, w)
    else:
        image = filled(h, w, colour(g))
    if g.random() < 0.5:
        shape(g, image, w / 2, h / 2, g.uniform(0.1, 0.4) * w, colour(g))
    if g.random() < 0.7:
        frame(image, 0, g.uniform(0.02, 0.12) * w, colour(g, "white"))
    return image


Painter = Callable[[Random, int, int, Style], Floats]
_KINDS: tuple[tuple[Painter, float], ...] = (
    (_marks, 2), (_pips, 2), (_court, 1), (_corner_only, 1.5), (_nearly_empty, 1), (_full_bleed, 1.5), (_story, 1),
    (_emblem, 2.5), (_creature, 1.5), (_repeated, 1.5), (_number, 1), (_text, 0.5), (_dark, 1), (_landscape, 1),
    (_back, 0.5),
)  # fmt: skip


def _alpha(h: int, w: int, radius: float) -> Image:
    """(h, w) of a card's outline with rounded corners: 255 inside."""
    mask, r = np.zeros((h, w), np.uint8), int(radius)
    cv2.rectangle(mask, (r, 0), (w - r, h), 255.0, -1)
    cv2.rectangle(mask, (0, r), (w, h - r), 255.0, -1)
    for x, y in ((r, r), (w - 1 - r, r), (r, h - 1 - r), (w - 1 - r, h - 1 - r)):
        cv2.circle(mask, (x, y), r, 255.0, -1)
    return mask


def make_deck(g: Random) -> Deck:
    """A deck of one kind of art, aspect, border, inner frame, rounding and back."""
    aspect = float(g.choice([1.0, 1.0, 88 / 63, 88 / 63, 88 / 57, 1.48, g.uniform(1, 1.82), g.uniform(1.3, 1.65)]))
    w, h = SHORT * _FINE, round(SHORT * _FINE * aspect)
    weights = np.array([weight for _, weight in _KINDS])
    painter = _KINDS[g.choice(len(_KINDS), p=weights / weights.sum())][0]
    style = _style(g)
    border = g.choice([0, 0, g.uniform(0.02, 0.12)]) * w
    border_colour = colour(g, "white") if g.random() < 0.5 else colour(g)
    inner = g.uniform(0.04, 0.14) * w if g.random() < 0.25 else 0.0
    inner_width, inner_colour = g.uniform(1, 5), colour(g)
    alpha = _alpha(h, w, g.choice([0, g.uniform(0.02, 0.12), g.uniform(0.03, 0.07)]) * w)
    faces = []
    for number in range(FACES):
        back = number == FACES - 1
        image = np.ascontiguousarray((_back if back else painter)(g, h, w, style))
        if not back and border:
            frame(image, 0, border, border_colour)
        if not back and inner:
            frame(image, inner, inner_width, inner_colour)
        if g.random() < 0.12:
            frame(image, 0, 1, colour(g, "grey"))
        art = np.dstack([np.clip(image, 0, 255).astype(np.uint8), alpha])
        faces.append(cv2.resize(art, (SHORT, h // _FINE), interpolation=cv2.INTER_AREA))
    return Deck(faces[0].shape[0] / SHORT, tuple(faces))
