"""Present state of the tables, from their last message; in memory, because tables repeat it."""

from __future__ import annotations

import json
import threading
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from referee.mqtt import topics
from referee.mqtt.client import Received

_MOST_TABLES, _MOST_BYTES, _MOST_PLAYERS = 500, 1 << 14, 20


@dataclass
class _Live:
    online: bool = False
    state: dict[str, Any] = field(default_factory=dict)


class LiveTables:
    """The tables' states. Thread-safe."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._tables: dict[str, _Live] = {}

    def received(self, table: str, what: str, message: Received) -> None:
        """Take a table's message about itself."""
        with self._lock:
            if table not in self._tables and len(self._tables) >= _MOST_TABLES:
                return
            one = self._tables.setdefault(table, _Live())
            if what == topics.AVAILABLE:
                one.online = message.payload == topics.ONLINE.encode()
            elif len(message.payload) <= _MOST_BYTES:
                one.state = _shown(message.payload)

    def lost(self) -> None:
        """Mark all tables as offline: the broker is gone."""
        with self._lock:
            for one in self._tables.values():
                one.online = False

    def of(self, table: str) -> dict[str, Any]:
        """Return a table's state: `online`, and its own `mode`, `game`, `players`, `scores`, `turn`, `ruling`."""
        with self._lock:
            one = self._tables.get(table, _Live())
            return {"online": one.online, **one.state}


def _shown(payload: bytes) -> dict[str, Any]:
    """Return the displayed fields of a state; invalid ones are dropped."""
    try:
        data = json.loads(payload or b"{}")
    except (ValueError, RecursionError):
        return {}
    if not isinstance(data, Mapping):
        return {}
    texts = {name: data[name][:300] for name in ("mode", "game", "turn", "ruling") if isinstance(data.get(name), str)}
    players, scores = data.get("players"), data.get("scores")
    troubles = data.get("devices")
    return {
        **texts,
        "players": [str(one)[:60] for one in players[:_MOST_PLAYERS]] if isinstance(players, list) else [],
        "scores": [one if type(one) is int else None for one in scores[:_MOST_PLAYERS]]
        if isinstance(scores, list)
        else [],
        "troubles": sorted(str(name)[:40] for name, state in troubles.items() if state != "ok")[:20]
        if isinstance(troubles, Mapping)
        else [],
    }
