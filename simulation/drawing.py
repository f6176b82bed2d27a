"""Draws the simulated table: its surface, still layers, and cards in the air."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from simulation.art import LENGTH_MM, TIP_MM, WIDTH_MM, DeckArt, HandArt, Patch, common, small_cover
from simulation.script import CardNow, HandNow, Person
from simulation.view import Look, View
from vision.arrays import Image, Points

_PX_PER_MM = 1.5
_TABLES = {
    "wood": (70, 110, 160),
    "cloth": (70, 90, 40),
    "plain": (150, 155, 150),
    "checked": (200, 205, 215),
    "white": (236, 240, 242),
}


def surface(
    random: np.random.Generator,
    kind: str,
    homography: NDArray[np.float64],
    area_mm: tuple[float, float],
    size: tuple[int, int],
) -> Image:
    """Return the table without cards, (h, w, 3) uint8 BGR; `homography` maps mm to pixels.

    Raises:
        ValueError: the kind of table is unknown.
    """
    if kind not in _TABLES:
        raise ValueError(f"there is no table {kind!r}; there is {', '.join(_TABLES)}")
    # The camera sees beyond the area: a quarter more on each side is drawn, and mirrored beyond that.
    width, height = (round(side * 1.5 * _PX_PER_MM) for side in area_mm)
    relief = _relief(random, kind, width, height)
    texture = np.empty((height, width, 3), np.uint8)
    for channel, level in enumerate(_TABLES[kind]):
        texture[:, :, channel] = np.clip(relief * np.float32(level), 0, 255)
    to_mm = np.array(
        [[1 / _PX_PER_MM, 0, -area_mm[0] / 4], [0, 1 / _PX_PER_MM, -area_mm[1] / 4], [0, 0, 1]], dtype=np.float64
    )
    seen = cv2.warpPerspective(texture, homography @ to_mm, size, borderMode=cv2.BORDER_REFLECT)
    return np.asarray(seen, dtype=np.uint8)


def _relief(random: np.random.Generator, kind: str, width: int, height: int) -> NDArray[np.float32]:
    """Return the texture's brightness around 1, (height, width)."""
    fine = random.normal(0, 1, (height, width)).astype(np.float32)
    if kind == "wood":
        grain = cv2.GaussianBlur(fine, (0, 0), sigmaX=40, sigmaY=1.2)
        relief = 1 + 0.12 * grain / grain.std() + 0.02 * fine
        relief[:, :: round(140 * _PX_PER_MM)] *= 0.45
    elif kind == "checked":
        y, x = np.indices((height, width), sparse=True)
        square = round(35 * _PX_PER_MM)
        relief = np.where((y // square + x // square) % 2 == 0, 1.0, 0.62).astype(np.float32) + 0.02 * fine
    else:
        weave = cv2.GaussianBlur(fine, (0, 0), 1.0)
        relief = 1 + {"cloth": 0.10, "plain": 0.02, "white": 0.01}[kind] * weave / weave.std()
    return np.asarray(relief, dtype=np.float32)


def light_over(random: np.random.Generator, size: tuple[int, int], look: Look) -> NDArray[np.float32]:
    """Return the lamp's light over a picture of `size`, (h, w, 3): 1 is full in each colour."""
    width, height = size
    y, x = np.indices((height, width), sparse=True, dtype=np.float32)
    angle = random.uniform(0, 2 * np.pi)
    ramp = np.cos(angle) * (x / width - 0.5) + np.sin(angle) * (y / height - 0.5)
    light = (0.96 - look.gradient * (ramp / 1.42 + 0.5)).astype(np.float32)
    return np.asarray(light[:, :, None] * np.array(look.tint, dtype=np.float32), dtype=np.float32)


def finish(random: np.random.Generator, image: Image, look: Look) -> Image:
    """Return the picture with falling light, a lens's blur, a sensor's noise and, if asked, JPEG artefacts."""
    lit: NDArray[np.float32] = image.astype(np.float32) * light_over(random, (image.shape[1], image.shape[0]), look)
    if look.blur_px > 0:
        # A lens blurs light; grey levels are about its square root.
        lit = np.sqrt(np.asarray(cv2.GaussianBlur(lit * lit, (0, 0), look.blur_px), dtype=np.float32))
    if look.noise > 0:
        lit += look.noise * random.standard_normal(lit.shape, dtype=np.float32)
    return as_jpeg(np.clip(np.rint(lit), 0, 255).astype(np.uint8), look)


def as_jpeg(image: Image, look: Look) -> Image:
    """Return the picture with the artefacts of JPEG at the look's quality, or unchanged without one."""
    if look.jpeg_quality is None:
        return image
    packed = cv2.imencode(".jpg", image, [cv2.IMWRITE_JPEG_QUALITY, look.jpeg_quality])[1]
    return np.asarray(cv2.imdecode(packed, cv2.IMREAD_COLOR), dtype=np.uint8)


Box = tuple[int, int, int, int]
# Light is stored in 128ths: byte multiplication is then enough.
_LIGHT_UNIT = 128
_BLUR_MARGIN = 4


class StillLayer:
    """The table with the cards that are still, as the lens shows it, without noise.

    ground: the table without cards, (h, w, 3) uint8 BGR, in full light. light: (h, w, 3), see `light_over`.
    picture: the result. version: grows with each change.
    """

    def __init__(self, ground: Image, light: NDArray[np.float32], look: Look) -> None:
        self._ground = ground
        self._unlit = ground.copy()
        self._light = np.clip(np.rint(light * _LIGHT_UNIT), 0, 255).astype(np.uint8)
        self._look = look
        self._lying: dict[object, Patch] = {}
        height, width = ground.shape[:2]
        self._all: Box = (0, 0, width, height)
        self.picture = ground.copy()
        self.version = 0
        self._develop(self._all)

    def show(self, patches: Sequence[tuple[object, Patch]]) -> None:
        """Show these pieces, the lowest first, each under a key that changes when it moves."""
        now = dict(patches)
        if list(now) == list(self._lying):
            return
        old_order, new_order = list(self._lying), list(now)
        changed = [self._lying[key] for key in old_order if key not in now]
        changed += [now[key] for key in new_order if key not in self._lying]
        stayed = [key for key in old_order if key in now]
        if stayed != [key for key in new_order if key in self._lying]:
            changed = [*self._lying.values(), *now.values()]
        self._lying = now
        self.version += 1
        for patch in changed:
            self._redraw(patch.box)

    def lit(self, colour: Image, low: tuple[int, int]) -> Image:
        """Return a picture, (h, w, 3), in the lamp's light with its top-left pixel at `low`."""
        height, width = colour.shape[:2]
        light = self._light[low[1] : low[1] + height, low[0] : low[0] + width]
        return np.asarray(cv2.multiply(colour, light, scale=1 / _LIGHT_UNIT), np.uint8)

    def light_at(self, x_px: float, y_px: float) -> tuple[float, float, float]:
        """Return the light at a pixel (blue, green, red); 1 is full."""
        height, width = self._light.shape[:2]
        x, y = min(max(round(x_px), 0), width - 1), min(max(round(y_px), 0), height - 1)
        blue, green, red = (float(part) / _LIGHT_UNIT for part in self._light[y, x])
        return blue, green, red

    def _redraw(self, box: Box) -> None:
        left, top, right, bottom = box
        self._unlit[top:bottom, left:right] = self._ground[top:bottom, left:right]
        for patch in self._lying.values():
            patch.blend(self._unlit, box)
        grown = (left - _BLUR_MARGIN, top - _BLUR_MARGIN, right + _BLUR_MARGIN, bottom + _BLUR_MARGIN)
        self._develop(common(grown, self._all))

    def _develop(self, box: Box) -> None:
        """Apply light and the lens's blur to a part of the picture."""
        wide = (box[0] - _BLUR_MARGIN, box[1] - _BLUR_MARGIN, box[2] + _BLUR_MARGIN, box[3] + _BLUR_MARGIN)
        left, top, right, bottom = common(wide, self._all)
        seen = self.lit(self._unlit[top:bottom, left:right], (left, top))
        if self._look.blur_px > 0:
            seen = np.asarray(cv2.GaussianBlur(seen, (0, 0), self._look.blur_px), np.uint8)
        inner = seen[box[1] - top : box[3] - top, box[0] - left : box[2] - left]
        self.picture[box[1] : box[3], box[0] : box[2]] = inner


LAMP = (0.42, 0.3)
"""Shift of a shadow to the right and down, mm for each mm of height."""

_RISE = 0.14  # mm that the arm rises for each mm towards the elbow
_SHADOW_STEP = 4
_SHADOW_STRENGTH = 0.5


@dataclass(frozen=True, eq=False)
class Flyer:
    """A thing in the air, at several instants of one exposure.

    picture: (h, w, 4) uint8, premultiplied colours, and cover. cover: the fourth channel, smaller. corners: (4, 3)
    each, in mm with height, TL TR BR BL.
    """

    picture: Image
    cover: Image
    corners: tuple[Points, ...]


def card_corners(card: CardNow, card_mm: tuple[float, float]) -> Points:
    """Return the corners (4, 3), TL TR BR BL, of a card's visible side, in mm with height."""
    width, height = card_mm
    local = np.array([[-width, -height], [width, -height], [width, height], [-width, height]]) / 2
    turn, angle = math.radians(card.turn_deg), math.radians(card.angle_deg)
    # The other side's left is this side's right.
    across = local[:, 0] * (math.cos(turn) if card.turn_deg <= 90 else -math.cos(turn))
    tilt = local[:, 0] * (math.sin(turn) if card.turn_deg <= 90 else -math.sin(turn))
    x = card.x_mm + across * math.cos(angle) - local[:, 1] * math.sin(angle)
    y = card.y_mm + across * math.sin(angle) + local[:, 1] * math.cos(angle)
    lift = card.height_mm + abs(math.sin(turn)) * width / 2
    return np.column_stack([x, y, tilt + lift])


class CardPictures:
    """Makes each card's `Flyer` from the deck's `art`, with a cache of pictures."""

    def __init__(self, art: DeckArt) -> None:
        self.art = art
        self._made: dict[tuple[str, str], tuple[Image, Image]] = {}

    def flyers(self, cards: Sequence[CardNow]) -> list[Flyer]:
        """Return a card during an exposure: one flyer for each visible side."""
        sides = dict.fromkeys(card.side for card in cards)
        groups = [[card for card in cards if card.side == side] for side in sides]
        return [
            Flyer(*self._picture(group[0]), tuple(card_corners(card, self.art.card_mm) for card in group))
            for group in groups
        ]

    def _picture(self, card: CardNow) -> tuple[Image, Image]:
        key = (card.face, card.side)
        if key not in self._made:
            picture, cut = self.art.picture(*key), self.art.cutout
            whole = np.dstack([cv2.multiply(picture, cv2.merge([cut] * 3), scale=1 / 255), cut])
            self._made[key] = (whole, small_cover(whole))
        return self._made[key]


def hand_corners(hand: HandNow, person: Person) -> Points:
    """Return the corners (4, 3) of a hand's picture in mm with height."""
    back = np.array(person.shoulder_mm) - (hand.x_mm, hand.y_mm)
    back /= np.linalg.norm(back)
    right = np.array([back[1], -back[0]])
    corners = np.array([[0, 0], [WIDTH_MM, 0], [WIDTH_MM, LENGTH_MM], [0, LENGTH_MM]]) - TIP_MM
    flat = np.array([hand.x_mm, hand.y_mm]) + corners[:, :1] * right + corners[:, 1:] * back
    return np.column_stack([flat, hand.height_mm + corners[:, 1] * _RISE])


def draw_flyers(image: Image, view: View, still: StillLayer, flyers: Sequence[Flyer]) -> None:
    """Draw things in the air into a picture, (h, w, 3) uint8, the lowest first, after all shadows."""
    _draw_shadows(image, view, flyers)
    for flyer in flyers:
        seen = _seen(flyer.picture, [view.project(corners) for corners in flyer.corners], view.size)
        if seen is None:
            continue
        low, blurred = seen
        height, width = blurred.shape[:2]
        under = image[low[1] : low[1] + height, low[0] : low[0] + width]
        open_part = cv2.merge([255 - blurred[:, :, 3]] * 3)
        cv2.multiply(under, open_part, dst=under, scale=1 / 255)
        cv2.add(under, still.lit(blurred[:, :, :3], low), dst=under)


def hand_flyer(art: HandArt, hands: Sequence[HandNow], person: Person) -> Flyer:
    """Return a hand during an exposure."""
    return Flyer(art.picture, art.cover, tuple(hand_corners(hand, person) for hand in hands))


def _seen(picture: Image, outlines_px: Sequence[Points], size: tuple[int, int]) -> tuple[tuple[int, int], Image] | None:
    """Return the mean of a picture at several places, and the window's top-left pixel; None outside the picture."""
    box = _box(np.concatenate(outlines_px), size, 1)
    if box is None:
        return None
    window = (box[2] - box[0], box[3] - box[1])
    warps = [_warp(picture, px - box[:2]) for px in outlines_px]
    views = [cv2.warpPerspective(picture, warp, window, flags=cv2.INTER_LINEAR) for warp in warps]
    mean = views[0]
    for count, other in enumerate(views[1:], start=2):
        mean = cv2.addWeighted(mean, (count - 1) / count, other, 1 / count, 0)
    return (box[0], box[1]), np.asarray(mean, np.uint8)


def _warp(picture: Image, corners_px: Points) -> Points:
    height, width = picture.shape[:2]
    source = np.array([[0, 0], [width, 0], [width, height], [0, height]], np.float32) - np.float32(0.5)
    return np.asarray(cv2.getPerspectiveTransform(source, corners_px.astype(np.float32)), np.float64)


def _draw_shadows(image: Image, view: View, flyers: Sequence[Flyer]) -> None:
    """Darken the table under the flyers, at most once; drawn at a quarter of the size, since shadows are soft."""
    small = (math.ceil(view.size[0] / _SHADOW_STEP), math.ceil(view.size[1] / _SHADOW_STEP))
    fallen = [(flyer, _fallen(flyer.corners[-1], view) / _SHADOW_STEP) for flyer in flyers]
    boxes = [box for _, px in fallen if (box := _box(px, small, 6)) is not None]
    if not boxes:
        return
    left, top = min(box[0] for box in boxes), min(box[1] for box in boxes)
    right, bottom = max(box[2] for box in boxes), max(box[3] for box in boxes)
    dark = np.zeros((bottom - top, right - left), np.uint8)
    for flyer, px in fallen:
        if _box(px, small, 6) is not None:
            warp = _warp(flyer.cover, px - (left, top))
            cv2.max(dark, cv2.warpPerspective(flyer.cover, warp, dark.shape[::-1]), dst=dark)
    soft = cv2.GaussianBlur(dark, (0, 0), 2.2)
    window = image[top * _SHADOW_STEP : bottom * _SHADOW_STEP, left * _SHADOW_STEP : right * _SHADOW_STEP]
    wide = cv2.resize(soft, (window.shape[1], window.shape[0]), interpolation=cv2.INTER_LINEAR)
    keep = cv2.convertScaleAbs(wide, alpha=-_SHADOW_STRENGTH, beta=255)
    cv2.multiply(window, cv2.merge([keep] * 3), dst=window, scale=1 / 255)


def _fallen(corners: Points, view: View) -> Points:
    return view.to_px(corners[:, :2] + corners[:, 2:] * LAMP)


def _box(points_px: Points, size: tuple[int, int], margin: int) -> Box | None:
    low = np.maximum(np.floor(points_px.min(0)).astype(int) - margin, 0)
    high = np.minimum(np.ceil(points_px.max(0)).astype(int) + margin + 1, size)
    if (high <= low).any():
        return None
    return int(low[0]), int(low[1]), int(high[0]), int(high[1])
