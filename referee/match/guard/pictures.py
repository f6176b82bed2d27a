"""Follows the picture: where the marker cards are, their look when all was well, and the mishaps that show. Pure."""

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
from referee.match.guard.mishaps import Change, Lasting, Mishap
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
# How far the marker cards must be off, and by what share of their distances from one another these may have changed.
_PUSHED_MM, _FEWEST_MOVED, _STIFF = 2.5, 2, 0.04
# The sigma of the blur by a marker's side: one millimetre on a table.
_SOFT = 0.02
_PALER = 0.62
PICTURES = 4
_EVERY_NS = SECOND_NS // 2
_WITHIN_NS = SECOND_NS // 2
_STRIPED = 2.5 * STRIPED
"""In play on drawn tables rows differ by 0.004 at most, whatever hands do; what set-up leaves is below STRIPED."""
_BEFORE = 8  # looks: what there was some seconds ago is compared with
_OLDEST_NS = 120 * SECOND_NS  # then too much has moved for a comparison


@dataclass(frozen=True, eq=False)
class Glance:
    """What a picture showed.

    white: level of the brightest surface (of the table, where that is known), glints left out. clipped: the share of
    the picture that is at the end of the scale. markers: what the marker cards show, None where none are known.
    places: where they were and are, unless all are plainly where they were.
    """

    t_ns: int
    white: float
    clipped: float
    markers: MarkerSights | None
    places: Places | None = None


