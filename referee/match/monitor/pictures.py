"""Follows the picture: places of the marker cards, their look when all was well, and visible mishaps. Pure."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from hardware.camera.exposure import (
    CLIPPED,
    STRIPED,
    Columns,
    Exposure,
    Polygon,
    in_columns,
    judge,
    striped,
    striped_since,
    within,
)
from hardware.camera.frames import SECOND_NS, Frame
from referee.match.monitor.mishaps import Lasting, Mishap
from vision.arrays import Image
from vision.errors import VisionError
from vision.marker_look import MarkerSights, MarkerWatch, Places
from vision.markers import MARKER_MM, Marker, find_markers

SEARCH_NS = 2 * SECOND_NS
LOST_NS = 3 * SECOND_NS // 4
"""The intervals at which marker cards are searched: while not one is known, and after all were out of sight."""
_SMALL_PX = 320
_ANY = Exposure(1.0, 1.0)
# Levels of white. A camera is set to 225; from 250 colours are lost for good, below 100 noise eats them.
_TOO_DARK = 100.0
_ALL_DARK = 60.0
_ALL_BRIGHT = 0.4
# In light, not in levels: half as much, or 40 % more, is another lamp, a cloud is less.
_LESS, _MORE = 0.5, 1.4
_COLOUR = 0.2
_GAMMA = 2.2
# Least move of the marker cards, their least number, and the greatest relative change of their distances.
_PUSHED_MM, _FEWEST_MOVED, _STIFF = 2.5, 2, 0.04
# The sigma of the blur by a marker's side: one millimetre on a table.
_SOFT = 0.02
_PALER = 0.62
PICTURES = 4
_EVERY_NS = SECOND_NS // 2
_WITHIN_NS = SECOND_NS // 2
_STRIPED = 2.5 * STRIPED
"""In play on drawn tables rows differ by 0.004 at most, whatever hands do; setup leaves less than STRIPED."""
_BEFORE = 8  # looks: the picture some seconds ago is the reference
_OLDEST_NS = 120 * SECOND_NS  # then too much has moved for a comparison


@dataclass(frozen=True, eq=False)
class Glance:
    """Measurements of a picture.

    white: level of the brightest surface (of the table, where that is known), without glints. clipped: the share of the
    picture that is at the end of the scale. markers: the marker cards, None where none are known. places: their old and
    new places, unless all clearly stayed.
    """

    t_ns: int
    white: float
    clipped: float
    markers: MarkerSights | None
    places: Places | None = None


def glance_at(image: Image, t_ns: int, markers: MarkerWatch | None, area: Polygon | None = None) -> Glance:
    """Measure a picture, (h, w, 3) uint8 BGR; area: the table, (k, 2) in shares of the picture's size."""
    step = max(1, image.shape[1] // _SMALL_PX)
    judged = judge(within(np.ascontiguousarray(image[::step, ::step]), area), _ANY)
    if markers is None:
        return Glance(t_ns, judged.white, judged.clipped_share, None)
    sights = markers.look(image)
    places = None if (sights.blur == 0).all() else markers.places(image, sights)
    return Glance(t_ns, judged.white, judged.clipped_share, sights, places)


class PictureMonitor:
    """Follows the picture.

    `well`: whether white is at a camera's target, by the last picture.
    """

    def __init__(self) -> None:
        self._lasting = Lasting()
        self._markers: MarkerWatch | None = None
        self._image: Image | None = None
        self._searched_ns: int | None = None
        self._sighted_ns = 0
        self._before: Glance | None = None
        self._now: Glance | None = None
        self._found_elsewhere_ns: int | None = None
        self._pushed = False  # and the marker cards' new places are still unknown

    @property
    def on(self) -> frozenset[Mishap]:
        """Return the present mishaps."""
        return self._lasting.on

    @property
    def well(self) -> bool:
        """Return whether the camera is set well, as far as the last picture shows."""
        return self._now is None or is_well_set(self._now)

    def look(self, image: Image, t_ns: int, area: Polygon | None = None) -> frozenset[Mishap]:
        """Take a picture, (h, w, 3) uint8 BGR, and return the present mishaps."""
        self._search(image, t_ns)
        pushed = Mishap.MOVED in self.on and self._pushed
        now = self._now = glance_at(image, t_ns, self._markers, area)
        if now.markers is not None and now.markers.in_sight.any():
            self._sighted_ns = t_ns
        here = seen_in(now, self._before)
        if pushed or (self._found_elsewhere_ns is not None and t_ns - self._found_elsewhere_ns < SEARCH_NS):
            here |= {Mishap.MOVED}
        if Mishap.MOVED in here and Mishap.MOVED not in self.on:
            # Other mishaps at the old places are no evidence.
            here, self._pushed = frozenset({Mishap.MOVED}), True
        if self.on & {Mishap.DARK, Mishap.BRIGHT}:
            # That mishap's sentence has the remedy already.
            here -= {Mishap.LIGHT}
        self._image = image
        if self._before is None and not here:
            self._remember()
        # A picture taken while everything is covered is no evidence of focus or of lamps.
        shown = SHOWS.keys() if _tells(now) else {Mishap.DARK, Mishap.BRIGHT, Mishap.MOVED}
        return self._lasting.take(here, shown, t_ns)

    def refresh(self) -> None:
        """Make the present picture the reference, if nothing is wrong: daylight changes all day."""
        if not self.on:
            self._remember()

    def settled(self) -> None:
        """Start again after the camera was set up: its look before is no reference any more."""
        self._before = self._now = self._searched_ns = None

    def _remember(self) -> None:
        now, image = self._now, self._image
        if self._markers is None or image is None or now is None or now.markers is None:
            return
        if now.markers.in_sight.all():
            self._before = now
            self._markers.keep(image)

    def _search(self, image: Image, t_ns: int) -> None:
        unseen = self._now is None or not _tells(self._now)
        lost = (unseen and t_ns - self._sighted_ns > LOST_NS) or (self._pushed and Mishap.MOVED in self.on)
        if self._markers is not None and not lost:
            return
        if self._searched_ns is not None and t_ns - self._searched_ns < SEARCH_NS:
            return
        self._searched_ns = t_ns
        try:
            found = find_markers(image)
        except VisionError:
            return
        if found:
            if self._before is not None and self._markers is not None and lie_elsewhere(self._markers.markers, found):
                self._found_elsewhere_ns = t_ns
            self._markers, self._before, self._sighted_ns = MarkerWatch(found), None, t_ns
            self._pushed = False


def _tells(glance: Glance) -> bool:
    return glance.markers is not None and bool(glance.markers.in_sight.any())


def _pushed(now: Glance, before: Glance | None) -> bool:
    """Return whether camera or table was pushed or turned: the marker cards are elsewhere, all alike.

    All visible markers count together: a card that was pushed alone has moved against the others.
    """
    return now.places is not None and _moved_as_one(now.places)


def _too_dark(now: Glance, before: Glance | None) -> bool:
    """Return whether white paper is grey: the light is off, or the sun has set."""
    white = _white(now)
    if white is not None:
        return white < _TOO_DARK
    # Where marker cards are known and not one is visible, something covers them, or the lens.
    return now.white < (_ALL_DARK if now.markers is None else _TOO_DARK)


def _too_bright(now: Glance, before: Glance | None) -> bool:
    """Return whether white paper is clipped: its print has lost its colours.

    By the marker cards: two are clipped, or the only one; or by nearly all of the picture.
    """
    if now.clipped > _ALL_BRIGHT:
        return True
    if now.markers is None:
        return False
    # One under a sheet or an arm is clipped all the same if the sheet is.
    clipped = int(np.count_nonzero(now.markers.white_bgr.max(axis=1) >= CLIPPED))
    return clipped >= min(2, len(now.markers.white_bgr))


def _other_light(now: Glance, before: Glance | None) -> bool:
    """Return whether the lamp changed since setup: much less or more light, or light of another colour."""
    if now.markers is None or before is None or before.markers is None:
        return False
    # Clipped ones show neither brightness nor colour.
    both = now.markers.in_sight & before.markers.in_sight & (now.markers.white_bgr.max(axis=1) < CLIPPED)
    if not both.any():
        return False
    # By the mean of black and white: blur moves light from one to the other.
    light = (np.maximum(now.markers.mean_bgr[both], 1.0) / np.maximum(before.markers.mean_bgr[both], 1.0)) ** _GAMMA
    blue, green, red = np.median(light, axis=0)
    bright = float(np.median(light.mean(axis=1)))
    tint = max(abs(blue / green - 1.0), abs(red / green - 1.0))
    return not _LESS <= bright <= _MORE or tint > _COLOUR


def _out_of_focus(now: Glance, before: Glance | None) -> bool:
    """Return whether sharp edges became soft everywhere, by the median visible marker."""
    blur = _known(now, "blur")
    return bool(blur.size) and float(np.median(blur)) >= _SOFT


def _smeared(now: Glance, before: Glance | None) -> bool:
    """Return whether a part of the lens is smeared: edges there are soft or pale, and unchanged elsewhere.

    By the markers one by one; soft everywhere is out of focus, pale everywhere another light.
    """
    blur, depth = _known(now, "blur"), _known(now, "depth")
    if blur.size < 2:
        return False
    soft = float(blur.max()) >= _SOFT > float(np.median(blur))
    return soft or float(depth.min()) < _PALER * float(np.median(depth))


SHOWS: Mapping[Mishap, Callable[[Glance, Glance | None], bool]] = {
    Mishap.MOVED: _pushed,
    Mishap.DARK: _too_dark,
    Mishap.BRIGHT: _too_bright,
    Mishap.LIGHT: _other_light,
    Mishap.BLURRED: _out_of_focus,
    Mishap.SMEARED: _smeared,
}
"""Detectors of the mishaps in a picture; the second argument: the table's look when the camera had been set up."""


def seen_in(now: Glance, before: Glance | None) -> frozenset[Mishap]:
    """Return all mishaps visible in a picture."""
    here = frozenset(mishap for mishap, shows in SHOWS.items() if shows(now, before))
    # Too dark and too bright have a remedy; another light than before has less.
    return here - {Mishap.LIGHT} if here & {Mishap.DARK, Mishap.BRIGHT} else here


def is_well_set(now: Glance) -> bool:
    """Return whether white is at the camera's target, so that there is room for the changes of an evening."""
    white = _white(now)
    return 195.0 <= (now.white if white is None else white) <= 244.0


def lie_elsewhere(before: Sequence[Marker], now: Sequence[Marker]) -> bool:
    """Return whether marker cards in both pictures are elsewhere now, as after a push of the camera."""
    known = {marker.id: marker for marker in before}
    both = [(known[marker.id], marker) for marker in now if marker.id in known]
    middles = np.array([[one.corners_px.mean(axis=0) for one in pair] for pair in both]).reshape(-1, 2, 2)
    sides = np.array([np.linalg.norm(one.corners_px[1] - one.corners_px[0]) for one, _ in both])
    return _moved_as_one(Places(middles[:, 0], middles[:, 1], sides))


def _moved_as_one(markers: Places) -> bool:
    """Return whether two or more are elsewhere, in the same arrangement."""
    before_px, now_px, side_px = markers.before_px, markers.now_px, markers.side_px
    if len(side_px) < _FEWEST_MOVED:
        return False
    far = np.linalg.norm(now_px - before_px, axis=1) / (float(np.median(side_px)) / MARKER_MM)
    one, other = np.triu_indices(len(before_px), 1)
    before, now = (np.linalg.norm(points[one] - points[other], axis=1) for points in (before_px, now_px))
    stiff = bool((np.abs(now / np.maximum(before, 1e-6) - 1) < _STIFF).all())
    return stiff and float(np.median(far)) >= _PUSHED_MM


def _white(glance: Glance) -> float | None:
    """Return the level of white paper: the largest channel of the median visible marker; None without one."""
    if glance.markers is None or not glance.markers.in_sight.any():
        return None
    return float(np.median(glance.markers.white_bgr[glance.markers.in_sight].max(axis=1)))


def _known(glance: Glance, what: Literal["blur", "depth"]) -> np.ndarray[tuple[int, ...], np.dtype[np.float64]]:
    """Return the values (k,) of the visible markers that are known by their look before."""
    if glance.markers is None:
        return np.zeros(0)
    values = glance.markers.blur if what == "blur" else glance.markers.depth
    return np.asarray(values[np.isfinite(values)], np.float64)


class Stripes:
    """Stripes of a flickering lamp: they move, or stay where there were none before.

    frames: returns the frames whose exposure ended between two instants, as `FrameBuffer.between`.
    """

    mishaps = frozenset({Mishap.FLICKER})

    def __init__(self, frames: Callable[[int, int], Sequence[Frame]]) -> None:
        self._frames = frames
        self._looked_ns: int | None = None
        self._seen = False
        self._before: deque[tuple[int, Columns]] = deque(maxlen=_BEFORE)  # without stripes

    def here(self, now_ns: int) -> frozenset[Mishap]:
        """Check twice a second; stripes seen only once do not last, and are no mishap."""
        if self._looked_ns is None or now_ns - self._looked_ns >= _EVERY_NS:
            self._looked_ns = now_ns
            frames = self._frames(now_ns - _WITHIN_NS, now_ns + 1)[-PICTURES:]
            self._seen = len(frames) == PICTURES and self._show([frame.grey() for frame in frames], now_ns)
        return frozenset({Mishap.FLICKER} if self._seen else ())

    def _show(self, pictures: Sequence[Image], now_ns: int) -> bool:
        while self._before and now_ns - self._before[0][0] > _OLDEST_NS:
            self._before.popleft()
        small = in_columns(pictures)
        now = np.asarray(small.mean(axis=0), np.float32)
        standing = striped_since(self._before[0][1], now) if self._before else 0.0
        if max(striped(small), standing) > _STRIPED:
            return True
        self._before.append((now_ns, now))
        return False
