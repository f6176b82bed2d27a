"""Stillness of the table: the pace of frames, still stretches, and the places that changed between them."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence

import cv2
import numpy as np
from numpy.typing import NDArray

from hardware.camera.frames import Frame
from vision.arrays import Box, Floats, Image, Singles
from vision.channels import largest

MOST_AGE_NS = 150_000_000
"""Shortest time in which a player can turn a card without a frame that shows a hand."""
_GUESSED_NS = 100_000_000
_KEPT = 15
_LEAST = 3
_MOST = 0.9  # quantile of the periods for which a frame is awaited
_SLACK_NS = 1_000_000


class FramePace:
    """Follows the times of frames by the camera's count, so that frames that were not read are not missing."""

    def __init__(self) -> None:
        self._periods: deque[float] = deque(maxlen=_KEPT)
        self._last: Frame | None = None

    def look(self, frame: Frame) -> bool:
        """Take the next frame; return whether frames are missing before it."""
        last, lost = self._last, self.missing(frame.exposure_end_ns)
        if last is not None and frame.sequence > last.sequence:
            self._periods.append((frame.exposure_end_ns - last.exposure_end_ns) / (frame.sequence - last.sequence))
        self._last = frame
        return lost

    @property
    def period_ns(self) -> float:
        """Return the time in which the next frame should follow, ns, by the regularity of earlier ones."""
        if len(self._periods) < _LEAST:
            return _GUESSED_NS
        return sorted(self._periods)[int(_MOST * len(self._periods))]

    def too_old(self, t_ns: int) -> bool:
        """Return whether the last frame before `t_ns` is too old to show that instant."""
        return self._last is None or t_ns - self._last.exposure_end_ns > MOST_AGE_NS

    def missing(self, t_ns: int) -> bool:
        """Return whether frames are missing between the last one and `t_ns`."""
        return self._last is None or t_ns - self._last.exposure_end_ns > self.period_ns + _SLACK_NS


WIDTH_PX = 240
_BLUR_PX = 1.5
_LEAST_STEP = 5.0  # grey levels; smaller differences are compression and flicker
_NOISES = 8.0
_LEAST_PIXELS = 6
_BLACK = 4.0  # levels at which a ratio means nothing

Polygon = NDArray[np.float64]
Mask = NDArray[np.bool_]


class Stillness:
    """Measures motion on a table, within the area of `watch`, or in the whole picture without one."""

    def __init__(self) -> None:
        self._since_ns: int | None = None
        self._anchor: Singles | None = None
        self._moved_ns: NDArray[np.int64] | None = None
        self._area: Polygon | None = None
        self._mask: Mask | None = None

    def watch(self, area: Polygon) -> None:
        """Limit the search to a polygon (k, 2), in shares of the picture's size: people move outside it."""
        self._area, self._mask = area, None

    @property
    def watches(self) -> bool:
        """Return whether `watch` was called."""
        return self._area is not None

    def look(self, frame: Frame) -> None:
        """Take the next frame."""
        t_ns, now = frame.exposure_end_ns, _small(frame)
        if self._anchor is None or self._anchor.shape != now.shape or self._moved_ns is None:
            self._moved_ns, self._mask = np.full(now.shape, t_ns, np.int64), None
            self._since_ns, self._anchor = t_ns, now
            return
        if self._mask is None:
            self._mask = np.ones(now.shape, bool) if self._area is None else _inside(self._area, now.shape)
        # The reference is the table when it came to rest, not the last frame: slow hands move too little in a frame.
        moved = _differs(self._anchor, now) & self._mask
        if np.count_nonzero(moved) >= _LEAST_PIXELS:
            self._moved_ns[moved] = t_ns
            self._since_ns, self._anchor = t_ns, now

    def still_ns(self, t_ns: int) -> int:
        """Return the time without motion before `t_ns`, ns; 0 before the first frame."""
        return 0 if self._since_ns is None else max(0, t_ns - self._since_ns)

    def moved_since(self, t_ns: int, area: Polygon) -> bool:
        """Return whether anything moved at `t_ns` or later within a polygon (k, 2), in shares of the picture's size."""
        if self._moved_ns is None:
            return True
        late = (self._moved_ns >= t_ns) & _inside(area, self._moved_ns.shape)
        return bool(np.count_nonzero(late) >= _LEAST_PIXELS)


def _small(frame: Frame) -> Singles:
    return small_picture(frame.small_grey if frame.small_grey is not None else frame.grey(), WIDTH_PX, _BLUR_PX)


