"""Plays the demonstration: the simulated table before the referee, with all sentences printed and spoken."""

from __future__ import annotations

import select
import signal
import sys
import tempfile
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from hardware.camera.frames import Frame, FrameExposed
from hardware.events import SandResumed, SandTrouble
from hardware.events import TimedEvent as DeviceEvent
from referee.announcer import Announcement, Announcer
from referee.decks.game_deck import deck_of, version_of
from referee.decks.store import DeckStore
from referee.demo.album import FinishAlbum
from referee.demo.devices import SimulatedDevices
from referee.demo.director import Director
from referee.demo.idle import empty_table
from referee.demo.photo_finish import PhotoFinishes
from referee.demo.players import TablePlayers
from referee.demo.stepped import SteppedTable
from referee.demo.table import TABLE_SEED, DemoTable, demo_table
from referee.demo.voice import LAMP, PrintedVoice, Say, speaker_for, stamped
from referee.engine.events import Event, Header
from referee.engine.log import RulingData
from referee.engine.session import Outcome, Session
from referee.errors import BadInputError, WorkFailedError
from referee.games.confetti.start_options import settings_from
from referee.games.confetti.table_score import score_picture
from referee.games.registry import game_kind, watcher_for
from referee.language import Language
from referee.match.announcements import signal_of
from referee.match.devices import Parts
from referee.match.referee import Referee, running
from referee.match.settings import TableSettings, save_settings
from referee.output import Output, for_people
from referee.phrases import phrase
from referee.sayings import sandtimer
from referee.scoring.evidence_picture import write_picture
from referee.state_folder import as_typed
from referee.watchers.table_finder import WatchSetup
from referee.web.hosts import where
from vision.errors import VisionError
from vision.image import Picture

if TYPE_CHECKING:
    from referee.web.server import PageServer

_POLL_S = 0.1
# largest delay of a busy computer behind the game
_CATCH_UP_S = 60.0


@dataclass(frozen=True)
class ShowOptions:
    """Parameters of the show.

    language: of all sentences. aloud: whether to speak, where possible. page: port of the web page; 0: any free one;
    None: no page. stay: whether the page stays after the game until Ctrl-C; else until Enter on a terminal, and not at
    all elsewhere. picture: path of the picture with the scores.
    """

    language: str
    picture: Path
    aloud: bool = True
    page: int | None = None
    stay: bool = False


def show_live(demo: DemoTable, options: ShowOptions, say: Say) -> bool:
    """Play a table in real time before the whole referee with its page; return whether the picture was written.

    Raises:
        WorkFailedError: the page cannot be served, or the referee has failed.
        KeyboardInterrupt: Ctrl-C before the end of the game, after all threads have ended.
    """
    with _asked_to_end() as asked:
        drawn = _played(demo, options, say, asked)
    _let_end()
    if asked.is_set():
        raise KeyboardInterrupt
    return drawn


def _played(demo: DemoTable, options: ShowOptions, say: Say, asked: threading.Event) -> bool:
    devices = SimulatedDevices(empty_table(), TABLE_SEED)
    clock = [lambda: 0.0]
    voice = PrintedVoice(speaker_for(options.language, say, aloud=options.aloud), lambda: clock[-1](), say)
    with tempfile.TemporaryDirectory(prefix="ringmaster-demo-") as folder:
        save_settings(Path(folder), TableSettings(language=options.language))
        parts = Parts(lambda _: devices, lambda _settings, _health: voice, lambda _settings, _health: voice, drawn=True)
        if version_of(demo.deck) is not None:
            DeckStore(Path(folder)).add(demo.deck)
        with running(Path(folder), parts) as referee:
            director = Director(referee, devices, _first(demo, Path(folder)), say)
            clock.append(lambda: director.seconds)
            director.start()
            page = None
            try:
                page = None if options.page is None else _page(referee, options.page)
                if page is not None:
                    say(f"The page for everybody at the table: {where('', page.port)}")
                header = demo.header
                referee.begin(header.game, header.players, header.options)
                drawn = _watch(referee, director, demo, options, asked)
                if referee.failed:
                    raise WorkFailedError("error.demo.referee_has_failed_please_report")
                if not asked.is_set():
                    _say_what_is_next(drawn, options, say)
                    if page is not None:
                        _stay(options, say, asked)
            finally:
                if asked.is_set():
                    voice.hush()
                if page is not None:
                    page.stop()
                director.stop()
    return drawn


def _first(demo: DemoTable, folder: Path) -> Callable[[Header, int], DemoTable]:
    """Return a writer that gives the demonstration for game 1, and new tables for later games."""

    def write(header: Header, number: int) -> DemoTable:
        return demo if number == 1 else demo_table(header, deck_of(header, folder).deck, number)

    return write


@contextmanager
def _asked_to_end() -> Iterator[threading.Event]:
    """Yield an event that Ctrl-C sets; a second Ctrl-C interrupts.

    An interruption while threads start and stop would leave some running.
    """
    asked = threading.Event()
    # Read before the new handler is set: Ctrl-C may come in between.
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
    """Wait for running readings: a thread at work crashes the end of Python."""
    for thread in threading.enumerate():
        if thread.name in ("referee", "camera", "pictures", "guard", "film"):
            thread.join(_CATCH_UP_S)


def _watch(referee: Referee, director: Director, demo: DemoTable, options: ShowOptions, asked: threading.Event) -> bool:
    """Wait until the game is over, and draw the first counted hands."""
    drawn = False
    while not referee.ended.is_set() and not director.over and not asked.wait(_POLL_S):
        rulings = [{**one["ruling"], "t_ns": one["t_ns"]} for one in referee.state()["rulings"]]
        counted = _last_counted(rulings)
        if counted is not None and not drawn:
            drawn = _draw(demo.frame_at(counted), demo, options.picture, Language(options.language))
    return drawn


