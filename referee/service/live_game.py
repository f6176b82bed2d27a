"""One game as it is played: every input is journalled, judged, and what was ruled is made to last, in this order."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from hardware.camera.frames import Frame
from hardware.events import Event as DeviceEvent
from referee.engine.corrections import (
    Change,
    CorrectionRow,
    Place,
    change_between,
    corrected,
    corrected_events,
    in_force,
)
from referee.engine.events import Asks, Event, Game, GameView, Header, Question, view_of
from referee.engine.session import Doubt, Outcome, RulingData, Session, Watcher
from referee.errors import BadInputError
from referee.games.registry import game_kind
from referee.journal.journal import Journal
from referee.journal.rows import GameRow, KeptGame
from referee.service.game_log import GameLog, log_of
from referee.service.guarded_watcher import GuardedWatcher, Told
from referee.service.records import PAUSE, RESUME, Judged, Record, changed_places, judge_anew


class LiveGame:
    """A game in progress. Not safe from several threads: its owner locks.

    log: all that happened in it. shift_ns: the game's clock less the monotonic one. begun_ns: when it began, or went
    on, on its own clock. instead_of: the game that was still going on when this one was begun. said: the numbers of
    the events that people said, since this was made.
    """

    def __init__(self, row: GameRow, watcher: Watcher, journal: Journal, now_ns: int = 0) -> None:
        """Begin with no event, at `now_ns` of the monotonic clock.

        Raises:
            BadInputError: the header's game cannot be played like that.
        """
        self.log = GameLog(row)
        self.header: Header = row.header
        self.shift_ns = row.shift_ns
        self.begun_ns = now_ns + row.shift_ns
        self._journal = journal
        self._guarded = GuardedWatcher(watcher, row.shift_ns, len(row.header.players), self._judged)
        self._session = self._new_session()
        self._unkept: list[int] = []
        self.instead_of: LiveGame | None = None
        self.said: set[int] = set()
        self._stands: tuple[bool, bool] | None = None

    @property
    def game(self) -> Game:
        """The rules, where they stand."""
        return self._session.game

    @property
    def watcher(self) -> Watcher:
        """What looks on."""
        return self._guarded.watcher

    @property
    def fault(self) -> str | None:
        """What went wrong when the watcher last looked, None if nothing did."""
        return self._guarded.fault

    def look_anew(self, watcher: Watcher) -> None:
        """Let another watcher look on from now: what the one before knew of the picture holds no more."""
        self._guarded.watcher = watcher
        self._tell_all()

    @property
    def over(self) -> bool:
        """Whether the game has come to its end."""
        return self._standing()[0]

    @property
    def looks_on(self) -> bool:
        """Whether the watcher wants the next frame: while the game goes on, and some when it is over."""
        return not self.paused and (not self.over or self._guarded.looks_on)

    @property
    def paused(self) -> bool:
        """Whether the players said to wait."""
        return self._standing()[1]

    def _standing(self) -> tuple[bool, bool]:
        """Give whether the game is over and paused; asked with each frame, and looked for after a change only."""
        if self._stands is None:
            over = any(ruling["ruling"] == "end" for record in self.log.records.values() for ruling in record.rulings)
            kinds = (r.event.kind for r in reversed(self.log.records.values()) if r.event.kind in (PAUSE, RESUME))
            self._stands = over, next(kinds, RESUME) == PAUSE
        return self._stands

    @property
    def last_ns(self) -> int:
        """The game's time of its latest event, 0 before the first."""
        return max((record.event.t_ns for record in self.log.records.values()), default=0)

    @property
    def undoes(self) -> str | None:
        """What can be taken back, None if nothing can.

        "start": its beginning instead of another game. "stop": its early end. "correction": the latest one.
        """
        if self.instead_of is not None and not self.log.records:
            return "start"
        if self._stopped_by() is not None:
            return "stop"
        return "correction" if self._holding() else None

    def _holding(self) -> list[CorrectionRow]:
        """Give the corrections that hold; an early end that was taken back is not one to come back to."""
        kinds = {number: record.event.kind for number, record in self.log.records.items()}
        return [one for one in in_force(self.log.corrections) if one.data or kinds.get(one.event or 0) != "stop"]

    def _stopped_by(self) -> int | None:
        """Give the number of the event by which the players ended the game early, None if they did not."""
        last = next(reversed(self.log.records.values()), None)
        ended = last is not None and last.event.kind == "stop" and any(one["ruling"] == "end" for one in last.rulings)
        return last.number if last is not None and ended else None

    def question(self) -> Question | None:
        """Give what the players are asked, None if nothing."""
        return self.game.question() if isinstance(self.game, Asks) else None

    def question_id(self, doubt: Doubt) -> str:
        """Name what the watcher asks, as the page does."""
        return f"doubt-{self.log.row.game}-{doubt.t_ns}-{doubt.kind}"

    @property
    def doubts(self) -> Sequence[Doubt]:
        """What the watcher asks the players, by its own clock."""
        return self._guarded.doubts

    def look(self, frame: Frame) -> Outcome:
        """Take the next frame."""
        return self._take(lambda: self._session.look(frame))

    def hear(self, event: DeviceEvent) -> Outcome:
        """Take what a device noticed."""
        return self._take(lambda: self._session.hear(event))

    def say(self, kind: str, data: Mapping[str, Any], now_ns: int) -> Outcome:
        """Take what a person said at `now_ns` of the monotonic clock.

        Raises:
            BadInputError: the game knows no such event; it is journalled as refused, and nothing has changed.
        """
        count = len(self.log.records)
        try:
            return self._session.say(Event(max(0, now_ns + self.shift_ns), kind, {**data, "event": kind}))
        finally:
            self.said.update(range(count + 1, len(self.log.records) + 1))
            self._keep()

    def note(self, kind: str, now_ns: int, data: Mapping[str, object] | None = None) -> None:
        """Journal something that is nothing to judge: `PAUSE`, `RESUME` or `MISHAP`."""
        self._enter(Event(max(now_ns + self.shift_ns, self.last_ns), kind, data or {}))
        self._keep()

    def correct(self, number: int, data: Mapping[str, Any] | None) -> Change:
        """Put an event right (None: it never was) and judge anew what followed; it is journalled when this returns.

        Raises:
            BadInputError: there is no such event, or it cannot be like that; nothing has changed then.
        """
        record = self.log.records.get(number)
        if record is None or not record.is_of_game:
            raise BadInputError("error.service.that_cannot_be_corrected_it")
        if data is not None:
            corrected(record.event, data)
        row = CorrectionRow(len(self.log.corrections) + 1, 0, number, data)
        return self._rejudge(row)

    def undo(self) -> Change:
        """Take back the early end of the game, else the latest correction that holds.

        Raises:
            BadInputError: there is none.
        """
        stopped_by = self._stopped_by()
        if stopped_by is not None:
            return self.correct(stopped_by, None)
        holding = self._holding()
        if not holding:
            raise BadInputError("error.service.there_is_no_correction_to")
        last = holding[-1]
        return self._rejudge(CorrectionRow(len(self.log.corrections) + 1, 0, last.event, None, undoes=last.number))

    def restore(self, kept: KeptGame) -> list[tuple[Place, RulingData]]:
        """Go on with a game that was kept, and give the rulings that nobody has heard yet.

        Those are on events that were journalled when the power went, but whose rulings were not.
        """
        self.log = replace(log_of(kept), row=self.log.row)
        self._session, judged = self._replayed(self.log.corrections, None)
        fresh = [number for number in self.log.records if number > kept.row.judged]
        self._unkept += fresh
        self._adopt(judged)
        for number in fresh:
            self.log.records[number] = replace(self.log.records[number], first=self.log.records[number].rulings)
        known = {number: rulings for number, rulings in judged.items() if number <= kept.row.judged}
        otherwise = change_between(kept.by_event(), known)
        if otherwise.gone or otherwise.new:
            # A newer Ringmaster judges otherwise: that is kept as a correction of no event.
            self._write(CorrectionRow(len(self.log.corrections) + 1, 0, None, None), otherwise)
        self._keep()
        return [(Place(n, place), data) for n in fresh for place, data in enumerate(judged.get(n, ()))]

    def _new_session(self) -> Session:
        return Session(game_kind(self.header.game).start(self.header), self._guarded, self._enter)

    def _take(self, feed: Callable[[], Outcome]) -> Outcome:
        try:
            return feed()
        except BadInputError:
            # A watcher's mistake must not end the game; the event stays in the journal, refused.
            return Outcome()
        finally:
            self._keep()

    def _enter(self, event: Event) -> None:
        """Journal an event, before it is judged."""
        number = len(self.log.records) + 1
        self.log.add(Record(number, event, refused=True))
        self._stands = None
        self._unkept.append(number)
        self._journal.add_event(self.log.row.game, number, event)
        self._journal.flush(durable=False)

    def _judged(self, event: Event, rulings: Sequence[RulingData], view: GameView) -> None:
        number, self._stands = len(self.log.records), None
        self.log.records[number] = replace(
            self.log.records[number], rulings=tuple(rulings), refused=False, first=tuple(rulings)
        )
        self._guarded.tell(event, rulings, view)

    def _keep(self) -> None:
        """Make what was ruled last: only then may it be announced."""
        if not self._unkept:
            return
        ended = False
        for number in self._unkept:
            record = self.log.records[number]
            if record.refused:
                self._journal.refuse(self.log.row.game, number)
            else:
                self._journal.add_rulings(self.log.row.game, number, record.rulings)
            ended = ended or any(ruling["ruling"] == "end" for ruling in record.rulings)
        if ended:
            self._journal.set_ended(self.log.row.game, True)
        self._unkept.clear()
        self._journal.flush()

    def _rejudge(self, row: CorrectionRow) -> Change:
        before, was_over = {record.number: record.rulings for record in self.log.records.values()}, self.over
        corrections = [*self.log.corrections, row]
        self._session, judged = self._replayed(corrections, row.event)
        self._adopt(judged, corrections)
        change = change_between(before, judged)
        self._write(row, change)
        if self.over != was_over:
            self._journal.set_ended(self.log.row.game, self.over)
        self._journal.flush()
        return change

    def _replayed(self, corrections: Sequence[CorrectionRow], wanted: int | None) -> tuple[Session, Judged]:
        """Judge all events from the beginning. Raises BadInputError if the event `wanted` cannot be judged."""
        session, self._guarded.on_judged = self._new_session(), None
        try:
            return session, judge_anew(session, self.log.records.values(), corrections, wanted)
        finally:
            self._guarded.on_judged = self._judged

    def _adopt(self, judged: Judged, corrections: Sequence[CorrectionRow] | None = None) -> None:
        """Take over what was judged anew, and tell the watcher."""
        self._stands = None
        for number, record in self.log.records.items():
            rulings = judged.get(number)
            self.log.records[number] = replace(record, rulings=rulings or (), refused=rulings is None)
        self._tell_all(corrections)

    def _tell_all(self, corrections: Sequence[CorrectionRow] | None = None) -> None:
        """Tell the watcher how the game went: the events as they were seen, and how it stood as they hold."""
        instead = corrected_events(self.log.corrections if corrections is None else corrections)
        self._guarded.follow(self._went(instead), view_of(self.game))

    def _went(self, instead: Mapping[int, Mapping[str, Any] | None]) -> Iterator[Told]:
        game = game_kind(self.header.game).start(self.header)
        for record in filter(lambda one: one.is_of_game, self.log.records.values()):
            data = instead.get(record.number, {})
            if data is not None and not record.refused:
                game.apply(corrected(record.event, data) if data else record.event)
            yield record.event, record.rulings, view_of(game)

    def _write(self, row: CorrectionRow, change: Change) -> None:
        game = self.log.row.game
        self.log.corrections.append(row)
        self._journal.add_correction(game, row.number, row.event, row.data, row.undoes)
        for event, place, ruling in changed_places(change):
            self._journal.change_ruling(game, event, place, row.number, ruling)
