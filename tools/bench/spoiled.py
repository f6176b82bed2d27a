"""Hands of spoiled pictures: `python -m tools.bench.spoiled DIR --trials 200`; `--kept` takes the scenes kept back.

Each trial spoils one picture of a folder with truth, near one of its cards or all over. Trial `n` is the same in each
run. Scenes with odd numbers in the order of their names are kept back: their trials are counted by kind, never named.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray

from referee.accuracy import HIDDEN, TruePicture, load_truth
from referee.decks.lookup import find_deck
from referee.errors import BadInputError
from referee.output import along
from referee.scoring.unseen_cards import read_to_score
from tools.bench.common import Row, command, say
from tools.bench.hands import hands_of
from vision.arrays import Floats, Image, Singles
from vision.errors import VisionError
from vision.image import load_image

_CARD_MM = np.array([63.0, 88.0])
_PLAYERS = (2, 3, 4, 5)
_LAMP = 420.0  # grey levels: black clips, too
_SKINS = ((120, 150, 200), (90, 125, 185), (60, 85, 130), (40, 55, 85), (150, 180, 225))
_SHOWN = 0.15  # of a card: a card of which less remains in sight is not asked for


@dataclass(frozen=True, eq=False)
class SpoiledSpot:
    """A card of a picture (h, w, 3) BGR with corners (4, 2) px, which a trial spoils; masks are (h, w, 1), 0 to 1."""

    image: Image
    corners_px: Floats
    random: np.random.Generator

    def between(self, low: float, high: float) -> float:
        """Return a random number."""
        return float(self.random.uniform(low, high))

    def ratio(self, low: float, high: float) -> float:
        """Return a random number, with its logarithm evenly distributed."""
        return float(np.exp(self.between(np.log(low), np.log(high))))

    @cached_property
    def px_per_mm(self) -> float:
        """Return the picture's scale at the card."""
        return float(np.sqrt(cv2.contourArea(self.corners_px.astype(np.float32)) / _CARD_MM.prod()))

    def to_px(self, points_mm: Floats) -> Floats:
        """Return points (n, 2) in the card's mm as px."""
        flat = np.array([[0, 0], [1, 0], [1, 1], [0, 1]]) * _CARD_MM
        way = cv2.getPerspectiveTransform(flat.astype(np.float32), self.corners_px.astype(np.float32))
        return np.asarray(cv2.perspectiveTransform(points_mm.reshape(-1, 1, 2), way).reshape(-1, 2))

    def mask(self, *outlines_mm: Floats, soft_mm: float = 0.3) -> Singles:
        """Return where outlines (k, 2) are, in the card's mm."""
        drawn = np.zeros(self.image.shape[:2], np.float32)
        for outline in outlines_mm:
            cv2.fillPoly(drawn, [np.rint(self.to_px(outline) * 16).astype(np.int32)], (1.0,), cv2.LINE_AA, 4)
        return np.asarray(cv2.GaussianBlur(drawn, (0, 0), max(soft_mm * self.px_per_mm, 0.4)), np.float32)[..., None]

    def card(self, soft_mm: float = 0.3, grown_mm: float = 0.0) -> Singles:
        """Return the mask of the card."""
        return self.mask(_rectangle(_CARD_MM / 2, _CARD_MM + 2 * grown_mm, 0.0), soft_mm=soft_mm)

    def place(self, off: float = 0.25) -> Floats:
        """Return a random place (2,), in mm, off the card's middle by at most a share of its size."""
        return np.asarray(_CARD_MM * (0.5 + self.random.uniform(-off, off, 2)))

    def turn(self) -> float:
        """Return a random angle, rad."""
        return self.between(0, np.pi)


def _rectangle(middle: Floats, sides: Floats, turn: float) -> Floats:
    """Return corners (4, 2) of a rectangle."""
    half = np.array([[-1, -1], [1, -1], [1, 1], [-1, 1]]) * sides / 2
    cos, sin = np.cos(turn), np.sin(turn)
    return np.asarray(middle + half @ np.array([[cos, sin], [-sin, cos]]))


def _ellipse(middle: Floats, sides: Floats, turn: float) -> Floats:
    """Return points (72, 2) of an ellipse."""
    angle = np.linspace(0, 2 * np.pi, 72, endpoint=False)
    cos, sin = np.cos(turn), np.sin(turn)
    along = np.stack([np.cos(angle), np.sin(angle)], axis=1) * sides / 2
    return np.asarray(middle + along @ np.array([[cos, sin], [-sin, cos]]))


def _blend(image: Image, mask: Singles, other: NDArray[np.floating] | Image) -> Image:
    return np.asarray(np.clip(image * (1 - mask) + other * mask, 0, 255), np.uint8)


