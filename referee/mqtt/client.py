"""A connection to an MQTT 5 broker by Eclipse Paho, and the seals of a club's messages.

An invitation's code is never transmitted. Both ends derive a key from the code and the table's name. They seal each
message with that key (HMAC, RFC 2104).

A `BrokerLine` is new for each connection: Paho then repeats no message of an earlier one.
"""

from __future__ import annotations

import hashlib
import hmac
import secrets
import ssl
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass

from paho.mqtt.client import Client, ConnectFlags, DisconnectFlags, MQTTMessage, MQTTMessageInfo
from paho.mqtt.enums import CallbackAPIVersion, MQTTErrorCode, MQTTProtocolVersion
from paho.mqtt.packettypes import PacketTypes
from paho.mqtt.properties import Properties
from paho.mqtt.reasoncodes import ReasonCode

from hardware.supervised import log_fault, nothing
from referee.errors import WorkFailedError
from referee.mqtt.settings import Broker

ALPHABET = "23456789ABCDEFGHJKLMNPQRSTUVWXYZ"
"""Letters and digits that cannot be confused."""
CODE_LENGTH = 10


def new_code() -> str:
    """Return an invitation's code: 50 bits."""
    return "".join(secrets.choice(ALPHABET) for _ in range(CODE_LENGTH))


def shown_code(code: str) -> str:
    """Return a code in its readable form: "K7QF2-M9P4X"."""
    return f"{code[: CODE_LENGTH // 2]}-{code[CODE_LENGTH // 2 :]}"


def code_in(text: str) -> str | None:
    """Return the code in a typed text; None without one."""
    code = text.upper().translate(str.maketrans("", "", " -–"))
    return code if len(code) == CODE_LENGTH and set(code) <= set(ALPHABET) else None


def secret_of(code: str) -> bytes:
    """Return the secret of an invitation's code; deliberately slow, about 50 ms."""
    return hashlib.scrypt(code.encode(), salt=b"ringmaster club", n=1 << 14, r=8, p=1, dklen=32)


def key_of(secret: bytes, table: str) -> bytes:
    """Return the key of a table invited with this secret; fast, because guests may send many requests."""
    return hmac.digest(secret, f"ringmaster {table}".encode(), "sha256")


def seal(key: bytes, topic: str, payload: bytes) -> str:
    """Return a message's seal, 64 hexadecimal digits."""
    return hmac.digest(key, topic.encode() + b"\n" + payload, "sha256").hex()


def is_sealed(key: bytes, topic: str, payload: bytes, given: str | None) -> bool:
    """Return whether the sender of a message has the key."""
    return given is not None and hmac.compare_digest(seal(key, topic, payload).encode(), given.encode())


SEAL = "seal"
_KEEPALIVE_S = 20
_CONNECT_S = 5.0
_CLOSE_S = 0.5
_MOST_BYTES = 1 << 20
_BURST = 40


class LineError(WorkFailedError):
    """A broker is unavailable. line: "unreachable", "refused" (name or password), "tls", "slow" or "lost"."""

    def __init__(self, key: str, line: str, /, **values: object) -> None:
        super().__init__(key, **values)
        self.line = line


@dataclass(frozen=True)
class Received:
    """A message with its seal."""

    topic: str
    payload: bytes
    retained: bool = False
    seal: str | None = None


@dataclass(frozen=True)
class Extras:
    """Properties of a message. expires_s: seconds after which the broker deletes it; None: never."""

    seal: str | None = None
    expires_s: int | None = None

    def as_properties(self) -> Properties | None:
        """Return the properties of MQTT 5."""
        if self == Extras():
            return None
        found = Properties(PacketTypes.PUBLISH)  # type: ignore[no-untyped-call]
        if self.seal is not None:
            found.UserProperty = (SEAL, self.seal)
        if self.expires_s is not None:
            found.MessageExpiryInterval = self.expires_s
        return found


@dataclass(frozen=True)
class Ends:
    """Callbacks on the connection's own thread.

    sent: the broker has taken the message with that number. lost: the reason. aside: receives topic, payload and reason
    of a message that could not be taken.
    """

    received: Callable[[Received], None]
    sent: Callable[[int], None]
    lost: Callable[[str], None]
    aside: Callable[[str, bytes, object], object] = nothing


class _Client(Client):
    """Paho's client, which reports a fault of the library before its thread ends."""

    broken: Callable[[Exception], None] = staticmethod(nothing)

    def loop_forever(self, timeout: float = 1.0, retry_first_connection: bool = False) -> MQTTErrorCode:
        """Run until the connection is lost."""
        try:
            return super().loop_forever(timeout, retry_first_connection)
        except Exception as error:  # Without this the end of the thread would go unnoticed.
            log_fault("the line to the broker failed", error)
            self.broken(error)
            return MQTTErrorCode.MQTT_ERR_UNKNOWN


