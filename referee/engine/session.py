"""One game at one table: takes frames, device events and people's reports in the order of time; returns rulings.

Pure except for the given journal: no clock, no threads, no files, so the same inputs always give the same rulings. A
watcher (one a game) turns frames and device events into events of the game.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from hardware.events import BellPressed, SandFlipped, SandRanOut
from referee.engine.events import Event, Game, GameView, Header, Question, as_json
from referee.engine.log import (
    PAUSE,
    RESUME,
    Change,
    CorrectionRow,
    GameLog,
    GameRow,
    Judged,
    Record,
    RulingData,
    RulingRow,
    corrected,
    corrected_events,
)
from referee.errors import BadInputError

if TYPE_CHECKING:
    from hardware.camera.frames import Frame
    from hardware.events import TimedEvent as DeviceEvent

Start = Callable[[Header], Game]
_WAY = ("back_ms", "most_ms")
_LONGEST_MS = 60_000
_OF_RINGS = ("ring", "unclear", "also_rang")


@dataclass(frozen=True)
class Notice:
    """A message to the players that is not a ruling, such as a card that cannot be read; the announcer has the words.

    kind: of the message. seat: of its player, None: all. data: its values.
    """

    t_ns: int
    kind: str
    seat: int | None
    data: Mapping[str, Any]


@dataclass(frozen=True)
class Answer:
    """A possible answer: the events that it reports, and its words (`seat`, `card`, `row`)."""

    events: tuple[Event, ...]
    data: Mapping[str, Any]


@dataclass(frozen=True)
class Shown:
    """Picture of a doubt, and its outlines; the doubtful thing itself is not `certain`."""

    frame: Frame
    outlines: tuple[Outline, ...]


@dataclass(frozen=True)
class Doubt:
    """A watcher's question since `t_ns`, with its possible answers; people may answer now or later.

    kind, data: its subject; the announcer has the words. taken: the events that it took because nobody answered; an
    answer then replaces those. shown: the picture that it is about, None where the table shows it now.
    """

    t_ns: int
    kind: str
    data: Mapping[str, Any]
    answers: tuple[Answer, ...]
    taken: tuple[Event, ...] = ()
    shown: Shown | None = None


@dataclass(frozen=True)
class Observation:
    """A watcher's result for a frame or a device event: events for the game, in time order, and notices."""

    events: tuple[Event, ...] = ()
    notices: tuple[Notice, ...] = ()


@dataclass(frozen=True)
class Outline:
    """An object seen by the watcher, to be drawn over the picture.

    corners_px: its corners, (x, y) each. seat: its owner's, or None. label: its name. certain: whether it was read.
    """

    corners_px: tuple[tuple[float, float], ...]
    seat: int | None
    label: str
    certain: bool


class Watcher:
    """Turns device events and frames into events of one game, on the game's clock like its inputs.

    This one sees and hears nothing: people enter every event. outlines: the objects of the frame that it read last.
    """

    outlines: Sequence[Outline] = ()

    def look(self, frame: Frame) -> Observation:
        """Take the next frame, exposed after all earlier inputs; its events carry its end of exposure."""
        return Observation()

    def hear(self, event: DeviceEvent) -> Observation:
        """Take an event of a device; every available frame exposed before it has been read."""
        return Observation()

    def judged(self, event: Event, rulings: Sequence[RulingData], view: GameView) -> None:
        """Take the game's rulings on an event of any source. view: `Game.view` then."""

    def begin_again(self) -> None:
        """Forget the course of the game: after a correction it is replayed. Observations stay."""

    def follow(self, view: GameView) -> bool:
        """Take the present view of the game, instead of all before; False: it wants the events one by one."""
        return False

    def finish(self, t_ns: int) -> Observation:
        """Take the end of a recording, after which nothing is worth waiting for."""
        return Observation()

    @property
    def doubts(self) -> Sequence[Doubt]:
        """Return its present questions to the players."""
        return ()

    def answered(self, doubt: Doubt) -> None:
        """Note that a doubt is answered; the answer's events come by `judged`."""

    @property
    def looks_on(self) -> bool:
        """Return whether it needs the next frame, though the game is over."""
        return False


@dataclass(frozen=True)
class Outcome:
    """Results of one input. rulings: with the keys of the outside contract. frame: the last one read before.

    records: of the events that it became.
    """

    rulings: tuple[RulingData, ...] = ()
    notices: tuple[Notice, ...] = ()
    frame: Frame | None = None
    records: tuple[Record, ...] = ()


