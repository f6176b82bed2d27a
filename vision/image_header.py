"""What a picture file says of itself before anything of it is decoded: its kind, its size, whether it is all there."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum
from typing import Literal

from vision.jpeg_file import END, jpeg_file


class Flaw(Enum):
    """What is wrong with a picture file."""

    EMPTY = "is empty"
    FOREIGN = "is not a JPEG, PNG or WebP picture"
    PHONE = "is a HEIC picture, which only phones and tablets read: save it as a JPEG first"
    AVIF = "is an AVIF picture, which cannot be read here: save it as a JPEG first"
    FILM = "is a film, not a picture: take a still picture of the table"
    RARE = "is a JPEG of a rare kind, which cannot be read here: save it as a plain JPEG first"
    TORN = "is torn: a part of it is missing"
    DAMAGED = "is damaged"


class FlawedFileError(ValueError):
    """A file that is no whole picture; `flaw` says why."""

    def __init__(self, flaw: Flaw) -> None:
        super().__init__(flaw.value)
        self.flaw = flaw


@dataclass(frozen=True)
class Header:
    """Kind (`jpeg`, `png`, `webp`) and size in pixels, as stored: a camera's turn is not yet applied.

    `held_per_pixel`: bytes that a decoder holds for every pixel of the file, however small a picture it gives.
    `see_through`: whether some of it may be transparent.
    """

    kind: str
    width: int
    height: int
    held_per_pixel: float
    see_through: bool = False


_PNG = b"\x89PNG\r\n\x1a\n"
_PNG_END = b"\0\0\0\0IEND\xaeB`\x82"
# Brands of ISO base media files: of pictures, and what of the others are films. A file names one, and others that fit.
_AVIF = frozenset({b"avif", b"avis", b"avio", b"MA1A", b"MA1B"})
_HEIC = frozenset({b"heic", b"heix", b"heim", b"heis", b"hevc", b"hevx", b"hevm", b"hevs", b"avci", b"mif1", b"mif2"})
_HEIC_SEQUENCE = frozenset({b"msf1", b"miaf"})
_FILM = (b"mp4", b"iso", b"M4V", b"qt ", b"avc", b"3gp", b"3g2", b"MSNV", b"f4v")
_RGB, _RGBA = 3, 4
_COEFFICIENT = 2.0  # bytes
_ORIENTATION = 0x0112


def header_of(data: bytes) -> Header:
    """Read the header of a JPEG, PNG or WebP file.

    Raises:
        FlawedFileError: it is none of these, of a kind that cannot be read, or ends before it tells its size.
    """
    if not data:
        raise FlawedFileError(Flaw.EMPTY)
    if data.startswith(_PNG):
        return _png_header(data)
    if data.startswith(b"\xff\xd8"):
        return _jpeg_header(data)
    if data[:4] == b"RIFF" and data[8:12] == b"WEBP":
        return _webp_header(data)
    raise FlawedFileError(_media_flaw(data) if data[4:8] == b"ftyp" else Flaw.FOREIGN)


def whole(data: bytes, kind: str) -> bytes:
    """Follow the file's own structure to its end, and give the file without what is odd but costs no pixel.

    Decoders fill what is missing with grey and call it a picture, so this is asked first.

    Raises:
        FlawedFileError: a part of the picture is missing.
    """
    if kind == "png":
        return _whole_png(data)
    if kind == "jpeg":
        return _whole_jpeg(data)
    # Some writers count the byte that makes the length even, and leave it out.
    missing = int.from_bytes(data[4:8], "little") + 8 - len(data)
    if missing > 1:
        raise FlawedFileError(Flaw.TORN)
    return data + b"\0" * missing if missing > 0 else data


def turn_of(data: bytes, kind: str) -> int:
    """Give how a PNG or a WebP is turned, as Exif counts it from 1 (as stored) to 8; 1 where it does not say."""
    if kind == "png":
        exif = next((data[at : at + length] for name, at, length in _png_chunks(data) if name == b"eXIf"), b"")
    else:
        exif = next((data[at : at + length] for name, at, length in _webp_chunks(data) if name == b"EXIF"), b"")
    return _orientation(exif.removeprefix(b"Exif\0\0"))


def _media_flaw(data: bytes) -> Flaw:
    end = min(int.from_bytes(data[:4], "big"), len(data), 4096)
    brands = [data[8:12], *(data[k : k + 4] for k in range(16, end, 4))]
    for brand in brands:
        if brand in _AVIF:
            return Flaw.AVIF
    for brand in brands:
        if brand in _HEIC or brand in _HEIC_SEQUENCE:
            return Flaw.PHONE
    return Flaw.FILM if brands[0].startswith(_FILM) else Flaw.FOREIGN


def _jpeg_header(data: bytes) -> Header:
    found = jpeg_file(data)
    if found is None:
        raise FlawedFileError(Flaw.DAMAGED if END in data else Flaw.TORN)
    if not found.is_readable:
        raise FlawedFileError(Flaw.RARE)
    held = _COEFFICIENT * found.samples_per_pixel if found.in_passes else 0.0
    return Header("jpeg", found.width, found.height, held)


def _whole_jpeg(data: bytes) -> bytes:
    found = jpeg_file(data)
    if found is None or not found.is_whole:
        raise FlawedFileError(Flaw.TORN)
    return found.plain()


def _png_header(data: bytes) -> Header:
    if len(data) < 33:
        raise FlawedFileError(Flaw.TORN)
    if data[12:16] != b"IHDR":
        raise FlawedFileError(Flaw.DAMAGED)
    depth, colour = data[24:26]
    see_through = colour in (4, 6)
    for name, _, _ in _png_chunks(data):
        see_through |= name == b"tRNS"
        if name == b"IDAT":
            break
    held = _RGBA * (2 if depth == 16 else 1) + _RGB if see_through else _RGB
    return Header("png", int.from_bytes(data[16:20], "big"), int.from_bytes(data[20:24], "big"), held, see_through)


def _png_chunks(data: bytes) -> Iterator[tuple[bytes, int, int]]:
    """The whole chunks of a PNG: each one's name, where what it holds begins, and how long that is."""
    at = len(_PNG)
    while at + 12 <= len(data):
        length, name = int.from_bytes(data[at : at + 4], "big"), data[at + 4 : at + 8]
        if at + 12 + length > len(data):
            return
        yield name, at + 8, length
        at += 12 + length


