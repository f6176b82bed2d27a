"""Rows out of the pages of an SQLite file, one page after the other, where no way through its tables leads to them.

By the file format as sqlite.org describes it (section "B-tree pages" and "Record format"): a page has cells, a cell a
record, a record its values with their kinds before them. What makes no sense is passed over. Pure.
"""

from __future__ import annotations

import mmap
import struct
from collections.abc import Iterator
from dataclasses import dataclass

Data = bytes | mmap.mmap
Value = str | int | float | bytes | None

_TABLE_LEAF, _INDEX_LEAF, _INDEX_INTERIOR = 0x0D, 0x0A, 0x02
_USUAL_PAGE = 4096
_MOST_OVERFLOW = 300
_INTS = {1: 1, 2: 2, 3: 3, 4: 4, 5: 6, 6: 8}


def as_text(data: bytes) -> str:
    """Give a text as well as it can be read: one bad byte must not hide all games."""
    return data.decode("utf-8", "replace")


class _NoSenseError(Exception):
    """A cell that is none."""


@dataclass(frozen=True)
class Loose:
    """A row: its values, and its number where its table counts rows."""

    values: tuple[Value, ...]
    rowid: int | None


def loose_rows(data: Data) -> Iterator[Loose]:
    """Give all rows in a file, in the order of its pages; those of pages that are in use no more, too."""
    size = _page_size(data)
    for start in range(0, len(data) - size + 1, size):
        yield from _rows_of(data, start, size)


def _page_size(data: Data) -> int:
    size = int.from_bytes(data[16:18], "big")
    return size if size in (512, 1024, 2048, 4096, 8192, 16384, 32768) else _USUAL_PAGE


def _rows_of(data: Data, start: int, size: int) -> Iterator[Loose]:
    head = start + (100 if start == 0 else 0)
    kind = data[head]
    # A page of another kind has no rows; one whose kind makes no sense may be of any.
    kinds = (kind,) if kind in (_TABLE_LEAF, _INDEX_LEAF, _INDEX_INTERIOR, 0x05) else (_INDEX_LEAF, _TABLE_LEAF)
    for one in kinds:
        if one == 0x05:
            continue
        count = int.from_bytes(data[head + 3 : head + 5], "big")
        first = head + (12 if one == _INDEX_INTERIOR else 8)
        for place in range(min(count, (size - 8) // 2)):
            offset = int.from_bytes(data[first + 2 * place : first + 2 * place + 2], "big")
            try:
                yield _row(data, start, size, offset, one)
            except (_NoSenseError, IndexError, struct.error):
                continue


def _row(data: Data, start: int, size: int, offset: int, kind: int) -> Loose:
    if not 8 <= offset < size:
        raise _NoSenseError
    at = start + offset + (4 if kind == _INDEX_INTERIOR else 0)
    length, at = _varint(data, at)
    rowid = None
    if kind == _TABLE_LEAF:
        rowid, at = _varint(data, at)
    return Loose(_record(_payload(data, at, length, start, size, kind)), rowid)


def _payload(data: Data, at: int, length: int, start: int, size: int, kind: int) -> bytes:
    """Give a record's bytes, which may go on in other pages."""
    most = size - 35 if kind == _TABLE_LEAF else (size - 12) * 64 // 255 - 23
    if length <= most:
        if at + length > start + size:
            raise _NoSenseError
        return data[at : at + length]
    least = (size - 12) * 32 // 255 - 23
    here = least + (length - least) % (size - 4)
    here = here if here <= most else least
    parts, left = [data[at : at + here]], length - here
    page = int.from_bytes(data[at + here : at + here + 4], "big")
    for _ in range(_MOST_OVERFLOW):
        begin = (page - 1) * size
        if not size <= begin <= len(data) - size:
            raise _NoSenseError
        parts.append(data[begin + 4 : begin + 4 + min(left, size - 4)])
        left -= len(parts[-1])
        page = int.from_bytes(data[begin : begin + 4], "big")
        if left <= 0:
            return b"".join(parts)
    raise _NoSenseError


def _record(payload: bytes) -> tuple[Value, ...]:
    end, at = _varint(payload, 0)
    kinds: list[int] = []
    while at < end:
        kind, at = _varint(payload, at)
        kinds.append(kind)
    if at != end or not kinds:
        raise _NoSenseError
    values: list[Value] = []
    for kind in kinds:
        value, at = _value(payload, at, kind)
        values.append(value)
    if at > len(payload):
        raise _NoSenseError
    return tuple(values)


def _value(payload: bytes, at: int, kind: int) -> tuple[Value, int]:
    if kind in (0, 8, 9):
        return (None if kind == 0 else kind - 8), at
    if kind == 7:
        return float(struct.unpack_from(">d", payload, at)[0]), at + 8
    if kind in _INTS:
        end = at + _INTS[kind]
        return int.from_bytes(payload[at:end], "big", signed=True), end
    if kind < 12:
        raise _NoSenseError
    end = at + (kind - 12) // 2
    piece = payload[at:end]
    return (as_text(piece) if kind % 2 else piece), end


def _varint(data: Data, at: int) -> tuple[int, int]:
    value = 0
    for place in range(9):
        byte = data[at + place]
        if place == 8:
            return value << 8 | byte, at + 9
        value = value << 7 | byte & 0x7F
        if byte < 0x80:
            return value, at + place + 1
    raise _NoSenseError
