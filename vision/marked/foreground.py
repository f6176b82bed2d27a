"""Segments the foreground from a card's ground, on white and on black: patches of which some are marks.

A mark is darker than the white ground in at least one channel, under any lamp. On the other side it is brighter than
the black ground. The reference is the ground, by a grey-scale closing (opening). The threshold is a share of the
mark's own contrast, so glare and shadow move the contrast but not the outline.
"""

from __future__ import annotations

from collections.abc import Sequence

import cv2
import numpy as np

from vision.arrays import Image
from vision.marked.marks import Foreground, Marks, WorkImage, find_marks, least_area_px, resized
from vision.marked.patches import patches_of
from vision.table import Table

_WIDER = 1.08  # than a window that no mark holds
_DARK = 8  # grey levels of sensor noise that no ratio should amplify
_LEAST_CONTRAST = {"white": 18, "black": 12}  # of 255
# On black, a blurred mark ends at half of the light, which is two thirds of the step in grey levels.
_HALF_LIGHT = 0.66
_LEAST_CORE = 0.75  # less of a mark is left where it is half in shadow: there half of the grey levels must do
_OVER_TEXTURE = 3.0
_CALM_MM = 36.0  # some uncovered ground is visible within this window about any mark
_NEAR_MM = 4.0  # the strongest contrast of a mark is this near to any place on it
_BRIGHT = 90
_LEAST_TINT = 0.12
_LIGHT = 0.45
_LEAST_CHROMA = {"white": 0.15, "black": 0.25}  # of the contrast: shadows and gaps are grey
_CLIPPED = 250
# White that clips was lighter than its levels, and at a mark's outline half of its light clips, too. The remaining
# mark ends at a fifth of its contrast: so 2,900 marks had their printed areas, the faintest 0.7 to 0.9.
_WASHED_OUT_SHARE = 0.2
_WASHED_OUT_LEAST = 3  # grey levels: clipped ground has no grain
_SPARSE = 4


def foreground_and_marks(
    work: WorkImage, table: Table, ground: str, area_range_mm2: tuple[float, float], px_per_mm: float
) -> tuple[Foreground, Marks]:
    """Return the foreground on a `white` or `black` ground, and its marks; see `find_foregrounds`."""
    foreground, fuller = find_foregrounds(work, ground, area_range_mm2, px_per_mm)
    found = find_marks(work, table, foreground, ground, area_range_mm2, px_per_mm)
    if fuller is not None:
        also = find_marks(work, table, fuller, ground, area_range_mm2, px_per_mm)
        found = found.and_also(also.unlike(found))
    return foreground, found


def find_foregrounds(
    work: WorkImage, ground: str, area_range_mm2: tuple[float, float], px_per_mm: float
) -> tuple[Foreground, Foreground | None]:
    """Segment the foreground on a `white` or `black` ground.

    `area_range_mm2`: of the marks; `px_per_mm`: the greatest work scale. Return a second foreground where white ground
    is clipped. It also has the patches of washed-out marks, but near ones may have merged.
    """
    least_px = least_area_px(area_range_mm2[0], px_per_mm)
    mask, level, closed = _mask(work, ground, least_px, area_range_mm2[1], px_per_mm)
    first = Foreground(mask, level, *patches_of(mask, least_px))
    faint = _washed_out(work.bgr, closed, _window(_NEAR_MM, px_per_mm)) if ground == "white" else None
    if faint is None:
        return first, None
    mask = _grown(first, faint)
    return first, Foreground(mask, level, *patches_of(mask, least_px))


def _grown(first: Foreground, faint: Image) -> Image:
    """Return a 0/1 mask (h, w) of the patches that `faint`, 0/1 (h, w), adds to a first foreground or enlarges."""
    added = cv2.subtract(faint, first.mask)
    beside = np.asarray(cv2.dilate(added, cv2.getStructuringElement(cv2.MORPH_CROSS, (3, 3))), np.uint8)
    enlarged = np.zeros(int(first.labels.max()) + 1, np.uint8)
    enlarged[first.labels[beside.view(bool)]] = 1
    enlarged[0] = 0
    return np.asarray(cv2.bitwise_or(enlarged.take(first.labels), added), np.uint8)


