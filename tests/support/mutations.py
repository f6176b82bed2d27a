"""Damages bytes as disks, cables and people do, the same way for the same random numbers."""

from __future__ import annotations

from collections.abc import Callable
from random import Random

_HEAD = 512  # bytes: where files say what they are
_RUN = 4096
_EXTREMES = (0, 1, 0x7F, 0x80, 0xFF)


def mutated(data: bytes, random: Random) -> tuple[bytes, str]:
    """Damage a file in one way or a few; gives the file, and what was done to it in words."""
    done = []
    for _ in range(random.choice((1, 1, 1, 2, 3))):
        how = random.choice(_WAYS)
        data = how(data, random)
        done.append(how.__name__.strip("_").replace("_", " "))
    return data, ", ".join(done)


def _place(data: bytes, random: Random) -> int:
    """A byte of the file, half of the times one near its begin."""
    return random.randrange(max(1, min(len(data), _HEAD) if random.random() < 0.5 else len(data)))


def _run(data: bytes, random: Random) -> tuple[int, int]:
    start = _place(data, random)
    return start, min(len(data), start + random.randint(1, _RUN))


def _one_bit(data: bytes, random: Random) -> bytes:
    at = _place(data, random)
    return data[:at] + bytes(byte ^ 1 << random.randrange(8) for byte in data[at : at + 1]) + data[at + 1 :]


def _some_bytes(data: bytes, random: Random) -> bytes:
    changed = bytearray(data)
    for _ in range(random.randint(1, 20) if data else 0):
        changed[_place(data, random)] = random.randrange(256)
    return bytes(changed)


def _an_extreme_number(data: bytes, random: Random) -> bytes:
    at, width = _place(data, random), random.choice((1, 2, 4, 8))
    return data[:at] + bytes([random.choice(_EXTREMES)]) * width + data[at + width :]


def _cut_off(data: bytes, random: Random) -> bytes:
    return data[: _place(data, random)]


def _a_run_of_zeros(data: bytes, random: Random) -> bytes:
    start, end = _run(data, random)
    return data[:start] + bytes(end - start) + data[end:]


def _a_run_missing(data: bytes, random: Random) -> bytes:
    start, end = _run(data, random)
    return data[:start] + data[end:]


def _a_run_twice(data: bytes, random: Random) -> bytes:
    start, end = _run(data, random)
    return data[:end] + data[start:]


def _a_run_elsewhere(data: bytes, random: Random) -> bytes:
    start, end = _run(data, random)
    rest = data[:start] + data[end:]
    at = _place(rest, random)
    return rest[:at] + data[start:end] + rest[at:]


def _noise_amid(data: bytes, random: Random) -> bytes:
    at = _place(data, random)
    return data[:at] + random.randbytes(random.randint(1, _RUN)) + data[at:]


def _more_at_the_end(data: bytes, random: Random) -> bytes:
    return data + random.randbytes(random.randint(1, _RUN))


_WAYS: tuple[Callable[[bytes, Random], bytes], ...] = (
    _one_bit,
    _some_bytes,
    _an_extreme_number,
    _cut_off,
    _a_run_of_zeros,
    _a_run_missing,
    _a_run_twice,
    _a_run_elsewhere,
    _noise_amid,
    _more_at_the_end,
)