class Judge:
    """The rules of a game in progress. question: the present one to the players, None without one."""

    def __init__(self, game: Game) -> None:
        self.game = game
        self.last_ns = 0
        self.question: Question | None = None
        self._ring_frames: dict[int, int | None] = {}
        self._ring_ways: dict[int, Mapping[str, float]] = {}
        self._asked: tuple[int, str] | None = None
        self._advised: str | None = None

    def apply(self, event: Event) -> tuple[RulingData, ...]:
        """Return the rulings on the next event.

        Raises:
            BadInputError: the game knows no such event, or a value is impossible; nothing has changed then.
        """
        frame_ns = event.data.get("frame_t_ns")
        if event.kind == "bell":
            self._ring_frames[event.t_ns] = frame_ns if isinstance(frame_ns, int) else None
            if (way := _way_of(event)) is not None:
                self._ring_ways[event.t_ns] = way
        rulings = tuple(map(self._with_frame, as_json(self.game.apply(event))))
        self.last_ns = max(self.last_ns, event.t_ns)
        return rulings

    def notices(self, t_ns: int) -> tuple[Notice, ...]:
        """Return the question and the advice after an event of `t_ns`, once each."""
        question, notices = self.game.question(), list[Notice]()
        self.question = question
        if question is not None and (question.t_ns, question.kind) != self._asked:
            self._asked = question.t_ns, question.kind
            data = {"seats": list(question.seats), "ruling": self._with_frame(question.ruling)}
            notices.append(Notice(question.t_ns, question.kind, None, data))
        before, self._advised = self._advised, self.game.advice()
        if self._advised is not None and self._advised != before:
            notices.append(Notice(t_ns, self._advised, None, {}))
        return tuple(notices)

    def _with_frame(self, ruling: RulingData) -> RulingData:
        """Return a ruling with its phone and frame: a ring may be ruled long after it, but on the frame before it."""
        t_ns = ruling["t_ns"]
        if ruling["ruling"] in _OF_RINGS and t_ns in self._ring_ways:
            ruling = {**ruling, "phone": self._ring_ways[t_ns]}
        if ruling["ruling"] == "ring" and t_ns in self._ring_frames:
            ruling = {**ruling, "frame_t_ns": self._ring_frames[t_ns]}
        return ruling


def replay_all(
    judge: Judge, records: Iterable[Record], corrections: Iterable[CorrectionRow], wanted: int | None = None
) -> Judged:
    """Return the rulings on events, from the beginning, with the corrections.

    judge: a new one of the game. Pauses, mishaps and events that it cannot take are left out.

    Raises:
        BadInputError: the event `wanted` cannot be ruled on.
    """
    instead = corrected_events(corrections)
    judged: dict[int, tuple[RulingData, ...]] = {}
    for record in records:
        data = instead.get(record.number, {})
        if data is None or not record.is_of_game:
            continue
        try:
            event = corrected(record.event, data) if data else record.event
            judged[record.number] = judge.apply(event)
            judge.notices(event.t_ns)
        except BadInputError:
            if record.number == wanted:
                raise
    return judged


