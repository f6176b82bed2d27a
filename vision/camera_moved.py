"""Whether a camera still stands where a table was surveyed, as a picture shows it.

Decided by the visible surveyed marker cards, else by the table's own texture. A marker card may be pushed by a
hand while the others stand: then it is out, and not the camera.
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
_MARKER_PX = 0.5  # by so much the middle of a marker may be seen off its place
_TURNED = 0.03  # rad, of a marker alone
_PROOF = 2  # markers
_ENOUGH, _ENOUGH_DOUBLED = 3, 4  # markers to survey a table again, and where two others have one number


@dataclass(frozen=True)
class Stand:
    """Whether a camera stands where it stood; None if nothing in the picture shows it.

    `pushed`: the ids of the marker cards that do not lie where they lay, though the camera stands.
    """

    stands: bool | None
    pushed: tuple[int, ...] = ()


def stand_of(profile: TableProfile, image: NDArray[np.uint8], markers: Sequence[Marker]) -> Stand:
    """Hold a picture (h, w, 3) BGR, and the marker cards found in it, against a profile.

    Raises:
        BadTableError: the picture has another shape than those of the profile.
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
    """Return a picture's table, the profile's or None where its own markers decide, and the camera's state.

    Where nothing shows that, and too few markers are in sight, it is the profile's.

    Raises:
        BadTableError: the picture has another shape than those of the profile, or the camera was moved and too few
            markers are in sight.
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
    """Give those of several marker cards with one number that do not lie where the one lay; none if all or none do."""
    table = profile.table_for(size_px)
    known = [copy for copy in copies if copy.id in profile.markers_mm]
    there = {copy.id for copy in known if _at_place(copy, profile.markers_mm[copy.id], table)}
    return tuple(c for c in known if c.id in there and not _at_place(c, profile.markers_mm[c.id], table))


def not_shown_to_stand(profile: TableProfile, stand: Stand) -> MovedCameraError:
    """Return the error of a picture that does not show the camera at its place, with too few markers in sight."""
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
    """Return how far a marker alone is turned from how it lay, rad; far without one."""
    for marker in markers:
        if marker.id in standing:
            now, before = table.to_mm(marker.corners_px), profile.markers_mm[marker.id]
            sides = [corners @ [1, 1j] for corners in (now - now.mean(0), before - before.mean(0))]
            return abs(float(np.angle(np.vdot(sides[1], sides[0]))))
    return np.inf


def _texture_off_mm(profile: TableProfile, image: NDArray[np.uint8]) -> float | None:
    """Return how far off its place the edge of the table is at most, by its texture; None if that shows nothing."""
    texture = profile.texture
    shift_px = None if texture is None else texture.shift_px(image)
    if texture is None or shift_px is None:
        return None
    table = profile.table_for((WIDTH_PX, texture.grey.shape[0]))
    return float(np.linalg.norm(table.to_mm(texture.outline + shift_px) - table.to_mm(texture.outline), axis=1).max())
