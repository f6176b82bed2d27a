"""The table profile: the calibration of one camera over one table, kept as JSON."""

from __future__ import annotations

import base64
import json
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path

import cv2
import numpy as np

from vision.arrays import Image, Points, Singles
from vision.errors import BadTableError
from vision.image import header_of
from vision.table import Table

FORMAT = "ringmaster-table-1"
REACH_MM = 180.0
# Range of focal lengths over a table, as shares of the picture's longer side.
_SHORTEST_LENS, _LONGEST_LENS = 0.1, 100.0
_MOST_BYTES = 2**20
_MOST = 1e7
_MOST_POINTS = 64

WIDTH_PX = 640
_FINEST_PX, _COARSEST_PX = 1.0, 10.0  # standard deviations of the texture and of the light
_NOISE = 2.0  # grey levels
_LEVELS = 40.0  # grey levels of texture that is as strong as its surroundings
_HALF_PX = 8  # of a patch
_APART_PX = 16  # between two patches
_LEAST_CORNER = 0.02  # of the strongest one
_SAME_PX = 0.5  # a patch that is tracked there and back ends where it began
_ENOUGH, _AGREEING = 12, 0.6  # tracked patches; share of them that one motion of the camera explains
_AGREE_PX = 1.0
_LEAST_SPREAD = 0.2  # of the table's outline


@dataclass(frozen=True, eq=False)
class TableTexture:
    """Small grey picture of a table: without a visible marker it shows whether the camera has moved.

    `grey` (h, w) is WIDTH_PX wide; `outline` (n, 2), in its px, is the table in it. A uniform table shows nothing, and
    a camera may be moved beyond the picture: then the result is open.
    """

    grey: Image
    outline: Points

    def shift_px(self, image: Image) -> Points | None:
        """Return the shift (n, 2) of the outline in a picture of the same camera, in px of `grey`.

        Returns None if nothing shows it.
        """
        now = small_grey(image)
        if now.shape != self.grey.shape:
            return None
        places, there = _followed(self._evened, _evened(now), self._patches)
        if len(places) < _ENOUGH:
            return None
        found = cv2.estimateAffinePartial2D(
            places, there, method=cv2.RANSAC, ransacReprojThreshold=_AGREE_PX, maxIters=500
        )
        if not np.any(found[1]):
            return None
        fit = found[0]
        agreeing = places[found[1].ravel() > 0]
        spread = np.ptp(agreeing, axis=0) / np.ptp(self.outline, axis=0)
        if len(agreeing) < max(_ENOUGH, _AGREEING * len(places)) or spread.min() < _LEAST_SPREAD:
            return None
        return np.asarray(self.outline @ fit[:, :2].T + fit[:, 2] - self.outline, np.float64)

    @cached_property
    def _evened(self) -> Image:
        return _evened(self.grey)

    @cached_property
    def _patches(self) -> Singles:
        """Return middles (n, 2), x and y, of patches that show a shift."""
        inside: Image = np.zeros(self.grey.shape, np.uint8)
        cv2.fillPoly(inside, [np.rint(self.outline).astype(np.int32)], 1)
        # Nothing was kept outside, so that edge is not the table's.
        inside = np.asarray(cv2.erode(inside, np.ones((4 * _HALF_PX + 1,) * 2, np.uint8), borderValue=0), np.uint8)
        found = cv2.goodFeaturesToTrack(
            self._evened, 0, _LEAST_CORNER, _APART_PX, mask=inside, blockSize=2 * _HALF_PX + 1
        )
        return np.zeros((0, 2), np.float32) if found is None else np.asarray(found, np.float32).reshape(-1, 2)


