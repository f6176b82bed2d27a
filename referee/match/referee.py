"""The referee: the match, its devices, its announcements, and the state that pages show.

Devices and people call it from any thread; `lock` is held while the game takes an input. The order is: store an event,
apply the rules, commit the rulings, and only then announce, light and show them.
"""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext, suppress
from pathlib import Path
from typing import Any

from hardware.camera.frames import SECOND_NS, Frame
from hardware.events import BellEdge, BellPressed, SandResumed, SandTrouble
from hardware.events import TimedEvent as DeviceEvent
from hardware.lamp import Signal
from hardware.problems import Health, HealthBoard, Problem
from hardware.settings import MS
from referee.announcer import Announcement, Announcer
from referee.doctor.machine import Machine
from referee.engine.clockwork import LONGEST_SLEEP_S, feed
from referee.engine.events import Header
from referee.engine.log import Change
from referee.engine.session import Outcome, Session
from referee.errors import BadInputError, OvertakenError
from referee.files import name_kept, set_aside_files
from referee.games.coloretto.kind import sheet
from referee.games.registry import GAMES, game_kind
from referee.language import Language
from referee.log import LOG
from referee.match import commands, process, table
from referee.match.announcements import Announcements
from referee.match.devices import Arrival, Parts, PhoneBells
from referee.match.match import Match
from referee.match.monitor import Monitor, Notices
from referee.match.pictures import Pictures
from referee.match.question_pictures import QuestionPictures
from referee.match.settings import TableSettings, load_settings, save_settings
from referee.match.setup_kit import SetupKit
from referee.match.state import moment, state_of
from referee.match.table_decks import TableDecks
from referee.mqtt.publisher import Publisher
from referee.names import players_in
from referee.phrases import phrase
from referee.sayings import sandtimer
from referee.setup.walk import Walk
from referee.state_folder import EVIDENCE, JOURNAL, working_folder
from referee.store.evidence import EvidenceFolder
from referee.store.recovery import report_set_aside
from referee.store.store import Copying, Store, Trouble
from vision.profile import TableProfile

OUTLINES_NS = 250_000_000
"""The least time between two states for changes in the picture alone."""
MOST_FAULTS = 5
"""After so many failures in a row of the referee's own thread only a new process may help."""
RETRY_NS = 5 * SECOND_NS
_MOST_MENDING_S = 900


