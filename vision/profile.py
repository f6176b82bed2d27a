"""The table profile: what calibration measured of one camera over one table, kept as JSON."""

from __future__ import annotations

import base64
import binascii
import json
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

import cv2
import numpy as np

from vision.arrays import Points
from vision.errors import BadTableError
from vision.table import Table
from vision.table_texture import WIDTH_PX, TableTexture

FORMAT = "ringmaster-table-1"
REACH_MM = 180.0
# Focal lengths that any lens over a table has, shares of the picture's longer side.
_SHORTEST_LENS, _LONGEST_LENS = 0.1, 100.0
_MOST_BYTES = 2**20
_MOST = 1e7
_MOST_POINTS = 64
_PNG = b"\x89PNG\r\n\x1a\n"


@dataclass(frozen=True, eq=False)
class TableProfile:
    """A table that was surveyed before.

    `table` holds for pictures of `table.size_px`; `edge_mm` (4, 2), the corners of the rectangle that people sit
    round, clockwise as the camera sees them from bottom right, or None if the markers of each picture decide;
    `reach_mm` is how far from their edge a seat's cards may be. The rest shows whether the camera still stands
    there: `markers_mm`, the corners (4, 2) on the table of each marker card by its id, and the table's own texture.
    Profiles of earlier versions have neither. `seats`: where people sit who do not sit evenly round it, by how many
    they are (see `referee.scoring.seats.SeatRing.places`).
    """

    table: Table
    edge_mm: Points | None = None
    reach_mm: float = REACH_MM
    markers_mm: Mapping[int, Points] = field(default_factory=dict)
    texture: TableTexture | None = None
    seats: Mapping[int, tuple[float, ...]] = field(default_factory=dict)

    def table_for(self, size_px: tuple[int, int]) -> Table:
        """Return the table for a picture of `size_px` (width, height) taken by the same camera.

        Raises:
            BadTableError: the picture has another shape, so it is cut or comes from another camera.
        """
        width, height = self.table.size_px
        scale = size_px[0] / width
        # Halving an odd number of pixels loses one.
        if abs(size_px[1] - height * scale) > max(1.5, 1.5 * scale):
            raise BadTableError(
                "error.table.table_profile_is_for_pictures",
                "the table profile is for pictures of {width} × {height} pixels, and one of {own_width} × "
                "{own_height} does not have that shape",
                width=width,
                height=height,
                own_width=size_px[0],
                own_height=size_px[1],
            )
        shift = (scale - 1) / 2  # pixel centres are at whole numbers before and after
        zoom = np.array([[scale, 0, shift], [0, scale, shift], [0, 0, 1]])
        table = self.table
        return replace(table, camera=zoom @ table.camera, homography=zoom @ table.homography, size_px=size_px)


def profile_text(profile: TableProfile) -> str:
    """Give the profile as the text of its file."""
    table = profile.table
    data = {
        "format": FORMAT,
        "size_px": list(table.size_px),
        "camera": table.camera.tolist(),
        "distortion": table.distortion.tolist(),
        "homography": table.homography.tolist(),
        "scale_error": table.scale_error,
        "edge_mm": None if profile.edge_mm is None else profile.edge_mm.tolist(),
        "reach_mm": profile.reach_mm,
        "markers_mm": {str(number): corners.tolist() for number, corners in profile.markers_mm.items()},
        "texture": None if profile.texture is None else _texture_data(profile.texture),
        "seats": {str(players): list(places) for players, places in profile.seats.items()},
    }
    return json.dumps(data, indent=1) + "\n"


def load_profile(path: Path) -> TableProfile:
    """Load a table profile.

    Raises:
        BadTableError: there is none, it cannot be read, or describes no camera over a table.
    """
    try:
        if path.stat().st_size > _MOST_BYTES:
            raise BadTableError(
                "error.table.is_too_large_to_be", "{path} is too large to be a table profile", path=path
            )
        data = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError as error:
        raise BadTableError("error.there_is_no_table_profile", "there is no table profile {path}", path=path) from error
    except OSError as error:
        raise BadTableError(
            "error.table.table_profile_cannot_be_read",
            "the table profile {path} cannot be read: {why}",
            path=path,
            why=error.strerror or error,
        ) from error
    except (ValueError, RecursionError) as error:
        raise BadTableError(
            "error.is_not_table_profile_it", "{path} is not a table profile: it is not JSON", path=path
        ) from error
    if not isinstance(data, dict) or data.get("format") != FORMAT:
        raise BadTableError(
            "error.table.is_not_table_profile_format",
            '{path} is not a table profile: "format" is not "{value}"',
            path=path,
            value=FORMAT,
        )
    return _parsed(data, path)


