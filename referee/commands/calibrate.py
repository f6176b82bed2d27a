"""`ringmaster calibrate table`: surveys a table and writes its profile, with which no marker card need be in sight."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from referee.errors import BadInputError
from referee.files import check_writable, write_whole

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from calibration.survey import Survey
    from vision.profile import TableProfile

SUMMARY = "measure how the camera stands over the table, and keep it as a profile"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of `calibrate`."""
    parser.add_argument("what", metavar="WHAT", choices=["table"], help="table")
    parser.add_argument(
        "images",
        nargs="+",
        metavar="IMAGE",
        help="pictures of the table with marker cards in sight; the camera must not move between them, nor later",
    )
    parser.add_argument("-o", "--output", metavar="FILE.json", type=Path, required=True, help="the profile to write")
    parser.add_argument(
        "--reach",
        metavar="MM",
        type=float,
        help="how far from the edge a player's cards may lie, in millimetres (default 180)",
    )


def run(args: argparse.Namespace) -> int:
    """Write the profile.

    Raises:
        BadInputError: an argument makes no sense, or the marker cards do not show where people sit.
        VisionError: a picture cannot be read, or the pictures show no one table.
    """
    from calibration.survey import survey
    from referee.words import list_of
    from vision.profile import REACH_MM, profile_text

    reach = REACH_MM if args.reach is None else args.reach
    if not 20 <= reach <= 2000:
        raise BadInputError(f"--reach must be from 20 to 2000 mm, not {reach:g}")
    check_writable(args.output, map(Path, args.images))
    found = survey(_pictures(args.images))
    write_whole(args.output, profile_text(profile_of(found, reach)).encode())
    ids = list_of([str(marker.id) for marker in found.markers])
    print(
        f"{args.output}: surveyed by marker cards {ids}; lengths on the table are right to about "
        f"{100 * found.table.scale_error:.1f} %. Say --table {args.output} from now on, "
        "and leave the marker cards where they are: they show that the camera still stands."
    )
    return 0


def profile_of(found: Survey, reach_mm: float) -> TableProfile:
    """Give the profile of a surveyed table.

    Raises:
        BadInputError: the marker cards do not show where people sit.
    """
    from referee.seats import marker_rectangle
    from referee.service.table_area import outline_of
    from vision.profile import TableProfile
    from vision.table_texture import texture_within

    edge_mm = marker_rectangle(found.markers, found.table)
    markers_mm = {marker.id: found.table.to_mm(marker.corners_px) for marker in found.markers}
    profile = TableProfile(found.table, edge_mm, reach_mm, markers_mm)
    small = profile.table_for((found.grey.shape[1], found.grey.shape[0]))
    return replace(profile, texture=texture_within(found.grey, outline_of(small, edge_mm)))


def _pictures(names: list[str]) -> Iterator[tuple[str, NDArray[np.uint8]]]:
    from vision.image import load_picture

    for name in names:
        yield name, load_picture(Path(name)).image
