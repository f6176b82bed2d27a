"""Detects mishaps in the picture, by the marker cards: their places, and their look when all was well. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum

import numpy as np

from hardware.camera.exposure import CLIPPED, GAMMA, Exposure, Polygon, judge, within
from hardware.camera.frames import SECOND_NS
from vision.arrays import Image
from vision.errors import VisionError
from vision.marker_look import MarkerSights, MarkerWatch, Places
from vision.markers import MARKER_MM, Marker, find_markers

BEGINS_NS, ENDS_NS = 7 * SECOND_NS // 10, 2 * SECOND_NS
"""How long a mishap must have been there, or gone, without a break."""
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
# Least move of the marker cards, their least number, and the greatest relative change of their distances.
_PUSHED_MM, _FEWEST_MOVED, _STIFF = 2.5, 2, 0.04
# The sigma of the blur by a marker's side: one millimetre on a table.
_SOFT = 0.02
_PALER = 0.62


class Mishap(Enum):
    """A mishap; the value is its name in the journal and on the page."""

    MOVED = "moved"
    DARK = "dark"
    BRIGHT = "bright"
    LIGHT = "light"
    BLURRED = "blurred"
    SMEARED = "smeared"
    FLICKER = "flicker"
    LOCK = "lock"
    PACE = "pace"
    HOT = "hot"
    POWER = "power"
    DISK = "disk"


@dataclass(frozen=True, eq=False)
class Glance:
    """Measurements of a picture.

    white: level of the brightest surface (of the table, where that is known), without glints. clipped: the share of the
    picture that is at the end of the scale. markers: the marker cards, None where none are known. places: their old and
    new places, unless all clearly stayed.
    """

    white: float
    clipped: float
    markers: MarkerSights | None
    places: Places | None = None

    @property
    def shows_markers(self) -> bool:
        """Return whether a known marker card is visible."""
        return self.markers is not None and bool(self.markers.in_sight.any())

    @property
    def paper(self) -> float:
        """Return the level of white paper: the largest channel of the median visible marker, else of the picture."""
        if self.markers is None or not self.shows_markers:
            return self.white
        return float(np.median(self.markers.white_bgr[self.markers.in_sight].max(axis=1)))


def glance_at(image: Image, markers: MarkerWatch | None, area: Polygon | None) -> Glance:
    """Measure a picture, (h, w, 3) uint8 BGR; area: the table, (k, 2) in shares of the picture's size."""
    step = max(1, image.shape[1] // _SMALL_PX)
    judged = judge(within(np.ascontiguousarray(image[::step, ::step]), area), _ANY)
    if markers is None:
        return Glance(judged.white, judged.clipped_share, None)
    sights = markers.look(image)
    places = None if (sights.blur == 0).all() else markers.places(image, sights)
    return Glance(judged.white, judged.clipped_share, sights, places)


class PictureMonitor:
    """Follows the picture. on: the present mishaps that last: no hand over a marker, shadow or passing cloud."""

    def __init__(self) -> None:
        self.on: frozenset[Mishap] = frozenset()
        self._since_ns: dict[Mishap, int] = {}
        self._seen_ns: dict[Mishap, int] = {}
        self._markers: MarkerWatch | None = None
        self._image: Image | None = None
        self._searched_ns: int | None = None
        self._sighted_ns = 0
        self._before: Glance | None = None
        self._now: Glance | None = None
        self._found_elsewhere_ns: int | None = None
        self._pushed = False  # and the marker cards' new places are still unknown

    @property
    def well(self) -> bool:
        """Return whether white is at a camera's target, by the last picture: with room for an evening's changes."""
        return self._now is None or 195.0 <= self._now.paper <= 244.0

    def look(self, image: Image, t_ns: int, area: Polygon | None = None) -> frozenset[Mishap]:
        """Take a picture, (h, w, 3) uint8 BGR, and return the present mishaps."""
        self._search(image, t_ns)
        pushed = Mishap.MOVED in self.on and self._pushed
        now = self._now = glance_at(image, self._markers, area)
        if now.shows_markers:
            self._sighted_ns = t_ns
        here = sighted(now, self._before)
        if pushed or (self._found_elsewhere_ns is not None and t_ns - self._found_elsewhere_ns < SEARCH_NS):
            here[Mishap.MOVED] = True
        if here[Mishap.MOVED] and Mishap.MOVED not in self.on:
            # Other mishaps at the old places are no evidence.
            here, self._pushed = {mishap: mishap is Mishap.MOVED for mishap in here}, True
        if self.on & {Mishap.DARK, Mishap.BRIGHT} and Mishap.LIGHT in here:
            # That mishap's sentence has the remedy already.
            here[Mishap.LIGHT] = False
        self._image = image
        if self._before is None and not any(here.values()):
            self._remember()
        for mishap, is_here in here.items():
            if is_here:
                self._seen_ns[mishap] = t_ns
                if t_ns - self._since_ns.setdefault(mishap, t_ns) >= BEGINS_NS:
                    self.on |= {mishap}
            else:
                self._since_ns.pop(mishap, None)
                if t_ns - self._seen_ns.get(mishap, 0) >= ENDS_NS:
                    self.on -= {mishap}
        return self.on

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
        unseen = self._now is None or not self._now.shows_markers
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
            if self._before is not None and self._markers is not None and are_elsewhere(self._markers.markers, found):
                self._found_elsewhere_ns = t_ns
            self._markers, self._before, self._sighted_ns = MarkerWatch(found), None, t_ns
            self._pushed = False


def sighted(now: Glance, before: Glance | None) -> dict[Mishap, bool]:
    """Return the mishaps that a picture can show; before: the table's look when the camera had been set up."""
    markers, moved = now.markers, now.places is not None and _moved_as_one(now.places)
    # White paper is grey: the light is off, or the sun has set. Where marker cards are known and not one is visible,
    # something covers them, or the lens.
    dark = now.paper < (_ALL_DARK if markers is None else _TOO_DARK)
    # White paper is clipped: its print has lost its colours.
    bright = now.clipped > _ALL_BRIGHT or (markers is not None and _are_clipped(markers))
    found = {Mishap.MOVED: moved, Mishap.DARK: dark, Mishap.BRIGHT: bright}
    if markers is None or not now.shows_markers:
        # A picture taken while everything is covered is no evidence of focus or of lamps.
        return found
    blur, depth = markers.blur[np.isfinite(markers.blur)], markers.depth[np.isfinite(markers.depth)]
    soft = blur.size > 0 and float(np.median(blur)) >= _SOFT
    # Soft everywhere is out of focus, pale everywhere another light; in a part it is a smear on the lens.
    smeared = blur.size > 1 and (
        float(blur.max()) >= _SOFT > float(np.median(blur)) or float(depth.min()) < _PALER * float(np.median(depth))
    )
    # Too dark and too bright have a remedy; another light than before has less.
    other = not dark and not bright and _is_other_light(markers, None if before is None else before.markers)
    return {**found, Mishap.LIGHT: other, Mishap.BLURRED: bool(soft), Mishap.SMEARED: bool(smeared)}


def _are_clipped(markers: MarkerSights) -> bool:
    """Return whether two marker cards are clipped, or the only one.

    One under a sheet or an arm is clipped all the same if the sheet is.
    """
    clipped = int(np.count_nonzero(markers.white_bgr.max(axis=1) >= CLIPPED))
    return clipped >= min(2, len(markers.white_bgr))


def _is_other_light(now: MarkerSights, before: MarkerSights | None) -> bool:
    """Return whether the lamp changed since setup: much less or more light, or light of another colour."""
    if before is None:
        return False
    # Clipped ones show neither brightness nor colour.
    both = now.in_sight & before.in_sight & (now.white_bgr.max(axis=1) < CLIPPED)
    if not both.any():
        return False
    # By the mean of black and white: blur moves light from one to the other.
    light = (np.maximum(now.mean_bgr[both], 1.0) / np.maximum(before.mean_bgr[both], 1.0)) ** GAMMA
    blue, green, red = np.median(light, axis=0)
    bright = float(np.median(light.mean(axis=1)))
    return not _LESS <= bright <= _MORE or max(abs(blue / green - 1.0), abs(red / green - 1.0)) > _COLOUR


def are_elsewhere(before: Sequence[Marker], now: Sequence[Marker]) -> bool:
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
