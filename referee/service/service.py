"""The running referee: every part is started here in its turn, and stopped in the opposite one."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from hardware.camera.plugged import Plugged
from hardware.events import BellPressed
from hardware.events import Event as DeviceEvent
from hardware.problems import Health, HealthBoard, Problem
from referee.engine.clockwork import LONGEST_SLEEP_S, Clockwork
from referee.engine.session import Outcome
from referee.files import name_kept, set_aside_files
from referee.journal.evidence import EvidenceFolder
from referee.journal.folder import EVIDENCE, JOURNAL, working_folder
from referee.journal.journal import Journal
from referee.log import LOG
from referee.mqtt.publisher import Publisher
from referee.phrases import phrase
from referee.sayings import service as sayings
from referee.service import defaults
from referee.service.bus import Bus, IdleBell, NothingToKeep, ReadingFailed, Ruled
from referee.service.devices import FollowsPlay
from referee.service.film import FilmKeeper
from referee.service.game_controller import GameController
from referee.service.guard.guard import Guard
from referee.service.guard.machine_watchers import machine_watchers
from referee.service.housekeeping import Housekeeping
from referee.service.keeping import Keeping
from referee.service.part_thread import part_thread
from referee.service.parts import Parts
from referee.service.phone_bells import Arrival, PhoneBells
from referee.service.power import power_here
from referee.service.retrying import RetryingLamp, RetryingSpeaker
from referee.service.ring_pictures import Pictures, Wanted
from referee.service.set_aside import report_set_aside
from referee.service.settings import TableSettings, load_settings
from referee.service.setup_kit import SetupKit
from referee.service.system import System
from referee.service.table_area import TableArea
from referee.service.table_decks import TableDecks
from referee.service.table_desk import TableDesk
from referee.service.voice import Voice
from referee.service.watchdog import Watchdog, boot_id, interval_ns, notify
from referee.setup.walk import Walk
from vision.profile import TableProfile

MOST_FAULTS = 5
"""After so many failures in a row of the referee's own thread only a new process may help."""
_MOST_MENDING_S = 900


