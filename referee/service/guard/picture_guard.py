"""Follows the picture: where the marker cards are, what they looked like when all was well, what is wrong. Pure."""

from __future__ import annotations

from hardware.camera.exposure import Polygon
from hardware.camera.frames import SECOND_NS
from referee.service.guard.glance import Glance, glance_at
from referee.service.guard.mishaps import Change, Lasting, Mishap
from referee.service.guard.picture_watchers import WATCHED, lie_elsewhere, seen_in, well_set
from vision.arrays import Image
from vision.errors import VisionError
from vision.marker_look import MarkerWatch
from vision.markers import find_markers

SEARCH_NS = 2 * SECOND_NS
LOST_NS = 3 * SECOND_NS // 4
"""The marker cards are looked for so often while none is known, and anew when so long none of them was in sight."""


class PictureGuard:
    """See the module.

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
        """Whether the camera is set well, as far as the last picture tells."""
        return self._now is None or bool(well_set(self._now)["light"])

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
        told = WATCHED if _tells(now) else {Mishap.DARK, Mishap.BRIGHT, Mishap.MOVED}
        return self._lasting.take(here, told, t_ns)

    def refresh(self) -> None:
        """Take what is seen now for how it is when all is well, if nothing is wrong: daylight changes all day."""
        if not self.on:
            self._remember()

    def settled(self) -> None:
        """Take it that the camera was set up anew: what it was like before is no measure any more."""
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
