"""The publisher: a thread that holds the line to the broker, and that nobody ever waits for.

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
from dataclasses import replace
from pathlib import Path
from typing import Any, Protocol

from hardware.events import BellPressed
from hardware.events import Event as DeviceEvent
from hardware.problems import DeviceHealth, Health
from hardware.supervised import nothing
from referee.errors import BadInputError, RefereeError, WorkFailedError
from referee.journal.evidence import EvidenceFolder
from referee.journal.journal import Journal
from referee.journal.outbox import Outbox
from referee.jsonlines import parse_object, whole_number
from referee.language import Language
from referee.mqtt import topics
from referee.mqtt.club_member import ClubMember
from referee.mqtt.connection import Connection
from referee.mqtt.line import Ends, Line, LineError, Received
from referee.mqtt.seal import is_sealed
from referee.mqtt.set_aside import SetAside
from referee.mqtt.settings import FILE, Membership, MqttSettings, load_mqtt, renamed, save_mqtt, take_mqtt
from referee.sayings import house
from referee.service.part_thread import Report, part_thread

FIRST_RETRY_S, LAST_RETRY_S = 1.0, 30.0
MOST_A_SECOND = 50.0
LOOK_S = 1.0
"""So often the file is looked at, whether somebody has changed it at the terminal."""
STALE_NS = 2_000_000_000
TAKEN_OVER, TWICE_S = "Session taken over", 60.0
"""Another table with our name is at the broker if it takes our session (MQTT 5, reason 0x8E) twice within this time."""
SETTINGS = "broker"
"""How a problem of these settings is called on the health board."""


class Table(Protocol):
    """What is told of, and told to: the desk."""

    def state(self) -> Mapping[str, Any]:
        """Give the state of the table."""

    def subscribe(self, notify: Callable[[int], None]) -> Callable[[], None]:
        """Tell of each change; gives what ends it."""

    def do(self, command: Mapping[str, Any]) -> Mapping[str, Any]:
        """Carry out a command."""


class Publisher:
    """Tells a house and a club what happens.

    folder: where the settings are kept. open_game: gives the number of the game that is being played, None without one.
    report: gets what is wrong, for the page. set_aside: messages that could not be used.
    """

    def __init__(
        self,
        folder: Path,
        journal: Journal,
        evidence: EvidenceFolder,
        table: Table,
        open_game: Callable[[], int | None],
        first_retry_s: float = FIRST_RETRY_S,
        report: Report = nothing,
    ) -> None:
        self._folder, self._journal, self._table, self._open_game = folder, journal, table, open_game
        self._inbox: queue.SimpleQueue[Callable[[Connection | None], None] | None] = queue.SimpleQueue()
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
        """Begin to tell, if it is switched on."""
        with contextlib.suppress(WorkFailedError):
            # A disk that takes nothing is reported elsewhere.
            if self._settings != load_mqtt(self._folder):
                self._keep(self._settings)
        if self._trouble is not None:
            self._begin_stream()
        self._report_trouble()
        self._settle_outbox()
        # What an earlier process wrote has to last before it is told.
        self._journal.flush()
        self._journal.outbox.on_lasting = self.wake
        self._unsubscribe = self._table.subscribe(lambda version: self.wake())
        self._thread.start()

    def stop(self) -> None:
        """End; what was not told is told after the next start."""
        self._stopping.set()
        self._unsubscribe()
        self.wake()
        self._thread.stop(1.0)

    @property
    def table_name(self) -> str:
        """The table's name on the line."""
        return self._settings.table

    def wake(self) -> None:
        """Look what there is to tell; quick, and from any thread."""
        if not self._woken:
            self._woken = True
            self._inbox.put(None)

    def heard(self, event: DeviceEvent) -> None:
        """Tell of a ring at once; quick, and from any thread."""
        if isinstance(event, BellPressed):
            self._inbox.put(lambda line: None if line is None else _ring(line, event))

    def public(self, language: Language) -> dict[str, Any]:
        """Give what the page shows: the settings but for their secrets, how the line is, and what waits."""
        with self._lock:
            settings, status = self._settings, self._status
        outbox = self._journal.outbox
        key = self.member.trouble or self._trouble or status
        text = house.line(key, language, settings.name)
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
        key = self._trouble
        text = (
            "" if key is None else house.line(key, Language(str(self._table.state()["language"])), self._settings.name)
        )
        if key is not None or self._was_reported:
            self._was_reported = True
            state = Health.OK if key is None else Health.MISSING
            self._report(DeviceHealth(time.monotonic_ns(), SETTINGS, state, text))

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

    def _heard_here(self, connection: Connection, message: Received) -> None:
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
            self._trouble = "copied"
        self._here_ms = 0
        self._report_trouble()
        self._begin_stream()
        self._stale = True

    def _membership_changed(self, club: Membership | None) -> None:
        with self._lock:
            if self._settings.club != club:
                self._keep(replace(self._settings, club=club, since_ms=0))
                self._begin_stream()
        self._stale = True
        self.wake()

    def _file_stamp(self) -> int:
        with contextlib.suppress(OSError):
            return (self._folder / FILE).stat().st_mtime_ns
        return 0

    def _settle_outbox(self) -> None:
        """See that the outbox is kept if, and only if, somebody is to be told."""
        if self._settings.on and not self._journal.outbox.stream:
            self._begin_stream()
        elif not self._settings.on and self._journal.outbox.stream:
            self._journal.change_outbox(lambda outbox: outbox.end())

    def _begin_stream(self) -> None:
        """Begin anew: with the game that is being played, and for a club with all since it has let us in."""
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
                if trouble == "damaged":
                    # What this process knows is written again, so that neither name nor club is lost.
                    self._settings, trouble = before, "restored"
                if trouble is not None:
                    self._trouble = trouble
                    self._keep(self._settings)
                    self._report_trouble()
                self._stale = self._stale or self._settings != before

    def _settings_now(self) -> MqttSettings:
        """Give the settings; a club whose code somebody has given at the terminal is asked now."""
        with self._lock:
            settings = self._settings
            if settings.invitation and settings.on:
                code, settings = settings.invitation, replace(settings, invitation="")
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
                self._status = error.key
                self._rest(retry_s)
                retry_s = min(2 * retry_s, LAST_RETRY_S)
            except (RefereeError, sqlite3.Error, OSError):
                # The journal cannot be read just now, or a setting cannot be kept: it is tried again, like a line.
                self._status = "lost"
                self._rest(LAST_RETRY_S)

    def _rest(self, seconds: float) -> None:
        """Wait for a while, or until something was set otherwise."""
        until = time.monotonic() + seconds
        while not self._stopping.is_set() and not self._stale and (left := until - time.monotonic()) > 0:
            self._take(None, min(left, LOOK_S))
            self._look_at_file()

    def _hold(self, settings: MqttSettings) -> None:
        """Be connected, until the line is lost or something is set otherwise. Raises LineError without a line."""
        ends = Ends(
            lambda message: self._inbox.put(lambda line: self._received(line, message)),
            lambda mid: self._inbox.put(lambda line: None if line is None else line.taken(mid)),
            self._lost,
            self.set_aside.put,
        )
        will = (topics.topic(settings.table, topics.AVAILABLE), topics.OFFLINE)
        line = Line(settings, f"ringmaster-{settings.table}", ends, will, MOST_A_SECOND)
        line.open()
        connection = Connection(line, settings, self._journal, self._table, self._folder, self.member)
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
                raise LineError("the line was cut", "lost")
        finally:
            connection.close()

    def _take(self, connection: Connection | None, wait_s: float) -> None:
        """Do what was asked for, waiting for it at most so long."""
        with contextlib.suppress(queue.Empty):
            work = self._inbox.get(timeout=wait_s)
            while True:
                if work is None:
                    self._woken = False
                else:
                    work(connection)
                work = self._inbox.get_nowait()

    def _received(self, connection: Connection | None, message: Received) -> None:
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


def _ring(line: Connection, event: BellPressed) -> None:
    if time.monotonic_ns() - event.t_ns < STALE_NS:
        payload = json.dumps({"event_type": "ring", "seat": event.seat, "t_ns": event.t_ns})
        line.tell(topics.BELL, payload.encode(), expires_s=10)
