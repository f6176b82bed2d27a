"""What a picture file says of itself before anything of it is decoded: its kind, its size, whether it is all there."""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import Enum


class Flaw(Enum):
    """What is wrong with a picture file."""

    EMPTY = "is empty"
    FOREIGN = "is not a JPEG, PNG or WebP picture"
    PHONE = "is a HEIC picture, which only phones and tablets read: save it as a JPEG first"
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
    """

    kind: str
    width: int
    height: int
    held_per_pixel: float


_PNG = b"\x89PNG\r\n\x1a\n"
_HEIC = (b"heic", b"heix", b"hevc", b"heim", b"mif1", b"msf1", b"avif")
_FRAMES = frozenset(range(0xC0, 0xD0)) - {0xC4, 0xC8, 0xCC}
_ALONE = frozenset({0x01, *range(0xD0, 0xD8)})
_END, _SCAN = 0xD9, 0xDA
_PROGRESSIVE = frozenset({0xC2, 0xC6, 0xCA, 0xCE})
_RGB, _RGBA = 3, 4
# In coded data FF 00 is a byte FF and FF D0-D7 are counters; anything else after FF ends the scan.
_AFTER_SCAN = re.compile(rb"\xff[\x01-\xcf\xd8-\xfe]")


def header_of(data: bytes) -> Header:
    """Read the header of a JPEG, PNG or WebP file.

    Raises:
        FlawedFileError: it is none of these, or ends before it tells its size.
    """
    if not data:
        raise FlawedFileError(Flaw.EMPTY)
    if data.startswith(_PNG):
        return _png_header(data)
    if data.startswith(b"\xff\xd8"):
        return _jpeg_header(data)
    if data[:4] == b"RIFF" and data[8:12] == b"WEBP":
        return _webp_header(data)
    if data[4:8] == b"ftyp" and data[8:12] in _HEIC:
        raise FlawedFileError(Flaw.PHONE)
    raise FlawedFileError(Flaw.FOREIGN)


def check_whole(data: bytes, kind: str) -> None:
    """Follow the file's own structure to its end mark.

    Decoders fill what is missing with grey and call it a picture, so this is asked first.

    Raises:
        FlawedFileError: the file ends before its end mark.
    """
    if kind == "png":
        whole = _png_is_whole(data)
    elif kind == "jpeg":
        whole = any(marker == _END for marker, _ in _jpeg_segments(data))
    else:
        whole = int.from_bytes(data[4:8], "little") + 8 <= len(data)
    if not whole:
        raise FlawedFileError(Flaw.TORN)


def _png_header(data: bytes) -> Header:
    if len(data) < 33:
        raise FlawedFileError(Flaw.TORN)
    if data[12:16] != b"IHDR":
        raise FlawedFileError(Flaw.DAMAGED)
    return Header("png", int.from_bytes(data[16:20], "big"), int.from_bytes(data[20:24], "big"), _RGB)


def _png_is_whole(data: bytes) -> bool:
    at = len(_PNG)
    while at + 12 <= len(data):
        length, name = int.from_bytes(data[at : at + 4], "big"), data[at + 4 : at + 8]
        at += 12 + length
        if name == b"IEND":
            return at <= len(data)
    return False


def _jpeg_header(data: bytes) -> Header:
    for marker, at in _jpeg_segments(data):
        if marker in _FRAMES:
            if at + 9 > len(data):
                break
            height, width = (int.from_bytes(data[at + k : at + k + 2], "big") for k in (5, 7))
            held = _coefficients(data[at + 9 : at + 25]) if marker in _PROGRESSIVE else 0.0
            return Header("jpeg", width, height, held)
        if marker in (_SCAN, _END):
            raise FlawedFileError(Flaw.DAMAGED)
    raise FlawedFileError(Flaw.TORN)


def _coefficients(components: bytes) -> float:
    """Bytes a pixel of a JPEG that comes in passes: two for every sample, of which the colours may have fewer."""
    samples = (
        [(factors >> 4) * (factors & 15) for factors in components[2 : 2 + 3 * components[0] : 3]] if components else []
    )
    return 2.0 * sum(samples) / max([1, *samples])


def _jpeg_segments(data: bytes) -> list[tuple[int, int]]:
    """Markers and where each one's FF stands, up to the end mark or to where the file breaks off."""
    found: list[tuple[int, int]] = []
    at = 2
    while True:
        while data[at : at + 2] == b"\xff\xff":
            at += 1
        if at + 2 > len(data) or data[at] != 0xFF:
            return found
        marker = data[at + 1]
        found.append((marker, at))
        if marker == _END:
            return found
        at += 2
        if marker in _ALONE:
            continue
        if at + 2 > len(data):
            return found
        at += int.from_bytes(data[at : at + 2], "big")
        if marker == _SCAN:
            after = _AFTER_SCAN.search(data, at)
            if after is None:
                return found
            at = after.start()


def _webp_header(data: bytes) -> Header:
    if len(data) < 30:
        raise FlawedFileError(Flaw.TORN)
    kind = data[12:16]
    held = _RGB if kind == b"VP8 " else _RGBA
    if kind == b"VP8X":
        width, height = (int.from_bytes(data[k : k + 3], "little") + 1 for k in (24, 27))
    elif kind == b"VP8L":
        bits = int.from_bytes(data[21:25], "little")
        width, height = (bits & 0x3FFF) + 1, (bits >> 14 & 0x3FFF) + 1
    elif kind == b"VP8 ":
        width, height = (int.from_bytes(data[k : k + 2], "little") & 0x3FFF for k in (26, 28))
    else:
        raise FlawedFileError(Flaw.DAMAGED)
    return Header("webp", width, height, held)
