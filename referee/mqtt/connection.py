"""What is told while there is a line: who we are, the state, the sand, and the outbox in its order."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from referee.errors import RefereeError
from referee.journal.database import connect_to_read
from referee.journal.folder import JOURNAL
from referee.journal.journal import Journal
from referee.journal.outbox import messages
from referee.jsonlines import parse_object, whole_number
from referee.language import Language
from referee.mqtt import topics
from referee.mqtt.club_member import ClubMember
from referee.mqtt.discovery import COUNT, PAUSE, About, discovery
from referee.mqtt.house_state import house_state, sand_left_s
from referee.mqtt.line import Extras, Line, Received
from referee.mqtt.settings import MqttSettings
from referee.mqtt.window import Window

if TYPE_CHECKING:
    from referee.mqtt.publisher import Table

IDLE_S, SAND_S, STATE_S, TIDY_S = 2.0, 1.0, 0.1, 1.0
"""How long nothing may be looked at; how often sand, and at most state, is told; how often the outbox is thinned, s."""
_FORGOTTEN_S, _GOODBYE_S = 5.0, 0.5  # how long the broker may take, where we leave for good and where we come back


class Connection:
    """Belongs to the publisher's thread."""

    def __init__(
        self, line: Line, settings: MqttSettings, journal: Journal, table: Table, folder: Path, member: ClubMember
    ) -> None:
        self._line, self._settings, self._journal, self._table, self._member = line, settings, journal, table, member
        # A connection of its own: the ruling that is being written has never to wait for what was written before.
        self._reader = connect_to_read(folder / JOURNAL)
        self._stream = journal.outbox.stream
        self._window = Window(journal.outbox.sent)
        self._seq_of: dict[int, int] = {}
        self._taken: set[int] = set()
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
        wait_s = min(self._tell_state(now), self._send_outbox(now), SAND_S if self._is_sand else IDLE_S)
        return min(wait_s, self._tidy(now))

    def _tidy(self, now: float) -> float:
        """Forget what has arrived; gives when to look again, s."""
        arrived = self._window.arrived
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
        if seq is None or self._settings.club is not None:
            return
        self._taken.add(seq)
        arrived = self._window.arrived
        while arrived + 1 in self._taken:
            arrived += 1
            self._taken.discard(arrived)
        self._window.take(arrived, time.monotonic())

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
        seq, now = whole_number(data["seq"], "seq"), time.monotonic()
        if not self._journal.outbox.sent <= seq <= self._journal.outbox.last:
            # The club's own file is older than what it had told us, or ours is, or another table has used our numbers:
            # it is given everything again.
            self._member.begin_again(now)
        else:
            self._window.take(seq, now)
            if data.get("again"):
                self._window.go_back(now)

    def _act(self, message: Received) -> None:
        """Do what somebody in the house has pressed; once a second at most, and never what was pressed long ago."""
        now = time.monotonic()
        if not self._settings.buttons or message.retained or now - self._acted_s < 1.0:
            return
        self._acted_s = now
        command: dict[str, Any] | None = None
        if message.payload == PAUSE.encode():
            command = {"do": "resume" if self._table.state()["mode"] == "paused" else "pause"}
        elif message.payload == COUNT.encode():
            command = {"do": "count"}
        if command is not None:
            # What cannot be done now is not done: there is no game, or nothing to count.
            with suppress(RefereeError):
                self._table.do(command)

    def _follow_stream(self) -> None:
        if self._journal.outbox.stream != self._stream:
            self._stream = self._journal.outbox.stream
            self._window, self._taken = Window(self._journal.outbox.sent), set()
            self._seq_of.clear()

    def _tell_state(self, now: float) -> float:
        """Tell the newest state, if it is another and the one before has arrived; gives when to look again, s."""
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

    def _send_outbox(self, now: float) -> float:
        due = self._window.due(self._journal.outbox.lasting, now)
        if due:
            sent = 0
            for message in messages(self._query, self._stream, due.start - 1, due.stop - 1):
                data = {"id": message.id, "stream": message.stream, "seq": message.seq, **message.data}
                # A half of a character is written as its escape: it must not hold up what follows.
                payload = json.dumps(data, ensure_ascii=False).encode(errors="backslashreplace")
                topic = topics.topic(self._settings.table, topics.EVENTS)
                mid = self._line.publish(topic, payload, self._member.extras(self._settings, topic, payload))
                self._seq_of[mid] = message.seq
                sent += 1
            if sent < len(due):
                self._window.next = due.start + sent
        wait_s = self._window.wait_s(now)
        return IDLE_S if wait_s is None else min(wait_s, IDLE_S)

    def _query(self, sql: str, *values: Any) -> list[tuple[Any, ...]]:  # noqa: ANN401 (values of SQLite)
        return list(self._reader.execute(sql, values))
