"""Surveys a table: how the camera stands over it, told by marker cards in one or more pictures."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from vision.errors import BadTableError
from vision.markers import Marker, check_not_doubled, table_from_markers, unmirrored_markers
from vision.table import Table
from vision.table_texture import small_grey

Image = NDArray[np.uint8]

_STILL_PX, _STILL = 2.0, 0.04  # a marker card that was not moved is seen off its place by less, in px or of its side


@dataclass(frozen=True, eq=False)
class Survey:
    """A surveyed table, and the marker cards on it, each at the median of the places where it was seen.

    `grey` (h, w): the first picture, as small as a table's texture is kept.
    """

    table: Table
    markers: tuple[Marker, ...]
    grey: Image


def survey(pictures: Iterable[tuple[str, Image]]) -> Survey:
    """Survey the table in pictures (h, w, 3) uint8 BGR, each with its name, from a camera that stood still.

    What is covered in one picture may be seen in another.

    Raises:
        BadTableError: the pictures differ in size, one is mirrored, shows no marker card that another shows as well,
            shows one elsewhere, or two with one number, or the marker cards lie on no flat table.
    """
    size_px: tuple[int, int] | None = None
    first: Image | None = None
    seen: dict[int, list[tuple[str, Marker]]] = {}
    for name, image in pictures:
        size = image.shape[1], image.shape[0]
        sight = unmirrored_markers(image, name)
        check_not_doubled(sight, name)
        markers = sight.markers
        if not markers:
            raise BadTableError(f"no marker card is in sight in {name}")
        if size_px is not None and size != size_px:
            raise BadTableError(f"{name} has another size than the pictures before it: take all with one camera")
        if seen and not any(marker.id in seen for marker in markers):
            raise BadTableError(f"{name} shows none of the marker cards that the pictures before it show")
        size_px = size
        first = small_grey(image) if first is None else first
        for marker in markers:
            before = seen.setdefault(marker.id, [])
            if before and _moved(before[0][1], marker):
                raise BadTableError(
                    f"marker card {marker.id} lies elsewhere in {name} than in {before[0][0]}: "
                    "leave the camera and the marker cards where they are between pictures"
                )
            before.append((name, marker))
    if size_px is None or first is None:
        raise BadTableError("there is no picture to survey the table by")
    middles = tuple(
        Marker(number, np.median([marker.corners_px for _, marker in seen[number]], axis=0)) for number in sorted(seen)
    )
    return Survey(table_from_markers(middles, size_px), middles, first)


def _moved(one: Marker, other: Marker) -> bool:
    way = float(np.linalg.norm(one.corners_px.mean(0) - other.corners_px.mean(0)))
    side = float(np.linalg.norm(one.corners_px[1] - one.corners_px[0]))
    return way > max(_STILL_PX, _STILL * side)
