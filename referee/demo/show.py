"""Plays the demonstration: the simulated table before the referee, with all that is said printed and spoken."""

from __future__ import annotations

import signal
import tempfile
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from hardware.chimes import Chime
from hardware.events import Event as DeviceEvent
from hardware.frame_tap import FrameExposed
from hardware.frames import Frame
from hardware.health import DeviceHealth
from hardware.lamp import Signal
from hardware.speaker import NullSpeaker, Speaker, open_speaker
from hardware.speaker_settings import SpeakerSettings
from hardware.speaker_spoken import SpokenSpeaker
from referee.announcer import Announcer
from referee.demo.album import FinishAlbum
from referee.demo.devices import SimulatedDevices
from referee.demo.stepped import SteppedTable
from referee.demo.table import DemoTable
from referee.errors import BadInputError, WorkFailedError
from referee.events import Event
from referee.evidence_picture import write_picture
from referee.games.registry import game_kind
from referee.language import Language
from referee.output import Output
from referee.photo_finish import PhotoFinishes
from referee.service.service import Parts, Service, running
from referee.service.settings import TableSettings, save_settings
from referee.service.voice import signal_of
from referee.session import Outcome, RulingData, Session
from referee.table_score import score_picture
from referee.watchers.setup import WatchSetup, watcher_for
from vision.deck import load_deck
from vision.errors import VisionError
from vision.image import Picture

if TYPE_CHECKING:
    from referee.web.server import PageServer

_LAST_WORDS_S = 20.0
_POLL_S = 0.1
# A busy computer may be behind the game by so much.
_CATCH_UP_S = 60.0
_LAMP = {
    Signal.VALID: "green",
    Signal.FALSE: "red, blinking",
    Signal.UNCLEAR: "yellow",
    Signal.TIME_RUNNING: "blue: the sand runs",
    Signal.TIME_OVER: "white, flashing: time",
}
Say = Callable[[str], None]


@dataclass(frozen=True)
class ShowOptions:
    """How it is shown.

    language: of all that is said. aloud: whether it is spoken, where this computer can. page: the port of the web page;
    0: any that is free; None: no page. stay: whether the page stays after the game, until Ctrl-C. picture: where the
    table is drawn when its hands have been counted.
    """

    language: str
    picture: Path
    aloud: bool = True
    page: int | None = None
    stay: bool = False


class PrintedVoice:
    """A speaker and a lamp that print what they say and show; `speaker` says it aloud as well."""

    def __init__(self, speaker: Speaker, seconds: Callable[[], float], say: Say) -> None:
        self._speaker = speaker
        self._seconds = seconds
        self._print = say

    def say(self, sentences: Sequence[str], *, urgent: bool = True, chime: Chime | None = None) -> None:
        """Print sentences with their time, and say them."""
        for sentence in sentences:
            self._print(stamped(self._seconds(), sentence))
        self._speaker.say(sentences, urgent=urgent, chime=chime)

    def hush(self) -> None:
        """Be silent."""
        self._speaker.hush()

    def prepare(self, sentences: Sequence[str]) -> None:
        """Get ready for sentences."""
        self._speaker.prepare(sentences)

    def show(self, signal: Signal) -> None:
        """Print what the lamp would show."""
        if signal in _LAMP:
            self._print(stamped(self._seconds(), f"(lamp: {_LAMP[signal]})"))

    def mute(self, quiet: bool) -> None:
        """Make no difference: the lamp has no buzzer here."""

    def close(self) -> None:
        """Let what was begun be said to its end."""
        if isinstance(self._speaker, SpokenSpeaker):
            self._speaker.wait(_LAST_WORDS_S)
        self._speaker.close()


def stamped(seconds: float, sentence: str) -> str:
    """Give a line with the time of the game."""
    return f"{max(seconds, 0.0):6.1f} s  {sentence}"


def show_live(demo: DemoTable, options: ShowOptions, say: Say) -> bool:
    """Play a table in real time before the whole service, its page included; tells whether the picture was written.

    Raises:
        WorkFailedError: the page cannot be served, or the referee has failed.
        KeyboardInterrupt: Ctrl-C before the game was over; all that had begun has ended.
    """
    with _asked_to_end() as asked:
        drawn = _played(demo, options, say, asked)
    _let_end()
    if asked.is_set():
        raise KeyboardInterrupt
    return drawn


def _played(demo: DemoTable, options: ShowOptions, say: Say, asked: threading.Event) -> bool:
    devices = SimulatedDevices(demo.table, demo.seed)
    voice = PrintedVoice(_speaker(options, say), lambda: devices.seconds, say)
    with tempfile.TemporaryDirectory(prefix="ringmaster-demo-") as folder:
        save_settings(Path(folder), TableSettings(language=options.language))
        parts = Parts(
            lambda _: devices, lambda _settings, _health: voice, lambda _settings, _health: voice, demo.header
        )
        with running(Path(folder), parts) as service:
            page = None if options.page is None else _page(service, options.page)
            try:
                if page is not None:
                    say(f"The page for everybody at the table: http://localhost:{page.port}/")
                drawn = _watch(service, devices, demo, options, asked)
                if service.failed:
                    raise WorkFailedError("the referee has failed; please report it")
                if page is not None and options.stay and not asked.is_set():
                    say("The page stays until you press Ctrl-C.")
                    asked.wait()
                    asked.clear()
            finally:
                if asked.is_set():
                    voice.hush()
                if page is not None:
                    page.stop()
    return drawn