def _parsed(data: Mapping[str, object], path: Path) -> TableProfile:
    camera = _array(data, "camera", (3, 3), path)
    homography = _array(data, "homography", (3, 3), path)
    width, height = _array(data, "size_px", (2,), path)
    reach = float(_array({"reach_mm": REACH_MM, **data}, "reach_mm", (), path))
    error = float(_array({"scale_error": 0.0, **data}, "scale_error", (), path))
    edge = None if data.get("edge_mm") is None else _array(data, "edge_mm", (4, 2), path)
    flat = abs(np.linalg.det(homography / np.abs(homography).max())) < 1e-15 if homography.any() else True
    upright = camera[0, 0] > 0 and camera[1, 1] > 0 and (camera[[1, 2, 2], [0, 0, 1]] == 0).all() and camera[2, 2] == 1
    focal = np.array([camera[0, 0], camera[1, 1]]) / max(width, height, 1.0)
    lens = (focal >= _SHORTEST_LENS).all() and (focal <= _LONGEST_LENS).all()
    if flat or not upright or not lens or min(width, height) < 1 or reach <= 0 or error < 0:
        raise BadTableError(
            "error.table.table_profile_describes_no_camera",
            "the table profile {path} describes no camera over a table",
            path=path,
        )
    distortion = _array(data, "distortion", (5,), path)
    table = Table(camera, distortion, homography, (round(float(width)), round(float(height))), error)
    return TableProfile(table, edge, reach, _markers(data, path), _texture(data, path), _seats(data, path))


def _texture_data(texture: TableTexture) -> dict[str, object]:
    png = cv2.imencode(".png", texture.grey)[1].tobytes()
    return {"outline_px": texture.outline.tolist(), "png": base64.b64encode(png).decode("ascii")}


def _markers(data: Mapping[str, object], path: Path) -> dict[int, Points]:
    markers = data.get("markers_mm") or {}
    if not isinstance(markers, dict) or len(markers) > _MOST_POINTS or not all(key.isdecimal() for key in markers):
        raise BadTableError(
            "error.table.markers_mm_in_table_profile",
            '"markers_mm" in the table profile {path} must give the corners of marker cards',
            path=path,
        )
    return {int(key): _array(markers, key, (4, 2), path) for key in markers}


def _seats(data: Mapping[str, object], path: Path) -> dict[int, tuple[float, ...]]:
    seats = data.get("seats") or {}
    if not isinstance(seats, dict) or not all(seats_fit(key, places) for key, places in seats.items()):
        raise BadTableError(
            "error.table.seats_in_table_profile_must",
            '"seats" in the table profile {path} must say where people sit, clockwise',
            path=path,
        )
    return {int(key): tuple(float(place) for place in places) for key, places in seats.items()}


def seats_fit(players: object, places: object) -> bool:
    """Return whether places can be those of so many players: clockwise, once round."""
    numbers = isinstance(places, list | tuple) and all(type(one) in (int, float) for one in places)
    if not numbers or not isinstance(places, list | tuple) or str(players) != str(len(places)) or not places:
        return False
    gaps = [after - before for before, after in zip(places, (*places[1:], places[0] + 1), strict=True)]
    return all(0 < gap <= 1 for gap in gaps) and -1 < places[0] < 1


def _texture(data: Mapping[str, object], path: Path) -> TableTexture | None:
    texture = data.get("texture")
    if texture is None:
        return None
    wrong = BadTableError(
        "error.table.texture_in_table_profile_must",
        '"texture" in the table profile {path} must be a small picture of the table',
        path=path,
    )
    outline = texture.get("outline_px") if isinstance(texture, dict) else None
    if not isinstance(texture, dict) or not isinstance(outline, list) or not 3 <= len(outline) <= _MOST_POINTS:
        raise wrong
    try:
        # A header says how large the picture will be before it is unpacked.
        png = base64.b64decode(str(texture.get("png")), validate=True)
        width, height = (int.from_bytes(png[at : at + 4], "big") for at in (16, 20))
        if png[:8] != _PNG or width != WIDTH_PX or not 1 <= height <= 4 * WIDTH_PX:
            raise wrong
        grey = cv2.imdecode(np.frombuffer(png, np.uint8), cv2.IMREAD_GRAYSCALE)
    except (binascii.Error, cv2.error) as error:
        raise wrong from error
    if grey is None or grey.shape != (height, width):
        raise wrong
    return TableTexture(np.asarray(grey, np.uint8), _array(texture, "outline_px", (len(outline), 2), path))


def _array(data: Mapping[str, object], key: str, shape: tuple[int, ...], path: Path) -> Points:
    try:
        value = np.array(data.get(key), dtype=np.float64)
    except (TypeError, ValueError, OverflowError):
        value = np.zeros(0)
    if value.shape != shape or not (np.abs(value) < _MOST).all():
        wanted = " × ".join(map(str, shape)) + " numbers" if shape else "a number"
        raise BadTableError(
            "error.table.in_table_profile_must_be",
            '"{key}" in the table profile {path} must be {wanted}',
            key=key,
            path=path,
            wanted=wanted,
        )
    return value