@dataclass(frozen=True, eq=False)
class TableProfile:
    """A surveyed table.

    `table` holds for pictures of `table.size_px`. `edge_mm` (4, 2): corners of the rectangle around which people sit,
    clockwise as the camera sees them from bottom right, or None if the markers of each picture decide. `reach_mm`: the
    largest distance of a seat's cards from their edge. `markers_mm`, each marker's corners (4, 2) on the table by its
    id, and the texture show whether the camera has moved; profiles of earlier versions have neither. `seats`: places of
    people who sit unevenly, by their number (see `referee.scoring.seats.SeatRing.places`).
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
            raise ValueError("it is too large")
        data = json.loads(path.read_text(encoding="utf-8"))
        if not isinstance(data, dict) or data.get("format") != FORMAT:
            raise ValueError(f'"format" is not "{FORMAT}"')
        return _parsed(data)
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
        why = error if type(error) is ValueError else "it is not JSON"
        raise BadTableError(
            "error.table.is_not_table_profile", "{path} is not a table profile: {why}", path=path, why=why
        ) from error


def _parsed(data: Mapping[str, object]) -> TableProfile:
    data = {"reach_mm": REACH_MM, "scale_error": 0.0, **data}
    camera, homography = _array(data, "camera", (3, 3)), _array(data, "homography", (3, 3))
    width, height = _array(data, "size_px", (2,)).tolist()
    reach, error = float(_array(data, "reach_mm", ())), float(_array(data, "scale_error", ()))
    edge = None if data.get("edge_mm") is None else _array(data, "edge_mm", (4, 2))
    flat = not homography.any() or abs(np.linalg.det(homography / np.abs(homography).max())) < 1e-15
    upright = camera[0, 0] > 0 and camera[1, 1] > 0 and (camera[[1, 2, 2], [0, 0, 1]] == 0).all() and camera[2, 2] == 1
    focal = np.array([camera[0, 0], camera[1, 1]]) / max(width, height, 1.0)
    lens = (focal >= _SHORTEST_LENS).all() and (focal <= _LONGEST_LENS).all()
    if flat or not upright or not lens or min(width, height) < 1 or reach <= 0 or error < 0:
        raise ValueError("it describes no camera over a table")
    table = Table(camera, _array(data, "distortion", (5,)), homography, (round(width), round(height)), error)
    markers, seats = data.get("markers_mm") or {}, data.get("seats") or {}
    if not isinstance(markers, dict) or len(markers) > _MOST_POINTS or not all(key.isdecimal() for key in markers):
        raise ValueError('"markers_mm" must give the corners of marker cards')
    if not isinstance(seats, dict) or not all(seats_fit(key, places) for key, places in seats.items()):
        raise ValueError('"seats" must say where people sit, clockwise')
    return TableProfile(
        table,
        edge,
        reach,
        {int(key): _array(markers, key, (4, 2)) for key in markers},
        _texture(data),
        {int(key): tuple(float(place) for place in places) for key, places in seats.items()},
    )


def _texture_data(texture: TableTexture) -> dict[str, object]:
    png = cv2.imencode(".png", texture.grey)[1].tobytes()
    return {"outline_px": texture.outline.tolist(), "png": base64.b64encode(png).decode("ascii")}


def seats_fit(players: object, places: object) -> bool:
    """Return whether places can be those of so many players: clockwise, once round."""
    numbers = isinstance(places, list | tuple) and all(type(one) in (int, float) for one in places)
    if not numbers or not isinstance(places, list | tuple) or str(players) != str(len(places)) or not places:
        return False
    gaps = [after - before for before, after in zip(places, (*places[1:], places[0] + 1), strict=True)]
    return all(0 < gap <= 1 for gap in gaps) and -1 < places[0] < 1


def _texture(data: Mapping[str, object]) -> TableTexture | None:
    texture = data.get("texture")
    if texture is None:
        return None
    try:
        if not isinstance(texture, dict) or not 3 <= len(texture["outline_px"]) <= _MOST_POINTS:
            raise ValueError
        png = base64.b64decode(str(texture["png"]), validate=True)
        # The header says how large the picture will be before it is unpacked.
        header = header_of(png)
        if (header.kind, header.width) != ("PNG", WIDTH_PX) or header.height > 4 * WIDTH_PX:
            raise ValueError
        grey = cv2.imdecode(np.frombuffer(png, np.uint8), cv2.IMREAD_GRAYSCALE)
        if grey is None:
            raise ValueError
    except (KeyError, TypeError, ValueError, cv2.error) as error:
        raise ValueError('"texture" must be a small picture of the table') from error
    return TableTexture(np.asarray(grey, np.uint8), _array(texture, "outline_px", (len(texture["outline_px"]), 2)))


def _array(data: Mapping[str, object], key: str, shape: tuple[int, ...]) -> Points:
    try:
        value = np.array(data.get(key), dtype=np.float64)
    except (TypeError, ValueError, OverflowError):
        value = np.zeros(0)
    if value.shape != shape or not (np.abs(value) < _MOST).all():
        wanted = " × ".join(map(str, shape)) + " numbers" if shape else "a number"
        raise ValueError(f'"{key}" must be {wanted}')
    return value


def texture_within(grey: Image, outline: Points) -> TableTexture:
    """Return the texture in a small grey picture (see `small_grey`); what is outside of the outline is not kept."""
    inside = np.zeros(grey.shape, np.uint8)
    cv2.fillPoly(inside, [np.rint(outline).astype(np.int32)], 255)
    return TableTexture(np.asarray(cv2.bitwise_and(grey, inside)), outline)


def small_grey(image: Image) -> Image:
    """Return a picture (h, w, 3) BGR or (h, w) as small as textures are."""
    size = WIDTH_PX, max(1, round(image.shape[0] * WIDTH_PX / image.shape[1]))
    small = cv2.resize(image, size, interpolation=cv2.INTER_AREA)
    return np.asarray(small if small.ndim == 2 else cv2.cvtColor(small, cv2.COLOR_BGR2GRAY), np.uint8)


def _evened(grey: Image) -> Image:
    """Take off the light, and make faint texture as strong as any that stands out of the noise."""
    fine = cv2.GaussianBlur(grey.astype(np.float32), (0, 0), _FINEST_PX)
    detail = fine - cv2.GaussianBlur(fine, (0, 0), _COARSEST_PX)
    strength = np.sqrt(cv2.GaussianBlur(detail * detail, (0, 0), _COARSEST_PX))
    return np.asarray(np.clip(128 + _LEVELS * detail / (strength + _NOISE), 0, 255), np.uint8)


def _followed(old: Image, new: Image, patches: Singles) -> tuple[Singles, Singles]:
    """Middles (n, 2) of patches that are found again, and where (n, 2), by Lucas and Kanade's optical flow."""
    if not len(patches):
        return patches, patches
    window = (2 * _HALF_PX + 1,) * 2
    there, found, _ = cv2.calcOpticalFlowPyrLK(old, new, patches, np.empty(0), winSize=window, maxLevel=1)
    back, again, _ = cv2.calcOpticalFlowPyrLK(new, old, there, np.empty(0), winSize=window, maxLevel=1)
    same = np.linalg.norm(back - patches, axis=1) < _SAME_PX
    same &= np.asarray(found, bool).ravel() & np.asarray(again, bool).ravel()
    return patches[same], np.asarray(there, np.float32)[same]
