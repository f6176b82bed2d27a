"""What moves over a drawn table: hands, and cards on their way, with their shadows and the blur of the exposure."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import cv2
import numpy as np

from simulation.art import CardArt
from simulation.hand_art import LENGTH_MM, TIP_MM, WIDTH_MM, HandArt, small_cover
from simulation.layers import Box, StillLayer
from simulation.motion import CardNow, HandNow
from simulation.script import Person
from simulation.view import Image, Points, View

LAMP = (0.42, 0.3)
"""How far a shadow falls to the right and down for each mm of height."""

_RISE = 0.14  # mm that the arm rises for each mm towards the elbow
_SHADOW_STEP = 4
_SHADOW_STRENGTH = 0.5


@dataclass(frozen=True, eq=False)
class Flyer:
    """Something in the air, at each instant of the exposure that is drawn.

    picture: (h, w, 4) uint8, each colour times cover, and cover. cover: the last of these, smaller. corners: (4, 3)
    each, in mm with height, TL TR BR BL.
    """

    picture: Image
    cover: Image
    corners: tuple[Points, ...]


def card_corners(card: CardNow, card_mm: tuple[float, float]) -> Points:
    """Give the corners (4, 3) of the side that is seen, TL TR BR BL, in mm with height, of a card wherever it is."""
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
    """A deck's cards as `Flyer` has them, made when they are first wanted; `art`: the deck's."""

    def __init__(self, art: CardArt) -> None:
        self.art = art
        self._made: dict[tuple[str, str], tuple[Image, Image]] = {}

    def flyers(self, cards: Sequence[CardNow]) -> list[Flyer]:
        """Give a card at the instants of an exposure: one flyer, or one for each side that is to be seen in it."""
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
    """Give the corners (4, 3) of a hand's picture in mm with height."""
    back = np.array(person.shoulder_mm) - (hand.x_mm, hand.y_mm)
    back /= np.linalg.norm(back)
    right = np.array([back[1], -back[0]])
    corners = np.array([[0, 0], [WIDTH_MM, 0], [WIDTH_MM, LENGTH_MM], [0, LENGTH_MM]]) - TIP_MM
    flat = np.array([hand.x_mm, hand.y_mm]) + corners[:, :1] * right + corners[:, 1:] * back
    return np.column_stack([flat, hand.height_mm + corners[:, 1] * _RISE])


def draw_flyers(image: Image, view: View, still: StillLayer, flyers: Sequence[Flyer]) -> None:
    """Draw what is in the air into a picture, (h, w, 3) uint8, the lowest first; first of all their shadows."""
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
    """Give a hand at the instants of an exposure."""
    return Flyer(art.picture, art.cover, tuple(hand_corners(hand, person) for hand in hands))


def _seen(picture: Image, outlines_px: Sequence[Points], size: tuple[int, int]) -> tuple[tuple[int, int], Image] | None:
    """Give the mean of a picture at several places, and the window's top-left pixel; None if it is out of sight."""
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
    """Darken what lies below, once however many shadows fall on it; drawn small, because they are soft."""
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