class Session:
    """A game in progress: its rules, its watcher and its log. Not safe from several threads: its owner locks.

    start: makes the rules at their beginning. journal: takes every event before the rules do; if it raises, they do not
    take it. log: of a stored game; None: another game. now_ns: when it begins or goes on, monotonic.

    The game's clock is the monotonic clock plus the log's `shift_ns`, so that it never goes back after a boot. It is
    applied to all inputs: watcher and rules know no other.

    question: the present one to the players, None without one. begun_ns: when it began, or went on. fault: the
    watcher's last exception in words, None after a success. over: whether the game has ended. paused: whether the
    players paused it. game: the rules in their present state. said: the numbers of the events that people reported.
    """

    def __init__(
        self,
        header: Header,
        start: Start,
        watcher: Watcher,
        journal: Callable[[Record], None] = lambda record: None,
        log: GameLog | None = None,
        now_ns: int = 0,
    ) -> None:
        self.header, self.watcher = header, watcher
        self.log = log or GameLog(GameRow(0, "", header))
        self.begun_ns = now_ns + self.log.shift_ns
        self.fault: str | None = None
        self.question: Question | None = None
        self.over = self.paused = False
        self.said: set[int] = set()
        self._start, self._journal = start, journal
        self._judge = Judge(start(header))
        self.game = self._judge.game
        self._frame: Frame | None = None

    def question_id(self, doubt: Doubt) -> str:
        """Return the page's name of a watcher's question."""
        return f"doubt-{self.log.game}-{doubt.t_ns}-{doubt.kind}"

    def taken_instead(self, doubt: Doubt) -> list[int]:
        """Return the numbers of the events that the watcher took because nobody answered, oldest first."""
        wanted = [(event.kind, dict(event.data)) for event in doubt.taken]
        numbers: list[int] = []
        for number, record in reversed(self.log.records.items()):
            if wanted and (record.event.kind, dict(record.event.data)) == wanted[-1]:
                wanted.pop()
                numbers.insert(0, number)
        return [] if wanted else numbers

    @property
    def looks_on(self) -> bool:
        """Return whether the watcher needs the next frame: while the game goes on, and sometimes when it is over."""
        return not self.paused and (not self.over or self.watcher.looks_on)

    def look(self, frame: Frame) -> Outcome:
        """Take the next frame, of the monotonic clock. One at which the watcher fails is left out."""
        self._frame, by_ns = frame, self.log.shift_ns
        moved = replace(frame, t_ns=frame.t_ns + by_ns, exposure_end_ns=frame.exposure_end_ns + by_ns)
        own = moved if by_ns else frame
        return self._take(self._tried(lambda: self.watcher.look(own), Observation()))

    def hear(self, event: DeviceEvent) -> Outcome:
        """Take an event of a device, by the monotonic clock. It is never lost by a watcher's fault."""
        own = _moved(event, self.log.shift_ns)
        return self._take(self._tried(lambda: self.watcher.hear(own), _unwatched(own, len(self.header.players))))

    def report(self, event: Event) -> Outcome:
        """Take a person's report, at the earliest now: time never goes back behind the last event.

        Raises:
            BadInputError: the game knows no such event, or a value is impossible; it is in the log as refused then, and
                nothing has changed.
        """
        count = len(self.log.records)
        try:
            own = replace(event, t_ns=max(0, event.t_ns + self.log.shift_ns))
            given, notices = self._enter(own)
            return Outcome(given, notices, self._frame, self.log.since(count))
        finally:
            self.said.update(range(count + 1, len(self.log.records) + 1))

    def note(self, kind: str, now_ns: int, data: Mapping[str, object] | None = None) -> None:
        """Log an event without rulings: `PAUSE`, `RESUME` or `MISHAP`."""
        self._add(Event(max(now_ns + self.log.shift_ns, self.log.last_ns), kind, data or {}))
        if kind in (PAUSE, RESUME):
            self.paused = kind == PAUSE

    def finish(self, t_ns: int) -> Outcome:
        """Take the end of a recording."""
        return self._take(self.watcher.finish(t_ns + self.log.shift_ns))

    def look_again(self, watcher: Watcher) -> None:
        """Replace the watcher: the old one's knowledge of the picture holds no more."""
        self.watcher = watcher
        self._follow()

    def correct(self, number: int, data: Mapping[str, Any] | None) -> Change:
        """Correct an event (None: it never was) and rule again on the later ones.

        Raises:
            BadInputError: there is no such event, or it cannot be like that; nothing has changed then.
        """
        record = self.log.records.get(number)
        if record is None or not record.is_of_game:
            raise BadInputError("error.service.that_cannot_be_corrected_it")
        if data is not None:
            corrected(record.event, data)
        return self._rejudge(number, data)

    def undo(self) -> Change:
        """Undo the early end of the game, else the latest correction that holds.

        Raises:
            BadInputError: there is none.
        """
        stopped_by = self.log.stopped_by
        if stopped_by is not None:
            return self.correct(stopped_by, None)
        holding = self.log.holding()
        if not holding:
            raise BadInputError("error.service.there_is_no_correction_to")
        return self._rejudge(holding[-1].event, None, undoes=holding[-1].number)

    def resume(self) -> tuple[tuple[RulingRow, ...], Change | None]:
        """Resume the game of the log.

        Return the rulings on events that had none yet, and the change if this version rules differently than the stored
        one.
        """
        judge, until = Judge(self._start(self.header)), self.log.row.judged
        judged = replay_all(judge, self.log.records.values(), self.log.corrections)
        unheard = self.log.rule(judged, 0, [number for number in self.log.records if number > until]).new
        row = CorrectionRow(len(self.log.corrections) + 1, 0, None, None)
        change = self.log.rule(judged, row.number, [number for number in self.log.records if number <= until])
        is_other = bool(change.gone or change.new)
        if is_other:
            # A newer Ringmaster rules differently: that is kept as a correction of no event.
            self.log.corrections.append(row)
        self._settle(judge)
        return unheard, replace(change, row=row) if is_other else None

    def _take(self, seen: Observation) -> Outcome:
        rulings, count = list[RulingData](), len(self.log.records)
        notices = list(seen.notices)
        for event in seen.events:
            try:
                given, asked = self._enter(event)
            except BadInputError:
                # A watcher's mistake must not end the game; the event stays in the log, refused.
                break
            rulings += given
            notices += asked
        return Outcome(tuple(rulings), tuple(notices), self._frame, self.log.since(count))

    def _enter(self, event: Event) -> tuple[tuple[RulingData, ...], tuple[Notice, ...]]:
        """Journal an event and apply the rules.

        A ring gets its deciding frame (P9: the last one exposed before it). Time never goes back: a person's report may
        come while a frame is still on its way.
        """
        event = replace(event, t_ns=max(event.t_ns, self._judge.last_ns))
        if event.kind == "bell" and "frame_t_ns" not in event.data:
            frame_ns = None if self._frame is None else self._frame.t_ns + self.log.shift_ns
            event = replace(event, data={**event.data, "frame_t_ns": frame_ns})
        number = self._add(event)
        rulings = self._judge.apply(event)
        self.log.rule({number: rulings}, 0, [number])
        self.over = self.over or any(ruling["ruling"] == "end" for ruling in rulings)
        self.watcher.judged(event, rulings, self.game.view())
        notices = self._judge.notices(event.t_ns)
        self.question = self._judge.question
        return rulings, notices

    def _add(self, event: Event) -> int:
        record = Record(len(self.log.records) + 1, event, refused=True)
        self.log.records[record.number] = record
        self._journal(record)
        return record.number

    def _tried(self, work: Callable[[], Observation], instead: Observation) -> Observation:
        try:
            seen = work()
        except Exception as error:  # Whatever a watcher raises, the game goes on; the page shows the fault.
            self.fault = f"{type(error).__name__}: {' '.join(str(error).split())[:200]}"
            return instead
        self.fault = None
        return seen

    def _rejudge(self, event: int | None, data: Mapping[str, Any] | None, undoes: int | None = None) -> Change:
        row = CorrectionRow(len(self.log.corrections) + 1, 0, event, data, undoes)
        judge, corrections = Judge(self._start(self.header)), [*self.log.corrections, row]
        judged = replay_all(judge, self.log.records.values(), corrections, event)
        self.log.corrections.append(row)
        change = self.log.rule(judged, row.number)
        self._settle(judge)
        return replace(change, row=row)

    def _settle(self, judge: Judge) -> None:
        """Go on with the rules after a replay, and notify the watcher."""
        self._judge, self.game, self.question = judge, judge.game, judge.question
        self.over = self.log.end() is not None
        pauses = [record.event.kind for record in self.log.records.values() if record.event.kind in (PAUSE, RESUME)]
        self.paused = pauses[-1:] == [PAUSE]
        self._follow()

    def _follow(self) -> None:
        """Replay the game for the watcher: the events as observed, and the views with corrections."""
        if self.watcher.follow(self.game.view()):
            return
        self.watcher.begin_again()
        game, played = self._start(self.header), {record.number: event for record, event in self.log.played()}
        for record in self.log.records.values():
            if record.is_of_game:
                with suppress(BadInputError):
                    if record.number in played:
                        game.apply(played[record.number])
                self.watcher.judged(record.event, record.rulings, game.view())


