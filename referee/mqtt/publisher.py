"""The publisher: a thread that keeps the connection and sends the outbox in order.

Every event of the table leaves a row in the journal's outbox; the publisher sends the rows while there is a
connection. Of the state only the newest is sent. A ring is sent at once or not at all: a lamp that lights ten minutes
late does not help.
"""

from __future__ import annotations

import contextlib
import json
import queue
import secrets
import sqlite3
import threading
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any, Protocol

from hardware.events import BellPressed
from hardware.problems import Health, Problem
from hardware.supervised import nothing
from referee.errors import BadInputError, RingmasterError, WorkFailedError
from referee.jsonlines import parse_object, whole_number
from referee.language import Language
from referee.match.commands import Command, Simple
from referee.match.process import Report, part_thread
from referee.mqtt import topics
from referee.mqtt.client import BrokerLine, Ends, Extras, LineError, Received, is_sealed
from referee.mqtt.club_member import ClubMember
from referee.mqtt.discovery import COUNT, PAUSE, About, discovery, house_state, sand_left_s
from referee.mqtt.set_aside import SetAside
from referee.mqtt.settings import (
    FILE,
    BrokenSettings,
    Membership,
    MqttSettings,
    load_mqtt,
    renamed,
    save_mqtt,
    take_mqtt,
)
from referee.phrases import in_language
from referee.state_folder import JOURNAL
from referee.store.database import connect_to_read
from referee.store.evidence import EvidenceFolder
from referee.store.store import Outbox, Store, messages

IDLE_S, SAND_S, STATE_S, TIDY_S = 2.0, 1.0, 0.1, 1.0
"""Seconds: longest sleep; interval of sand; shortest interval of state; interval of trimming the outbox."""
MOST_UNDER_WAY, AGAIN_S = 20, 60.0
"""Forty tables together then stay below 1,000 messages, Mosquitto's limit for one reader.

After AGAIN_S seconds without an acknowledgement messages are sent again.
"""
_FORGOTTEN_S, _GOODBYE_S = 5.0, 0.5  # time for the broker when we leave for good, and when we come back