def _mask(
    work: WorkImage, ground: str, least_px: float, most_mm2: float, px_per_mm: float
) -> tuple[Image, Image, Image]:
    """Return the foreground's 0/1 mask (h, w), the ground's BGR levels (h, w, 3), and these at half scale, not raised.

    White ground's levels are raised a little; patches smaller than `least_px` do not matter.
    """
    height, width = work.bgr.shape[:2]
    # No mark holds a square window of more than its own area, so the ground closes over it. A much wider window would
    # not fit into a card's corners, where the table would then look like the ground. Grain needs a slightly wider one.
    reach = max(3, int(_WIDER * np.sqrt(most_mm2) * px_per_mm / 2)) | 1
    way = cv2.MORPH_CLOSE if ground == "white" else cv2.MORPH_OPEN
    plain = np.asarray(cv2.morphologyEx(work.half, way, np.ones((reach, reach), np.uint8)), np.uint8)
    level = cv2.resize(plain, (width, height))
    if ground == "white":
        noise = np.full(level.shape, _DARK, np.uint8)
        level = cv2.add(level, noise)
        gap = cv2.subtract(level, cv2.add(work.bgr, noise))
        contrast, least = _extremes(np.asarray(cv2.divide(gap, level, scale=255), np.uint8))
    else:
        contrast, least = _extremes(np.asarray(cv2.subtract(work.bgr, level), np.uint8))
    near = _window(_NEAR_MM, px_per_mm)
    peak = np.asarray(cv2.dilate(contrast, np.ones((near, near), np.uint8)), np.uint8)
    restless = cv2.resize(_restlessness(contrast, px_per_mm), (width, height))
    floor = np.maximum(_times(restless, _OVER_TEXTURE), np.uint8(_LEAST_CONTRAST[ground]))
    strong = _over(cv2.add(contrast, contrast), peak) & _over(contrast, floor)
    mask = strong if ground == "white" else _half_lit(strong, _over(contrast, _times(peak, _HALF_LIGHT)), least_px)
    coloured = _over(cv2.subtract(contrast, least), _times(contrast, _LEAST_CHROMA[ground]))
    if ground == "white":
        # A black card beside a coloured mark also differs from that mark, but has no tint of its own.
        coloured &= _tinted_or_light(work.bgr)
    else:
        # Clipped print has lost its colour but not its shape, and no shadow is bright.
        coloured |= _over_level(contrast, _BRIGHT) | _clipped_somewhere(work.bgr)
    mask &= coloured
    return np.asarray(mask & 1, np.uint8), np.asarray(level, np.uint8), plain


def _washed_out(bgr: Image, ground: Image, near: int) -> Image | None:
    """Return a 0/1 mask (h, w) of marks on ground clipped in all channels; None without such ground.

    `ground` (h / 2, w / 2, 3): the ground's levels at half the scale; `near`: see `_NEAR_MM`, in px.
    """
    sparse = np.asarray((ground[::_SPARSE, ::_SPARSE] >= _CLIPPED).all(-1), np.uint8)
    left, top, width, height = (_SPARSE * side for side in cv2.boundingRect(sparse))
    if not width:
        return None
    small = _extremes(ground[top : top + height, left : left + width])[1]
    height, width = (2 * side for side in small.shape)
    part = np.s_[2 * top : 2 * top + height, 2 * left : 2 * left + width]
    most, least = _extremes(bgr[part])
    # A shadow may end on a mark: the mark goes on a little beside the clipped ground.
    clipped = cv2.dilate(_over_level(small, _CLIPPED - 1), np.ones((3, 3), np.uint8))
    gap = cv2.subtract(cv2.resize(small, (width, height)), least)
    contrast = np.asarray(cv2.bitwise_and(gap, cv2.resize(clipped, (width, height))), np.uint8)
    peak = cv2.dilate(contrast, np.ones((near, near), np.uint8))
    bound = np.maximum(_times(peak, _WASHED_OUT_SHARE), np.uint8(_WASHED_OUT_LEAST))
    coloured = _over(cv2.subtract(most, least), _times(contrast, _LEAST_CHROMA["white"]))
    found = np.zeros(bgr.shape[:2], np.uint8)
    found[part] = cv2.morphologyEx(_over(contrast, bound) & coloured & 1, cv2.MORPH_OPEN, np.ones((3, 3), np.uint8))
    return found