class Service:
    """A referee, put together but not at work before `start`.

    desk: what the page asks. ended: set when the referee's thread is over; failed: and it was by a fault.
    bus: what its parts tell one another, and whoever else listens.
    """

    def __init__(self, folder: Path, parts: Parts, *, nothing_kept: bool = False) -> None:
        """Open the journal in a folder that is locked, and the loudspeaker and the lamp.

        nothing_kept: the folder is gone after this start.
        """
        self.folder = folder
        self._nothing_kept = nothing_kept
        self.health = HealthBoard()
        self._news = threading.Event()
        self._stopping = threading.Event()
        self.ended = threading.Event()
        self.failed = False
        self._resumes = parts.resumes
        self.bus = bus = Bus()
        settings, self._complaint = load_settings(folder)
        self._decks = TableDecks(parts.decks or folder, self.report, self.health.forget, parts.deck)
        self._boot = boot_id()
        # A large journal that is damaged takes minutes to mend on a Raspberry Pi.
        notify(f"EXTEND_TIMEOUT_USEC={_MOST_MENDING_S * 1_000_000}")
        self.journal = Journal(folder / JOURNAL)
        self._evidence = EvidenceFolder(folder / EVIDENCE, self.journal)
        self._profile = parts.profile or defaults.kept_profile(folder, self.report)
        make_speaker, make_lamp = parts.speaker or defaults.default_speaker, parts.lamp or defaults.default_lamp
        self._fitted = settings
        self._lamp = RetryingLamp(lambda report: make_lamp(self._fitted, report), self.report)
        self.voice = Voice(
            lambda wanted: RetryingSpeaker(lambda report: make_speaker(wanted, report), self.report),
            self._lamp,
            settings,
            defaults.time_of_day,
            bus,
        )
        self.controller = controller = GameController(
            self.journal,
            self.voice,
            settings,
            lambda header: self._decks.watcher(header, self._profile),
            self._boot,
            complete=self._decks.complete,
            bus=bus,
        )
        self.devices = parts.devices(settings)
        self._plugged = Plugged()
        self._phones = PhoneBells(self.devices.queue)
        self._area = TableArea(self._profile)
        self._pictures = Pictures(self.devices.buffer, self._evidence, self._area, bus=bus, report=self.report)
        self.desk = TableDesk(controller, self._evidence, self._pictures, self.health, folder, self, decks=self._decks)
        self.publisher = Publisher(
            folder, self.journal, self._evidence, self.desk, lambda: controller.open_game, report=self.report
        )
        self.devices.queue.on_put = self.publisher.heard
        self._film = film = FilmKeeper(self.devices.buffer, self._area, self._pictures.want, report=self.report)
        bus.subscribe(Wanted, film.want)
        bus.subscribe(ReadingFailed, self._read_fault)
        devices = self.devices
        if isinstance(devices, FollowsPlay):
            bus.subscribe(Ruled, lambda news: devices.ruled(news.rulings))
        bus.subscribe(NothingToKeep, lambda _: self.journal.checkpoint())
        self.desk.listen(bus)
        change, outline = self.desk.change_settings, self._area.outline
        kit = SetupKit(
            folder,
            controller,
            self.health,
            self.devices,
            change,
            lambda: self._profile,
            self.keep_profile,
            outline,
            cameras=self.cameras,
        )
        self._setup_heard = kit.heard
        self.desk.walk = Walk(kit)
        self.keeping = Keeping(folder, controller, self.health, change, self.keep_profile, self.camera_notes, film.of)
        self.system = System(
            folder,
            controller,
            self.health,
            self._evidence,
            power_here(),
            known=self.desk.known,
            refresh=self.desk.refresh,
        )
        self._guard = Guard(
            self.devices,
            controller,
            self.health,
            outline,
            machine_watchers(folder),
            self.desk.refresh,
            report=self.report,
            drawn=parts.drawn,
        )
        self._watchdog = Watchdog(interval_ns(), self.devices.camera_hangs, folder, self._boot)
        self._housekeeping = Housekeeping(
            controller, self.health, self._evidence, self._watchdog, self._news, self.desk.refresh
        )
        self._thread = part_thread("referee", self._referee, self.report, self._fell)

    def start(self) -> None:
        """Go on with the game that was being played, and begin to see, hear and rule."""
        LOG.info("games and settings are kept in %s", self.folder)
        asides = [path for path in set_aside_files(self.folder) if name_kept(path) == "journal"]
        if not asides or self._evidence.set_aside(asides[-1].stem):
            # Never where pictures still lie that the new journal cannot know.
            self._evidence.sweep()
        self.report_set_aside()
        if self._nothing_kept:
            sentence = phrase("service.disk_takes_nothing_whatever_you")
            self.report(Problem("journal", Health.STUCK, sentence, t_ns=time.monotonic_ns()))
        if self._complaint is not None:
            self.report(Problem("settings", Health.MISSING, self._complaint, t_ns=time.monotonic_ns()))
        if self._resumes and (play := self.controller.resume()) is not None:
            LOG.info("game %d goes on", play.log.row.game)
            self.desk.resumed(play)
        self._pictures.start()
        self._film.start()
        self.publisher.start()
        self._thread.start()
        self.devices.start(self.report)
        self._guard.start()

    def report_set_aside(self) -> None:
        """Report files that made no sense, on the page and in few words aloud."""
        if report_set_aside(self.folder, self.journal, self.health):
            self.voice.tell(sayings.look_at_page(self.controller.language))
            self._news.set()

    def stop_soon(self) -> None:
        """Make no more rulings, and write what waits; to be followed by `stop`."""
        self._stopping.set()
        self.journal.flush()

    def stop(self) -> None:
        """End everything; what was journalled is kept."""
        self._stopping.set()
        self._guard.stop()
        self.devices.stop()
        self._thread.stop(1.0)
        self._pictures.stop()
        self._film.stop()
        self.publisher.stop()
        self.voice.close()
        self.journal.close()

    def flip(self) -> bool:
        """Take it that the sandtimer was turned, told by a person."""
        return self.devices.flip()

    def cameras(self) -> list[tuple[str, str]]:
        """Give the cameras that are plugged in: what each is set by, and what its maker calls it."""
        return self._plugged()

    def camera_notes(self) -> tuple[str, ...]:
        """Give what the camera could not do when it was set up, of `hardware.camera.notes`."""
        return self.devices.camera_notes

    def ring(self, seat: int, t_ns: int, within_ns: int) -> bool:
        """Take a press of a phone that is a bell."""
        self._phones.ring(seat, t_ns, within_ns)
        return True

    def ring_that_came(self, seat: int, t_ns: int, within_ns: int, arrival: Arrival) -> bool:
        """Take a press of a phone, dated back by half of its round trip at most."""
        self._phones.ring(seat, t_ns, within_ns, arrival)
        return True

    def bell_here(self) -> None:
        """Take it that a phone may ring from now on."""
        self._phones.here()

    def check(self, settings: TableSettings) -> None:
        """Try the devices that other settings name.

        Raises:
            SettingError: one of them cannot be had; nothing has changed.
        """
        others = self._fitted.other_devices(settings)
        if settings.camera == self._fitted.camera:
            # Its pictures are only turned; a camera that is in use cannot be tried.
            others -= {"camera"}
        self.devices.check(settings, others)

    def fit(self, settings: TableSettings) -> None:
        """Go on with the devices that other settings name."""
        others = self._fitted.other_devices(settings)
        self._fitted = settings
        if not others:
            return
        LOG.info("other devices are set: %s", ", ".join(sorted(others)))
        self.devices.change(settings, others, self.health.forget)
        if "lamp" in others:
            self.health.forget("lamp")
            self._lamp.reopen()
        if "speaker" in others and not settings.loudspeaker:
            self.health.forget("speaker")
        if "camera" in others:
            # What was calibrated holds for the camera before; from now on the marker cards tell where the table is.
            defaults.put_profile_away(self.folder)
            self._profile = None
            self._area.forget()
            self._guard.forget()
            self.controller.look_anew()
        self._news.set()

    def keep_profile(self, profile: TableProfile) -> None:
        """Go on with a table that was measured just now, and after each start.

        Raises:
            WorkFailedError: the disk does not take it.
        """
        defaults.keep_profile(self.folder, profile)
        self._profile = profile
        self._area.measured(profile)
        self.controller.look_anew()

    def say_code(self, code: str) -> None:
        """Say a pairing code aloud, even at quiet hours: somebody asked for it."""
        self.voice.say_aloud(sayings.pairing_code(code, self.controller.language))

    def newest_picture(self) -> tuple[int, NDArray[np.uint8]] | None:
        """Give when the newest frame was exposed, ns, and the frame, BGR."""
        frame = self.devices.buffer.newest
        return None if frame is None else (frame.t_ns, frame.bgr())

    def table_picture(self) -> NDArray[np.uint8] | None:
        """Give the newest frame, BGR, black outside of the table as far as anybody knows where that is."""
        newest = self.newest_picture()
        return None if newest is None else self._area.surveyed(newest[1])

    def report(self, health: Problem) -> None:
        """Take how a device, or a part of the program, is; quick, and from any thread."""
        if self.health.report(health):
            level = logging.INFO if health.state is Health.OK else logging.WARNING
            LOG.log(level, "%s: %s %s", health.part, health.state.value, health.message)
            self._news.set()

    def _read_fault(self, news: ReadingFailed) -> None:
        state = Health.OK if news.why is None else Health.STALLED
        self.report(Problem("reader", state, news.why or "", t_ns=time.monotonic_ns()))

    def _referee(self) -> None:
        """Bring what was seen and heard before the controller, for ever (on the thread of its own)."""
        queue = self.devices.queue
        clockwork = Clockwork(queue, self.devices.buffer, self.controller, self._heard, self.controller.lock)
        if self._thread.faults_in_a_row and self.controller.play is not None:
            # A fault may have come between an event and its rulings: the journal has both in order.
            self.controller.resume()
        while not self._stopping.is_set():
            with self._watchdog.reading():
                worked = clockwork.step()
            if not worked:
                queue.wait(LONGEST_SLEEP_S)
            self._phones.tend()
            self._housekeeping.tend(time.monotonic_ns())
        self.ended.set()

    def _fell(self, _fault: Exception) -> None:
        """Make the page show that the referee's thread failed; end the process where it fails again and again."""
        if self._thread.faults_in_a_row < MOST_FAULTS:
            self.desk.refresh()
            return
        self.failed = True
        self._stopping.set()
        self._thread.stopping.set()
        self.ended.set()

    def _heard(self, event: DeviceEvent, outcome: Outcome) -> None:
        LOG.debug("heard: %s", event)
        self._setup_heard(event)
        self._film.take(event, outcome)
        if isinstance(event, Problem):
            self.report(event)
        elif isinstance(event, BellPressed) and not self.controller.in_play:
            self.bus.publish(IdleBell(event.t_ns))


@contextmanager
def running(folder: Path, parts: Parts) -> Iterator[Service]:
    """Give a referee at work, with the game going on that was being played when it last ended.

    Raises:
        WorkFailedError: another one is at work in the folder, or it cannot be used.
    """
    with working_folder(folder) as place:
        service = Service(place, parts, nothing_kept=place != folder)
        try:
            service.start()
            yield service
        finally:
            service.stop()
