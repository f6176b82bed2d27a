"""Messages that are nearly right: one thing in each is different."""

from __future__ import annotations

import json
import random
from collections.abc import Mapping
from typing import Any

JUNK: tuple[Any, ...] = (None, True, -1, 1 << 70, 10**400, 0.5, float("inf"), float("nan"), [], [[1, 2], [None]], {})
JUNK += ("", "x" * 300, "\0", "\ud800", "'; DROP TABLE games; --", {"ruling": 7})


def mutated(data: Mapping[str, Any], dice: random.Random, spared: tuple[str, ...] = ()) -> bytes:
    """Return a message with one part replaced, taken away, or doubled; parts that are `spared` stay."""
    changed = json.loads(json.dumps(data))
    places = [place for place in _places(changed) if place[1] not in spared]
    holder, key = dice.choice(places)
    if dice.random() < 0.2:
        del holder[key]
    else:
        holder[key] = dice.choice(JUNK)
    return json.dumps(changed).encode()


def deep(depth: int) -> bytes:
    return b'{"stream":"S","seq":' + b"[" * depth + b"]" * depth + b"}"


def flipped(payload: bytes, dice: random.Random) -> bytes:
    at = dice.randrange(len(payload))
    return payload[:at] + bytes([dice.randrange(256)]) + payload[at + 1 :]


def _places(data: Any) -> list[tuple[Any, Any]]:  # noqa: ANN401 (JSON)
    keys = list(data) if isinstance(data, dict) else range(len(data)) if isinstance(data, list) else ()
    return [(data, key) for key in keys] + [place for key in keys for place in _places(data[key])]
