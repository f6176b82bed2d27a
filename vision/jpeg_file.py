"""The structure of a JPEG file (ITU-T T.81, annex B): what it tells of its picture, and whether that is all there."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

START, END = b"\xff\xd8", b"\xff\xd9"
_FRAMES = frozenset(range(0xC0, 0xD0)) - {0xC4, 0xC8, 0xCC}
_HUFFMAN_SEQUENTIAL = frozenset({0xC0, 0xC1})
_PROGRESSIVE = frozenset({0xC2, 0xCA})
_READABLE = _HUFFMAN_SEQUENTIAL | _PROGRESSIVE | {0xC9}
_BITS = 8  # a sample
_ALONE = frozenset({0x01, *range(0xD0, 0xD8)})
_END, _SCAN = 0xD9, 0xDA
# Notes of cameras and programs, of which three tell what the pixels mean: see `_note`.
_NOTES = frozenset(range(0xE0, 0x100))
_JFIF, _EXIF, _ADOBE = (0xE0, b"JFIF\0"), (0xE1, b"Exif\0"), (0xEE, b"Adobe")
_ONE_PASS = bytes((0, 63, 0))
# Decoders pass over what stands between two segments, where a writer has counted one's length wrongly.
_MARKER = re.compile(rb"\xff+([\x01-\xfe])")
# In coded data FF 00 is a byte FF and FF D0-D7 are counters; anything else after FF ends the scan.
_AFTER_SCAN = re.compile(rb"\xff[\x01-\xcf\xd8-\xfe]")


Part = bytes | memoryview


@dataclass(frozen=True)
class JpegFile:
    """What a JPEG file says.

    width, height: in pixels, as stored. samples_per_pixel: of all its components. is_readable: of a kind that decoders
    know. in_passes: it comes in several scans, all of which a decoder holds before it can show anything. is_whole: each
    component is there, and the end mark; where that alone may be missing a decoder can tell whether more is. parts: of
    a file of the same picture without anything odd.
    """

    width: int
    height: int
    samples_per_pixel: float
    is_readable: bool
    in_passes: bool
    is_whole: bool
    parts: tuple[Part, ...]

    def plain(self) -> bytes:
        """Give a file of the same picture without anything odd."""
        return b"".join(self.parts)


def jpeg_file(data: bytes) -> JpegFile | None:
    """Follow a JPEG file from segment to segment; None where it ends or goes wrong before it tells its size.

    libjpeg prints no more than the first thing that it finds wrong, be it a whim of the camera: only of a file without
    any can it be told whether pixels have been lost.
    """
    frame: tuple[int, Part] | None = None
    sampled: dict[int, int] = {}
    brought: list[frozenset[int]] = []
    parts: list[Part] = [START]
    marker = 0
    for marker, segment in _segments(data):
        if marker in _FRAMES:
            frame, sampled = (marker, segment), _components(segment)
            if not sampled:
                return None
        elif marker == _SCAN:
            if frame is None:
                return None
            in_passes = frame[0] in _PROGRESSIVE
            brought.append(_brought_by(segment, in_passes=in_passes))
            if not in_passes:
                # Some cameras write nonsense into the three numbers about passes where there is one pass only.
                end = _end_of_head(segment)
                parts += [segment[:end], _ONE_PASS]
                segment = segment[end + 3 :]
        parts.append(_note(marker, bytes(segment), len(sampled)) if marker in _NOTES else segment)
    if frame is None:
        return None
    kind, head = frame
    known, first = frozenset(sampled), brought[0] if brought else frozenset()
    may_lack_end = marker == _SCAN and kind in _HUFFMAN_SEQUENTIAL
    samples = [(both >> 4) * (both & 15) for both in sampled.values()]
    return JpegFile(
        width=int.from_bytes(head[7:9], "big"),
        height=int.from_bytes(head[5:7], "big"),
        samples_per_pixel=sum(samples) / max([1, *samples]),
        is_readable=kind in _READABLE and head[4] == _BITS,
        in_passes=kind in _PROGRESSIVE or (bool(first) and first != known),
        is_whole=known <= frozenset[int]().union(*brought) and (marker == _END or may_lack_end),
        parts=tuple(parts) if marker == _END else (*parts, END),
    )


def _components(frame: Part) -> dict[int, int]:
    """How finely each component of a frame is sampled, two numbers in a byte; empty where the file breaks off."""
    count = frame[9] if len(frame) > 9 else 0
    listed = frame[10 : 10 + 3 * count]
    return dict(zip(listed[::3], listed[1::3], strict=True)) if len(listed) == 3 * count else {}


def _end_of_head(scan: Part) -> int:
    return 5 + 2 * scan[4] if len(scan) > 4 else 5


def _brought_by(scan: Part, *, in_passes: bool) -> frozenset[int]:
    """The components that a scan brings, or where it is one of several passes, those of which it is the first."""
    end = _end_of_head(scan)
    if len(scan) < end + 3:
        return frozenset()
    is_first = scan[end] == 0 and scan[end + 2] >> 4 == 0
    return frozenset(scan[5:end:2]) if is_first or not in_passes else frozenset()


def _note(marker: int, segment: bytes, components: int) -> bytes:
    """A note as a decoder must have it: how the picture is turned and what its colours are; nothing of any other."""
    name = marker, segment[4:9]
    if name == _JFIF:
        return segment[:9] + b"\1\1" + segment[11:]
    if name == _ADOBE:
        # A transform that nobody knows is taken for the usual one.
        known = segment[15:16] in (b"\0", b"\1", b"\2")
        return segment if known else segment[:15] + (b"\2" if components > 3 else b"\1") + segment[16:]
    return segment if name == _EXIF else b""


def _segments(data: bytes) -> Iterator[tuple[int, memoryview]]:
    """Markers and their segments, a scan's with its coded data, up to the end mark or to where the file breaks off."""
    view, at = memoryview(data), len(START)
    while (next_one := _MARKER.search(data, at)) is not None:
        start = next_one.end() - 2
        marker, end = next_one[1][0], start + 2
        if marker != _END and marker not in _ALONE:
            end += max(2, int.from_bytes(data[end : end + 2], "big"))
        if marker == _SCAN:
            after = _AFTER_SCAN.search(data, end)
            end = len(data) if after is None else after.start()
        yield marker, view[start:end]
        if marker == _END:
            return
        at = end
