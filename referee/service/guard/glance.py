"""One short look at a picture, for all that watch it: the marker cards if known, else the picture as a whole."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from hardware.camera.exposure import Exposure, Polygon, judge, within
from vision.arrays import Image
from vision.marker_look import MarkerSights, MarkerWatch, Places

_SMALL_PX = 320
_ANY = Exposure(1.0, 1.0)


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
