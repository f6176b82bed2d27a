"""Reads and judges event logs (JSON lines) and recordings of devices (`RecordedGame`)."""

from __future__ import annotations

import heapq
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from io import BufferedReader
from pathlib import Path

from hardware.bell import BellLogic
from hardware.edges import Edge, EdgeLogic, judge_edges
from hardware.events import BellEdge, SandEdge
from hardware.events import TimedEvent as DeviceEvent
from hardware.recording import (
    BadRecordingError,
    RecordedFrame,
    RecordedInput,
    RecordedRuling,
    Recording,
    read_recording,
)
from hardware.sand import SandLogic
from hardware.settings import SandSettings
from referee.engine.events import Event, Game, Header, Ruling, parse_event, parse_header
from referee.engine.session import Outcome, Session
from referee.errors import BadInputError, WorkFailedError
from referee.games.registry import game_kind, watcher_for
from referee.jsonlines import MAX_LINE, Line, parse_object
from referee.phrases import phrase, phrase_of
from referee.watchers.table_finder import WatchSetup
from vision.image import frame_of


@dataclass(frozen=True)
class Entry:
    """An event and its place in the recording ("line 7")."""

    where: str
    event: Event


@dataclass(frozen=True)
class Fault:
    """A place in a recording that cannot be used, with the reason in one sentence."""

    where: str
    why: str


@contextmanager
def open_log(path: Path) -> Iterator[tuple[Header, Iterator[Entry | Fault]]]:
    """Open an event log; give its header and an iterator that reads its entries on demand.

    Raises:
        BadInputError: the file cannot be opened, or does not begin with a header.
    """
    try:
        file = path.open("rb")
    except (OSError, ValueError) as error:
        why = error.strerror if isinstance(error, OSError) else phrase("error.games.no_file_name")
        raise BadInputError("error.games.cannot_be_opened", path=ascii(str(path))[1:-1], why=why) from error
    with file:
        lines = _lines(file)
        yield _header(lines), _entries(lines)


@dataclass(frozen=True)
class _Numbered:
    """A line that is not blank; `whole`: it ends with a line break."""

    where: str
    text: Line
    whole: bool


def _lines(file: BufferedReader) -> Iterator[_Numbered]:
    number = 0
    while part := _readline(file):
        number += 1
        whole = part.endswith(b"\n")
        text = part.rstrip(b"\r\n")
        if len(part) > MAX_LINE:
            # Yield before skipping the rest: the skip may never end (/dev/zero).
            yield _Numbered(phrase("error.where_line", number=number), None, True)
            while not whole and (part := _readline(file)):
                whole = part.endswith(b"\n")
        elif text.strip():
            yield _Numbered(phrase("error.where_line", number=number), text, whole)


def _readline(file: BufferedReader) -> bytes:
    try:
        return file.readline(MAX_LINE + 1)
    except OSError as error:
        raise WorkFailedError("error.games.recording_could_not_be_read", why=error.strerror or error) from error


def _header(lines: Iterator[_Numbered]) -> Header:
    first = next(lines, None)
    if first is None:
        raise BadInputError("error.games.event_log_is_empty")
    try:
        return parse_header(parse_object(first.text))
    except BadInputError as error:
        raise BadInputError("error.at", where=first.where, why=error) from error


def _entries(lines: Iterator[_Numbered]) -> Iterator[Entry | Fault]:
    for line in lines:
        try:
            data = parse_object(line.text)
        except BadInputError as error:
            yield Fault(line.where, phrase_of(error) if line.whole else phrase("error.games.torn_off"))
            continue
        try:
            yield Entry(line.where, parse_event(data))
        except BadInputError as error:
            yield Fault(line.where, phrase_of(error))


TABLE, DECK_FILE = "table.json", "family.deck"
"""Files in the recording of a disputed game: the measured table, and a taught deck."""
_FRAME_FIRST, _EVENT_AFTER = 0, 1

Warn = Callable[[str], None]