def _moved(event: DeviceEvent, by_ns: int) -> DeviceEvent:
    """Return a device's event by the game's clock."""
    moved: DeviceEvent = replace(event, t_ns=event.t_ns + by_ns) if by_ns else event  # type: ignore[type-var]
    return moved


def _unwatched(event: DeviceEvent, players: int) -> Observation:
    """Return a device event's result where the watcher fails: a ring that it did not see is unclear."""
    match event:
        case BellPressed(t_ns, seat):
            phone = {} if event.way is None else {"phone": {"back_ms": event.way.back_ms, "most_ms": event.way.most_ms}}
            return Observation((Event(t_ns, "bell", {"seat": seat, "unseen": list(range(players)), **phone}),))
        case SandFlipped(t_ns):
            return Observation((Event(t_ns, "timer_flipped", {}),))
        case SandRanOut(t_ns):
            return Observation((Event(t_ns, "timer_ran_out", {}),))
        case _:
            return Observation()


def _way_of(event: Event) -> Mapping[str, float] | None:
    """Return how far a phone's press was dated back, ms, and the most possible; None for any other press."""
    way = event.data.get("phone")
    values = [way.get(key) for key in _WAY] if isinstance(way, Mapping) else []
    numbers = [float(value) for value in values if isinstance(value, int | float) and 0 <= value <= _LONGEST_MS]
    return dict(zip(_WAY, numbers, strict=True)) if len(numbers) == len(_WAY) else None
