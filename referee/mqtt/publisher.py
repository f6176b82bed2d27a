"""The publisher: a thread that keeps the connection and empties the outbox in order.

Whatever happens at the table leaves a row in the journal's outbox; here the rows become messages, when and as long as
there is a line. State is told newest only; a ring is told at once or not at all, because a lamp that lights ten minutes
late is no help.
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
from hardware.events import TimedEvent as DeviceEvent
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
from referee.store.outbox import Outbox, messages
from referee.store.store import Store

IDLE_S, SAND_S, STATE_S, TIDY_S = 2.0, 1.0, 0.1, 1.0
"""Seconds: longest sleep; interval of sand; shortest interval of state; interval of thinning the outbox."""
MOST_UNDER_WAY, AGAIN_S = 20, 60.0
"""Forty tables together stay below the thousand messages that Mosquitto keeps for one reader, and drops beyond; what is
under way is sent again if none of it arrives for so long, s."""
_FORGOTTEN_S, _GOODBYE_S = 5.0, 0.5  # how long the broker may take, where we leave for good and where we come back


class PublisherConnection:
    """Belongs to the publisher's thread."""

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
        # A connection of its own: the ruling that is being written has never to wait for what was written before.
        self._reader = connect_to_read(folder / JOURNAL)
        self._stream = journal.outbox.stream
        # Up to which message all has arrived, which one is sent next, and when that last changed.
        self._arrived, self._next, self._moved_s = journal.outbox.sent, journal.outbox.sent + 1, 0.0
        self._seq_of: dict[int, int] = {}
        self._told: dict[str, bytes] = {}
        self._state_mid: int | None = None
        self._state_s = self._tidy_s = 0.0
        self._acted_s = float("-inf")
        self._is_sand = False

    def greet(self) -> None:
        """Say that we are there, and listen."""
        mine = self._settings.table
        self._line.subscribe(*(topics.topic(mine, one) for one in (topics.HERE, topics.IN, topics.ACK, topics.ASK)))
        if self._settings.buttons:
            self._line.subscribe(topics.topic(mine, topics.DO))
        self.tell(topics.AVAILABLE, topics.ONLINE.encode(), retain=True)

    def here(self, me: str, *, left: bool = False) -> None:
        """Say which process it is that has this name; left: that it takes another one."""
        topic = topics.topic(self._settings.table, topics.HERE)
        payload = json.dumps({"me": me, "at_ms": time.time_ns() // 1_000_000, "left": left}).encode()
        self._line.publish(topic, payload, self._member.extras(self._settings, topic, payload), retain=True)

    def leave(self, *, gone: bool) -> None:
        """Say goodbye; gone: for good, so that the house forgets us."""
        if gone:
            self._line.publish(topics.DISCOVERY.format(table=self._settings.table), b"", retain=True)
            for what in (topics.STATE, topics.SAND, topics.HERE):
                self.tell(what, b"", retain=True)
        self.tell(topics.AVAILABLE, topics.OFFLINE.encode(), retain=True)
        # What is under way when a line is closed is lost, and a house would keep a table that is no more.
        self._line.drain(_FORGOTTEN_S if gone else _GOODBYE_S)

    def close(self) -> None:
        """Let the line go."""
        self._line.close()
        self._reader.close()

    def tell(self, what: str, payload: bytes, *, retain: bool = False, expires_s: int | None = None) -> int:
        """Send under one of our topics."""
        extras = None if expires_s is None else Extras(expires_s=expires_s)
        return self._line.publish(topics.topic(self._settings.table, what), payload, extras, retain=retain)

    def tend(self) -> float:
        """Send what is due, and give how long nothing will be, s."""
        now = time.monotonic()
        self._follow_stream()
        join = self._member.joining(now)
        if join is not None:
            self._line.publish(*join)
        wait_s = self._tell_state(now)
        self._send_outbox(now)
        return min(wait_s, SAND_S if self._is_sand else IDLE_S, self._tidy(now))

    def _tidy(self, now: float) -> float:
        """Forget what has arrived; gives when to look again, s."""
        arrived = self._arrived
        if arrived <= self._journal.outbox.sent:
            return IDLE_S
        if now - self._tidy_s > TIDY_S:
            self._tidy_s = now
            self._journal.change_outbox(lambda outbox: outbox.arrived(arrived))
        return TIDY_S

    def taken(self, mid: int) -> None:
        """Take it that the broker has a message. Outside of a club that is all that can be asked for."""
        if mid == self._state_mid:
            self._state_mid = None
        seq = self._seq_of.pop(mid, None)
        if seq is not None and self._settings.club is None:
            # A broker answers in the order in which it was sent to (MQTT 5, 4.6).
            self._move(seq)

    def _move(self, arrived: int, *, again: bool = False) -> None:
        """Take it that all up to a message has arrived; again: that what follows has not."""
        if again or arrived > self._arrived:
            self._moved_s = time.monotonic()
        self._arrived = max(self._arrived, arrived)
        self._next = self._arrived + 1 if again else max(self._next, self._arrived + 1)

    def received(self, message: Received) -> None:
        """Take a message; one that is not for us, or of nobody we know, changes nothing.

        Raises:
            BadInputError, KeyError: it makes no sense.
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
        """Take the club's word up to where it has all."""
        if data["stream"] != self._stream:
            return
        seq = whole_number(data["seq"], "seq")
        if not self._journal.outbox.sent <= seq <= self._journal.outbox.last:
            # The club's file is older than its last acknowledgement, or ours is, or another table has used our numbers:
            # it is given everything again.
            self._member.begin_again(time.monotonic())
        else:
            self._move(seq, again=bool(data.get("again")))

    def _act(self, message: Received) -> None:
        """Do what somebody in the house has pressed; once a second at most, and never what was pressed long ago."""
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
            # What cannot be done now is not done: there is no game, or nothing to count.
            with suppress(RingmasterError):
                self._table.do(command)

    def _follow_stream(self) -> None:
        if self._journal.outbox.stream != self._stream:
            self._stream = self._journal.outbox.stream
            self._arrived = self._journal.outbox.sent
            self._next = self._arrived + 1
            self._seq_of.clear()

    def _tell_state(self, now: float) -> float:
        """Publish the newest state, if it has changed and the one before has arrived; returns when to look again, s."""
        desk = self._table.state()
        state = house_state(desk)
        self._is_sand = state["phase"] == "running"
        if self._state_mid is not None:
            return IDLE_S
        if now - self._state_s < STATE_S:
            return STATE_S
        language = Language(str(desk["language"]))
        about = About(self._settings.table, self._settings.name, language, self._settings.buttons)
        sand = {"left_s": sand_left_s(desk, int(desk["t_ns"]))}
        for topic, data in (
            (topics.DISCOVERY.format(table=about.table), lambda: discovery(about, state)),
            (topics.topic(about.table, topics.SAND), lambda: sand),
            (topics.topic(about.table, topics.STATE), lambda: state),
        ):
            self._tell_new(topic, data, now)
        return IDLE_S

    def _tell_new(self, topic: str, make: Callable[[], Mapping[str, Any]], now: float) -> None:
        payload = json.dumps(make(), ensure_ascii=False).encode(errors="backslashreplace")
        if self._told.get(topic) != payload:
            self._told[topic] = payload
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
            # A half of a character is written as its escape: it must not hold up what follows.
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
"""So often the file is looked at, whether somebody has changed it at the terminal."""
STALE_NS = 2_000_000_000
TAKEN_OVER, TWICE_S = "Session taken over", 60.0
"""Another table with our name is at the broker if it takes our session (MQTT 5, reason 0x8E) twice within this time."""
SETTINGS = "broker"
"""Name of a problem of these settings on the health board."""


class TableDesk(Protocol):
    """The desk: source of the state and target of commands."""

    def state(self) -> Mapping[str, Any]:
        """Return the state of the table."""

    def subscribe(self, notify: Callable[[int], None]) -> Callable[[], None]:
        """Call back on each change; returns a function that ends it."""

    def do(self, command: Command) -> Mapping[str, Any]:
        """Carry out a command."""


class Publisher:
    """Publishes events to a house and a club.

    folder: where the settings are kept. open_game: gives the number of the game that is being played, None without one.
    report: gets what is wrong, for the page. set_aside: messages that could not be used.
    """

    def __init__(
        self,
        folder: Path,
        journal: Store,
        evidence: EvidenceFolder,
        table: TableDesk,
        open_game: Callable[[], int | None],
        first_retry_s: float = FIRST_RETRY_S,
        report: Report = nothing,
    ) -> None:
        self._folder, self._journal, self._table, self._open_game = folder, journal, table, open_game
        self._inbox: queue.SimpleQueue[Callable[[PublisherConnection | None], None] | None] = queue.SimpleQueue()
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
            # A disk that takes nothing is reported elsewhere.
            if self._settings != load_mqtt(self._folder):
                self._keep(self._settings)
        if self._trouble is not None and not self._trouble.left:
            self._begin_stream()
        self._report_trouble()
        self._settle_outbox()
        # Rows of an earlier process must be durable before they are published.
        self._journal.flush()
        self._journal.outbox.on_lasting = self.wake
        self._unsubscribe = self._table.subscribe(lambda version: self.wake())
        self._thread.start()

    def stop(self) -> None:
        """Stop; unpublished rows follow after the next start."""
        self._stopping.set()
        self._unsubscribe()
        self.wake()
        self._thread.stop(1.0)

    @property
    def table_name(self) -> str:
        """The table's name on the line."""
        return self._settings.table

    def wake(self) -> None:
        """Wake the publisher; quick, and from any thread."""
        if not self._woken:
            self._woken = True
            self._inbox.put(None)

    def heard(self, event: DeviceEvent) -> None:
        """Publish a ring at once; quick, and from any thread."""
        if isinstance(event, BellPressed):
            self._inbox.put(lambda line: None if line is None else _ring(line, event))

    def public(self, language: Language) -> dict[str, Any]:
        """Return what the page shows: the settings but for their secrets, how the line is, and what waits."""
        with self._lock:
            settings, status = self._settings, self._status
        outbox = self._journal.outbox
        trouble = (
            BrokenSettings(self.member.trouble) if self.member.trouble else self._trouble or BrokenSettings(status)
        )
        text = in_language(trouble.text(settings.name), language)
        return {**settings.public(), "status": status, "text": text, "waiting": max(0, outbox.last - outbox.sent)}

    def change(self, data: Mapping[str, Any]) -> None:
        """Take other settings; "join": the code of an invitation, "leave": whether to leave the club.

        Raises:
            BadInputError: they cannot be.
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
        """Say on the page what became of the settings, and that it is over."""
        trouble = self._trouble
        if trouble is not None or self._was_reported:
            self._was_reported = True
            state = Health.OK if trouble is None else Health.MISSING
            text = "" if trouble is None else trouble.text(self._settings.name)
            self._report(Problem(SETTINGS, state, text, t_ns=time.monotonic_ns()))

    def _set_status(self, status: str) -> None:
        self._status = status

    def _lost(self, why: str) -> None:
        """Take it that the line is lost; where another table has taken it twice in short, take another name."""
        if why == TAKEN_OVER:
            self._inbox.put(lambda line: self._taken_over())
        self.wake()

    def _taken_over(self) -> None:
        now = time.monotonic()
        before, self._taken_over_s = self._taken_over_s, now
        if now - before < TWICE_S:
            self._part()

    def _heard_here(self, connection: PublisherConnection, message: Received) -> None:
        """Take it which process has our name: another one that came after us is a copy of this table, or we of it."""
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
            # The copy may have sent in our stream: all goes out again, under numbers of its own.
            self._begin_stream()
            connection.here(self._me)
        elif 0 < self._here_ms < at_ms:
            # One that came before us was this table before it was started again.
            connection.here(self._me, left=True)
            self._part()

    def _part(self) -> None:
        """Take another name than the table that has ours, too."""
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
        """Keep the outbox if, and only if, a house or a club listens."""
        if self._settings.on and not self._journal.outbox.stream:
            self._begin_stream()
        elif not self._settings.on and self._journal.outbox.stream:
            self._journal.change_outbox(lambda outbox: outbox.end())

    def _begin_stream(self) -> None:
        """Begin again: with the game that is being played, and for a club with all since it has let us in."""
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
        """Take what somebody has set at the terminal."""
        with self._lock:
            stamp = self._file_stamp()
            if stamp != self._stamp:
                before, self._stamp = self._settings, stamp
                self._settings, trouble = take_mqtt(self._folder)
                if trouble is not None and trouble.key == "damaged":
                    # What this process knows is written again, so that neither name nor club is lost.
                    self._settings, trouble = before, BrokenSettings("restored")
                if trouble is not None:
                    self._trouble = trouble
                    self._keep(self._settings)
                    self._report_trouble()
                self._stale = self._stale or self._settings != before

    def _settings_now(self) -> MqttSettings:
        """Return the settings; a club whose code somebody has given at the terminal is asked now."""
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
                # The journal cannot be read just now, or a setting cannot be kept: it is tried again, like a line.
                self._status = "lost"
                self._rest(LAST_RETRY_S)

    def _rest(self, seconds: float) -> None:
        """Wait for a while, or until a setting has changed."""
        until = time.monotonic() + seconds
        while not self._stopping.is_set() and not self._stale and (left := until - time.monotonic()) > 0:
            self._take(None, min(left, LOOK_S))
            self._look_at_file()

    def _hold(self, settings: MqttSettings) -> None:
        """Stay connected until the line is lost or a setting changes. Raises LineError without a line."""
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
        """Do what was asked for, waiting for it at most so long."""
        with contextlib.suppress(queue.Empty):
            work = self._inbox.get(timeout=wait_s)
            while True:
                if work is None:
                    self._woken = False
                else:
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
            # The journal cannot be read just now: that is no fault of the message.
            raise
        except Exception as error:  # One message must never end the thread, nor come back with each connection.
            self.set_aside.put(message.topic, message.payload, error)


def _ring(line: PublisherConnection, event: BellPressed) -> None:
    if time.monotonic_ns() - event.t_ns < STALE_NS:
        payload = json.dumps({"event_type": "ring", "seat": event.seat, "t_ns": event.t_ns})
        line.tell(topics.BELL, payload.encode(), expires_s=10)