def within(polygon: Polygon, shape: tuple[int, ...]) -> Mask:
    """Return the pixels (h, w) of a picture of some shape within a polygon (k, 2) px."""
    mask = np.zeros(shape[:2], np.uint8)
    cv2.fillPoly(mask, [np.rint(polygon).astype(np.int32)], 1)
    return np.asarray(mask > 0)


def _inside(area: Polygon, shape: tuple[int, ...]) -> Mask:
    return within(area * (shape[1], shape[0]), shape)


def _differs(before: Singles, now: Singles) -> Mask:
    """Return the pixels that differ by more than noise, after removing a change of the whole light."""
    # Fading light takes more levels from white than from wood, but the same share of both.
    step = now - before * np.float32(np.median((now + _BLACK) / (before + _BLACK)))
    step -= np.median(step)
    noise = 1.4826 * float(np.median(np.abs(step)))
    return np.asarray(np.abs(step) > max(_LEAST_STEP, _NOISES * noise))


_WIDTH_PX = 480
_CHANGED = 14.0  # levels in any channel, with the light's change divided out
_LIKE = (0.8, 1.25)  # of a card's sides


def changed_since(before: Singles | None, now: Singles) -> Mask:
    """Return where a small picture (h, w, 3) differs from an earlier one; everywhere without an earlier one."""
    if before is None or before.shape != now.shape:
        return np.ones(now.shape[:2], bool)
    changed = (levels_changed(before, now) > _CHANGED).astype(np.uint8)
    return np.asarray(cv2.morphologyEx(changed, cv2.MORPH_OPEN, np.ones((2, 2), np.uint8)) > 0)


def levels_changed(before: Singles, now: Singles) -> Singles:
    """Return the largest change of any channel since an earlier picture, without the light's, (h, w) levels."""
    gain = np.median((now + 8) / (before + 8), axis=(0, 1))
    return np.asarray(largest(np.abs(now - before * gain)), np.float32)


def small_picture(image: Image, width_px: int = _WIDTH_PX, blur_px: float = 0.8) -> Singles:
    """Return a small copy (h, w) or (h, w, 3) of a picture."""
    height = max(1, round(image.shape[0] * width_px / image.shape[1]))
    shrunk = cv2.resize(image, (width_px, height), interpolation=cv2.INTER_AREA).astype(np.float32)
    return np.asarray(cv2.GaussianBlur(shrunk, (0, 0), blur_px) if blur_px else shrunk)


def like_a_card(points_mm: Floats, card_mm: tuple[float, float]) -> Floats | None:
    """Return the card's rectangle around points (n, 2), if they have its size, either way round; None if not."""
    (x, y), (one, other), turn = cv2.minAreaRect(points_mm.astype(np.float32))
    short, long = sorted((one, other))
    if not (_LIKE[0] < short / card_mm[0] < _LIKE[1] and _LIKE[0] < long / card_mm[1] < _LIKE[1]):
        return None
    angle = np.radians(turn if one <= other else turn + 90)
    across, down = np.array([np.cos(angle), np.sin(angle)]), np.array([-np.sin(angle), np.cos(angle)])
    half = np.array([[-1, -1], [1, -1], [1, 1], [-1, 1]]) / 2
    corners = np.array([x, y]) + half[:, :1] * card_mm[0] * across + half[:, 1:] * card_mm[1] * down
    return np.asarray(corners[None], np.float64)


def unlike(
    small: Singles,
    bare: Singles,
    quad: Floats,
    levels: float,
    beside: Sequence[Floats] = (),
) -> float:
    """Return the share of a place (4, 2) in a small picture (h, w, 3) that differs from the `bare` table around it.

    A difference exceeds `levels`; the area of the cards `beside` does not count.
    """
    inside = within(quad, small.shape)
    around = (cv2.dilate(inside.astype(np.uint8), np.ones((15, 15), np.uint8)) > 0) & ~inside
    for card in beside:
        inside &= ~within(card, small.shape)
    # Under a card that never moved the table was never visible: its surroundings replace it.
    off = np.abs(small[inside] - np.median(bare[around], axis=0)).max(axis=1)
    return float((off > levels).mean()) if len(off) else 0.0


def box_of(points_px: Floats, image: Image) -> Box:
    """Return the part of a picture, left, top, right and bottom, around points (n, 2)."""
    low = np.clip(np.floor(points_px.min(axis=0)), 0, None).astype(int)
    high = np.minimum(np.ceil(points_px.max(axis=0)).astype(int) + 1, (image.shape[1], image.shape[0]))
    return int(low[0]), int(low[1]), int(high[0]), int(high[1])


def share(mask: Mask, quad: Floats) -> float:
    """Return the share of a quad that a mask covers."""
    inside = within(quad, mask.shape)
    return float(mask[inside].mean()) if inside.any() else 0.0
