"""Loads pictures from files, in a photograph's worth of memory at most, and never a part of a picture."""

from __future__ import annotations

import re
import stat
import warnings
from dataclasses import dataclass, replace
from enum import Enum
from io import BytesIO
from pathlib import Path
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray
from PIL import Image as Pillow
from PIL import JpegImagePlugin

from vision.errors import BadImageError, Sentence
from vision.library_output import caught_from_libraries

MOST_PIXELS = 50_000_000
# The size is checked here, for every format and with one sentence.
Pillow.MAX_IMAGE_PIXELS = None
# Memory of the file and its decoder; the total stays below 250 MB. Only a JPEG shrinks while it is decoded.
_MOST_HELD, _MOST_HELD_JPEG = 125 * 2**20, 170 * 2**20
_MOST_BYTES = 80 * 2**20
_MOST_OF_FRAME = 20_000_000  # pixels; most Raspberry Pi cameras have 12 million
_LEAST_SIDE = 64
# A longer side, or a panorama's area, above this helps no card, and a phone's picture takes five times the memory.
_FINE_PX, _FINE_AREA_PX = 2000, 2000 * 1125
_REDUCED = {
    1: cv2.IMREAD_COLOR,
    2: cv2.IMREAD_REDUCED_COLOR_2,
    4: cv2.IMREAD_REDUCED_COLOR_4,
    8: cv2.IMREAD_REDUCED_COLOR_8,
}
_BEHIND, _STRIP = 128, 256  # a grey level; rows
_RGB, _RGBA, _YUV, _COEFFICIENT = 3, 4, 1.5, 2  # bytes a pixel; a progressive JPEG keeps its coefficients
# First bytes of formats. The end mark is appended: then a decoder reports missing pixels.
_JPEG_END = b"\xff\xd9"
_ENDS = {b"\xff\xd8": b"", b"\x89PNG\r\n\x1a\n": b"\0\0\0\0IEND\xaeB`\x82", b"RIFF": b"\0"}
_FILM = (b"mp4", b"iso", b"M4V", b"qt ", b"avc", b"3gp", b"3g2", b"MSNV", b"f4v")
_MARKER = re.compile(rb"\xff+([\x01-\xfe])")
_SCAN, _ONE_PASS = b"\xda", bytes((0, 63, 0))
_ORIENTATION = 0x0112
# Pillow and libheif raise these for bytes that are not a picture.
_UNREADABLE = (OSError, SyntaxError, ValueError, EOFError, LookupError, ArithmeticError, RuntimeError, MemoryError)


class Flaw(Enum):
    """Fault of a picture file."""

    EMPTY = "is empty"
    FOREIGN = "is not a JPEG, PNG, WebP or HEIC picture"
    FILM = "is a film, not a picture: take a still picture of the table"
    RARE = "is a JPEG of a rare kind, which cannot be read here: save it as a plain JPEG first"
    DAMAGED = "is torn or damaged"

    @property
    def sentence(self) -> Sentence:
        """Return the fault as a sentence with a key."""
        return Sentence(f"error.flaw.{self.name.lower()}", self.value)


class FlawedFileError(ValueError):
    """A file that does not hold a whole picture."""

    def __init__(self, flaw: Flaw) -> None:
        super().__init__(flaw.value)
        self.flaw = flaw


@dataclass(frozen=True)
class ImageHeader:
    """Format (`JPEG`, `PNG`, `WEBP`, `HEIF`) and size in pixels, as stored, before a camera's turn is applied.

    `held_per_pixel`: bytes that a decoder holds for every pixel of the file, at any output size.
    `see_through`: whether some of it may be transparent. `turn`: Exif's number, 1 (as stored) to 8.
    `data`: a file of the same picture that decodes without harmless warnings.
    """

    kind: str
    width: int
    height: int
    held_per_pixel: float
    data: bytes
    see_through: bool = False
    turn: int = 1