def glance_at(image: Image, t_ns: int, markers: MarkerWatch | None, area: Polygon | None = None) -> Glance:
    """Look at a picture, (h, w, 3) uint8 BGR; area: the table, (k, 2) in shares of the picture's size."""
    step = max(1, image.shape[1] // _SMALL_PX)
    judged = judge(within(np.ascontiguousarray(image[::step, ::step]), area), _ANY)
    if markers is None:
        return Glance(t_ns, judged.white, judged.clipped_share, None)
    sights = markers.look(image)
    places = None if (sights.blur == 0).all() else markers.places(image, sights)
    return Glance(t_ns, judged.white, judged.clipped_share, sights, places)


class PictureGuard:
    """Follows the picture.

    `well`: whether white is where a camera should be set to, by the last picture.
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
        self._pushed = False  # and nobody knows yet where the marker cards are now

    @property
    def on(self) -> frozenset[Mishap]:
        """What goes wrong now."""
        return self._lasting.on

    @property
    def well(self) -> bool:
        """Return whether the camera is set well, as far as the last picture shows."""
        return self._now is None or is_well_set(self._now)

    def look(self, image: Image, t_ns: int, area: Polygon | None = None) -> list[Change]:
        """Take a picture, (h, w, 3) uint8 BGR, and give what began and ended."""
        self._search(image, t_ns)
        pushed = Mishap.MOVED in self.on and self._pushed
        now = self._now = glance_at(image, t_ns, self._markers, area)
        if now.markers is not None and now.markers.in_sight.any():
            self._sighted_ns = t_ns
        here = seen_in(now, self._before)
        if pushed or (self._found_elsewhere_ns is not None and t_ns - self._found_elsewhere_ns < SEARCH_NS):
            here |= {Mishap.MOVED}
        if Mishap.MOVED in here and Mishap.MOVED not in self.on:
            # What else is wrong at the old places says nothing.
            here, self._pushed = frozenset({Mishap.MOVED}), True
        if self.on & {Mishap.DARK, Mishap.BRIGHT}:
            # It says what to do already.
            here -= {Mishap.LIGHT}
        self._image = image
        if self._before is None and not here:
            self._remember()
        # A picture that was taken while everything is covered says nothing of focus or of lamps.
        shown = SHOWS.keys() if _tells(now) else {Mishap.DARK, Mishap.BRIGHT, Mishap.MOVED}
        return self._lasting.take(here, shown, t_ns)

    def refresh(self) -> None:
        """Take what is seen now for how it is when all is well, if nothing is wrong: daylight changes all day."""
        if not self.on:
            self._remember()

    def settled(self) -> None:
        """Take it that the camera was set up again: its look before is no measure any more."""
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
    """The camera was pushed or turned, or the table: the marker cards are elsewhere in the picture, all alike.

    Judged by all markers in sight together: a card that was pushed alone has moved against the others.
    """
    return now.places is not None and _moved_as_one(now.places)


def _too_dark(now: Glance, before: Glance | None) -> bool:
    """White paper is grey: the light is off, or the sun has set."""
    white = _white(now)
    if white is not None:
        return white < _TOO_DARK
    # Where marker cards are known and not one is to be seen, something covers them, or the lens.
    return now.white < (_ALL_DARK if now.markers is None else _TOO_DARK)


def _too_bright(now: Glance, before: Glance | None) -> bool:
    """White paper is clipped: its print has lost its colours.

    Judged by the marker cards: two are clipped, or the only one; or by nearly all of the picture.
    """
    if now.clipped > _ALL_BRIGHT:
        return True
    if now.markers is None:
        return False
    # One under a sheet or an arm is none the less clipped if the sheet is.
    clipped = int(np.count_nonzero(now.markers.white_bgr.max(axis=1) >= CLIPPED))
    return clipped >= min(2, len(now.markers.white_bgr))


def _other_light(now: Glance, before: Glance | None) -> bool:
    """Another lamp: much less or more light, or light of another colour, than the camera was set up for."""
    if now.markers is None or before is None or before.markers is None:
        return False
    # The clipped say neither how bright nor of what colour.
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
    """Edges that were sharp are soft everywhere, by the median marker in sight."""
    blur = _known(now, "blur")
    return bool(blur.size) and float(np.median(blur)) >= _SOFT


def _smeared(now: Glance, before: Glance | None) -> bool:
    """A part of the lens is smeared: edges there are soft or pale, and as they were elsewhere.

    Judged by the markers one by one; soft everywhere is out of focus, pale everywhere another light.
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
"""Whether a mishap shows in a picture; the second: the table's look when the camera had been set up."""


def seen_in(now: Glance, before: Glance | None) -> frozenset[Mishap]:
    """Return all mishaps that show in a picture."""
    here = frozenset(mishap for mishap, shows in SHOWS.items() if shows(now, before))
    # Too dark and too bright say what to do; that it is another light than before says less.
    return here - {Mishap.LIGHT} if here & {Mishap.DARK, Mishap.BRIGHT} else here


def is_well_set(now: Glance) -> bool:
    """Return whether white is where the camera should be set to, so that there is room for what an evening brings."""
    white = _white(now)
    return 195.0 <= (now.white if white is None else white) <= 244.0


def lie_elsewhere(before: Sequence[Marker], now: Sequence[Marker]) -> bool:
    """Return whether marker cards that are seen in both pictures lie elsewhere now, as after a push of the camera."""
    known = {marker.id: marker for marker in before}
    both = [(known[marker.id], marker) for marker in now if marker.id in known]
    middles = np.array([[one.corners_px.mean(axis=0) for one in pair] for pair in both]).reshape(-1, 2, 2)
    sides = np.array([np.linalg.norm(one.corners_px[1] - one.corners_px[0]) for one, _ in both])
    return _moved_as_one(Places(middles[:, 0], middles[:, 1], sides))


def _moved_as_one(markers: Places) -> bool:
    """Return whether two and more lie elsewhere, and to one another as they lay."""
    before_px, now_px, side_px = markers.before_px, markers.now_px, markers.side_px
    if len(side_px) < _FEWEST_MOVED:
        return False
    far = np.linalg.norm(now_px - before_px, axis=1) / (float(np.median(side_px)) / MARKER_MM)
    one, other = np.triu_indices(len(before_px), 1)
    before, now = (np.linalg.norm(points[one] - points[other], axis=1) for points in (before_px, now_px))
    stiff = bool((np.abs(now / np.maximum(before, 1e-6) - 1) < _STIFF).all())
    return stiff and float(np.median(far)) >= _PUSHED_MM


def _white(glance: Glance) -> float | None:
    """The level of white paper: the largest channel of the median marker in sight; None without one."""
    if glance.markers is None or not glance.markers.in_sight.any():
        return None
    return float(np.median(glance.markers.white_bgr[glance.markers.in_sight].max(axis=1)))


def _known(glance: Glance, what: Literal["blur", "depth"]) -> np.ndarray[tuple[int, ...], np.dtype[np.float64]]:
    """(k,) what is known of the markers in sight by how they looked before."""
    if glance.markers is None:
        return np.zeros(0)
    values = glance.markers.blur if what == "blur" else glance.markers.depth
    return np.asarray(values[np.isfinite(values)], np.float64)


class Stripes:
    """Stripes of a flickering lamp: they wander, or stand where there were none before.

    frames: gives the frames whose exposure ended between two instants, as `FrameBuffer.between`.
    """

    mishaps = frozenset({Mishap.FLICKER})

    def __init__(self, frames: Callable[[int, int], Sequence[Frame]]) -> None:
        self._frames = frames
        self._looked_ns: int | None = None
        self._seen = False
        self._before: deque[tuple[int, Columns]] = deque(maxlen=_BEFORE)  # without stripes

    def here(self, now_ns: int) -> frozenset[Mishap]:
        """Look twice a second; what is seen once only does not last, and is no mishap."""
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