class PublisherConnection:
    """One connection of the publisher; belongs to its thread."""

    def __init__(
        self,
        line: BrokerLine,
        settings: MqttSettings,
        journal: Store,
        table: TableDesk,
        folder: Path,
        member: ClubMember,
    ) -> None:
        self._line, self._settings, self._journal, self._table, self._member = line, settings, journal, table, member
        # A separate connection: a ruling's write must never wait for this reader.
        self._reader = connect_to_read(folder / JOURNAL)
        self._stream = journal.outbox.stream
        # Number of the last acknowledged message, of the next one to send, and time of the last change.
        self._arrived, self._next, self._moved_s = journal.outbox.sent, journal.outbox.sent + 1, 0.0
        self._seq_of: dict[int, int] = {}
        self._published: dict[str, bytes] = {}
        self._state_mid: int | None = None
        self._state_s = self._tidy_s = 0.0
        self._acted_s = float("-inf")
        self._is_sand = False

    def greet(self) -> None:
        """Subscribe, and publish that the table is online."""
        mine = self._settings.table
        self._line.subscribe(*(topics.topic(mine, one) for one in (topics.HERE, topics.IN, topics.ACK, topics.ASK)))
        if self._settings.buttons:
            self._line.subscribe(topics.topic(mine, topics.DO))
        self.publish(topics.AVAILABLE, topics.ONLINE.encode(), retain=True)

    def here(self, me: str, *, left: bool = False) -> None:
        """Publish the process that has this table's name; left: it takes another name."""
        topic = topics.topic(self._settings.table, topics.HERE)
        payload = json.dumps({"me": me, "at_ms": time.time_ns() // 1_000_000, "left": left}).encode()
        self._line.publish(topic, payload, self._member.extras(self._settings, topic, payload), retain=True)

    def leave(self, *, gone: bool) -> None:
        """Publish that the table is offline; gone: for good, which makes the house forget it."""
        if gone:
            self._line.publish(topics.DISCOVERY.format(table=self._settings.table), b"", retain=True)
            for what in (topics.STATE, topics.SAND, topics.HERE):
                self.publish(what, b"", retain=True)
        self.publish(topics.AVAILABLE, topics.OFFLINE.encode(), retain=True)
        # Closing drops messages in transit, and a house would keep a table that is gone.
        self._line.drain(_FORGOTTEN_S if gone else _GOODBYE_S)

    def close(self) -> None:
        """Close the connection."""
        self._line.close()
        self._reader.close()

    def publish(self, what: str, payload: bytes, *, retain: bool = False, expires_s: int | None = None) -> int:
        """Publish under one of the table's topics."""
        extras = None if expires_s is None else Extras(expires_s=expires_s)
        return self._line.publish(topics.topic(self._settings.table, what), payload, extras, retain=retain)

    def tend(self) -> float:
        """Send all due messages; return the seconds until the next are due."""
        now = time.monotonic()
        self._follow_stream()
        join = self._member.joining(now)
        if join is not None:
            self._line.publish(*join)
        wait_s = self._publish_state(now)
        self._send_outbox(now)
        return min(wait_s, SAND_S if self._is_sand else IDLE_S, self._tidy(now))

    def _tidy(self, now: float) -> float:
        """Remove acknowledged rows; return the seconds until the next look."""
        arrived = self._arrived
        if arrived <= self._journal.outbox.sent:
            return IDLE_S
        if now - self._tidy_s > TIDY_S:
            self._tidy_s = now
            self._journal.change_outbox(lambda outbox: outbox.arrived(arrived))
        return TIDY_S

    def taken(self, mid: int) -> None:
        """Note that the broker has a message; without a club this acknowledges it."""
        if mid == self._state_mid:
            self._state_mid = None
        seq = self._seq_of.pop(mid, None)
        if seq is not None and self._settings.club is None:
            # A broker acknowledges in the order of sending (MQTT 5, 4.6).
            self._move(seq)

    def _move(self, arrived: int, *, again: bool = False) -> None:
        """Note that all messages up to a number have arrived; again: send the following ones again."""
        if again or arrived > self._arrived:
            self._moved_s = time.monotonic()
        self._arrived = max(self._arrived, arrived)
        self._next = self._arrived + 1 if again else max(self._next, self._arrived + 1)

    def received(self, message: Received) -> None:
        """Take a message; ignore one without a valid seal.

        Raises:
            BadInputError, KeyError: the message is invalid.
        """
        what = (topics.split(message.topic) or ("", ""))[1]
        if what == topics.DO:
            self._act(message)
        elif self._member.knows(message, self._settings):
            match what:
                case topics.IN:
                    self._member.answered(message, self._settings)
                case topics.ACK:
                    self._acknowledged(parse_object(message.payload))
                case topics.ASK:
                    for answer in self._member.evidence_for(message, self._settings):
                        self._line.publish(*answer)

    def _acknowledged(self, data: Mapping[str, Any]) -> None:
        """Take the club's acknowledgement."""
        if data["stream"] != self._stream:
            return
        seq = whole_number(data["seq"], "seq")
        if not self._journal.outbox.sent <= seq <= self._journal.outbox.last:
            # The club's file or ours is older than the last acknowledgement, or another table has used our numbers:
            # everything is sent again.
            self._member.begin_again(time.monotonic())
        else:
            self._move(seq, again=bool(data.get("again")))

    def _act(self, message: Received) -> None:
        """Take a press of a button in the house; at most once a second, and no retained one."""
        now = time.monotonic()
        if not self._settings.buttons or message.retained or now - self._acted_s < 1.0:
            return
        self._acted_s = now
        command: Command | None = None
        if message.payload == PAUSE.encode():
            command = Simple(do="resume" if self._table.state()["mode"] == "paused" else "pause")
        elif message.payload == COUNT.encode():
            command = Simple(do="count")
        if command is not None:
            # A command that is impossible now is ignored: there is no game, or nothing to count.
            with suppress(RingmasterError):
                self._table.do(command)

    def _follow_stream(self) -> None:
        if self._journal.outbox.stream != self._stream:
            self._stream = self._journal.outbox.stream
            self._arrived = self._journal.outbox.sent
            self._next = self._arrived + 1
            self._seq_of.clear()

    def _publish_state(self, now: float) -> float:
        """Publish the newest state, if it has changed and the previous one has arrived.

        Returns the seconds until the next look.
        """
        shown = self._table.state()
        state = house_state(shown)
        self._is_sand = state["phase"] == "running"
        if self._state_mid is not None:
            return IDLE_S
        if now - self._state_s < STATE_S:
            return STATE_S
        language = Language(str(shown["language"]))
        about = About(self._settings.table, self._settings.name, language, self._settings.buttons)
        sand = {"left_s": sand_left_s(shown, int(shown["t_ns"]))}
        for topic, data in (
            (topics.DISCOVERY.format(table=about.table), lambda: discovery(about, state)),
            (topics.topic(about.table, topics.SAND), lambda: sand),
            (topics.topic(about.table, topics.STATE), lambda: state),
        ):
            self._publish_new(topic, data, now)
        return IDLE_S

    def _publish_new(self, topic: str, make: Callable[[], Mapping[str, Any]], now: float) -> None:
        payload = json.dumps(make(), ensure_ascii=False).encode(errors="backslashreplace")
        if self._published.get(topic) != payload:
            self._published[topic] = payload
            self._state_s = now
            self._state_mid = self._line.publish(topic, payload, retain=True)

    def _send_outbox(self, now: float) -> None:
        if self._next == self._arrived + 1:
            self._moved_s = now
        elif now - self._moved_s > AGAIN_S:
            self._move(self._arrived, again=True)
        until = min(self._journal.outbox.lasting, self._arrived + MOST_UNDER_WAY)
        for message in messages(self._query, self._stream, self._next - 1, until):
            data = {"id": message.id, "stream": message.stream, "seq": message.seq, **message.data}
            # Half of a surrogate pair is written as its escape: it must not block the messages behind it.
            payload = json.dumps(data, ensure_ascii=False).encode(errors="backslashreplace")
            topic = topics.topic(self._settings.table, topics.EVENTS)
            mid = self._line.publish(topic, payload, self._member.extras(self._settings, topic, payload))
            self._seq_of[mid] = message.seq
            self._next = message.seq + 1

    def _query(self, sql: str, *values: Any) -> list[tuple[Any, ...]]:  # noqa: ANN401 (values of SQLite)
        return list(self._reader.execute(sql, values))


FIRST_RETRY_S, LAST_RETRY_S = 1.0, 30.0
MOST_A_SECOND = 50.0
LOOK_S = 1.0
"""Time between two looks at the settings' file, which the terminal may have changed, s."""
STALE_NS = 2_000_000_000
TAKEN_OVER, TWICE_S = "Session taken over", 60.0
"""Window for two takeovers of our session, s: another table then has our name (MQTT 5, reason 0x8E)."""
SETTINGS = "broker"
"""Name of the settings' problems on the health board."""


class TableDesk(Protocol):
    """The referee: source of the state and target of commands."""

    def state(self) -> Mapping[str, Any]:
        """Return the state of the table."""

    def subscribe(self, notify: Callable[[int], None]) -> Callable[[], None]:
        """Call `notify` on each change; return a function that ends it."""

    def do(self, command: Command) -> Mapping[str, Any]:
        """Apply a command."""


class Publisher:
    """Publishes events to a house and a club.

    folder: place of the settings. open_game: returns the number of the present game, None without one. inbox: the
    devices' events on arrival, among messages of its own: a ring is published at once. report: receives problems, for
    the page. set_aside: unusable messages.
    """

    def __init__(
        self,
        folder: Path,
        journal: Store,
        evidence: EvidenceFolder,
        table: TableDesk,
        open_game: Callable[[], int | None],
        inbox: queue.SimpleQueue[Any],
        report: Report = nothing,
        first_retry_s: float = FIRST_RETRY_S,
    ) -> None:
        self._folder, self._journal, self._table, self._open_game = folder, journal, table, open_game
        self._inbox = inbox
        self._lock = threading.Lock()
        self._settings, self._trouble = take_mqtt(folder)
        self._stamp = self._file_stamp()
        self._report = report
        self.set_aside = SetAside(folder)
        self._was_reported = False
        self._taken_over_s = float("-inf")
        self._me, self._here_ms = secrets.token_hex(8), 0
        self._stopping = threading.Event()
        self._stale = False
        self._woken = False
        self._status = "off"
        self._first_retry_s = first_retry_s
        self.member = ClubMember(journal, evidence, self._membership_changed, self._begin_stream)
        self._unsubscribe: Callable[[], None] = lambda: None
        self._thread = part_thread("publisher", self._run, report, lambda fault: self._set_status("lost"))

    def start(self) -> None:
        """Start publishing, if it is switched on."""
        with contextlib.suppress(WorkFailedError):
            # A full disk is reported elsewhere.
            if self._settings != load_mqtt(self._folder):
                self._keep(self._settings)
        if self._trouble is not None and not self._trouble.left:
            self._begin_stream()
        self._report_trouble()
        self._settle_outbox()
        # Rows of an earlier process must be durable before they are published.
        self._journal.flush()
        self._unsubscribe = self._table.subscribe(lambda version: self.wake())
        self._thread.start()

    def stop(self) -> None:
        """Stop; unpublished rows follow after the next start."""
        self._stopping.set()
        self._unsubscribe()
        self.wake()
        self._thread.stop(1.0)

    def wake(self) -> None:
        """Wake the publisher; quick, and from any thread."""
        if not self._woken:
            self._woken = True
            self._inbox.put(None)

    def public(self, language: Language) -> dict[str, Any]:
        """Return the page's data: settings without secrets, state of the connection, number of waiting messages."""
        with self._lock:
            settings, status = self._settings, self._status
        outbox = self._journal.outbox
        trouble = (
            BrokenSettings(self.member.trouble) if self.member.trouble else self._trouble or BrokenSettings(status)
        )
        text = in_language(trouble.text(settings.name), language)
        return {**settings.public(), "status": status, "text": text, "waiting": max(0, outbox.last - outbox.sent)}

    def change(self, data: Mapping[str, Any]) -> None:
        """Change settings; "join": an invitation's code, "leave": whether to leave the club.

        Raises:
            BadInputError: they are invalid.
            WorkFailedError: the disk does not take them.
        """
        rest = {name: value for name, value in data.items() if name not in ("join", "leave")}
        with self._lock:
            if rest:
                self._keep(self._settings.changed(rest))
            settings, self._trouble = self._settings, None
        self._report_trouble()
        if data.get("join"):
            self.member.ask(str(data["join"]), settings)
        if data.get("leave"):
            self._membership_changed(None)
        self._stale = True
        self.wake()

    def _keep(self, settings: MqttSettings) -> None:
        save_mqtt(self._folder, settings)
        self._settings, self._stamp = settings, self._file_stamp()

    def _report_trouble(self) -> None:
        """Report a problem of the settings on the page, and its end."""
        trouble = self._trouble
        if trouble is not None or self._was_reported:
            self._was_reported = True
            state = Health.OK if trouble is None else Health.MISSING
            text = "" if trouble is None else trouble.text(self._settings.name)
            self._report(Problem(SETTINGS, state, text, t_ns=time.monotonic_ns()))

    def _set_status(self, status: str) -> None:
        self._status = status

    def _lost(self, why: str) -> None:
        """Note the loss of the connection; take another name if another table has taken the session twice."""
        if why == TAKEN_OVER:
            self._inbox.put(lambda line: self._taken_over())
        self.wake()

    def _taken_over(self) -> None:
        now = time.monotonic()
        before, self._taken_over_s = self._taken_over_s, now
        if now - before < TWICE_S:
            self._part()

    def _heard_here(self, connection: PublisherConnection, message: Received) -> None:
        """Take the name of the process with our name: a later one is our copy, or we are its copy."""
        club = self._settings.club
        if club is not None and not is_sealed(bytes.fromhex(club.key), message.topic, message.payload, message.seal):
            return
        if not message.payload:
            return
        data = parse_object(message.payload)
        at_ms = whole_number(data["at_ms"], "at_ms")
        if data["me"] == self._me:
            self._here_ms = at_ms
        elif data["left"]:
            # The copy may have used our numbers: everything is sent again in a new stream.
            self._begin_stream()
            connection.here(self._me)
        elif 0 < self._here_ms < at_ms:
            # An earlier process is this table before its restart.
            connection.here(self._me, left=True)
            self._part()

    def _part(self) -> None:
        """Take another name than the table that shares ours."""
        with self._lock:
            self._keep(renamed(self._settings, secrets.token_hex(4), self._folder))
            self._trouble = BrokenSettings("copied")
        self._here_ms = 0
        self._report_trouble()
        self._begin_stream()
        self._stale = True

    def _membership_changed(self, club: Membership | None) -> None:
        with self._lock:
            if self._settings.club != club:
                self._keep(self._settings.model_copy(update={"club": club, "since_ms": 0}))
                self._begin_stream()
        self._stale = True
        self.wake()

    def _file_stamp(self) -> int:
        with contextlib.suppress(OSError):
            return (self._folder / FILE).stat().st_mtime_ns
        return 0

    def _settle_outbox(self) -> None:
        """Keep an outbox if, and only if, a house or a club listens."""
        if self._settings.on and not self._journal.outbox.stream:
            self._begin_stream()
        elif not self._settings.on and self._journal.outbox.stream:
            self._journal.change_outbox(lambda outbox: outbox.end())

    def _begin_stream(self) -> None:
        """Start a new stream with the present game, and for a club with all games since its admission."""
        if not self._settings.on:
            return
        since, now = self._settings.club, self._open_game()
        sql = "SELECT game FROM games WHERE started_ms >= ? OR game = ? ORDER BY game"
        since_ms = since.since_ms if since is not None else 1 << 62

        def begin(outbox: Outbox) -> None:
            outbox.begin()
            outbox.post_whole(self._journal.read, [game for (game,) in self._journal.read(sql, since_ms, now or 0)])

        self._journal.change_outbox(begin, durable=True)

    def _look_at_file(self) -> None:
        """Take settings that the terminal has changed."""
        with self._lock:
            stamp = self._file_stamp()
            if stamp != self._stamp:
                before, self._stamp = self._settings, stamp
                self._settings, trouble = take_mqtt(self._folder)
                if trouble is not None and trouble.key == "damaged":
                    # This process writes its own settings again, to keep name and club.
                    self._settings, trouble = before, BrokenSettings("restored")
                if trouble is not None:
                    self._trouble = trouble
                    self._keep(self._settings)
                    self._report_trouble()
                self._stale = self._stale or self._settings != before

    def _settings_now(self) -> MqttSettings:
        """Return the settings; an invitation that was set at the terminal is used now."""
        with self._lock:
            settings = self._settings
            if settings.invitation and settings.on:
                code, settings = settings.invitation, settings.model_copy(update={"invitation": ""})
                self._keep(settings)
                with contextlib.suppress(BadInputError):
                    self.member.ask(code, settings)
            return settings

    def _run(self) -> None:
        retry_s = self._first_retry_s
        while not self._stopping.is_set():
            self._look_at_file()
            self._stale = False
            self._settle_outbox()
            settings = self._settings_now()
            if not settings.on:
                self._status, retry_s = "off", self._first_retry_s
                self._rest(LOOK_S)
                continue
            if self._status in ("off", "up"):
                self._status = "trying"
            try:
                self._hold(settings)
                retry_s = self._first_retry_s
            except LineError as error:
                self._status = error.line
                self._rest(retry_s)
                retry_s = min(2 * retry_s, LAST_RETRY_S)
            except (RingmasterError, sqlite3.Error, OSError):
                # The journal is unreadable just now, or a setting cannot be stored: try again, as with a connection.
                self._status = "lost"
                self._rest(LAST_RETRY_S)

    def _rest(self, seconds: float) -> None:
        """Wait for some seconds, or until a setting has changed."""
        until = time.monotonic() + seconds
        while not self._stopping.is_set() and not self._stale and (left := until - time.monotonic()) > 0:
            self._take(None, min(left, LOOK_S))
            self._look_at_file()

    def _hold(self, settings: MqttSettings) -> None:
        """Stay connected until the connection is lost or a setting changes. Raises LineError without a connection."""
        ends = Ends(
            lambda message: self._inbox.put(lambda line: self._received(line, message)),
            lambda mid: self._inbox.put(lambda line: None if line is None else line.taken(mid)),
            self._lost,
            self.set_aside.put,
        )
        will = (topics.topic(settings.table, topics.AVAILABLE), topics.OFFLINE)
        line = BrokerLine(settings, f"ringmaster-{settings.table}", ends, will, MOST_A_SECOND)
        line.open()
        connection = PublisherConnection(line, settings, self._journal, self._table, self._folder, self.member)
        try:
            self._status = "up"
            connection.greet()
            if not self._here_ms:
                connection.here(self._me)
            looked = time.monotonic()
            while line.is_up and not self._stale and not self._stopping.is_set():
                self._take(connection, connection.tend())
                if time.monotonic() - looked > LOOK_S:
                    looked = time.monotonic()
                    self._look_at_file()
            if line.is_up:
                connection.leave(gone=not self._settings.on)
            elif not self._stale:
                self._status = "lost"
                raise LineError("error.mqtt.line_was_cut", "lost")
        finally:
            connection.close()

    def _take(self, connection: PublisherConnection | None, wait_s: float) -> None:
        """Do the queued work; wait at most `wait_s` seconds for it."""
        with contextlib.suppress(queue.Empty):
            work = self._inbox.get(timeout=wait_s)
            while True:
                if work is None:
                    self._woken = False
                elif isinstance(work, BellPressed) and connection is not None:
                    _ring(connection, work)
                elif callable(work):
                    work(connection)
                work = self._inbox.get_nowait()

    def _received(self, connection: PublisherConnection | None, message: Received) -> None:
        if connection is None:
            return
        try:
            if message.topic.endswith(f"/{topics.HERE}"):
                self._heard_here(connection, message)
            else:
                connection.received(message)
        except (WorkFailedError, sqlite3.Error, OSError):
            # The journal is unreadable just now; the message is not at fault.
            raise
        except Exception as error:  # One message must never end the thread, nor return with each connection.
            self.set_aside.put(message.topic, message.payload, error)


def _ring(line: PublisherConnection, event: BellPressed) -> None:
    if time.monotonic_ns() - event.t_ns < STALE_NS:
        payload = json.dumps({"event_type": "ring", "seat": event.seat, "t_ns": event.t_ns})
        line.publish(topics.BELL, payload.encode(), expires_s=10)
