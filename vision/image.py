"""Loads pictures from files: never more than a photograph's worth of memory, never half a picture."""

from __future__ import annotations

import stat
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.errors import BadImageError
from vision.image_header import Flaw, FlawedFileError, Header, header_of, turn_of, whole
from vision.library_output import caught_from_libraries

MOST_PIXELS = 50_000_000
# The file and what its decoder holds: with all else that stays below 250 MB. Only a JPEG shrinks on the way.
_MOST_HELD = {"png": 125 * 2**20, "webp": 125 * 2**20, "jpeg": 170 * 2**20}
_MOST_BYTES = 80 * 2**20
_MOST_OF_FRAME = 20_000_000  # pixels; the largest of a Raspberry Pi's cameras but one has 12 million
_LEAST_SIDE = 64
# Cards read no better above this longer side, or in a panorama this area, and a phone's picture takes five times the
# memory.
_FINE_PX, _FINE_AREA_PX = 2000, 2000 * 1125
_REDUCED = {
    1: cv2.IMREAD_COLOR,
    2: cv2.IMREAD_REDUCED_COLOR_2,
    4: cv2.IMREAD_REDUCED_COLOR_4,
    8: cv2.IMREAD_REDUCED_COLOR_8,
}
_BEHIND, _STRIP = 128, 256  # a grey level; rows


@dataclass(frozen=True, eq=False)
class Picture:
    """A picture as it is displayed (a camera's turn is applied).

    `image` is (h, w, 3) uint8 BGR, `reduction` times smaller than the file's own pixels.
    """

    image: NDArray[np.uint8]
    reduction: int

    @property
    def size_px(self) -> tuple[int, int]:
        """Width and height of `image`."""
        return self.image.shape[1], self.image.shape[0]

    def to_file(self, points_px: NDArray[np.float64]) -> NDArray[np.float64]:
        """(..., 2) points of `image` in the file's own pixels; pixel centres are at whole numbers in both."""
        return np.asarray((np.asarray(points_px, np.float64) + 0.5) * self.reduction - 0.5)


def load_image(path: Path) -> NDArray[np.uint8]:
    """Load a picture in its own pixels, (h, w, 3) uint8 BGR.

    Raises:
        BadImageError: as `load_picture`.
    """
    return _load(path, reduce=False).image


def load_picture(path: Path) -> Picture:
    """Load a picture, a large one in a half, a quarter or an eighth of its size.

    Raises:
        BadImageError: there is no such picture, it is torn, damaged or no picture at all, or has too many pixels.
    """
    return _load(path, reduce=True)


def frame_of(data: bytes) -> NDArray[np.uint8]:
    """Give one picture of a film, (h, w, 3) uint8 BGR, from what would be the picture's file.

    Raises:
        BadImageError: it is torn, damaged or no picture at all, or larger than any camera over a table makes them.
    """
    try:
        header = header_of(data)
        if header.width * header.height > _MOST_OF_FRAME:
            raise BadImageError(f"is too large ({header.width} × {header.height} pixels)")
        return _decoded(whole(data, header.kind), header, 1)
    except FlawedFileError as error:
        raise BadImageError(str(error)) from error


def _load(path: Path, *, reduce: bool) -> Picture:
    name = _shown(path)
    data = _bytes_of(path, name)
    try:
        header = header_of(data)
        _check_size(header, len(data), name)
        data = whole(data, header.kind)
        reduction = _reduction(header) if reduce else 1
        return Picture(_decoded(data, header, reduction), reduction)
    except FlawedFileError as error:
        raise BadImageError(f"the file {name} {error}") from error


def _shown(path: Path) -> str:
    """Give the path as it may stand in a message: on one line."""
    return "".join(char if char.isprintable() else "?" for char in str(path))


def _bytes_of(path: Path, name: str) -> bytes:
    try:
        status = path.stat()
        if stat.S_ISDIR(status.st_mode):
            raise BadImageError(f"{name} is a folder, not a picture")
        if not stat.S_ISREG(status.st_mode):
            raise BadImageError(f"{name} is a device or a pipe, not a picture")
        if status.st_size > _MOST_BYTES:
            raise BadImageError(f"the file {name} is too large for a picture ({status.st_size // 2**20} MB)")
        return path.read_bytes()
    except FileNotFoundError as error:
        raise BadImageError(f"there is no picture {name}") from error
    except OSError as error:
        raise BadImageError(f"the picture {name} cannot be opened: {(error.strerror or str(error)).lower()}") from error