@dataclass(frozen=True, eq=False)
class Picture:
    """A picture as it is displayed, with a camera's turn applied.

    `image` is (h, w, 3) uint8 BGR, `reduction` times smaller than the file's own pixels.
    """

    image: NDArray[np.uint8]
    reduction: int

    @property
    def size_px(self) -> tuple[int, int]:
        """Return width and height of `image`."""
        return self.image.shape[1], self.image.shape[0]

    def to_file(self, points_px: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return points (..., 2) of `image` in the file's pixels; pixel centres are at whole numbers in both."""
        return np.asarray((np.asarray(points_px, np.float64) + 0.5) * self.reduction - 0.5)


def load_image(path: Path) -> NDArray[np.uint8]:
    """Return a picture in its own pixels, (h, w, 3) uint8 BGR.

    Raises:
        BadImageError: see `load_picture`.
    """
    return _load(path, reduce=False).image


def load_picture(path: Path) -> Picture:
    """Return a picture, a large one at a half, a quarter or an eighth of its size.

    Raises:
        BadImageError: the file is missing, torn, damaged or not a picture, or has too many pixels.
    """
    return _load(path, reduce=True)


def frame_of(data: bytes) -> NDArray[np.uint8]:
    """Return one picture of a film, (h, w, 3) uint8 BGR, from the bytes of a picture file.

    Raises:
        BadImageError: the bytes are torn, damaged or not a picture, or larger than any camera's.
    """
    try:
        header = header_of(data)
        if header.width * header.height > _MOST_OF_FRAME:
            raise BadImageError(
                "error.picture.is_too_large_pixels",
                "is too large ({width} × {height} pixels)",
                width=header.width,
                height=header.height,
            )
        return _decoded(header, 1)
    except FlawedFileError as error:
        raise BadImageError(error.flaw.sentence.key, error.flaw.value) from error


def header_of(data: bytes) -> ImageHeader:
    """Return the header of a picture file.

    Raises:
        FlawedFileError: the format is unknown, or a part is missing.
    """
    if not data:
        raise FlawedFileError(Flaw.EMPTY)
    if data[4:8] == b"ftyp":
        return _heic_header(data)
    end = next((end for start, end in _ENDS.items() if data.startswith(start)), None)
    if end is None:
        raise FlawedFileError(Flaw.FOREIGN)
    try:
        # Broken metadata of a camera is no concern of people.
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", module="PIL")
            image = Pillow.open(BytesIO(data + end), formats=("JPEG", "PNG", "WEBP"))
            see_through = image.has_transparency_data
            turn = int(image.getexif().get(_ORIENTATION, 1)) if see_through else 1
    except _UNREADABLE as error:
        raise FlawedFileError(Flaw.DAMAGED) from error
    header = ImageHeader(image.format or "", image.width, image.height, 0, data + end, see_through, turn)
    if isinstance(image, JpegImagePlugin.JpegImageFile):
        return _jpeg_header(replace(header, kind="JPEG"), data, image)
    deep = 2 if see_through and image.format == "PNG" and data[24] == 16 else 1
    return replace(header, held_per_pixel=_RGBA * deep + _RGB if see_through else _RGB)


def _heic_header(data: bytes) -> ImageHeader:
    # The import takes 50 ms, which other formats need not wait for.
    from pillow_heif import get_file_mimetype, open_heif

    if get_file_mimetype(data[:4096]) in ("", "image/avif"):
        raise FlawedFileError(Flaw.FILM if data[8:].startswith(_FILM) else Flaw.FOREIGN)
    try:
        image = open_heif(data, bgr_mode=True)
    except _UNREADABLE as error:
        raise FlawedFileError(Flaw.DAMAGED) from error
    held = _YUV + (_RGBA + _RGB if image.has_alpha else _RGB)
    width, height = image.size
    return ImageHeader("HEIF", width, height, held, data, image.has_alpha)


def _jpeg_header(header: ImageHeader, data: bytes, image: JpegImagePlugin.JpegImageFile) -> ImageHeader:
    """Add the decoder's memory, and remove parts that make libjpeg warn although they cost no pixel.

    libjpeg prints only its first warning: after a harmless one, lost pixels go unnoticed.
    """
    parts, at, head, coded = [data[:2]], 2, b"", len(data)
    while not head and (found := _MARKER.search(data, at)) is not None:
        start = found.end() - 2
        at = found.end() + int.from_bytes(data[found.end() : found.end() + 2], "big")
        # Bytes between two segments are skipped: some writers count a segment's length wrongly.
        if found[1] == _SCAN:
            head, coded = data[start:at], at
        else:
            parts.append(data[start:at])
    if len(head) < 5:
        raise FlawedFileError(Flaw.DAMAGED)
    in_passes = "progressive" in image.info or head[4] != image.layers
    if not in_passes:
        # Some cameras write invalid scan numbers into a JPEG of one pass.
        head = head[:-3] + _ONE_PASS
    elif _JPEG_END not in data[coded:]:
        raise FlawedFileError(Flaw.DAMAGED)  # decoders do not report missing last passes
    samples = [across * down for _, across, down, _ in image.layer]
    held = _COEFFICIENT * sum(samples) / max(samples) if in_passes else 0
    return replace(header, held_per_pixel=held, data=b"".join([*parts, head, data[coded:], _JPEG_END]))


def _load(path: Path, *, reduce: bool) -> Picture:
    name = _shown(path)
    data = _bytes_of(path, name)
    try:
        header = header_of(data)
        _check_size(header, len(data), name)
        reduction = _reduction(header) if reduce else 1
        return Picture(_decoded(header, reduction), reduction)
    except FlawedFileError as error:
        raise BadImageError(
            "error.file.flawed", "the file {path} {flaw}", path=name, flaw=error.flaw.sentence
        ) from error


def _shown(path: Path) -> str:
    """Return the path for a message, on one line."""
    return "".join(char if char.isprintable() else "?" for char in str(path))


def _bytes_of(path: Path, name: str) -> bytes:
    try:
        status = path.stat()
        if stat.S_ISDIR(status.st_mode):
            raise BadImageError("error.file.folder", "{path} is a folder, not a picture", path=name)
        if not stat.S_ISREG(status.st_mode):
            raise BadImageError("error.file.device", "{path} is a device or a pipe, not a picture", path=name)
        if status.st_size > _MOST_BYTES:
            raise BadImageError(
                "error.file.too_large",
                "the file {path} is too large for a picture ({size} MB)",
                path=name,
                size=status.st_size // 2**20,
            )
        return path.read_bytes()
    except FileNotFoundError as error:
        raise BadImageError("error.file.no_picture", "there is no picture {path}", path=name) from error
    except OSError as error:
        raise BadImageError(
            "error.file.cannot_be_opened",
            "the picture {path} cannot be opened: {why}",
            path=name,
            why=(error.strerror or str(error)).lower(),
        ) from error


def _check_size(header: ImageHeader, file_bytes: int, name: str) -> None:
    size = f"{header.width} × {header.height} pixels"
    pixels = header.width * header.height
    if pixels > MOST_PIXELS:
        raise BadImageError(
            "error.file.too_many_pixels",
            "the picture {path} is too large ({size}), at most {most} million pixels can be read",
            path=name,
            size=size,
            most=MOST_PIXELS // 1000000,
        )
    if file_bytes + pixels * header.held_per_pixel > (_MOST_HELD_JPEG if header.kind == "JPEG" else _MOST_HELD):
        raise BadImageError(
            "error.file.too_large_for_kind",
            "the picture {path} is too large ({size}) for its kind of file, save it smaller or as a plain JPEG",
            path=name,
            size=size,
        )
    if min(header.width, header.height) < _LEAST_SIDE:
        raise BadImageError(
            "error.file.too_small",
            "the picture {path} is too small to show a table ({size})",
            path=name,
            size=size,
        )


def _reduction(header: ImageHeader) -> int:
    longer, area = max(header.width, header.height), header.width * header.height
    return max(n for n in _REDUCED if n == 1 or (longer >= n * _FINE_PX and area >= n * n * _FINE_AREA_PX))


def _decoded(header: ImageHeader, reduction: int) -> NDArray[np.uint8]:
    """Return the decoded picture; raise FlawedFileError for a file that the decoder gives up on or patches."""
    # Only a JPEG can be decoded at a smaller size; a later reduction by OpenCV aliases.
    small = reduction if header.kind == "JPEG" else 1
    image = _heic_pixels(header) if header.kind == "HEIF" else _pixels(header, small)
    if header.see_through:
        image = _turned(_as_shown(image), header.turn)
    if small != reduction:
        size = (max(1, image.shape[1] // reduction), max(1, image.shape[0] // reduction))
        even = image[: size[1] * reduction, : size[0] * reduction]
        image = cv2.resize(even, size, interpolation=cv2.INTER_AREA)
    return np.asarray(image, dtype=np.uint8)


def _heic_pixels(header: ImageHeader) -> NDArray[np.uint8]:
    from pillow_heif import open_heif

    try:
        return np.asarray(open_heif(header.data, bgr_mode=True))
    except _UNREADABLE as error:
        raise FlawedFileError(Flaw.DAMAGED) from error


def _pixels(header: ImageHeader, small: int) -> NDArray[Any]:
    # OpenCV, not Pillow: Pillow fills missing pixels silently. libjpeg patches damage and only prints that.
    flags = cv2.IMREAD_UNCHANGED if header.see_through else _REDUCED[small]
    with caught_from_libraries() as complaints:
        try:
            image = cv2.imdecode(np.frombuffer(header.data, np.uint8), flags)
        except cv2.error:
            image = None
    if any(is_damage(line) for line in complaints):
        raise FlawedFileError(Flaw.DAMAGED)
    if image is None:
        raise FlawedFileError(Flaw.RARE if header.kind == "JPEG" else Flaw.DAMAGED)
    return np.asarray(image)


def _as_shown(image: NDArray[Any]) -> NDArray[np.uint8]:
    """Return a picture of 1, 3 or 4 channels over grey, which is no card's colour."""
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
    """Return a picture turned by Exif's number; OpenCV does not turn pictures with transparency itself."""
    if turn in (5, 6, 7, 8):
        image = np.asarray(cv2.transpose(image), np.uint8)
    flip = {2: 1, 3: -1, 4: 0, 6: 1, 7: -1, 8: 0}.get(turn)
    return image if flip is None else np.asarray(cv2.flip(image, flip), np.uint8)


def is_damage(line: str) -> bool:
    """Return whether a line that the decoder prints reports lost pixels."""
    # Cameras pad their JPEGs before the end mark; extra bytes before another marker mean lost pixels.
    padded = "extraneous bytes" in line and "0xd9" in line
    return any(text in line for text in ("Corrupt JPEG", "Premature end", "Inconsistent progression")) and not padded