class Referee:
    """A referee, constructed but not at work before `start`.

    ended: set when the referee's thread is over; failed: and it was by a fault. notices: present instructions to
    people. frame: the last watched one. picture_of: a picture's id by game and event. power: requests to the computer.
    begins_with_setup: whether a new page begins with setting up while nothing is set up.
    """

    def __init__(self, folder: Path, parts: Parts, *, nothing_kept: bool = False) -> None:
        """Open the store in a folder that is locked, and the loudspeaker and the lamp.

        nothing_kept: the folder is gone after this start.
        """
        self.folder, self.clock, self._resumes = folder, parts.clock, parts.resumes
        self.lock, self.health, self.ended = threading.RLock(), HealthBoard(), threading.Event()
        self.failed, self.begins_with_setup = False, True
        self.notices: tuple[dict[str, Any], ...] = ()
        self._news, self._settling = threading.Event(), threading.Lock()
        self._turns, self._is_changed, self._version, self._made_ns = 0, False, 0, 0
        self._listeners: list[Callable[[int], None]] = []
        self._bell_listeners: list[Callable[[int], None]] = []
        self.picture_of: dict[tuple[int, int], str] = {}
        self.frame: Frame | None = None
        self._understood: Frame | None = None  # the frame of the last event
        self._fault: str | None = None
        self._words: tuple[Header, Announcer] | None = None
        settings, complaint = load_settings(folder)
        self._take(settings)
        if nothing_kept:
            self._report("journal", Health.STUCK, phrase("service.disk_takes_nothing_whatever_you"))
        if complaint is not None:
            self._report("settings", Health.MISSING, complaint)
        self.table_decks = TableDecks(parts.decks or folder, self.report, self.health.forget, parts.deck)
        boot = process.boot_id() if parts.boot is None else parts.boot
        # A large damaged journal takes minutes to mend on a Raspberry Pi.
        process.notify(f"EXTEND_TIMEOUT_USEC={_MOST_MENDING_S * 1_000_000}")
        self.store = Store(folder / JOURNAL, parts.connector)
        self.evidence = EvidenceFolder(folder / EVIDENCE, self.store)
        self.area = table.TableArea(parts.profile or table.kept_profile(folder), folder)
        self.announcements = Announcements(parts, self.settings, self.report, self.changed)
        watcher = parts.watcher or (lambda header: self.table_decks.watcher(header, self.area.profile))
        self.match = Match(self.store, watcher, boot, self.clock)
        self.devices = parts.devices(self.settings)
        self.plugged, self._phones = parts.plugged, PhoneBells(self.devices.queue)
        self.pictures = Pictures(self)
        self.question_pictures = QuestionPictures(self.area)
        self.setup_kit = SetupKit(self)
        self.walk = Walk(self.setup_kit)
        self.power = process.power_here()
        self._monitor = Monitor(self, Machine(), drawn=parts.drawn)
        self._watchdog = process.Watchdog(process.interval_ns(), self.devices.camera_hangs)
        self._notices, self._copying = Notices(), Copying(self.store)
        self._tried_ns = 0
        self._has_trouble = False
        self._thread = process.part_thread("referee", self._referee, self.report, self._fell)
        self._state: dict[str, Any] = {}
        self._publish()
        self.publisher = Publisher(
            folder, self.store, self.evidence, self, lambda: self.match.game, self.devices.inbox, self.report
        )

    def start(self) -> None:
        """Resume the game in play, and begin to watch, listen and rule."""
        LOG.info("games and settings are kept in %s", self.folder)
        asides = [path for path in set_aside_files(self.folder) if name_kept(path) == "journal"]
        if not asides or self.evidence.set_aside(asides[-1].stem):
            # Not where pictures are at a place that the new journal cannot know.
            self.evidence.sweep()
        self.report_set_aside()
        if self._resumes and (session := self.resume()) is not None:
            LOG.info("game %d goes on", session.log.game)
        self.pictures.start()
        self.publisher.start()
        self._thread.start()
        self.devices.start(self.report)
        self._monitor.thread.start()

    def stop_soon(self) -> None:
        """Make no more rulings, and write all waiting data; to be followed by `stop`."""
        self._thread.stopping.set()
        self.store.flush()

    def stop(self) -> None:
        """End everything; the journal is kept."""
        self._thread.stopping.set()
        self._monitor.thread.stop(1.0)
        self.devices.stop()
        self._thread.stop(1.0)
        self.pictures.stop()
        self.publisher.stop()
        self.announcements.close()
        self.store.close()

    # The state

    def state(self) -> Mapping[str, Any]:
        """Return all that a page shows (see `state.py`); cheap, and the caller's to keep."""
        return {**self._state, "t_ns": self.clock()}

    def subscribe(self, notify: Callable[[int], None], *, to_idle_bell: bool = False) -> Callable[[], None]:
        """Call `notify(version)` after each change, quickly and from any thread; return a function that ends it.

        to_idle_bell: call `notify(t_ns)` instead at a press of the bell while no game is in play.
        """
        # Without the lock: the page must come up while a picture is read.
        listeners = self._bell_listeners if to_idle_bell else self._listeners
        listeners.append(notify)

        def end() -> None:
            with suppress(ValueError):
                listeners.remove(notify)

        return end

    def changed(self) -> None:
        """Note a change of the shown state; from any thread."""
        with self.turn():
            self._is_changed = True

    @contextmanager
    def turn(self) -> Iterator[None]:
        """Hold the lock; make the state once when the outermost turn ends, if something has changed."""
        with self.lock:
            self._turns += 1
            try:
                yield
            finally:
                self._turns -= 1
                if not self._turns and self._is_changed:
                    self._publish()

    def _publish(self) -> None:
        self._is_changed, self._made_ns = False, self.clock()
        session = self.match.session
        announcer = None if session is None else self._announcer(session)
        self._version += 1
        self._state = {"version": self._version, **state_of(self, announcer)}
        self.notify()

    def notify(self) -> None:
        """Let pages look for news beside the state, such as a lesson; from any thread, and without the lock."""
        for notify in tuple(self._listeners):
            notify(self._version)

    # What devices notice

    def look(self, frame: Frame) -> Outcome:
        """Take the next frame; it is dropped while there is no game, a pause, or nothing more to watch."""
        with self.turn():
            session = self.match.session
            if session is None or not session.looks_on:
                return Outcome()
            outlines, doubts = session.watcher.outlines, session.watcher.doubts
            self.frame = frame
            self.pictures.watched.append(frame.exposure_end_ns)
            outcome = self.match.look(frame)
            self._heed(session, outcome)
            if self._understood is None or outcome.records:
                self._understood = frame
            if session.watcher.doubts != doubts:
                asked = {session.question_id(doubt): doubt.shown for doubt in session.watcher.doubts}
                self.question_pictures.heed(asked, self._understood, frame)
                self._is_changed = True
            elif session.watcher.outlines is not outlines and self.clock() - self._made_ns >= OUTLINES_NS:
                self._is_changed = True
            return outcome

    def hear(self, event: DeviceEvent) -> Outcome:
        """Take an event of a device."""
        with self.turn():
            session = self.match.session
            if session is None or isinstance(event, Problem) or (session.paused and isinstance(event, BellPressed)):
                return Outcome()
            outcome = self.match.hear(event)
            self._heed(session, outcome)
            if isinstance(event, SandTrouble | SandResumed):
                self.announcements.announce(Announcement((sandtimer.say(event, self.language),), urgent=True))
            return outcome

    def resume(self, *, aloud: bool = True) -> Session | None:
        """Resume the game in play at the referee's end, None if there was none; `aloud`: announce it.

        One that this Ringmaster cannot read stays in the journal, closed.
        """
        with self.turn():
            try:
                resumed = self.match.resume()
            except (ValueError, KeyError):
                self.announcements.speak(self.language.text("service.last_game_cannot_be_gone"))
                return None
            if resumed is None:
                return None
            session, unheard = resumed
            if aloud:
                self.announcements.resumed(self._announcer(session), session, unheard)
            self.pictures_kept(session.log.game)
            return session

    def pictures_kept(self, game: int) -> None:
        """Note new pictures of a game's events."""
        found = self.evidence.of_game(game)
        with self.turn():
            self.picture_of, self._is_changed = {(game, event): name for event, name in found.items()}, True

    def _heed(self, session: Session, outcome: Outcome) -> None:
        """Request pictures of the new events, and announce the outcome."""
        self.pictures.want(session, outcome.records, self.frame)
        if (self._fault is None) is not (session.fault is None):
            self._report("reader", Health.OK if session.fault is None else Health.STALLED, session.fault or "")
        self._fault = session.fault
        announcer = self._announcer(session)
        if outcome.rulings:
            self.announcements.rule(announcer, outcome.rulings)
            if self.devices.ruled is not None:
                self.devices.ruled(outcome.rulings)
        if outcome.notices:
            self.notices = self.announcements.notice(announcer, outcome.notices)
        elif outcome.rulings:
            self.notices = ()
        self.announcements.ask(announcer, session.question, heard=[record.event for record in outcome.records])
        if outcome.notices or outcome.records:
            self._is_changed = True

    def _announcer(self, session: Session) -> Announcer:
        """Return the announcer of a game; the last one is kept, as it has the words of its rulings."""
        header, kept = session.header, self._words
        if kept is None or kept[0] is not header or kept[1].language is not self.language:
            kept = self._words = header, Announcer(header.game, header.players, self.language)
        return kept[1]

    # What people say

    def do(self, command: commands.Command, arrival: Arrival | None = None) -> Mapping[str, Any]:
        """Carry out a command, and return its results; it is in the journal by then.

        arrival: of a phone's ring. A command with a `moment` holds only if the state still has that name.

        Raises:
            OvertakenError: something else came first; nothing has changed.
            BadInputError: there is no such thing, or it cannot be so.
        """
        expected = command.moment if isinstance(command, commands.Timely) else None
        with nullcontext() if expected is None else self.turn():
            if expected not in (None, moment(self.match.session)):
                raise OvertakenError("fault.overtaken")
            done = self._do(command, arrival)
        return {**done, "version": self._version}

    def _do(self, command: commands.Command, arrival: Arrival | None) -> Mapping[str, Any]:
        match command:
            case commands.Start(game=game, players=players, options=options):
                if game not in GAMES:
                    raise BadInputError("error.service.choose_game_and_say_who", list=", ".join(GAMES))
                return {"game": str(self.begin(game, players, options).log.game)}
            case commands.Simple(do="stop"):
                self.end_game()
            case commands.Simple(do="pause" | "resume" as what):
                self.pause(what == "pause")
            case commands.Simple(do="flip") if not self.devices.flip():
                self.say("timer_flipped", {})
            case commands.Simple(do="time"):
                self.say("timer_ran_out", {})
            case commands.Simple(do="count"):
                # The person at the page cannot see the camera's view: the page asks for hands that it did not see.
                self.say("count", {"ask": True})
            case commands.Simple(do="undo"):
                self.undo()
            case commands.Ringer(seat=seat):
                with self.turn():
                    asked = self.match.playing().question
                    which = {} if asked is None or asked.kind != "who_rang" else {"ring_t_ns": asked.t_ns}
                    self.say("ringer", {"seat": seat, **which})
            case commands.Ring(seat=seat, t_ns=t_ns, within_ms=within_ms):
                if seat >= len(self.match.playing().header.players):
                    raise BadInputError("error.service.nobody_sits_there")
                self._phones.ring(seat, t_ns, within_ms * MS, arrival)
            case commands.BellHere():
                self._phones.here()
            case commands.Decide(valid=valid):
                self.say("decided", {"valid": valid})
            case commands.ReportEvent(event=event):
                kind = event.get("event")
                if not isinstance(kind, str):
                    raise BadInputError("error.engine.event_must_say_what_happened")
                data = {key: value for key, value in event.items() if key not in ("event", "t_ns")}
                return {"rulings": [dict(ruling) for ruling in self.say(kind, data).rulings]}
            case commands.Correct():
                return {"changed": self._correct_named(command)}
            case commands.Sheet(hands=hands, table=side):
                return {"sheet": sheet(hands, side, self.language)}
            case commands.AnswerDoubt(question=question, answer=answer):
                self._answer(question, answer)
            case commands.LookAgain(ruling=ruling):
                self._look_again(ruling)
            case commands.Setup(act=act):
                match act:
                    case "open":
                        self.walk.open(command.step)
                    case "answer":
                        self.walk.answer(command.answer)
                    case "keep":
                        self.announcements.speak(self.walk.keep().text)
                    case "skip":
                        self.walk.skip()
                    case "close":
                        self.walk.close()
                self.changed()
                return self.walk.progress(look=True)
            case commands.ChangeSettings():
                return self.change_settings(command.model_dump(exclude_unset=True, exclude={"do"}))
        return {}

    def begin(self, game: str, players: Sequence[str], options: Mapping[str, object]) -> Session:
        """Begin a game instead of the one before, which ends with its points, if it was in play.

        Raises BadInputError: there is no such game, or it cannot be played like that; the one before goes on then.
        """
        header = Header(game, players_in(players), dict(options))
        game_kind(game).start(header)
        header = self.table_decks.complete(game_kind(game).explicit(header))
        with self.turn():
            before = self.match.session
            ended = self.match.start(header)
            if before is not None and ended.records:
                self._heed(before, ended)
            self._understood, self.notices, self._is_changed = None, (), True
            session = self.match.playing()
            self.announcements.show(Signal.OFF)
            names = self.language.list_of(list(header.players))
            self.announcements.speak(self.language.text("service.game_players", game=game.capitalize(), players=names))
            self.announcements.prepare(self._announcer(session).fixed_phrases())
            return session

    def end_game(self) -> None:
        """End the game by agreement; close one that has ended. Raises BadInputError without a game."""
        with self.turn():
            session = self.match.playing()
            was_over, ended = session.over, self.match.end()
            if self.match.session is not None:
                self._heed(session, ended)
            else:
                self.notices = ()
                if not was_over:
                    self.announcements.speak(self.language.text("service.game_was_stopped"))
            self.announcements.show(Signal.OFF)
            self._is_changed = True

    def pause(self, on: bool) -> None:
        """Pause or resume. Raises BadInputError: there is no game, or it is over."""
        with self.turn():
            if self.match.pause(on):
                self.announcements.speak(self.language.text("service.pause" if on else "service.game_goes_on"))
                self._is_changed = True

    def say(self, kind: str, data: Mapping[str, Any]) -> Outcome:
        """Take an event that a person reported. Raises BadInputError: there is no game, or it knows no such event."""
        with self.turn():
            outcome = self.match.report(kind, data)
            self._heed(self.match.playing(), outcome)
            return outcome

    def correct(self, number: int, data: Mapping[str, Any] | None, session: Session | None = None) -> Change:
        """Correct an event, or strike it (None), and announce the change; session: None for the game on the table.

        Raises BadInputError: there is no such event, or it cannot be like that.
        """
        with self.turn():
            session = session or self.match.playing()
            return self._say_change(session, self.match.correct(number, data, session), undone=False)

    def undo(self) -> Change:
        """Undo an early end, the start of another game, or the latest correction, and announce the change.

        Raises BadInputError: there is nothing to undo.
        """
        with self.turn():
            what, change = self.match.undoes, self.match.undo()
            session = self.match.playing()
            if what not in ("start", "stop"):
                return self._say_change(session, change, undone=True)
            if what == "start":
                self.notices = ()
                self.announcements.prepare(self._announcer(session).fixed_phrases())
            self.announcements.speak(self.language.text("service.game_goes_on"))
            self._is_changed = True
            return change

    def _say_change(self, session: Session, change: Change, *, undone: bool) -> Change:
        on_table = self.match.session
        question = None if on_table is None else on_table.question
        announcer, past = self._announcer(session), session is not on_table
        self.announcements.corrected(announcer, change, question, undone=undone, past=past)
        self._is_changed = True
        return change

    def _correct_named(self, command: commands.Correct) -> int:
        """Correct an event, or a ruling's cause, of this game or a past one; return the number of changed rulings."""
        with self.turn():
            session = self.match.find(command.about)
            log = session.log
            is_ruling = command.event is None
            number = log.about(log.ruling(command.about)) if is_ruling else log.event_number(command.about)
            change = self.correct(number, command.new, session)
        return len({row.at for row in (*change.gone, *change.new)})

    def _answer(self, question: str, number: int) -> None:
        """Take an answer to a question of the watcher; correct the events that it took instead meanwhile."""
        with self.turn():
            session = self.match.playing()
            doubt = next((one for one in session.watcher.doubts if session.question_id(one) == question), None)
            if doubt is None or number >= len(doubt.answers):
                raise BadInputError("error.service.that_is_not_asked_any")
            given = doubt.answers[number]
            session.watcher.answered(doubt)
            taken = session.taken_instead(doubt)
            gone_on = not taken or any(record.is_of_game for record in session.log.since(taken[-1]))
            if doubt.taken and len(given.events) > len(taken) and gone_on:
                # A new event now would be ruled as of now: a foul of nobody's.
                raise BadInputError("error.service.play_has_gone_on_since")
            for at, event in enumerate(given.events):
                data = {key: value for key, value in event.data.items() if key != "event"}
                if at < len(taken):
                    self.correct(taken[at], {"event": event.kind, **data})
                else:
                    self.say(event.kind, data)
            for surplus in taken[len(given.events) :]:
                self.correct(surplus, None)
            self.notices, self._is_changed = (), True

    def _look_again(self, ruling: str) -> None:
        """Challenge a ruling (C11): count hands again, repeat other rulings; their pictures stay for long."""
        with self.turn():
            session = self.match.playing()
            row = session.log.ruling(ruling)
            self.store.dispute(session.log.game, session.log.about(row))
            if row.data["ruling"] == "hand":
                self.say("challenge", {"seat": row.data["seat"]})
                return
            self.store.flush()
            self.announcements.speak(*self._announcer(session).sentences(row.data))

    # Settings and devices

    def change_settings(self, data: Mapping[str, Any]) -> Mapping[str, Any]:
        """Change settings, also those that pages do not show.

        Raises:
            BadInputError, WorkFailedError: they cannot be so, or the disk does not take them; nothing has changed.
        """
        with self._settling:
            wanted = self.settings.changed(data)
            others = self.settings.other_devices(wanted)
            self.devices.check(wanted, others)
            save_settings(self.folder, wanted)
            for part in others & {"lamp", "speaker"}:
                self.health.forget(part)
            with self.turn():
                self._take(wanted)
                self.announcements.change(wanted)
                if self.match.session is not None:
                    self.announcements.prepare(self._announcer(self.match.session).fixed_phrases())
                self._is_changed = True
            self.devices.change(wanted, others, self.health.forget)
            if "camera" in others:
                # The calibration is that of the camera before; now the marker cards show the table's place.
                self.keep_profile(None)
                self._monitor.forget()
            self._news.set()
        return {"settings": self.shown_settings}

    def _take(self, settings: TableSettings) -> None:
        self.settings, self.language, self.shown_settings = settings, Language(settings.language), settings.public()

    def keep_profile(self, profile: TableProfile | None) -> None:
        """Watch with a table measured just now, or without one; see `TableArea.keep`."""
        self.area.keep(profile)
        with self.lock:
            self.match.look_again()

    def say_code(self, code: str) -> None:
        """Announce a pairing code digit by digit, for every voice, even at quiet hours: somebody requested it."""
        digits = ", ".join(self.language.number(int(digit)) for digit in code)
        self.announcements.say_aloud(self.language.text("service.code_is", digits=digits))

    def report(self, health: Problem) -> None:
        """Take the state of a device or a part of the program; quick, and from any thread."""
        if self.health.report(health):
            level = logging.INFO if health.state is Health.OK else logging.WARNING
            LOG.log(level, "%s: %s %s", health.part, health.state.value, health.message)
            self._news.set()

    def _report(self, part: str, state: Health, message: str = "") -> None:
        self.report(Problem(part, state, message, t_ns=self.clock()))

    def report_set_aside(self) -> None:
        """Report unreadable files, on the page and in few words aloud."""
        if report_set_aside(self.folder, self.store, self.health):
            self.announcements.speak(self.language.text("service.file_was_damaged_please_look"))
        self._news.set()

    def picture(self, which: str) -> bytes | None:
        """Return a JPEG: `live`, or an evidence picture by its id; None if it is missing or gone."""
        if which == "live":
            return self.pictures.live()
        return self.question_pictures.find(which) or self.evidence.find(which)

    # The thread

    def _referee(self) -> None:
        """Hand the devices' events and frames to the match, for ever (on the thread of its own)."""
        queue, buffer = self.devices.queue, self.devices.buffer
        if self._thread.faults_in_a_row and self.match.session is not None:
            # A fault may have come between an event and its rulings: the journal has both in order.
            self.resume()
        while not self._thread.stopping.is_set():
            if not feed(queue, buffer, self, self._heard, time.monotonic_ns(), self.lock):
                queue.wait(LONGEST_SLEEP_S)
            self._phones.tend()
            self.tend(time.monotonic_ns())
        self.ended.set()

    def tend(self, now_ns: int) -> None:
        """Do everything that is due between two inputs: store, devices, announcements, copies, the sign of life."""
        self._see_to_store(now_ns)
        if self._news.is_set():
            self._news.clear()
            self.changed()
        session = self.match.session
        kind = None if session is None or session.over else GAMES[session.header.game]
        self.announcements.speak(*self._notices.take(self.health.states, kind, self.language, now_ns))
        self.announcements.tend(now_ns)
        self._copying.tend(now_ns, in_play=self.match.in_play)
        self._watchdog.worked(now_ns)

    def _see_to_store(self, now_ns: int) -> None:
        if self.store.trouble is not None and now_ns - self._tried_ns > RETRY_NS:
            self._tried_ns = now_ns
            if self.store.trouble is Trouble.FULL:
                self.evidence.thin()
            self.store.flush()
        trouble = self.store.trouble
        if trouble is not None:
            self._report("journal", Health.STUCK, phrase(f"service.journal.{trouble.value}"))
        elif self._has_trouble:
            self._report("journal", Health.OK)
            if self.match.session is None:
                self.resume()
        self._has_trouble = trouble is not None

    def _fell(self, _fault: Exception) -> None:
        """Make the page show that the referee's thread failed; end the process where it fails again and again."""
        if self._thread.faults_in_a_row < MOST_FAULTS:
            self.changed()
            return
        self.failed = True
        self._thread.stopping.set()
        self.ended.set()

    def _heard(self, event: DeviceEvent, outcome: Outcome) -> None:
        LOG.debug("heard: %s", event)
        self._watchdog.worked(time.monotonic_ns())
        self.setup_kit.hearing.note(event, self.clock())
        if isinstance(event, BellEdge | BellPressed):
            self.pictures.bell.append(event)
        if isinstance(event, Problem):
            self.report(event)
        elif isinstance(event, BellPressed) and not self.match.in_play:
            for pressed in tuple(self._bell_listeners):
                pressed(event.t_ns)


@contextmanager
def running(folder: Path, parts: Parts) -> Iterator[Referee]:
    """Yield a referee at work, with the game resumed that was in play when it last ended.

    Raises:
        WorkFailedError: another one is at work in the folder, or it cannot be used.
    """
    with working_folder(folder) as place:
        referee = Referee(place, parts, nothing_kept=place != folder)
        try:
            referee.start()
            yield referee
        finally:
            referee.stop()
