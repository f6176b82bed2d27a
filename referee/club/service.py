"""The club's service: a connection to the broker, one thread that writes messages, and one that reconnects."""

from __future__ import annotations

import json
import queue
import threading
import time
from collections.abc import Callable
from pathlib import Path

from sqlalchemy import Engine
from sqlalchemy.exc import SQLAlchemyError

from hardware.supervised import SupervisedThread
from referee.club.database import driver_text
from referee.club.evidence import EvidenceDesk
from referee.club.intake import Ack, Intake
from referee.club.live import LiveTables
from referee.club.members import Door, keys
from referee.club.settings import ClubSettings
from referee.errors import BadInputError
from referee.mqtt import topics
from referee.mqtt.client import BrokerLine, Ends, Extras, LineError, Received, seal
from referee.mqtt.set_aside import SetAside

MOST_WAITING, MOST_BATCH = 4000, 500
GATHER_S, LOOK_S, RETRY_S, LAST_RETRY_S = 0.05, 1.0, 1.0, 15.0
_LISTENS = (topics.EVENTS, topics.STATE, topics.AVAILABLE, topics.JOIN, topics.EVIDENCE)
Work = tuple[str, str, Received]


class ClubService:
    """Stores all tables' messages in the database, until it is stopped.

    live: the tables' present states. evidence: fetches pictures. status: state of the connection, a key of
    `sayings.house`. complaint: the reason why the database cannot be written. failed: the thread that is restarting.
    Each is "" without a fault. set_aside: unusable messages. folder: place of their file; None: beside the database's.
    """

    def __init__(
        self, settings: ClubSettings, engine: Engine, first_retry_s: float = RETRY_S, folder: Path | None = None
    ) -> None:
        self._settings, self._engine, self._first_retry_s = settings, engine, first_retry_s
        self._inbox: queue.Queue[Work | Callable[[], None]] = queue.Queue(MOST_WAITING)
        self.set_aside = SetAside(folder or Path(engine.url.database or "").parent)
        self._intake = Intake(engine, self.set_aside.put)
        self._door = Door(engine)
        self._stopping = threading.Event()
        self._lost = threading.Event()
        self._line: BrokerLine | None = None
        self._notified: set[str] = set()
        self.live = LiveTables()
        self.evidence = EvidenceDesk(self._publish)
        self.status, self.complaint, self.failed = "trying", "", ""
        self._threads = [self._thread("club line", self._keep_line), self._thread("club intake", self._write)]

    @property
    def taken(self) -> int:
        """Return the number of messages stored since the start."""
        return self._intake.taken

    def start(self) -> None:
        """Start."""
        for thread in self._threads:
            thread.start()

    def stop(self) -> None:
        """Stop; tables send again what was not stored."""
        self._stopping.set()
        self._lost.set()
        for thread in self._threads:
            thread.stop(3.0)

    def _thread(self, name: str, work: Callable[[], None]) -> SupervisedThread:
        def failed(fault: Exception) -> None:
            self.failed = f"{name}, {type(fault).__name__}"

        def well() -> None:
            self.failed = ""

        return SupervisedThread(name, work, failed, well, self._first_retry_s)

    def _keep_line(self) -> None:
        retry_s = self._first_retry_s
        while not self._stopping.is_set():
            self._lost.clear()
            ends = Ends(self._received, lambda mid: None, lambda why: self._lost.set(), self.set_aside.put)
            line = BrokerLine(self._settings, f"ringmaster-club-{id(self):x}", ends, None, None)
            try:
                line.open()
            except LineError as error:
                self.status = error.line
                self._stopping.wait(retry_s)
                retry_s = min(2 * retry_s, LAST_RETRY_S)
                continue
            try:
                retry_s, self.status, self._line = self._first_retry_s, "up", line
                line.subscribe(*(f"{topics.ROOT}/+/{what}" for what in _LISTENS))
                self._inbox.put(self._greet)
                self._lost.wait()
            finally:
                self._line, self.status = None, "lost"
                self.live.lost()
                line.close()
            self._stopping.wait(0.0 if self._stopping.is_set() else self._first_retry_s)

    def _received(self, message: Received) -> None:
        """Take a message, on the connection's thread. A full inbox makes the broker wait 5 s, then drops it."""
        table, what = topics.split(message.topic) or ("", "")
        if not topics.is_name(table):
            return
        if what in (topics.STATE, topics.AVAILABLE):
            self.live.received(table, what, message)
        elif what == topics.EVIDENCE:
            self.evidence.received(table, message)
        elif not message.retained:
            try:
                self._inbox.put((table, what, message), timeout=5.0)
            except queue.Full:
                return

    def _write(self) -> None:
        looked_s = 0.0
        while not self._stopping.is_set():
            work = self._gathered()
            while work and not self._stopping.is_set() and not self._done(work):
                self._stopping.wait(RETRY_S)
            if time.monotonic() - looked_s > LOOK_S:
                looked_s = time.monotonic()
                self._guarded(self._notify_removed)

    def _gathered(self) -> list[Work | Callable[[], None]]:
        """Return the waiting messages, at most a batch, after a short wait for more."""
        try:
            work = [self._inbox.get(timeout=LOOK_S / 4)]
        except queue.Empty:
            return []
        time.sleep(GATHER_S)
        while len(work) < MOST_BATCH:
            try:
                work.append(self._inbox.get_nowait())
            except queue.Empty:
                break
        return work

    def _done(self, work: list[Work | Callable[[], None]]) -> bool:
        """Process messages; return False if the database is unavailable."""
        batch = [(one[0], one[2]) for one in work if not callable(one) and one[1] == topics.EVENTS]
        joins = [(one[0], one[2]) for one in work if not callable(one) and one[1] == topics.JOIN]

        def carry_out() -> None:
            if joins:
                self._door.prepare()
            for table, message in joins:
                self._join(table, message)
            for one in work:
                if callable(one):
                    one()
            for ack in self._intake.take(batch) if batch else ():
                self._acknowledge(ack)

        return self._guarded(carry_out)

    def _guarded(self, what: Callable[[], None]) -> bool:
        try:
            what()
        except SQLAlchemyError as error:
            self.complaint = driver_text(error)
            return False
        self.complaint = ""
        return True

    def _greet(self) -> None:
        """Send each table its last stored number, from which it continues: the broker may have lost the answer."""
        for ack in self._intake.acks():
            self._acknowledge(ack)
        self._notified.clear()

    def _acknowledge(self, ack: Ack) -> None:
        topic = topics.topic(ack.table, topics.ACK)
        self._publish(topic, ack.payload, Extras(seal(ack.key, topic, ack.payload)), retain=True)

    def _join(self, table: str, message: Received) -> None:
        """Admit an invited table, and answer it, also with a refusal."""
        try:
            found = self._door.asked(table, message)
        except BadInputError as error:
            self.set_aside.put(message.topic, message.payload, error)
            return
        if found is None:
            return
        if found.why:
            self._send_membership(
                found.table, found.key, {"in": False, "nonce": found.nonce, "why": found.why}, retain=False
            )
        else:
            self._send_membership(
                found.table, found.key, {"in": True, "club": self._settings.name, "nonce": found.nonce}
            )

    def _notify_removed(self) -> None:
        for table, key, is_out in keys(self._engine):
            if is_out and table not in self._notified and self._line is not None:
                self._notified.add(table)
                self._send_membership(table, key, {"in": False})

    def _send_membership(self, table: str, key: bytes, data: dict[str, object], *, retain: bool = True) -> None:
        topic, payload = topics.topic(table, topics.IN), json.dumps(data).encode()
        self._publish(topic, payload, Extras(seal(key, topic, payload)), retain=retain)

    def _publish(self, topic: str, payload: bytes, extras: Extras, *, retain: bool = False) -> None:
        line = self._line
        if line is not None:
            line.publish(topic, payload, extras, retain=retain)
