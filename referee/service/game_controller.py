"""The controller: the game on the table, fed by the devices and told by people, and all that follows from a ruling.

In this order: an event is journalled, it is judged, its rulings are made to last, and only then are they announced.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from hardware.camera.frames import Frame
from hardware.events import BellPressed
from hardware.events import Event as DeviceEvent
from hardware.problems import Problem
from referee.engine.corrections import Change
from referee.engine.events import Header
from referee.engine.session import Outcome
from referee.errors import BadInputError
from referee.games.registry import game_kind
from referee.journal.journal import Journal
from referee.names import players_in
from referee.sayings import service as sayings
from referee.service.announcements import Announcements
from referee.service.bus import Bus, OutlinesMoved, ReadingFailed, Ruled, StateChanged
from referee.service.game_on_table import GameOnTable
from referee.service.live_game import LiveGame
from referee.service.overlay import overlay_in
from referee.service.question_pictures import Doubted
from referee.service.records import MISHAP, PAUSE, RESUME, numbers_in
from referee.service.resuming import MakeWatcher, past_game, unfinished_game
from referee.service.ring_pictures import pictures_wanted
from referee.service.settings import TableSettings
from referee.service.voice import Voice


class GameController(GameOnTable):
    """Safe to use from any thread: `lock` is held while the game is fed.

    make_watcher: gives what looks on for a game. complete: says in a header what the game is
    played with. boot: names the start of the machine that the clock belongs to.
    bus: told of each change, of what only moved in the picture, of pictures that are wanted as evidence, and whether
    pictures can be read, all with the lock held.
    """

    def __init__(
        self,
        journal: Journal,
        voice: Voice,
        settings: TableSettings,
        make_watcher: MakeWatcher,
        boot: str,
        clock: Callable[[], int] = time.monotonic_ns,
        complete: Callable[[Header], Header] = lambda header: header,
        bus: Bus | None = None,
    ) -> None:
        super().__init__(settings)
        self._bus = bus or Bus()
        self.voice = voice
        self.journal = journal
        self.notices: tuple[dict[str, Any], ...] = ()
        self._fault: str | None = None
        self._announcements = Announcements(voice)
        self._make_watcher = make_watcher
        self._complete = complete
        self._clock = clock
        self._boot = boot
        self._understood: Frame | None = None  # the frame in which something was told last

    def look(self, frame: Frame) -> Outcome:
        """Take the next frame; it is not looked at while there is no game, or a pause, or nothing more to see."""
        with self.lock:
            play = self.play
            if play is None or not play.looks_on:
                return Outcome()
            before, doubts = play.watcher.outlines, play.doubts
            self._frame, count = frame, len(play.log.records)
            outcome = self._feed(play, lambda: play.look(frame))
            if self._understood is None or len(play.log.records) > count:
                self._understood = frame
            if play.doubts != doubts:
                asked = {play.question_id(doubt): doubt.shown for doubt in play.doubts}
                self._bus.publish(Doubted(asked, self._understood, frame))
                self._bus.publish(StateChanged())
            elif play.watcher.outlines is not before:
                self._bus.publish(OutlinesMoved())
            return outcome

    def hear(self, event: DeviceEvent) -> Outcome:
        """Take what a device noticed."""
        with self.lock:
            play = self.play
            if play is None or (play.paused and isinstance(event, BellPressed)) or isinstance(event, Problem):
                return Outcome()
            outcome = self._feed(play, lambda: play.hear(event))
            announcement = self._announcer(play).announce_event(event)
            if announcement is not None:
                self.voice.announce(announcement)
            return outcome

    def start(self, game: str, players: Sequence[str], options: Mapping[str, object]) -> LiveGame:
        """Begin a game instead of the one before, which ends as it stands, if it was still going on.

        Raises:
            BadInputError: there is no such game, or it cannot be played like that; the one before goes on then.
        """
        header = Header(game, players_in(players), dict(options))
        game_kind(game).start(header)
        header = self._complete(game_kind(game).explicit(header))
        with self.lock:
            watcher = self._make_watcher(header)
            before = self.play if self.play is not None and not self.play.over else None
            if before is not None and before.log.records:
                self._end_early(before)
            row = self.journal.begin_game(header, self._boot, 0)
            self.journal.flush()
            self.play = LiveGame(row, watcher, self.journal, self._clock())
            self.play.instead_of, self._understood = before, None
            self.notices = ()
            self.voice.rest()
            self.voice.tell(sayings.started(game.capitalize(), header.players, self.language))
            self.voice.prepare(self._announcer(self.play).fixed_phrases())
            self._bus.publish(StateChanged())
            return self.play

    def resume(self, *, aloud: bool = True) -> LiveGame | None:
        """Go on with the game that was being played when the referee ended, None if there was none; `aloud`: say so.

        One that this Ringmaster cannot read stays in the journal, and is not gone on with.
        """
        with self.lock:
            try:
                unfinished = unfinished_game(self.journal, self._make_watcher, self._boot, self._clock)
                if unfinished is None:
                    return None
                self.play, unheard = unfinished
                if aloud:
                    self._announcements.resumed(self._announcer(self.play), self.play, unheard)
                self._bus.publish(StateChanged())
                return self.play
            except (ValueError, KeyError):
                # Written by another version, or changed by hand; to fail here would be to fail at every start.
                self.journal.close_all()
                self.journal.flush()
                self.play = None
                self.voice.tell(sayings.not_resumed(self.language))
                return None

    def stop(self) -> None:
        """End the game by agreement; one that has ended is put away.

        Raises:
            BadInputError: there is none.
        """
        with self.lock:
            play = self.playing()
            if play.over:
                self._close(play)
            elif not self._end_early(play):
                self._close(play)
                self.voice.tell(sayings.stopped(self.language))
            self.voice.rest()
            self._bus.publish(StateChanged())

    def pause(self, on: bool) -> None:
        """Wait, or go on.

        Raises:
            BadInputError: there is no game, or it is over.
        """
        with self.lock:
            play = self.playing()
            if play.over:
                raise BadInputError("error.service.game_is_over")
            if play.paused is not on:
                play.note(PAUSE if on else RESUME, self._clock())
                self.voice.tell(sayings.paused(on, self.language))
                self._bus.publish(StateChanged())

    def note_mishap(self, what: str, on: bool) -> None:
        """Journal that something began or ended that makes readings less sure; nothing without a game."""
        with self.lock:
            if self.play is not None and not self.play.over:
                self.play.note(MISHAP, self._clock(), {"what": what, "on": on})

    def say(self, kind: str, data: Mapping[str, Any]) -> Outcome:
        """Take an event that a person told.

        Raises:
            BadInputError: there is no game, or it knows no such event.
        """
        with self.lock:
            play = self.playing()
            return self._feed(play, lambda: play.say(kind, data, self._clock()))

    def settled(self) -> None:
        """Take it that a question was answered: what should be done about it stands no more."""
        with self.lock:
            self.notices = ()
            self._bus.publish(StateChanged())

    def game_of(self, ident: str) -> LiveGame:
        """Give the game that an event or a ruling of this name is of: the one on the table, or a past one.

        Raises:
            BadInputError: there is none, or it cannot be read.
        """
        game = next(iter(numbers_in(ident)), None)
        for play in (self.play, None if self.play is None else self.play.instead_of):
            if play is not None and play.log.row.game == game:
                return play
        past = None if game is None else past_game(self.journal, game)
        return past or self.playing()

    def correct(self, number: int, data: Mapping[str, Any] | None, play: LiveGame | None = None) -> Change:
        """Put an event right, or strike it (None), and say what changes; play: None for the game on the table.

        Raises:
            BadInputError: there is no such event, or it cannot be like that.
        """
        with self.lock:
            play = play or self.playing()
            return self._changed(play, play.correct(number, data), undone=False)

    def undo(self) -> Change:
        """Take back an early end, the start of another game, or else the latest correction, and say what changes.

        Raises:
            BadInputError: there is nothing to take back.
        """
        with self.lock:
            play = self.playing()
            match play.undoes:
                case "start" if play.instead_of is not None:
                    return self._back_to(play.instead_of)
                case "stop":
                    change = play.undo()
                    self.voice.tell(sayings.resumed("", self.language))
                    self._bus.publish(StateChanged())
                    return change
            return self._changed(play, play.undo(), undone=True)

    def change_settings(self, settings: TableSettings) -> None:
        """Take other settings."""
        with self.lock:
            self.settings = settings
            self.voice.change(settings)
            if self.play is not None:
                self.voice.prepare(self._announcer(self.play).fixed_phrases())
            self._bus.publish(StateChanged())

    def look_anew(self) -> None:
        """Begin to look as if for the first time: another camera is there."""
        with self.lock:
            if self.play is not None:
                self.play.look_anew(self._make_watcher(self.play.header))

    def _feed(self, play: LiveGame, feed: Callable[[], Outcome]) -> Outcome:
        count = len(play.log.records)
        try:
            outcome = feed()
        finally:
            for wanted in pictures_wanted(play, count, overlay_in(self._frame, play.watcher.outlines), self._frame):
                self._bus.publish(wanted)
        self._heed_fault(play.fault)
        announcer = self._announcer(play)
        if outcome.rulings:
            self._announcements.rule(announcer, outcome.rulings)
            self._bus.publish(Ruled(outcome.rulings))
        if outcome.notices:
            self.notices = self._announcements.notice(announcer, outcome.notices)
        elif outcome.rulings:
            self.notices = ()
        heard = [record.event for record in play.log.since(count)]
        self._announcements.ask(announcer, play.question(), heard=heard)
        if outcome.rulings or outcome.notices or heard:
            self._bus.publish(StateChanged())
        return outcome

    def _changed(self, play: LiveGame, change: Change, *, undone: bool) -> Change:
        question = None if self.play is None else self.play.question()
        self._announcements.changed(self._announcer(play), change, question, undone=undone, past=play is not self.play)
        self._bus.publish(StateChanged())
        return change

    def _heed_fault(self, fault: str | None) -> None:
        before, self._fault = self._fault, fault
        if (before is None) is not (fault is None):
            self._bus.publish(ReadingFailed(fault))

    def _end_early(self, play: LiveGame) -> bool:
        """End a game with the points as they are; False if it has none yet."""
        try:
            self._feed(play, lambda: play.say("stop", {}, self._clock()))
        except BadInputError:
            return False
        return True

    def _back_to(self, before: LiveGame) -> Change:
        """Go on with the game before, and forget the one that was begun instead and in which nothing has happened."""
        self.journal.close_game(self.playing().log.row.game)
        self.journal.reopen_game(before.log.row.game)
        self.play, self.notices = before, ()
        change = before.undo() if before.undoes == "stop" else Change((), ())
        self.journal.flush()
        self.look_anew()
        self.voice.prepare(self._announcer(before).fixed_phrases())
        self.voice.tell(sayings.resumed("", self.language))
        self._bus.publish(StateChanged())
        return change

    def _close(self, play: LiveGame) -> None:
        self.journal.close_game(play.log.row.game)
        self.journal.flush()
        self.play = None
        self.notices = ()