def _glare(spot: SpoiledSpot) -> Image:
    """A lamp, a tube, or a window of two panes is mirrored, or the whole card clips."""
    soft, turn = spot.between(0.3, 8.0), spot.turn()
    shape = spot.random.integers(4)
    if shape == 0:
        mask = spot.card(spot.between(0.3, 3.0), spot.between(-4.0, 3.0))
    elif shape == 1:
        mask = spot.mask(_ellipse(spot.place(), spot.random.uniform((45, 55), (85, 110)), turn), soft_mm=soft)
    elif shape == 2:
        mask = spot.mask(_rectangle(spot.place(0.15), spot.random.uniform((30, 90), (60, 320)), turn), soft_mm=soft)
    else:
        pane, middle = spot.random.uniform((30, 70), (65, 170)), spot.place()
        aside = (pane[0] / 2 + spot.between(1, 4)) * np.array([np.cos(turn), np.sin(turn)])
        mask = spot.mask(*(_rectangle(middle + way * aside, pane, turn) for way in (-1, 1)), soft_mm=soft)
    return np.asarray(np.minimum(spot.image + _LAMP * mask, 255), np.uint8)


def _dark(spot: SpoiledSpot) -> Image:
    """The card is in deep shadow, or the whole picture is dark."""
    if spot.random.random() < 0.5:
        return np.asarray(spot.image * spot.ratio(0.01, 0.5), np.uint8)
    return _blend(spot.image, spot.card(spot.between(0.3, 8), spot.between(0, 12)), spot.image * spot.ratio(0.004, 0.4))


def _bright(spot: SpoiledSpot) -> Image:
    """The card is in glaring light, or the whole picture is overexposed."""
    if spot.random.random() < 0.5:
        return np.asarray(np.minimum(spot.image * spot.ratio(1.2, 5), 255), np.uint8)
    light = np.minimum(spot.image * spot.ratio(1.3, 12), 255)
    return _blend(spot.image, spot.card(spot.between(0.3, 8), spot.between(0, 12)), light)


def _blur(spot: SpoiledSpot) -> Image:
    """The card or the picture is out of focus, or the card moves."""
    way = spot.random.integers(3)
    if way == 0:
        return np.asarray(cv2.GaussianBlur(spot.image, (0, 0), spot.between(0.5, 3.5) * spot.px_per_mm), np.uint8)
    if way == 1:
        soft = np.asarray(cv2.GaussianBlur(spot.image, (0, 0), spot.ratio(1, 20) * spot.px_per_mm), np.uint8)
    else:
        length = max(3, round(spot.between(4, 45) * spot.px_per_mm)) | 1
        turn = spot.turn()
        half = np.array([np.cos(turn), np.sin(turn)]) * length / 2
        start, end = (np.rint(length / 2 + side * half).astype(int).tolist() for side in (-1, 1))
        kernel = cv2.line(np.zeros((length, length), np.float32), start, end, (1.0,), 1)
        soft = np.asarray(cv2.filter2D(spot.image, -1, kernel / kernel.sum()), np.uint8)
    return _blend(spot.image, spot.card(4.0, 20.0), soft)


def _thing(spot: SpoiledSpot) -> Image:
    """A mug, a phone, a sheet or a cloth is on the card."""
    turn, shape = spot.turn(), spot.random.integers(4)
    colour = spot.random.uniform(15, 190, 3)
    if shape == 0:
        outline = _ellipse(spot.place(0.12), np.full(2, spot.between(84, 100)), 0.0)
    elif shape == 1:
        outline, colour = _rectangle(spot.place(0.05), np.array([75, 155]), turn), np.full(3, spot.between(6, 45))
    elif shape == 2:
        sides = spot.random.uniform((80, 100), (150, 210))
        outline, colour = _rectangle(spot.place(0.05), sides, turn), np.full(3, spot.between(150, 245))
    else:
        outline = _rectangle(spot.place(0.05), spot.random.uniform((85, 100), (130, 150)), turn)
    return _laid_on(spot, spot.mask(outline), colour)


