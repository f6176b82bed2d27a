"""Evidence on demand: pictures stay at their table until somebody asks for them."""

from __future__ import annotations

import json
import math
import secrets
import threading
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass, field

from referee.errors import WorkFailedError
from referee.mqtt import topics
from referee.mqtt.client import Extras, Received, is_sealed, seal
from referee.mqtt.club_member import pieces_of

ANSWER_S = 10.0
_MOST_KEPT = 12
_MOST_PICTURES = 12
Publish = Callable[[str, bytes, Extras], object]


@dataclass
class Fetched:
    """Pictures from a table: each one's time from the event, ms, and its JPEG. whole: set when all have come."""

    table: str
    key: bytes
    pictures: list[tuple[float, bytes]] = field(default_factory=list)
    awaited: int | None = None
    whole: threading.Event = field(default_factory=threading.Event)


class EvidenceDesk:
    """Fetches pictures from tables and caches the last answers. publish: sends to the broker. Thread-safe."""

    def __init__(self, publish: Publish) -> None:
        self._publish = publish
        self._lock = threading.Lock()
        self._asked: OrderedDict[str, Fetched] = OrderedDict()

    def fetch(self, table: str, key: bytes, game: str, event: int) -> tuple[str, Fetched]:
        """Request the pictures of an event from a table, and wait; return the answer's id and the pictures.

        Raises:
            WorkFailedError: the table does not answer.
        """
        ask, found = secrets.token_hex(12), Fetched(table, key)
        with self._lock:
            self._asked[ask] = found
            while len(self._asked) > _MOST_KEPT:
                self._asked.popitem(last=False)
        topic = topics.topic(table, topics.ASK)
        payload = json.dumps({"ask": ask, "game": game, "event": event}).encode()
        self._publish(topic, payload, Extras(seal(key, topic, payload), expires_s=int(ANSWER_S)))
        if not found.whole.wait(ANSWER_S):
            raise WorkFailedError("error.club.table_does_not_answer_is")
        return ask, found

    def picture(self, ask: str, number: int) -> bytes | None:
        """Return a fetched picture; None if it is not in the cache."""
        with self._lock:
            found = self._asked.get(ask)
        return found.pictures[number][1] if found is not None and 0 <= number < len(found.pictures) else None

    def received(self, table: str, message: Received) -> None:
        """Take a table's answer, or a part of it; unrequested ones are ignored."""
        try:
            head, jpeg = pieces_of(message.payload)
        except ValueError:
            return
        with self._lock:
            found = self._asked.get(str(head.get("ask")))
            if found is None or found.table != table:
                return
            if not is_sealed(found.key, message.topic, message.payload, message.seal):
                return
            time_ms, awaited = head.get("t_ms"), head.get("pictures")
            if (
                jpeg
                and isinstance(time_ms, int | float)
                and math.isfinite(time_ms)
                and len(found.pictures) < _MOST_PICTURES
            ):
                found.pictures.append((float(time_ms), jpeg))
            elif type(awaited) is int:
                found.awaited = awaited
            if found.awaited is not None and len(found.pictures) >= found.awaited:
                found.whole.set()
