"""The marks printed on a card of an unknown deck: where, what colour, and what shape if that is plain."""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.arrays import Singles
from vision.unknown.colour_names import linear_of_bgr
from vision.unknown.inks import UNKNOWN_INK, Ink, ink_of
from vision.unknown.mark_shapes import shape_name

_WIDTH_PX = 150  # the card's shorter side in the upright picture of it
_RIM = 0.035  # of the shorter side: the card's edge and the table beyond it
_CHROMA_STEP = 7.0
_DARK_STEP = 38.0  # a shadow seldom takes so much lightness
_LIGHT_STEP = 14.0  # the same on dark cards, where marks are lighter than the ground
_DARK_CARD_LIGHT = 0.8  # linear light that the brightest channel of a mark on a dark card is brought to
_DARK_GROUND = 0.06  # linear light
_LIGHTER, _TINTED = 1.2, 1.5  # times the bare card; times in one channel as in another
_CLIPPED, _NEARLY, _PLAIN = 0.9, 0.05, 0.2  # linear light: no more is told from white; less than that; seen for certain
_FEWEST_PX = 10
_EDGE_SHARE = 0.4
_LEAST_SHARE = 0.0035  # of the card's area; smaller specks are no marks
_LEAST_NOISE = 1.0  # of Lab
# Specks of noise differ from the card 3 to 4 times as much as all its noise does, print 9 times and more.
_EVEN, _STEEP, _LEAST_CONFIDENCE = 5.0, 1.5, 0.2
_SOLID_SHARE = 0.75  # how much of the darkest ink's strength the middle of a solid mark has


@dataclass(frozen=True)
class CardMark:
    """One mark: its colour's name, its shape's or None, its ink, and in the picture its outlined area and its centre.

    `confidence`, 0 to 1, is that it is printed and no noise.

    That is the centre of the smallest circle round it, so that a crescent's is where the whole disc's would be.
    """

    colour: str
    shape: str | None
    centre_px: tuple[float, float]
    area_px: float
    ink: Ink = UNKNOWN_INK
    confidence: float = 1.0


def find_marks(
    image_bgr: NDArray[np.uint8], corners_px: NDArray[np.floating], aspect: float | None = None
) -> tuple[CardMark, ...]:
    """The marks on the card with these corners (4, 2), clockwise, from the top of the upright card down.

    `aspect` is the card's length by its width, if known; else it is taken from the picture.

    The card's own ground is the reference for colour, wherever shadow or lamp may fall on it. Outlines and stripes
    count as one mark with the colour of their ink.
    """
    upright, to_picture = _upright(image_bgr, corners_px, aspect)
    light = np.maximum(linear_of_bgr(upright), 1e-3)
    dark = _is_dark(light)
    ground, ink = _ground_and_ink(light, dark)
    strength = np.sqrt((_difference(light, ground, dark) ** 2).sum(axis=2))
    noise = _noise(strength, ink)
    marks = []
    for piece in _outlines(ink):
        # Blur and picture compression bleed colour round a mark: its outline is where half of its strength is left.
        inside = _filled(piece, ink.shape) & ink
        middle = _EDGE_SHARE * float(np.percentile(strength[inside > 0], 90))
        for contour in _outlines(inside & (strength > middle).astype(np.uint8)):
            outlined = _filled(contour, ink.shape).astype(bool)
            confidence = _confidence(float(np.median(strength[outlined & (ink > 0)])) / noise)
            if confidence >= _LEAST_CONFIDENCE:
                told = _ink(light, ground, outlined, ink.astype(bool), dark)
                marks.append(_in_picture(_smooth(contour, ink.shape), told, confidence, to_picture))
    return tuple(marks)


