"""Checks on a picture whether a camera still stands where its table was surveyed.

The surveyed marker cards decide, or without them the table's own texture. A hand may push one marker card while the
others stay: then that card is ignored.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from vision.arrays import Points
from vision.errors import MovedCameraError
from vision.markers import Marker, MarkerSight, check_not_doubled
from vision.profile import WIDTH_PX, TableProfile
from vision.table import Table

MOST_OFF_MM = 3.0
_MARKER_PX = 0.5  # tolerance of a marker's middle
_TURNED = 0.03  # rad, tolerance of a single marker
_PROOF = 2  # markers
_ENOUGH, _ENOUGH_DOUBLED = 3, 4  # markers for a new survey, and that number where two others share an id


@dataclass(frozen=True)
class Stand:
    """Result of the check; None if the picture shows neither.

    `pushed`: ids of marker cards that have moved although the camera has not.
    """

    stands: bool | None
    pushed: tuple[int, ...] = ()


def stand_of(profile: TableProfile, image: NDArray[np.uint8], markers: Sequence[Marker]) -> Stand:
    """Compare a picture (h, w, 3) BGR and its markers with a profile.

    Raises:
        BadTableError: the picture's aspect differs from the profile's.
    """
    table = profile.table_for((image.shape[1], image.shape[0]))
    at_place = {m.id: _at_place(m, profile.markers_mm[m.id], table) for m in markers if m.id in profile.markers_mm}
    standing, pushed = ([number for number, there in at_place.items() if there is which] for which in (True, False))
    alone = len(at_place) == 1 and _turn(markers, standing, profile, table) < _TURNED
    if (len(standing) >= _PROOF and len(standing) > len(pushed)) or alone:
        return Stand(True, tuple(pushed))
    off_mm = _texture_off_mm(profile, image)
    if off_mm is None:
        return Stand(False if at_place else None)
    return Stand(True, tuple(pushed)) if off_mm < MOST_OFF_MM else Stand(False)


def table_now(profile: TableProfile, image: NDArray[np.uint8], sight: MarkerSight) -> tuple[Table | None, Stand]:
    """Return a picture's table and the camera's state; None for the table where the picture's own markers decide.

    With too few markers to decide, the table is the profile's.

    Raises:
        BadTableError: the picture's aspect differs from the profile's, or the camera was moved and too few markers are
            visible.
    """
    stand = stand_of(profile, image, sight.markers)
    few = len(sight.markers) < (_ENOUGH_DOUBLED if sight.doubled else _ENOUGH)
    if stand.stands or (stand.stands is None and few):
        return profile.table_for((image.shape[1], image.shape[0])), stand
    if few:
        check_not_doubled(sight)
        raise not_shown_to_stand(profile, stand)
    return None, stand


def strays_among(copies: Sequence[Marker], profile: TableProfile, size_px: tuple[int, int]) -> tuple[Marker, ...]:
    """Return those of several markers with one id that are off the surveyed place; empty if all or none are."""
    table = profile.table_for(size_px)
    known = [copy for copy in copies if copy.id in profile.markers_mm]
    there = {copy.id for copy in known if _at_place(copy, profile.markers_mm[copy.id], table)}
    return tuple(c for c in known if c.id in there and not _at_place(c, profile.markers_mm[c.id], table))


def not_shown_to_stand(profile: TableProfile, stand: Stand) -> MovedCameraError:
    """Return the error for a picture with too few markers that does not show the camera at its place."""
    if not profile.markers_mm and profile.texture is None:
        return MovedCameraError(
            "error.table_profile_is_of_earlier",
            "the table profile is of an earlier version and cannot show whether the camera was moved since: "
            "calibrate the table again",
        )
    if stand.stands is None:
        return MovedCameraError(
            "error.nothing_in_sight_shows_that",
            "nothing in sight shows that the camera still stands where it stood when the table was calibrated: "
            "lay marker cards 0, 1, 2 and 3 at the table's corners, or calibrate the table again",
        )
    return MovedCameraError(
        "error.camera_was_moved_since_table_was_calibrated_or_marker_cards",
        "the camera was moved since the table was calibrated, or the marker cards were: "
        "lay marker cards 0, 1, 2 and 3 at the table's corners, or calibrate the table again",
    )


def _at_place(marker: Marker, corners_mm: Points, table: Table) -> bool:
    middle_px = marker.corners_px.mean(0, keepdims=True)
    off_mm = float(np.linalg.norm(table.to_mm(marker.corners_px).mean(0) - corners_mm.mean(0)))
    return off_mm < MOST_OFF_MM + _MARKER_PX / float(table.px_per_mm(middle_px)[0])


def _turn(markers: Sequence[Marker], standing: list[int], profile: TableProfile, table: Table) -> float:
    """Return the turn of a single marker against the survey, rad; large without one."""
    for marker in markers:
        if marker.id in standing:
            now, before = table.to_mm(marker.corners_px), profile.markers_mm[marker.id]
            sides = [corners @ [1, 1j] for corners in (now - now.mean(0), before - before.mean(0))]
            return abs(float(np.angle(np.vdot(sides[1], sides[0]))))
    return np.inf


def _texture_off_mm(profile: TableProfile, image: NDArray[np.uint8]) -> float | None:
    """Return the largest shift of the table's edge by its texture, mm; None if the texture shows none."""
    texture = profile.texture
    shift_px = None if texture is None else texture.shift_px(image)
    if texture is None or shift_px is None:
        return None
    table = profile.table_for((WIDTH_PX, texture.grey.shape[0]))
    return float(np.linalg.norm(table.to_mm(texture.outline + shift_px) - table.to_mm(texture.outline), axis=1).max())