def show_fast(demo: DemoTable, options: ShowOptions, say: Say) -> bool:
    """Play a table as fast as possible, without speech; return whether the picture was written."""
    header = demo.header
    announcer = Announcer(header.game, header.players, Language(options.language))
    finishes = PhotoFinishes(header.players)
    watcher = watcher_for(header, WatchSetup(demo.deck))
    session = Session(header, game_kind(header.game).start, watcher, lambda record: finishes.take(record.event))
    album = FinishAlbum(session, announcer, finishes, options.picture.parent / "photo-finish")
    players = TablePlayers(demo)
    drawn: list[bool] = []
    over: list[bool] = []

    def speak(seconds: float, announced: Announcement | None) -> None:
        for sentence in announced.sentences if announced is not None else ():
            say(stamped(seconds, sentence))

    def present(seconds: float, outcome: Outcome, *, looked: bool) -> None:
        for ruling in outcome.rulings:
            over.extend([True] if ruling["ruling"] == "end" else [])
            signal = signal_of(ruling)
            if signal in LAMP:
                say(stamped(seconds, f"(lamp: {LAMP[signal]})"))
        speak(seconds, announcer.announce(outcome.rulings))
        album.heard(outcome, looked=looked)
        if not drawn and _last_counted(outcome.rulings) is not None:
            drawn.append(_draw(outcome.frame, demo, options.picture, announcer.language))

    def heard(event: DeviceEvent, outcome: Outcome) -> None:
        seconds = demo.table.seconds(event.t_ns)
        present(seconds, outcome, looked=isinstance(event, FrameExposed))
        if isinstance(event, SandTrouble | SandResumed):
            speak(seconds, Announcement((sandtimer.say(event, announcer.language),), urgent=True))
        question = session.question
        if question is None:
            return
        answer = players.answer(question.kind, demo.table.seconds(question.t_ns), seconds)
        if answer is not None:
            say(stamped(seconds, answer.words))
            present(seconds, session.report(Event(event.t_ns, answer.kind, answer.data)), looked=False)

    table = SteppedTable(demo.table, TABLE_SEED, session, heard)
    try:
        for _ in table.play():
            pass
        if not over:
            # At a stop the player with the most points wins (C12, P7).
            present(demo.table.seconds(table.clock()), session.report(Event(table.clock(), "stop", {})), looked=False)
    finally:
        table.close()
    if album.paths:
        say(f"A photo-finish of every ring, to look at: {album.paths[0].parent.absolute()}")
    return any(drawn)


def _say_what_is_next(drawn: bool, options: ShowOptions, say: Say) -> None:
    """Print the picture's path, and commands to try."""
    if drawn:
        say(for_people(phrase("terminal.picture_with_evidence_drawn_in", path=options.picture.absolute())))
    command = as_typed("").strip()
    say("")
    say(for_people(phrase("terminal.what_to_try_next")))
    for words, why in (
        ("run --simulated", phrase("terminal.start_any_game_on_page")),
        ("demo piccolino", phrase("terminal.another_game_coloretto_is_third")),
        ("doctor", phrase("terminal.says_what_real_table_still")),
    ):
        say(f"  {command} {words:<16}  {for_people(why)}")
    if "/" in command:
        say(for_people(phrase("terminal.all_of_ringmasters_commands_are", folder=Path(command).parent, path=command)))
    else:
        say(for_people(phrase("terminal.all_commands_help", path=command)))


def _stay(options: ShowOptions, say: Say, asked: threading.Event) -> None:
    """Keep the page for as long as the options say."""
    if options.stay:
        say(for_people(phrase("terminal.page_stays_until_you_press")))
        asked.wait()
    elif sys.stdin is not None and sys.stdin.isatty() and sys.stdout.isatty():
        say(for_people(phrase("terminal.page_stays_open_for_another")))
        while not asked.is_set() and not select.select([sys.stdin], [], [], _POLL_S)[0]:
            pass
    asked.clear()


def _page(referee: Referee, port: int) -> PageServer:
    """Serve the page, at any free port if the given one is in use."""
    from referee.web.app import create_app
    from referee.web.options import WebOptions
    from referee.web.server import PageServer

    app = create_app(referee, WebOptions(say_code=referee.say_code, prints_code=True, has_room=False))
    server = PageServer(app, "", port, referee.report)
    try:
        server.start()
    except WorkFailedError:
        server = PageServer(app, "", 0, referee.report)
        server.start()
    return server


def _last_counted(rulings: Sequence[RulingData]) -> int | None:
    """Return the time of the last count of hands, ns."""
    times = [ruling["t_ns"] for ruling in rulings if ruling.get("ruling") == "hand"]
    return max(times, default=None)


def _draw(frame: Frame | None, demo: DemoTable, path: Path, language: Language) -> bool:
    """Draw the scores into the picture of the count."""
    if frame is None or demo.header.game != "confetti":
        return False
    deck, picture = demo.deck, Picture(frame.bgr(), 1)
    try:
        side = settings_from(demo.header).side
        scored = score_picture(picture, deck, None, len(demo.header.players), 6, side=side)
    except (BadInputError, VisionError):
        return False
    write_picture(path, scored.drawn(language))
    return True


def print_line(text: str) -> None:
    """Print a line at once, in UTF-8 in any locale."""
    output = Output()
    output.line(text)
    output.flush()