def _outlines(ink: NDArray[np.uint8]) -> list[NDArray[np.int32]]:
    """Outer contours of what is printed, from the top down, without specks and without a frame round the card."""
    height, width = ink.shape
    closed = cv2.morphologyEx(ink, cv2.MORPH_CLOSE, cv2.getStructuringElement(cv2.MORPH_ELLIPSE, (5, 5)))
    contours, _ = cv2.findContours(closed, cv2.RETR_EXTERNAL, cv2.CHAIN_APPROX_NONE)
    kept = []
    for contour in contours:
        x, y, w, h = cv2.boundingRect(contour)
        is_frame = w > 0.8 * width and h > 0.8 * height
        if cv2.contourArea(contour) >= _LEAST_SHARE * width * height and not is_frame:
            kept.append((y, x, np.asarray(contour, np.int32)))
    return [contour for _, _, contour in sorted(kept, key=lambda item: item[:2])]


def _filled(contour: NDArray[np.int32], shape: tuple[int, int]) -> NDArray[np.uint8]:
    mask = np.zeros(shape, np.uint8)
    cv2.drawContours(mask, [contour], -1, 1, -1)
    return mask


def _smooth(contour: NDArray[np.int32], shape: tuple[int, int]) -> NDArray[np.int32]:
    """The outline without burrs thinner than a stroke."""
    opening = cv2.getStructuringElement(cv2.MORPH_ELLIPSE, (3, 3))
    opened = cv2.morphologyEx(_filled(contour, shape), cv2.MORPH_OPEN, opening)
    pieces, _ = cv2.findContours(opened, cv2.RETR_EXTERNAL, cv2.CHAIN_APPROX_NONE)
    return max((np.asarray(piece, np.int32) for piece in pieces), key=cv2.contourArea, default=contour)


def _upright(
    image: NDArray[np.uint8], corners: NDArray[np.floating], aspect: float | None
) -> tuple[NDArray[np.uint8], NDArray[np.float64]]:
    """The card seen from above with its shorter side across, and the homography from there to the picture."""
    corners = np.asarray(corners, np.float32)
    sides = np.linalg.norm(np.roll(corners, -1, axis=0) - corners, axis=1)
    across, down = sides[0] + sides[2], sides[1] + sides[3]
    if across > down:
        corners, across, down = np.roll(corners, 1, axis=0), down, across
    width, height = _WIDTH_PX, round(_WIDTH_PX * (aspect or float(down / across)))
    frame = np.array([[-0.5, -0.5], [width - 0.5, -0.5], [width - 0.5, height - 0.5], [-0.5, height - 0.5]], np.float32)
    to_picture = cv2.getPerspectiveTransform(frame, corners)
    # Large cards are brought down by area, not by picking single pixels.
    factor = max(1, round(float(across) / 2 / width))
    grow = np.diag([1 / factor, 1 / factor, 1.0]) + np.array([[0, 0, (1 / factor - 1) / 2]] * 2 + [[0, 0, 0]])
    size = (width * factor, height * factor)
    flags = cv2.INTER_LINEAR | cv2.WARP_INVERSE_MAP
    upright = cv2.warpPerspective(image, to_picture @ grow, size, flags=flags, borderMode=cv2.BORDER_REPLICATE)
    if factor > 1:
        upright = cv2.resize(upright, (width, height), interpolation=cv2.INTER_AREA)
    return np.asarray(upright, np.uint8), np.asarray(to_picture, np.float64)


def _ground_and_ink(light: Singles, dark: bool) -> tuple[Singles, NDArray[np.uint8]]:
    """The bare card's light (h, w, 3) at every place, and the mask (h, w) of what is printed on it."""
    inner = _within_rim(light.shape)
    stock = _stock(light[inner > 0])
    ground = np.broadcast_to(stock, light.shape).astype(np.float32)
    ink = inner * 0
    for _ in range(3):
        ink = _unlike(_difference(light, ground, dark), dark) & inner
        ground = _bare_about(light, ink, inner, stock)
    return ground, np.asarray(ink, np.uint8)