class BrokerLine:
    """One connection, from `open` until it is lost or closed.

    will: topic and payload that the broker publishes and retains if it loses us. most_a_second: limit of the broker's
    messages; further ones wait in the network, which protects rulings from a flood. None: no limit.
    """

    def __init__(
        self, broker: Broker, name: str, ends: Ends, will: tuple[str, str] | None, most_a_second: float | None
    ) -> None:
        self._broker, self._ends = broker, ends
        self._answered = threading.Event()
        self._refused: str | None = None
        self.is_up = False
        self._last: MQTTMessageInfo | None = None
        self._pause_s = 0.0 if most_a_second is None else 1.0 / most_a_second
        self._burst, self._since = float(_BURST), time.monotonic()
        self._client = _Client(
            CallbackAPIVersion.VERSION2, client_id=name, protocol=MQTTProtocolVersion.MQTTv5, reconnect_on_failure=False
        )
        self._client.broken = self._broken
        self._client.connect_timeout = _CONNECT_S
        self._client.max_inflight_messages_set(200)
        self._client.on_connect, self._client.on_disconnect = self._connected, self._disconnected
        self._client.on_message, self._client.on_publish = self._received, self._sent
        if will is not None:
            self._client.will_set(will[0], will[1], qos=1, retain=True)

    def open(self) -> None:
        """Connect to the broker, with a clean session.

        Raises:
            LineError: it cannot be reached, or refuses us.
        """
        try:
            context = self._broker.context()
            if context is not None:
                self._client.tls_set_context(context)
            if self._broker.user:
                self._client.username_pw_set(self._broker.user, self._broker.password)
            asked = Properties(PacketTypes.CONNECT)  # type: ignore[no-untyped-call]
            asked.MaximumPacketSize, asked.ReceiveMaximum = _MOST_BYTES, 500
            self._client.connect(
                self._broker.host, self._broker.usual_port, _KEEPALIVE_S, clean_start=True, properties=asked
            )
        except ssl.SSLError as error:
            raise LineError("error.mqtt.broker_is_not_one_that", "tls", why=error) from error
        except (OSError, ValueError) as error:
            raise LineError("error.mqtt.broker_cannot_be_reached", "unreachable", why=error) from error
        self._client.loop_start()
        if not self._answered.wait(_CONNECT_S):
            self.close()
            raise LineError("error.mqtt.broker_does_not_answer", "slow")
        if self._refused is not None:
            self.close()
            raise LineError("error.mqtt.broker_does_not_let_us", "refused", why=self._refused)

    def subscribe(self, *topics: str) -> None:
        """Subscribe to topics, at QoS 1."""
        self._client.subscribe([(topic, 1) for topic in topics])

    def publish(self, topic: str, payload: bytes, extras: Extras | None = None, *, retain: bool = False) -> int:
        """Publish at QoS 1 without waiting; return the number for `Ends.sent`."""
        properties = None if extras is None else extras.as_properties()
        self._last = self._client.publish(topic, payload, qos=1, retain=retain, properties=properties)
        return self._last.mid

    def drain(self, wait_s: float) -> None:
        """Wait until the broker has taken the last message, at most `wait_s` seconds, before closing."""
        # A lost connection takes nothing any more.
        with suppress(RuntimeError, ValueError):
            if self.is_up and self._last is not None:
                self._last.wait_for_publish(wait_s)

    def close(self) -> None:
        """Disconnect if the network allows it, and end the connection's thread."""
        with suppress(OSError, ValueError):
            self._client.disconnect()
        thread = self._client._thread
        if thread is not None and thread is not threading.current_thread():
            # Paho's own `loop_stop` waits without a limit.
            thread.join(_CLOSE_S)
        self._client._thread_terminate = True

    def _connected(
        self, _client: Client, _data: object, _flags: ConnectFlags, code: ReasonCode, _more: Properties | None
    ) -> None:
        if code.is_failure:
            self._refused = str(code)
        else:
            self.is_up = True
        self._answered.set()

    def _disconnected(
        self, _client: Client, _data: object, _flags: DisconnectFlags, code: ReasonCode, _more: Properties | None
    ) -> None:
        self.is_up = False
        self._answered.set()
        self._ends.lost(str(code))

    def _broken(self, error: Exception) -> None:
        self.is_up = False
        self._refused = self._refused or str(error)
        self._answered.set()
        self._ends.lost(str(error))

    def _sent(self, _client: Client, _data: object, mid: int, *_more: object) -> None:
        self._ends.sent(mid)

    def _received(self, _client: Client, _data: object, message: MQTTMessage) -> None:
        self._slow_down()
        try:
            self._ends.received(_as_received(message))
        except Exception as error:  # One message must never end the thread of all others.
            self._ends.aside(message._topic.decode(errors="backslashreplace"), bytes(message.payload), error)

    def _slow_down(self) -> None:
        """Sleep if messages come faster than allowed, except for a short burst."""
        if not self._pause_s:
            return
        now = time.monotonic()
        self._burst = min(_BURST, self._burst + (now - self._since) / self._pause_s) - 1
        self._since = now
        if self._burst < 0:
            time.sleep(self._pause_s)


def _as_received(message: MQTTMessage) -> Received:
    """Return a message as `Received`. Raises UnicodeDecodeError for a topic that is not UTF-8."""
    users = dict(getattr(message.properties, "UserProperty", None) or ())
    return Received(message.topic, bytes(message.payload), message.retain, users.get(SEAL))
