"""What watches the picture: a small class for each mishap that shows in it. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Literal, Protocol

import numpy as np

from hardware.camera.exposure import CLIPPED
from referee.service.guard.glance import Glance
from referee.service.guard.mishaps import Mishap
from vision.marker_look import Places
from vision.markers import MARKER_MM, Marker

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


class Watching(Protocol):
    """Watches for one mishap."""

    @property
    def mishap(self) -> Mishap:
        """What it watches for."""

    def holds(self, now: Glance, before: Glance | None) -> bool:
        """Whether it is so now; before: what the table was like when the camera had been set up."""


class Pushed:
    """The camera was pushed or turned, or the table: the marker cards lie elsewhere in the picture, all alike."""

    mishap = Mishap.MOVED

    def holds(self, now: Glance, before: Glance | None) -> bool:
        """Judge by all markers in sight together: a card that was pushed lies otherwise to the others."""
        return now.places is not None and _moved_as_one(now.places)


class TooDark:
    """White paper is grey: the light is off, or the sun has set."""

    mishap = Mishap.DARK

    def holds(self, now: Glance, before: Glance | None) -> bool:
        """Judge by the marker cards in sight, by all of the picture where there are none."""
        white = _white(now)
        if white is not None:
            return white < _TOO_DARK
        # Where marker cards are known and none is to be seen, something covers them, or the lens.
        return now.white < (_ALL_DARK if now.markers is None else _TOO_DARK)


class TooBright:
    """White paper is clipped, so that what is printed on it has lost its colours."""

    mishap = Mishap.BRIGHT

    def holds(self, now: Glance, before: Glance | None) -> bool:
        """Judge by the marker cards: two are clipped, or the only one; or by nearly all of the picture."""
        if now.clipped > _ALL_BRIGHT:
            return True
        if now.markers is None:
            return False
        # One under a sheet or an arm is none the less clipped if what lies on it is.
        clipped = int(np.count_nonzero(now.markers.white_bgr.max(axis=1) >= CLIPPED))
        return clipped >= min(2, len(now.markers.white_bgr))


class OtherLight:
    """Another lamp: much less or more light, or light of another colour, than the camera was set up for."""

    mishap = Mishap.LIGHT

    def holds(self, now: Glance, before: Glance | None) -> bool:
        """Hold the white of each marker in sight against what it was."""
        if now.markers is None or before is None or before.markers is None:
            return False
        # The clipped say neither how bright nor of what colour.
        both = _both(now, before) & (now.markers.white_bgr.max(axis=1) < CLIPPED)
        if not both.any():
            return False
        # By the mean of black and white: blur moves light from one to the other.
        light = (np.maximum(now.markers.mean_bgr[both], 1.0) / np.maximum(before.markers.mean_bgr[both], 1.0)) ** _GAMMA
        blue, green, red = np.median(light, axis=0)
        bright = float(np.median(light.mean(axis=1)))
        tint = max(abs(blue / green - 1.0), abs(red / green - 1.0))
        return not _LESS <= bright <= _MORE or tint > _COLOUR


class OutOfFocus:
    """Edges that were sharp are soft everywhere."""

    mishap = Mishap.BLURRED

    def holds(self, now: Glance, before: Glance | None) -> bool:
        """Judge by the median marker in sight."""
        blur = _known(now, "blur")
        return bool(blur.size) and float(np.median(blur)) >= _SOFT


class Smeared:
    """A part of the lens is smeared: edges there are soft or pale, and as they were elsewhere."""

    mishap = Mishap.SMEARED

    def holds(self, now: Glance, before: Glance | None) -> bool:
        """Judge by the markers one by one; soft everywhere is out of focus, pale everywhere another light."""
        blur, depth = _known(now, "blur"), _known(now, "depth")
        if blur.size < 2:
            return False
        soft = float(blur.max()) >= _SOFT > float(np.median(blur))
        return soft or float(depth.min()) < _PALER * float(np.median(depth))


WATCHING: tuple[Watching, ...] = (Pushed(), TooDark(), TooBright(), OtherLight(), OutOfFocus(), Smeared())
WATCHED = frozenset(one.mishap for one in WATCHING)


def seen_in(now: Glance, before: Glance | None) -> frozenset[Mishap]:
    """Give all mishaps that show in a picture."""
    here = frozenset(one.mishap for one in WATCHING if one.holds(now, before))
    # Too dark and too bright say what to do; that it is another light than before says less.
    return here - {Mishap.LIGHT} if here & {Mishap.DARK, Mishap.BRIGHT} else here


def well_set(now: Glance) -> Mapping[str, bool]:
    """Tell whether white is where the camera should be set to, so that there is room for what an evening brings."""
    white = _white(now)
    return {"known": white is not None, "light": 195.0 <= (now.white if white is None else white) <= 244.0}


def lie_elsewhere(before: Sequence[Marker], now: Sequence[Marker]) -> bool:
    """Whether marker cards that are seen in both pictures lie elsewhere now, as after a push of the camera."""
    known = {marker.id: marker for marker in before}
    both = [(known[marker.id], marker) for marker in now if marker.id in known]
    middles = np.array([[one.corners_px.mean(axis=0) for one in pair] for pair in both]).reshape(-1, 2, 2)
    sides = np.array([np.linalg.norm(one.corners_px[1] - one.corners_px[0]) for one, _ in both])
    return _moved_as_one(Places(middles[:, 0], middles[:, 1], sides))


def _moved_as_one(markers: Places) -> bool:
    """Whether two and more lie elsewhere, and to one another as they lay."""
    before_px, now_px, side_px = markers.before_px, markers.now_px, markers.side_px
    if len(side_px) < _FEWEST_MOVED:
        return False
    far = np.linalg.norm(now_px - before_px, axis=1) / (float(np.median(side_px)) / MARKER_MM)
    one, other = np.triu_indices(len(before_px), 1)
    before, now = (np.linalg.norm(points[one] - points[other], axis=1) for points in (before_px, now_px))
    stiff = bool((np.abs(now / np.maximum(before, 1e-6) - 1) < _STIFF).all())
    return stiff and float(np.median(far)) >= _PUSHED_MM


def _white(glance: Glance) -> float | None:
    """The level of white paper: the largest channel of the median marker in sight; None where none is."""
    if glance.markers is None or not glance.markers.in_sight.any():
        return None
    return float(np.median(glance.markers.white_bgr[glance.markers.in_sight].max(axis=1)))


def _both(now: Glance, before: Glance) -> np.ndarray[tuple[int, ...], np.dtype[np.bool_]]:
    assert now.markers is not None and before.markers is not None
    return np.asarray(now.markers.in_sight & before.markers.in_sight)


def _known(glance: Glance, what: Literal["blur", "depth"]) -> np.ndarray[tuple[int, ...], np.dtype[np.float64]]:
    """(k,) what is known of the markers in sight by how they looked before."""
    if glance.markers is None:
        return np.zeros(0)
    values = glance.markers.blur if what == "blur" else glance.markers.depth
    return np.asarray(values[np.isfinite(values)], np.float64)
