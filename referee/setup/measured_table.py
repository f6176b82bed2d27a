"""Makes the profile that watchers use from a survey: with the edge around which people sit, and the texture."""

from __future__ import annotations

from dataclasses import replace

from calibration.survey import SheetSurvey, Survey
from referee.match.table import outline_of
from referee.scoring.seats import marker_rectangle, rectangle_of
from vision.arrays import Image
from vision.profile import REACH_MM, TableProfile, small_grey, texture_within


def profile_of(found: Survey, reach_mm: float) -> TableProfile:
    """Return the profile of a table fitted to marker cards.

    Raises:
        BadInputError: the marker cards do not show the seats.
    """
    edge_mm = marker_rectangle(found.markers, found.table)
    markers_mm = {marker.id: found.table.to_mm(marker.corners_px) for marker in found.markers}
    return _with_texture(TableProfile(found.table, edge_mm, reach_mm, markers_mm), found.grey)


def sheet_profile(found: SheetSurvey, empty: Image) -> TableProfile:
    """Return the profile of a table fitted to sheets; empty (h, w, 3): the picture without them."""
    edge_mm = rectangle_of(found.corners_mm.reshape(-1, 2))
    return _with_texture(TableProfile(found.table, edge_mm, REACH_MM), small_grey(empty))


def _with_texture(profile: TableProfile, grey: Image) -> TableProfile:
    if profile.edge_mm is None:
        return profile
    small = profile.table_for((grey.shape[1], grey.shape[0]))
    return replace(profile, texture=texture_within(grey, outline_of(small, profile.edge_mm)))
