"""Scale of the copies on which pictures are searched."""

from __future__ import annotations

import math

_WIDE = 9 / 16  # the height of a usual picture by its width


def shrinking(long_px: float, area_px: float, wanted_px: float) -> float:
    """Return how many times smaller than a picture with such a side and area a copy is whose side is `wanted_px`, or 1.

    Of a panorama the copy has the area that one of a usual picture has: its cards are as large.
    """
    usual = math.sqrt(area_px / (wanted_px * wanted_px * _WIDE))
    return max(1.0, min(long_px / wanted_px, usual))