def _check_size(header: Header, file_bytes: int, name: str) -> None:
    size = f"{header.width} × {header.height} pixels"
    pixels = header.width * header.height
    if pixels > MOST_PIXELS:
        raise BadImageError(
            f"the picture {name} is too large ({size}), at most {MOST_PIXELS // 1_000_000} million pixels can be read"
        )
    if file_bytes + pixels * header.held_per_pixel > _MOST_HELD[header.kind]:
        raise BadImageError(
            f"the picture {name} is too large ({size}) for its kind of file, save it smaller or as a plain JPEG"
        )
    if min(header.width, header.height) < _LEAST_SIDE:
        raise BadImageError(f"the picture {name} is too small to show a table ({size})")


def _reduction(header: Header) -> int:
    longer, area = max(header.width, header.height), header.width * header.height
    return max(n for n in _REDUCED if n == 1 or (longer >= n * _FINE_PX and area >= n * n * _FINE_AREA_PX))


def _decoded(data: bytes, header: Header, reduction: int) -> NDArray[np.uint8]:
    """Decode. Raises FlawedFileError for a file that the decoder gives up on or has to patch."""
    # Only a JPEG can be decoded small; OpenCV's own way of shrinking the others afterwards aliases.
    small = reduction if header.kind == "jpeg" else 1
    # libjpeg patches damaged data and tells only by printing it.
    with caught_from_libraries() as complaints:
        try:
            image = cv2.imdecode(
                np.frombuffer(data, np.uint8), cv2.IMREAD_UNCHANGED if header.see_through else _REDUCED[small]
            )
        except cv2.error:
            image = None
    if image is None or any(is_damage(line) for line in complaints):
        raise FlawedFileError(Flaw.DAMAGED)
    if header.see_through:
        image = _turned(_as_shown(image), turn_of(data, header.kind))
    if small != reduction:
        size = (max(1, image.shape[1] // reduction), max(1, image.shape[0] // reduction))
        even = image[: size[1] * reduction, : size[0] * reduction]
        image = cv2.resize(even, size, interpolation=cv2.INTER_AREA)
    return np.asarray(image, dtype=np.uint8)


def _as_shown(image: NDArray[Any]) -> NDArray[np.uint8]:
    """Lay a picture of 1, 3 or 4 channels on grey, which is no card's ground, as far as it is transparent."""
    if image.dtype != np.uint8:
        image = cv2.convertScaleAbs(image, alpha=1 / 257)
    if image.ndim == 2:
        return np.asarray(cv2.cvtColor(image, cv2.COLOR_GRAY2BGR), np.uint8)
    if image.shape[2] == 3:
        return np.asarray(image, np.uint8)
    shown = np.empty((*image.shape[:2], 3), np.uint8)
    for top in range(0, len(image), _STRIP):
        strip = image[top : top + _STRIP].astype(np.uint16)
        share = strip[:, :, 3:]
        shown[top : top + _STRIP] = (strip[:, :, :3] * share + _BEHIND * (255 - share) + 127) // 255
    return shown


def _turned(image: NDArray[np.uint8], turn: int) -> NDArray[np.uint8]:
    """Turn a picture as Exif's number says; OpenCV does so itself, but not where it gives what is transparent, too."""
    if turn in (5, 6, 7, 8):
        image = np.asarray(cv2.transpose(image), np.uint8)
    flip = {2: 1, 3: -1, 4: 0, 6: 1, 7: -1, 8: 0}.get(turn)
    return image if flip is None else np.asarray(cv2.flip(image, flip), np.uint8)


def is_damage(line: str) -> bool:
    """Whether this line, which the decoder prints while it gives a picture, says that pixels have been lost."""
    # Cameras pad their JPEGs before the end mark; before any other marker bytes are left over where some were lost.
    padded = "extraneous bytes" in line and "0xd9" in line
    return ("Corrupt JPEG" in line or "Premature end" in line) and not padded