def _hand(spot: SpoiledSpot) -> Image:
    """A hand is on the card with its arm, from the nearest border of the picture, or the arm in a sleeve alone."""
    height, width = spot.image.shape[:2]
    x, y = spot.corners_px.mean(axis=0)
    ways = {(0.0, -1.0): y, (0.0, 1.0): height - y, (-1.0, 0.0): x, (1.0, 0.0): width - x}
    way, far = min(ways.items(), key=lambda one: float(one[1]))
    # Lines are from one place to another, by mm outwards and aside from the hand, and so many mm wide.
    axes = np.array([way, (-way[1], way[0])]) * spot.px_per_mm
    middle, beyond = np.array([x, y]) + spot.random.uniform(-15, 15, 2) * spot.px_per_mm, far / spot.px_per_mm + 60
    masks = [np.zeros((height, width), np.float32) for _ in range(2)]
    wide, spread, is_bare = spot.between(60, 96), spot.between(21, 29), spot.random.random() < 0.6
    lines: list[tuple[int, tuple[float, float], tuple[float, float], float]]
    lines = [(1, (55 if is_bare else -70, 0), (beyond, 0), wide)]
    if is_bare:
        lines += [(0, (-5, 20 * k), (-90, spread * k), 17) for k in (-1.5, -0.5, 0.5, 1.5)]
        lines += [(0, (20, 10), (-25, -55), 18), (0, (10, 0), (30, 0), 80), (0, (20, 0), (60, 0), 58)]
    for which, start, end, line_mm in lines:
        ends = [np.rint(middle + np.array(place) @ axes).astype(int).tolist() for place in (start, end)]
        cv2.line(masks[which], ends[0], ends[1], (1.0,), int(line_mm * spot.px_per_mm))
    skin, sleeve = np.array(_SKINS[spot.random.integers(len(_SKINS))], np.float64), spot.random.uniform(15, 190, 3)
    for mask, colour in zip(masks, (skin, sleeve), strict=True):
        soft = np.asarray(cv2.GaussianBlur(mask, (0, 0), 1.5), np.float32)[..., None]
        spot = replace(spot, image=_laid_on(spot, soft, colour))
    return spot.image


def _laid_on(spot: SpoiledSpot, mask: Singles, colour: Floats) -> Image:
    """Return the picture with a thing of a colour, with some light and grain."""
    height, width = mask.shape[:2]
    light = 1 + 0.12 * np.sin(np.linspace(0, spot.between(3, 9), width))[None, :, None]
    grain = spot.random.normal(0, spot.between(2, 9), (height, width, 1))
    return _blend(spot.image, mask, np.clip(colour * light + grain, 0, 255))


def _wipe(spot: SpoiledSpot) -> Image:
    """A smear of the table's colour, or of the card's, is over a part of the card, or wipes off its print."""
    around = (spot.card(0.3, 14.0) > 0.9) & (spot.card(0.3, 5.0) < 0.1)
    inside = spot.card(0.3, -4.0) > 0.9
    colour = np.median(spot.image[(around if spot.random.random() < 0.5 else inside)[..., 0]], axis=0)
    turn, middle = spot.turn(), spot.place(0.3)
    share = spot.between(0.4, 1 - _SHOWN)
    for width in np.arange(10.0, 120.0, 4.0):
        mask = spot.mask(_rectangle(middle, np.array([width, 200.0]), turn), soft_mm=spot.between(0.5, 4.0))
        if (mask * spot.card()).sum() > share * spot.card().sum():
            break
    grain = spot.random.normal(0, 3.0, (*spot.image.shape[:2], 1))
    return _blend(spot.image, mask * spot.card(1.0, 4.0), np.clip(colour + grain, 0, 255))


def _veil(spot: SpoiledSpot) -> Image:
    """Haze is over the lens, in all of the picture or more on one side."""
    height, width = spot.image.shape[:2]
    turn, tint = 2 * spot.turn(), spot.between(120, 255) * spot.random.uniform(0.9, 1.0, 3)
    y, x = np.mgrid[:height, :width] / max(height, width) - 0.5
    fall = spot.between(0, 0.6) * (x * np.cos(turn) + y * np.sin(turn))
    mask = np.clip(spot.between(0.3, 0.92) + fall, 0, 0.97).astype(np.float32)[..., None]
    return _blend(spot.image, mask, tint)


_KINDS: dict[str, Callable[[SpoiledSpot], Image]] = {
    "thing": _thing,
    "hand": _hand,
    "wipe": _wipe,
    "glare": _glare,
    "dark": _dark,
    "bright": _bright,
    "blur": _blur,
    "veil": _veil,
}
_PUSH = "push"