class RecordedGame:
    """A recording with a header that names its game.

    Raises:
        BadRecordingError: the file is not a recording, or its header cannot be read.
        BadInputError: the header names no game, or an unknown one.
    """

    def __init__(self, path: Path, warn: Warn) -> None:
        self._recording = read_recording(path, warn)
        if self._recording.header is None:
            raise BadInputError("error.games.does_not_say_which_game", path=path)
        self.header: Header = parse_header(self._recording.header)
        game_kind(self.header.game).start(self.header)
        self._warn = warn

    @property
    def rulings(self) -> list[Mapping[str, object]]:
        """Return the rulings that the recording holds."""
        return [one.payload.ruling for one in self._recording.events if isinstance(one.payload, RecordedRuling)]

    @property
    def is_empty(self) -> bool:
        """Return whether the recording has neither a picture nor an event to judge."""
        heard = any(not isinstance(one.payload, RecordedRuling) for one in self._recording.events)
        return not heard and next(_frames(self._recording), None) is None

    def attachments(self) -> dict[str, bytes]:
        """Return the attached files by name."""
        return self._recording.attachments()

    def judge(self, setup: WatchSetup) -> Iterator[Outcome]:
        """Yield the outcome of each frame, device event and message; the same recording always yields the same.

        All input is there already, so no event is late and no frame is dropped. Warns of what it cannot judge.
        """
        session = Session(self.header, game_kind(self.header.game).start, watcher_for(self.header, setup))
        device_events, last_ns = _device_events(self._recording)
        frames = _frames(self._recording)
        begins_ns = next((entry[0] for entry in _frames(self._recording)), 0)
        messages = self._messages()
        for event in messages:
            if event.t_ns < begins_ns:
                self._report(session, event)
        since = [event for event in messages if event.t_ns >= begins_ns]
        ordered = sorted([*device_events, *since], key=lambda event: event.t_ns)
        events = ((event.t_ns, _EVENT_AFTER, index, event) for index, event in enumerate(ordered))
        undecodable, faults = False, set[str]()
        for _, kind, _, item in heapq.merge(frames, events, key=lambda entry: entry[:3]):
            if isinstance(item, Event):
                yield self._report(session, item)
            elif kind == _EVENT_AFTER and not isinstance(item, RecordedFrame):
                yield session.hear(item)
                faults.update(() if session.fault is None else (session.fault,))
            elif isinstance(item, RecordedFrame):
                try:
                    frame = item.frame(frame_of)
                except BadRecordingError as error:
                    if not undecodable:
                        self._warn(phrase_of(error))
                    undecodable = True
                    continue
                yield session.look(frame)
                faults.update(() if session.fault is None else (session.fault,))
        for fault in sorted(faults):
            self._warn(phrase("error.games.part_not_judged", fault=fault))
        yield session.finish(last_ns)

    def _report(self, session: Session, event: Event) -> Outcome:
        """Take a player's message; one that the game refuses, as in play, is dropped with a warning."""
        try:
            return session.report(event)
        except BadInputError as error:
            self._warn(phrase("error.games.message_at", t_ns=event.t_ns, why=error))
            return Outcome()

    def _messages(self) -> list[Event]:
        """Return the players' messages in the order of time, without malformed ones."""
        found = []
        for recorded in self._recording.events:
            if isinstance(recorded.payload, RecordedInput):
                try:
                    found.append(parse_event(recorded.payload.event))
                except BadInputError as error:
                    self._warn(phrase("error.games.message_at", t_ns=recorded.t_ns, why=error))
        return found


def _frames(recording: Recording) -> Iterator[tuple[int, int, int, RecordedFrame | DeviceEvent | Event]]:
    """Yield the frames, each timed 1 ns after its exposure ended (P9)."""
    for index, recorded in enumerate(recording.events):
        if isinstance(recorded.payload, RecordedFrame):
            yield recorded.payload.exposure_end_ns + 1, _FRAME_FIRST, index, recorded.payload


def _device_events(recording: Recording) -> tuple[list[DeviceEvent], int]:
    """Return the device events of the recorded edges in the order of time, and the end of the recording."""
    bell: list[tuple[Edge, bool]] = []
    sand: list[tuple[Edge, bool]] = []
    seats: dict[str, int | None] = {}
    last_ns = 0
    for recorded in recording.events:
        payload = recorded.payload
        last_ns = max(last_ns, payload.t_ns)
        if isinstance(payload, BellEdge):
            line = "bell" if payload.seat is None else f"seat {payload.seat}"
            seats[line] = payload.seat
            bell.append((Edge(payload.t_ns, line, payload.pressed), payload.found))
        elif isinstance(payload, SandEdge):
            sand.append((Edge(payload.t_ns, payload.line.value, bool(payload.level)), payload.found))
    in_order = {line: seats[line] for line in sorted(seats)}
    events = _judged(BellLogic(in_order), bell, last_ns) + _judged(SandLogic(SandSettings()), sand, last_ns)
    return sorted(events, key=lambda event: event.t_ns), last_ns


def _judged(logic: EdgeLogic, edges: list[tuple[Edge, bool]], last_ns: int) -> list[DeviceEvent]:
    """Give a logic the levels at the start (edges marked `found`), then all other edges; return its events."""
    for edge, found in edges:
        if found:
            logic.begin(edge)
    return judge_edges(logic, [edge for edge, found in edges if not found], last_ns)


def judge_log(game: Game, entries: Iterable[Entry | Fault]) -> Iterator[Ruling | Fault]:
    """Yield the rulings in order, with a fault in the place of each entry that was left out.

    Left out are entries that cannot be read, that the game refuses, or that are earlier than the last one taken: one
    clock never goes back.
    """
    last_t_ns = 0
    for entry in entries:
        if isinstance(entry, Fault):
            yield entry
            continue
        t_ns = entry.event.t_ns
        if t_ns < last_t_ns:
            yield Fault(entry.where, phrase("error.games.time_goes_back", before=last_t_ns, after=t_ns))
            continue
        try:
            rulings = game.apply(entry.event)
        except BadInputError as error:
            yield Fault(entry.where, phrase_of(error))
            continue
        last_t_ns = t_ns
        yield from rulings