def _within_rim(shape: tuple[int, ...]) -> NDArray[np.uint8]:
    """Mask (h, w) of a card without its edge."""
    rim = max(2, round(_RIM * shape[1]))
    inner = np.zeros(shape[:2], np.uint8)
    inner[rim:-rim, rim:-rim] = 1
    return inner


def _bare_about(light: Singles, ink: NDArray[np.uint8], inner: NDArray[np.uint8], stock: Singles) -> Singles:
    """The light of the bare card (h, w, 3), of `stock` where none shows nearby."""
    height, width = ink.shape
    bare = cv2.erode(1 - ink, np.ones((5, 5), np.uint8)) * inner
    known = np.dstack([light * bare[..., None], bare.astype(np.float32)])
    coarse = cv2.resize(known, (width // 4, height // 4), interpolation=cv2.INTER_AREA)
    around = cv2.resize(cv2.GaussianBlur(coarse, (0, 0), 0.0175 * width), (width, height))
    weight = around[..., 3:]
    share = np.minimum(weight / 0.05, 1)
    return np.asarray(share * around[..., :3] / np.maximum(weight, 1e-3) + (1 - share) * stock, np.float32)


def _stock(light: Singles) -> Singles:
    """The commonest colour of pixels (n, 3): the middle of the densest lightness, which print seldom outnumbers."""
    grey = light.mean(axis=1)
    edges = np.geomspace(1e-3, 1.05, 48)
    count, _ = np.histogram(grey, edges)
    dense = np.convolve(count, np.ones(5), "same")
    peak = int(dense.argmax())
    near = (grey >= edges[max(0, peak - 2)]) & (grey <= edges[min(len(edges) - 1, peak + 3)])
    return np.asarray(np.median(light[near], axis=0), np.float32)


def _is_dark(light: Singles) -> bool:
    """Whether a card (h, w, 3) is darker than its print, so that colours cannot be told by dividing by it.

    Light mirrored in it may make it grey, so that print is compared with the card about it.
    """
    inner = _within_rim(light.shape)
    stock = _stock(light[inner > 0])
    if stock.mean() < _DARK_GROUND:
        return True
    ground = np.broadcast_to(stock, light.shape).astype(np.float32)
    for _ in range(2):
        ratio = light / ground
        coloured = (np.minimum(_tint(ratio), _tint(light)) > _TINTED) & (inner > 0)
        ground = _bare_about(light, coloured.astype(np.uint8), inner, stock)
    most = _most(light / ground)[coloured]
    return len(most) > 0 and float(np.median(most)) > _LIGHTER


def _tint(light: Singles) -> Singles:
    """How many times as much light there is in one channel as in another."""
    red, green, blue = np.moveaxis(light, -1, 0)
    least = np.minimum(np.minimum(red, green), blue)
    return np.asarray(_most(light) / least, np.float32)


def _most(light: Singles) -> Singles:
    """The light in the channel that has most of it (h, w), of (h, w, 3)."""
    # Along three numbers numpy's own maximum takes ten times as long.
    red, green, blue = np.moveaxis(light, -1, 0)
    return np.asarray(np.maximum(np.maximum(red, green), blue), np.float32)


def _difference(light: Singles, ground: Singles, dark: bool) -> Singles:
    """How each pixel differs from the bare card there, in Lab (h, w, 3); what is lighter than white counts as white."""
    if dark:
        gain = 1 / max(float(np.percentile(_most(light), 99)), 0.3)
        return _lab(light * gain) - _lab(ground * gain)
    return _lab(light / ground) - np.array([100.0, 0.0, 0.0], np.float32)


def _lab(linear: Singles) -> Singles:
    return np.asarray(cv2.cvtColor(np.clip(linear, 0, 1).astype(np.float32), cv2.COLOR_LRGB2LAB), np.float32)


def _unlike(difference: Singles, dark: bool) -> NDArray[np.uint8]:
    """Mask of the pixels that are no bare card, in whatever shade."""
    chroma = np.hypot(difference[..., 1], difference[..., 2])
    if dark:
        return np.asarray((difference[..., 0] > _LIGHT_STEP) | (chroma > 2.5 * _CHROMA_STEP), np.uint8)
    typical = float(np.median(chroma))
    return np.asarray((chroma > _CHROMA_STEP + typical) | (-difference[..., 0] > _DARK_STEP), np.uint8)


def _ink(light: Singles, ground: Singles, outlined: NDArray[np.bool_], ink: NDArray[np.bool_], dark: bool) -> Ink:
    """The ink: of a solid mark its middle, of strokes all that is missing from the light of the paper about them.

    Cameras blur colours more than light and dark: a thin stroke itself has less colour than its ink.
    """
    inked = ink & outlined
    core = cv2.erode(outlined.astype(np.uint8), np.ones((7, 7), np.uint8)).astype(bool)
    core = core if core.sum() > 20 else inked
    if dark:
        shown = _print_on_dark(light, ground, outlined, core & inked if (core & inked).any() else inked)
        return ink_of(1 - shown, solid=True)
    ratio = light / ground
    most = _most(np.clip(1 - ratio, 0, 1))
    full = float(np.percentile(most[inked], 85))
    if float(np.median(most[core])) > _SOLID_SHARE * full:
        return ink_of(1 - np.median(ratio[core], axis=0), solid=True)
    about = cv2.dilate(inked.astype(np.uint8), cv2.getStructuringElement(cv2.MORPH_ELLIPSE, (7, 7))).astype(bool)
    return ink_of((1 - ratio)[about & ~(ink & ~outlined)].sum(axis=0), solid=False)


def _print_on_dark(light: Singles, ground: Singles, outlined: NDArray[np.bool_], middle: NDArray[np.bool_]) -> Singles:
    """The light (3,) of print on a dark card, without what the card mirrors, made as bright as print on white.

    Where print is clipped its blurred rim, which is partly dark card, still has its hue.
    """
    added = np.maximum(light - ground, 0)
    if float(np.median(light[middle].max(axis=1))) > _CLIPPED:
        about = cv2.dilate(outlined.astype(np.uint8), np.ones((7, 7), np.uint8)).astype(bool)
        rim = about & (_most(light) < _CLIPPED - _NEARLY) & (_most(added) > _PLAIN)
        if rim.sum() > _FEWEST_PX:
            middle = rim
    colour = np.median(added[middle], axis=0)
    return np.asarray(colour * (_DARK_CARD_LIGHT / max(float(colour.max()), _PLAIN / 2)), np.float32)


def _noise(strength: Singles, ink: NDArray[np.uint8]) -> float:
    """How strongly bare card differs from itself: noise, dust and whatever is printed too faintly."""
    inner = _within_rim(strength.shape) > 0
    bare = inner & (cv2.dilate(ink, np.ones((7, 7), np.uint8)) == 0)
    return max(float(np.median(strength[bare if bare.sum() > _FEWEST_PX else inner])), _LEAST_NOISE)


def _confidence(times_noise: float) -> float:
    """That a mark is printed and no noise, by how strongly it differs from bare card, measured by the noise."""
    return float(1 / (1 + np.exp(-_STEEP * (times_noise - _EVEN))))


def _in_picture(contour: NDArray[np.int32], ink: Ink, confidence: float, to_picture: NDArray[np.float64]) -> CardMark:
    outline = cv2.perspectiveTransform(contour.astype(np.float64), to_picture).astype(np.float32)
    area = max(cv2.contourArea(outline), 1e-6)
    (x, y), _ = cv2.minEnclosingCircle(contour)
    centre = cv2.perspectiveTransform(np.array([[[x, y]]]), to_picture)[0, 0].tolist()
    return CardMark(ink.name, shape_name(contour), (centre[0], centre[1]), float(area), ink, confidence)