def _pushed(spot: SpoiledSpot, others: Floats) -> tuple[Image, Floats, bool]:
    """Return the picture with the card pushed under or over another one, or partly off the picture.

    With it are its corners (4, 2) px then, and whether it is over the others, (n, 4, 2) px. Where it was, the table
    is guessed.
    """
    size = (spot.image.shape[1], spot.image.shape[0])
    middle, way = spot.corners_px.mean(axis=0), spot.random.integers(3)
    if way == 2 or not len(others):
        borders = np.array([[0, middle[1]], [size[0], middle[1]], [middle[0], 0], [middle[0], size[1]]])
        target = borders[np.linalg.norm(borders - middle, axis=1).argmin()]
        shift = (target - middle) + spot.random.uniform(-20, 20, 2) * spot.px_per_mm
    else:
        nearest = others.mean(axis=1)[np.linalg.norm(others.mean(axis=1) - middle, axis=1).argmin()]
        away = middle - nearest
        shift = nearest + away / max(np.linalg.norm(away), 1.0) * spot.between(12, 60) * spot.px_per_mm - middle
    gone = (spot.card(grown_mm=3.0)[..., 0] > 0.02).astype(np.uint8)
    bare = np.asarray(cv2.inpaint(spot.image, gone, 3, cv2.INPAINT_TELEA), np.uint8)
    move = np.array([[1, 0, shift[0]], [0, 1, shift[1]]])
    mask = cv2.warpAffine(spot.card(), move, size)
    if way == 0:
        mask = mask * (1 - np.asarray(_covered(size, others), np.float32))
    moved = np.asarray(cv2.warpAffine(spot.image, move, size), np.uint8)
    return _blend(bare, mask[..., None].astype(np.float32), moved), spot.corners_px + shift, way != 0


def _covered(size: tuple[int, int], quads: Floats) -> Image:
    """Return 1 where quads (n, 4, 2) px are in a picture."""
    mask = np.zeros(size[::-1], np.uint8)
    for quad in quads:
        cv2.fillConvexPoly(mask, np.rint(quad).astype(np.int32), (1,))
    return mask


def _left(size: tuple[int, int], quad: Floats, covers: Floats) -> float:
    """Return the share of a quad (4, 2) px that is in the picture and not under covers (n, 4, 2)."""
    own = _covered(size, quad[None]) * (1 - _covered(size, covers))
    return float(own.sum() / max(cv2.contourArea(quad.astype(np.float32)), 1.0))


@dataclass(frozen=True, eq=False)
class SpoilTrial:
    """A spoiled picture, its kind, its truth, and how many play; cards that show too little are not in the truth."""

    kind: str
    image: Image
    picture: TruePicture
    players: int
    optional: frozenset[str]


def trial(pictures: list[TruePicture], number: int, seed: int) -> SpoilTrial:
    """Return a trial; the same numbers give the same trial."""
    random = np.random.default_rng([seed, number])
    kind = [*_KINDS, _PUSH][number % (len(_KINDS) + 1)]
    picture = pictures[int(random.integers(len(pictures)))]
    image = load_image(picture.path)
    size = (image.shape[1], image.shape[0])
    cards = list(picture.cards)
    at = int(random.choice([k for k, card in enumerate(cards) if card.visible >= 0.5] or range(len(cards))))
    spot = SpoiledSpot(image, cards[at].corners_px, random)
    players = int(random.choice(_PLAYERS))
    if kind != _PUSH:
        image = _KINDS[kind](spot)
    else:
        others = np.array([card.corners_px for k, card in enumerate(cards) if k != at]).reshape(-1, 4, 2)
        image, corners, over = _pushed(spot, others)
        above = corners[None] if over else others[:0]
        shown = _left(size, corners, others[:0] if over else others)
        cards = [replace(card, visible=min(card.visible, _left(size, card.corners_px, above))) for card in cards]
        cards[at] = replace(cards[at], corners_px=corners, visible=shown)
    least = _SHOWN if kind == _PUSH else HIDDEN
    optional = frozenset(str(card.face) for card in cards if card.visible < least)
    asked = tuple(card for card in cards if card.visible >= least)
    return SpoilTrial(kind, image, replace(picture, cards=asked), players, optional)


def measure(folder: Path, trials: int = 90, first: int = 0, seed: int = 1, kept: bool = False) -> Row:
    """Score spoiled pictures; a hand is wrong if it differs from the truth without a doubt."""
    deck = find_deck("confetti")
    pictures = load_truth(folder)[kept::2]
    counts: dict[str, Counter[str]] = {}
    for number in along(range(first, first + trials), trials):
        one = trial(pictures, number, seed)
        try:
            seated = read_to_score(one.image, deck, None, one.players)
        except (BadInputError, VisionError):
            counts.setdefault(one.kind, Counter())["not scored"] += 1
            continue
        for hand in hands_of(one.picture, seated, str, one.optional):
            counts.setdefault(one.kind, Counter())[hand["outcome"]] += 1
            if hand["outcome"] == "wrong" and not kept:
                say({"trial": number, "kind": one.kind, "picture": one.picture.path.name, **hand})
    for kind, found in counts.items():
        say({"kind": kind, **found})
    total = sum(counts.values(), Counter[str]())
    right, unclear, wrong = (total[outcome] for outcome in ("right", "unclear", "wrong"))
    return Row(right + unclear + wrong, right, unclear, wrong)


if __name__ == "__main__":
    command(measure)