def _whole_png(data: bytes) -> bytes:
    end, pixels = len(_PNG), False
    for name, at, length in _png_chunks(data):
        end, pixels = at + length + 4, pixels or name == b"IDAT"
        if name == b"IEND":
            return data
    # Its decoder knows whether the lines are all there.
    if not pixels or end < len(data):
        raise FlawedFileError(Flaw.TORN)
    return data + _PNG_END


def _webp_chunks(data: bytes) -> Iterator[tuple[bytes, int, int]]:
    at = 12
    while at + 8 <= len(data):
        length = int.from_bytes(data[at + 4 : at + 8], "little")
        yield data[at : at + 4], at + 8, length
        at += 8 + length + length % 2


def _webp_header(data: bytes) -> Header:
    if len(data) < 30:
        raise FlawedFileError(Flaw.TORN)
    kind, see_through = data[12:16], False
    if kind == b"VP8X":
        width, height = (int.from_bytes(data[k : k + 3], "little") + 1 for k in (24, 27))
        see_through = bool(data[20] & 0x10)
    elif kind == b"VP8L":
        bits = int.from_bytes(data[21:25], "little")
        width, height = (bits & 0x3FFF) + 1, (bits >> 14 & 0x3FFF) + 1
        see_through = bool(bits >> 28 & 1)
    elif kind == b"VP8 ":
        width, height = (int.from_bytes(data[k : k + 2], "little") & 0x3FFF for k in (26, 28))
    else:
        raise FlawedFileError(Flaw.DAMAGED)
    held = _RGB if kind == b"VP8 " else _RGBA
    return Header("webp", width, height, held + _RGB if see_through else held, see_through)


def _orientation(tiff: bytes) -> int:
    order: Literal["little", "big"] = "little" if tiff[:2] == b"II" else "big"
    at = int.from_bytes(tiff[4:8], order)
    for _ in range(int.from_bytes(tiff[at : at + 2], order)):
        entry = tiff[at + 2 : at + 14]
        if int.from_bytes(entry[:2], order) == _ORIENTATION or len(entry) < 12:
            turn = int.from_bytes(entry[8:10], order)
            return turn if 1 <= turn <= 8 else 1
        at += 12
    return 1
