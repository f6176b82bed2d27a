"""A table's membership in a club: the request to join, the club's messages, and evidence for it."""

from __future__ import annotations

import json
import secrets
import time
from collections.abc import Callable, Iterator
from contextlib import suppress

from referee.errors import BadInputError, SettingError
from referee.jsonlines import parse_object, whole_number
from referee.mqtt import topics
from referee.mqtt.client import Extras, Received, code_in, is_sealed, key_of, seal, secret_of
from referee.mqtt.settings import Membership, MqttSettings
from referee.store.evidence import EvidenceFolder
from referee.store.store import Store

ANSWER_S = 15.0
ASK_AGAIN_S = 3.0
BEGIN_AGAIN_S = 600.0
MOST_PICTURES = 6
Published = tuple[str, bytes, Extras | None]


class ClubMember:
    """The table's side of a club membership.

    trouble: state of the request, a key of `sayings.house`, None without one. changed: receives a new membership, None
    at its end. again: called when everything must be sent again.
    """

    def __init__(
        self,
        journal: Store,
        evidence: EvidenceFolder,
        changed: Callable[[Membership | None], None],
        again: Callable[[], None],
    ) -> None:
        self._journal, self._evidence, self._changed, self._again = journal, evidence, changed, again
        self._asked: tuple[bytes, str, float, MqttSettings] | None = None
        self._sent_s = float("-inf")
        self._began_s = float("-inf")
        self.trouble: str | None = None

    def ask(self, text: str, settings: MqttSettings) -> None:
        """Request admission to a club by a typed code.

        Raises:
            SettingError: the code is invalid, or publishing is off.
        """
        code = code_in(text)
        if code is None:
            raise SettingError("fault.mqtt_code")
        if not settings.on:
            raise SettingError("fault.mqtt_off")
        self._sent_s = float("-inf")
        key = key_of(secret_of(code), settings.table)
        self._asked = key, secrets.token_hex(8), time.monotonic() + ANSWER_S, settings
        self.trouble = "asking"

    def joining(self, now_s: float) -> Published | None:
        """Return the join message when it is due, else None; the code itself is never sent."""
        if self._asked is None:
            return None
        key, nonce, until_s, settings = self._asked
        if now_s > until_s:
            self._asked, self.trouble = None, "not_let_in"
            return None
        if now_s - self._sent_s < ASK_AGAIN_S:
            return None
        self._sent_s = now_s
        topic = topics.topic(settings.table, topics.JOIN)
        payload = json.dumps({"name": settings.name, "nonce": nonce}).encode()
        return topic, payload, Extras(seal(key, topic, payload), expires_s=int(ANSWER_S))

    def knows(self, message: Received, settings: MqttSettings) -> bool:
        """Return whether a message is sealed by our club, or by the club that was asked."""
        keys = [bytes.fromhex(settings.club.key)] if settings.club is not None else []
        if self._asked is not None:
            keys.append(self._asked[0])
        return any(is_sealed(key, message.topic, message.payload, message.seal) for key in keys)

    def answered(self, message: Received, settings: MqttSettings) -> None:
        """Take a club's answer to a request, or the notice of removal.

        Raises:
            BadInputError, KeyError: the message is invalid.
        """
        data = parse_object(message.payload)
        if not isinstance(data["in"], bool):
            raise BadInputError("error.mqtt.in_is_true_or_false")
        is_answer = self._asked is not None and data.get("nonce") == self._asked[1]
        if data["in"]:
            if self._asked is not None and is_answer:
                key, self._asked, self.trouble = self._asked[0], None, None
                since_ms = settings.since_ms or time.time_ns() // 1_000_000
                self._changed(Membership(club=str(data["club"])[:100], key=key.hex(), since_ms=since_ms))
        elif is_answer:
            self._asked, self.trouble = None, "name_in_use" if data.get("why") == "name_in_use" else "not_let_in"
        elif settings.club is not None and "nonce" not in data:
            self._changed(None)
            self.trouble = "put_out"

    def begin_again(self, now_s: float) -> None:
        """Send everything again, as the club has lost some of it; at most once in BEGIN_AGAIN_S."""
        if now_s - self._began_s > BEGIN_AGAIN_S:
            self._began_s = now_s
            self._again()

    def extras(self, settings: MqttSettings, topic: str, payload: bytes) -> Extras | None:
        """Return the seal for a message of the outbox."""
        return None if settings.club is None else Extras(seal(bytes.fromhex(settings.club.key), topic, payload))

    def evidence_for(self, message: Received, settings: MqttSettings) -> Iterator[Published]:
        """Yield the pictures nearest to an event, in order of time, then their number.

        Raises:
            BadInputError, KeyError: the request is invalid.
        """
        data = parse_object(message.payload)
        if settings.club is None:
            return
        rows = self._journal.read("SELECT game FROM games WHERE uid = ?", str(data["game"]))
        found = self._evidence.of_event(rows[0][0], whole_number(data["event"], "event")) if rows else ()
        chosen = sorted(sorted(found, key=lambda one: abs(one.t_ms))[:MOST_PICTURES], key=lambda one: one.t_ms)
        topic, key = topics.topic(settings.table, topics.EVIDENCE), bytes.fromhex(settings.club.key)
        sent = 0
        for picture in chosen:
            jpeg = self._evidence.find(picture.name)
            if jpeg is None:
                continue
            sent += 1
            head = json.dumps({"ask": data["ask"], "t_ms": round(picture.t_ms, 1)}).encode()
            payload = len(head).to_bytes(2, "big") + head + jpeg
            yield topic, payload, Extras(seal(key, topic, payload), expires_s=60)
        head = json.dumps({"ask": data["ask"], "pictures": sent}).encode()
        payload = len(head).to_bytes(2, "big") + head
        yield topic, payload, Extras(seal(key, topic, payload), expires_s=60)


def pieces_of(payload: bytes) -> tuple[dict[str, object], bytes]:
    """Return the header and the JPEG of a message of `evidence_for`.

    Raises:
        ValueError: the message has another form.
    """
    size = int.from_bytes(payload[:2], "big")
    with suppress(UnicodeDecodeError, RecursionError):
        head = json.loads(payload[2 : 2 + size])
        if isinstance(head, dict):
            return head, payload[2 + size :]
    raise ValueError("no evidence")