@contextmanager
def _asked_to_end() -> Iterator[threading.Event]:
    """Give what Ctrl-C sets; pressed again, it interrupts.

    An interruption among the starts and stops of threads would meet some that cannot be stopped yet.
    """
    asked = threading.Event()
    # Asked for first: Ctrl-C may come while the other one is being put in its place.
    before = signal.getsignal(signal.SIGINT)

    def ask(*_: object) -> None:
        asked.set()
        signal.signal(signal.SIGINT, before)

    signal.signal(signal.SIGINT, ask)
    try:
        yield asked
    finally:
        signal.signal(signal.SIGINT, before)


def _let_end() -> None:
    """Wait for a reading that was begun: a thread that is still at work when Python ends takes everything down."""
    for thread in threading.enumerate():
        if thread.name in ("referee", "camera", "pictures"):
            thread.join(_CATCH_UP_S)


def _watch(
    service: Service, devices: SimulatedDevices, demo: DemoTable, options: ShowOptions, asked: threading.Event
) -> bool:
    """Wait until the game is over and the referee has caught up, draw the first hands that are counted meanwhile."""
    drawn, ruled = False, 0
    while not service.ended.is_set() and not (devices.over and ruled >= demo.rulings):
        if devices.seconds > demo.table.script.length_s + _CATCH_UP_S:
            break
        if asked.wait(_POLL_S):
            break
        told = [{**one["ruling"], "t_ns": one["t_ns"]} for one in service.desk.state()["rulings"]]
        ruled = sum(ruling["ruling"] == demo.ruling for ruling in told)
        counted = _last_counted(told)
        if counted is not None and not drawn:
            drawn = _draw(demo.frame_at(counted), demo, options.picture)
    return drawn


def show_fast(demo: DemoTable, options: ShowOptions, say: Say) -> bool:
    """Play a table as fast as the machine can, in silence; tells whether the picture was written."""
    header = demo.header
    announcer = Announcer(header.game, header.players, Language(options.language))
    finishes = PhotoFinishes(header.players)
    session = Session(game_kind(header.game).start(header), watcher_for(header, WatchSetup()), finishes.take)
    album = FinishAlbum(session, announcer, finishes, options.picture.parent / "photo-finish")
    drawn: list[bool] = []

    def heard(event: DeviceEvent, outcome: Outcome) -> None:
        seconds = demo.table.seconds(event.t_ns)
        for ruling in outcome.rulings:
            signal = signal_of(ruling)
            if signal in _LAMP:
                say(stamped(seconds, f"(lamp: {_LAMP[signal]})"))
        for told in (announcer.announce(outcome.rulings), announcer.announce_event(event)):
            for sentence in told.sentences if told is not None else ():
                say(stamped(seconds, sentence))
        album.heard(outcome, looked=isinstance(event, FrameExposed))
        if not drawn and _last_counted(outcome.rulings) is not None:
            drawn.append(_draw(outcome.frame, demo, options.picture))

    table = SteppedTable(demo.table, demo.seed, session, heard)
    try:
        for _ in table.play():
            pass
        if header.game == "piccolino":
            # Nobody plays on: who holds most cards has won (P7).
            stopped = announcer.announce(session.say(Event(table.clock(), "stop", {})).rulings)
            for sentence in stopped.sentences if stopped is not None else ():
                say(stamped(demo.table.seconds(table.clock()), sentence))
    finally:
        table.close()
    if album.paths:
        say(f"A photo-finish of every ring, to look at: {album.paths[0].parent.absolute()}")
    return any(drawn)


def _page(service: Service, port: int) -> PageServer:
    """Serve the page; at any free port where the wanted one is taken."""
    from referee.web.app import create_app
    from referee.web.options import WebOptions
    from referee.web.server import PageServer

    app = create_app(service.desk, WebOptions(say_code=service.say_code))
    server = PageServer(app, "", port)
    try:
        server.start()
    except WorkFailedError:
        server = PageServer(app, "", 0)
        server.start()
    return server


def _last_counted(rulings: Sequence[RulingData]) -> int | None:
    """Give when hands were counted last, ns."""
    times = [ruling["t_ns"] for ruling in rulings if ruling.get("ruling") == "hand"]
    return max(times, default=None)


def _draw(frame: Frame | None, demo: DemoTable, path: Path) -> bool:
    """Draw the scores into the picture that they were counted on."""
    if frame is None:
        return False
    deck, picture = load_deck("confetti"), Picture(frame.bgr(), 1)
    try:
        scored = score_picture(picture, deck, None, len(demo.header.players), 6)
    except (BadInputError, VisionError):
        return False
    write_picture(path, scored.drawn(picture, deck))
    return True


def _speaker(options: ShowOptions, say: Say) -> Speaker:
    """Give what speaks, if that is wanted and can be had; what is missing is said once."""
    told: set[str] = set()

    def complain(health: DeviceHealth) -> None:
        if health.message and health.message not in told:
            told.add(health.message)
            say(f"({health.message})")

    return open_speaker(SpeakerSettings(language=options.language), complain) if options.aloud else NullSpeaker()


def print_line(text: str) -> None:
    """Print a line at once, in UTF-8 whatever the locale says."""
    output = Output()
    output.line(text)
    output.flush()