def _window(reach_mm: float, px_per_mm: float) -> int:
    return 2 * max(1, round(reach_mm * px_per_mm)) + 1


def _half_lit(half: Image, core: Image, least_px: float) -> Image:
    """Return the core 0/255 (h, w) of each patch of `half`, or the whole patch where its core is small.

    Patches smaller than `least_px` stay cores.
    """
    core = np.asarray(core & half, np.uint8)
    count, labels = cv2.connectedComponents(half, connectivity=4, ltype=cv2.CV_32S)
    areas = np.bincount(labels[(half & 1).view(bool)], minlength=count)
    # Most of every patch is core, so only the few other pixels are counted.
    rest = np.flatnonzero(half != core)
    patch = labels.ravel()[rest]
    kept = areas - np.bincount(patch, minlength=count)
    weak = (kept < _LEAST_CORE * areas) & (areas >= least_px)
    core.ravel()[rest[weak[patch]]] = 255
    return core


def _tinted_or_light(bgr: Image) -> Image:
    """Return a 0/255 mask of pixels with a tint, relative to the lightest parts, or too light for a black card."""
    sample = bgr[::8, ::8].reshape(-1, 3)
    least = sample.min(1)
    white = np.median(sample[least >= np.percentile(least, 95)], axis=0) + 1.0
    most, least = _extremes(bgr, (white.max() / white).tolist())
    tinted = _over(cv2.subtract(most, least), _times(most, _LEAST_TINT))
    return np.asarray(tinted | _over_level(most, _LIGHT * float(white.max())), np.uint8)


def _clipped_somewhere(bgr: Image) -> Image:
    """Return a 0/255 mask of pixels with at least one clipped channel."""
    return np.asarray(cv2.bitwise_not(cv2.inRange(bgr, np.zeros(3), np.full(3, _CLIPPED - 1.0))), np.uint8)


def _restlessness(contrast: Image, px_per_mm: float) -> Image:
    """Return the least mean contrast of small places nearby, at quarter size: low on a card's ground, high on wood."""
    small = resized(contrast, (contrast.shape[1] // 4, contrast.shape[0] // 4))
    patch = max(1, round(4 * px_per_mm / 4))
    calm = cv2.blur(small, (patch, patch))
    near = max(3, round(_CALM_MM * px_per_mm / 4)) | 1
    return np.asarray(cv2.erode(calm, np.ones((near, near), np.uint8)), np.uint8)


def _extremes(bgr: Image, gains: Sequence[float] = (1.0, 1.0, 1.0)) -> tuple[Image, Image]:
    """Return the greatest and the least of each pixel's channels, after each channel's gain."""
    channels = (c if gain == 1 else _times(c, gain) for c, gain in zip(cv2.split(bgr), gains, strict=True))
    blue, green, red = channels
    most, least = cv2.max(cv2.max(blue, green), red), cv2.min(cv2.min(blue, green), red)
    return np.asarray(most, np.uint8), np.asarray(least, np.uint8)


def _times(image: cv2.typing.MatLike, factor: float) -> Image:
    return np.asarray(cv2.convertScaleAbs(image, alpha=factor), np.uint8)


def _over(image: cv2.typing.MatLike, other: cv2.typing.MatLike) -> Image:
    """Return a 0/255 mask of pixels greater in the first image."""
    return np.asarray(cv2.compare(image, other, cv2.CMP_GT), np.uint8)


def _over_level(image: Image, level: float) -> Image:
    """Return a 0/255 mask of pixels greater than a level."""
    return np.asarray(cv2.threshold(image, level, 255, cv2.THRESH_BINARY)[1], np.uint8)
