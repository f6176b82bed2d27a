"""Damages bytes as disks, cables and people do, the same way for the same random numbers."""

from __future__ import annotations

from random import Random

_HEAD = 512  # bytes: where files say what they are
_RUN = 4096
_WAYS = "one bit,some bytes,an extreme number,cut off,a run of zeros,a run missing,a run twice,a run elsewhere"
_WAYS += ",noise amid,more at the end"


def mutated(data: bytes, random: Random) -> tuple[bytes, str]:
    """Damage a file in one way or a few; gives the file, and what was done to it in words."""
    done = []
    for _ in range(random.choice((1, 1, 1, 2, 3))):
        way = random.choice(_WAYS.split(","))
        data = _damaged(way, data, random)
        done.append(way)
    return data, ", ".join(done)


def _place(data: bytes, random: Random) -> int:
    """A byte of the file, half of the times one near its begin."""
    return random.randrange(max(1, min(len(data), _HEAD) if random.random() < 0.5 else len(data)))


def _damaged(way: str, data: bytes, random: Random) -> bytes:
    start = _place(data, random)
    if "run" not in way:
        match way:
            case "one bit":
                bit = 1 << random.randrange(8)
                return data[:start] + bytes(byte ^ bit for byte in data[start : start + 1]) + data[start + 1 :]
            case "some bytes":
                changed = bytearray(data)
                for _ in range(random.randint(1, 20) if data else 0):
                    changed[_place(data, random)] = random.randrange(256)
                return bytes(changed)
            case "an extreme number":
                width = random.choice((1, 2, 4, 8))
                return data[:start] + bytes([random.choice((0, 1, 0x7F, 0x80, 0xFF))]) * width + data[start + width :]
            case "cut off":
                return data[:start]
        at = start if way == "noise amid" else len(data)
        return data[:at] + random.randbytes(random.randint(1, _RUN)) + data[at:]
    end = min(len(data), start + random.randint(1, _RUN))
    rest = data[:start] + data[end:]
    match way:
        case "a run of zeros":
            return data[:start] + bytes(end - start) + data[end:]
        case "a run missing":
            return rest
        case "a run twice":
            return data[:end] + data[start:]
    at = _place(rest, random)
    return rest[:at] + data[start:end] + rest[at:]
