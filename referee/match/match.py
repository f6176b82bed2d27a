"""Plays the game on the table: stores every input, applies the rules, and commits its rulings, in order.

Callers may announce only returned outcomes: after a restart, resuming is replaying, and nothing is announced twice.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import replace
from functools import partial
from typing import Any

from hardware.camera.frames import Frame
from hardware.events import TimedEvent as DeviceEvent
from referee.engine.events import Event, Header
from referee.engine.log import MISHAP, PAUSE, RESUME, Change, GameLog, Record, RulingRow, numbers_in
from referee.engine.session import Outcome, Session, Watcher
from referee.errors import BadInputError
from referee.games.registry import game_kind
from referee.store.games import kept_game, named_game, open_game
from referee.store.store import Store

MakeWatcher = Callable[[Header], Watcher]
Unheard = tuple[RulingRow, ...]
RESUME_GAP_NS = 10_000_000_000
"""The assumed time of a power cut: its length is unknown, but no ring is so near."""


class Match:
    """The game on the table, `session`, None without one. Not safe from several threads: its owner locks.

    make_watcher: makes the watcher of a game. boot: id of the start of the machine that `clock` belongs to, monotonic,
    ns.
    """

    def __init__(self, store: Store, make_watcher: MakeWatcher, boot: str, clock: Callable[[], int]) -> None:
        self.store = store
        self.session: Session | None = None
        # The games that undo can reach, the one on the table last.
        self._begun: list[Session] = []
        self._make_watcher, self._boot, self._clock = make_watcher, boot, clock

    @property
    def paused(self) -> bool:
        """Return whether the players paused the game."""
        return self.session is not None and self.session.paused

    @property
    def in_play(self) -> bool:
        """Return whether a game is in play, so that rings are ruled."""
        return self.session is not None and not self.session.over and not self.session.paused

    @property
    def game(self) -> int | None:
        """Return the number of the game on the table, None without one."""
        return None if self.session is None else self.session.log.game

    @property
    def undoes(self) -> str | None:
        """Return the next undo: "start", the beginning of this game instead of another, or the session's."""
        if self.session is None:
            return None
        return "start" if len(self._begun) > 1 and not self.session.log.records else self.session.log.undoes

    def playing(self) -> Session:
        """Return the game on the table. Raises BadInputError without a game."""
        if self.session is None:
            raise BadInputError("error.service.no_game_is_being_played")
        return self.session

    def held(self) -> set[int]:
        """Return the numbers of the games in play or within reach of undo."""
        held = set[int]()
        for session in reversed(self._begun):
            held.add(session.log.game)
            if session.log.records:
                break
        return held

    def start(self, header: Header) -> Outcome:
        """Begin a game, and return the outcome of the one before, which ends with its points if it was in play.

        Undo reaches that one until something has happened in this one.

        Raises:
            BadInputError: the header's game cannot be played like that; the one before goes on then.
        """
        watcher, outcome = self._make_watcher(header), Outcome()
        before = self._begun if self.session is not None and not self.session.over else []
        # Games begun before one with events can no longer be reached.
        last = max((at for at, one in enumerate(before) if one.log.records), default=0)
        if before and before[-1].log.records:
            with suppress(BadInputError):
                outcome = self.report("stop", {})
        row = self.store.begin_game(header, self._boot, 0)
        self.store.flush()
        self.session = self._session(GameLog(row), watcher)
        self._begun = [*before[last:], self.session]
        return outcome

    def end(self) -> Outcome:
        """End the game with its present points; close one that has ended, or has no points yet.

        Raises:
            BadInputError: there is none.
        """
        session = self.playing()
        if not session.over:
            with suppress(BadInputError):
                return self.report("stop", {})
        self.store.change_game(session.log.game, closed=True)
        self.store.flush()
        self.session, self._begun = None, []
        return Outcome()

    def resume(self) -> tuple[Session, Unheard] | None:
        """Resume the game in play, and return it with its unheard rulings.

        Return None if there was none.

        Raises:
            ValueError, KeyError: another version wrote it, or a person changed it, and it cannot be resumed. It stays
                in the store, closed.
        """
        try:
            row = open_game(self.store.read)
            if row is None:
                return None
            kept = kept_game(self.store.read, row)
            if row.lost_from is not None:
                raise BadInputError("error.service.not_all_that_happened_in")
            now_ns, last_ns = self._clock(), kept.last_ns
            if row.boot != self._boot or now_ns + row.shift_ns < last_ns:
                # Another start of the machine: the game's clock goes on after the break.
                kept.row = replace(row, boot=self._boot, shift_ns=last_ns + RESUME_GAP_NS - now_ns)
                self.store.change_game(row.game, boot=self._boot, shift_ns=kept.shift_ns)
            session, unheard = self._resumed(kept, self._make_watcher(row.header))
        except (ValueError, KeyError):
            # Without this, every start would fail.
            self.store.close_all()
            self.store.flush()
            self.session, self._begun = None, []
            raise
        self.session, self._begun = session, [session]
        return session, unheard

    def look(self, frame: Frame) -> Outcome:
        """Take the next frame."""
        return self._take(partial(self.playing().look, frame))

    def hear(self, event: DeviceEvent) -> Outcome:
        """Take an event of a device."""
        return self._take(partial(self.playing().hear, event))

    def report(self, kind: str, data: Mapping[str, Any]) -> Outcome:
        """Take an event that a person reported.

        Raises:
            BadInputError: there is no game, or it knows no such event; that is kept as refused, nothing has changed.
        """
        return self._take(partial(self.playing().report, Event(self._clock(), kind, {**data, "event": kind})))

    def pause(self, on: bool) -> bool:
        """Pause or resume; False if that is so already. Raises BadInputError: there is no game, or it is over."""
        session = self.playing()
        if session.over:
            raise BadInputError("error.service.game_is_over")
        if session.paused is on:
            return False
        session.note(PAUSE if on else RESUME, self._clock())
        self._keep(session)
        return True

    def note_mishap(self, what: str, on: bool) -> None:
        """Keep the beginning or end of something that makes readings less certain; nothing without a game."""
        if self.session is not None and not self.session.over:
            self.session.note(MISHAP, self._clock(), {"what": what, "on": on})
            self._keep(self.session)

    def look_again(self) -> None:
        """Start with a new watcher: another camera is there."""
        if self.session is not None:
            self.session.look_again(self._make_watcher(self.session.header))

    def log(self, ident: str) -> GameLog:
        """Return the log of the game of an event's or a ruling's name: the one on the table, or a past one.

        Raises:
            BadInputError: there is no such game.
        """
        if self.session is not None and [self.session.log.game] == numbers_in(ident)[:1]:
            return self.session.log
        return named_game(self.store.read, ident)

    def find(self, ident: str) -> Session:
        """Return the game of an event's or a ruling's name: one on the table, or a past one, to be corrected.

        Raises:
            BadInputError: there is none, or not all of its events can be read.
        """
        for session in reversed(self._begun):
            if [session.log.game] == numbers_in(ident)[:1]:
                return session
        self.store.flush()
        log = named_game(self.store.read, ident)
        if log.row.lost_from is not None:
            raise BadInputError("error.service.not_all_that_happened_in_that_game")
        return self._resumed(log, Watcher())[0]

    def correct(self, number: int, data: Mapping[str, Any] | None, session: Session | None = None) -> Change:
        """Correct an event, or strike it (None), in the game on the table (None) or another one.

        Raises:
            BadInputError: there is no such event, or it cannot be like that; nothing has changed then.
        """
        session = session or self.playing()
        return self._correct(session, partial(session.correct, number, data))

    def undo(self) -> Change:
        """Undo the step that `undoes` names. Raises BadInputError: there is nothing to undo."""
        session = self.playing()
        if self.undoes != "start":
            return self._correct(session, session.undo)
        # Nothing has happened in the game that was begun instead: it is forgotten.
        self.store.change_game(session.log.game, closed=True)
        self._begun.pop()
        self.session = before = self._begun[-1]
        self.store.change_game(before.log.game, closed=False)
        change = self._correct(before, before.undo) if before.log.undoes == "stop" else Change()
        self.store.flush()
        self.look_again()
        return change

    def _session(self, log: GameLog, watcher: Watcher) -> Session:
        start, enter = game_kind(log.header.game).start, partial(self._enter, log.game)
        return Session(log.header, start, watcher, enter, log, self._clock())

    def _resumed(self, log: GameLog, watcher: Watcher) -> tuple[Session, Unheard]:
        session = self._session(log, watcher)
        unheard, rejudged = session.resume()
        if rejudged is not None:
            self.store.add_correction(log.game, rejudged)
        self._keep(session)
        return session, unheard

    def _enter(self, game: int, record: Record) -> None:
        """Store an event, before the rules apply it."""
        self.store.add_event(game, record)
        self.store.flush(durable=False)

    def _take(self, give: Callable[[], Outcome]) -> Outcome:
        """Give the game an input, and commit the rulings, also before a refused event."""
        session = self.playing()
        try:
            return give()
        finally:
            self._keep(session)

    def _keep(self, session: Session) -> None:
        """Commit the newest rulings: only then may they be announced."""
        log = session.log
        records = log.since(log.row.judged)
        if not records:
            return
        for record in records:
            self.store.add_rulings(log.game, record)
        if any(ruling["ruling"] == "end" for record in records for ruling in record.rulings):
            self.store.set_ended(log.game, True)
        log.row = replace(log.row, judged=records[-1].number)
        self.store.flush()

    def _correct(self, session: Session, make: Callable[[], Change]) -> Change:
        was_over = session.over
        change = make()
        self.store.add_correction(session.log.game, change)
        if session.over != was_over:
            self.store.set_ended(session.log.game, session.over)
        self.store.flush()
        return change
