"""`ringmaster run`: the referee at work, with its page on every phone at the table."""

from __future__ import annotations

import argparse
import os
import signal
import socket
import threading
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from referee.arguments import port
from referee.errors import BadInputError, RefereeError, WorkFailedError
from referee.log import LEVELS, begin_log
from referee.output import complain

if TYPE_CHECKING:
    from referee.demo.devices import SimulatedDevices
    from referee.service.parts import Parts
    from referee.service.service import Service
    from referee.service.shutdown import Shutdown

SUMMARY = "referee the game on the table, with a page for every phone"
_STOP_CHECK_S = 0.5


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    parser.add_argument("--host", default="", help="address to serve the page at (default: all of this machine)")
    parser.add_argument("--port", type=port, default=8080, help="port of the page (default 8080)")
    parser.add_argument("--camera", metavar="CAMERA", help="picamera2, usb:0, a folder, a video or a recording")
    parser.add_argument(
        "--simulated",
        action="store_true",
        help="a table that draws itself and plays any game that is started",
    )
    parser.add_argument(
        "--first-evening",
        action="store_true",
        help="with --simulated: the page begins with setting up, and whatever that asks for is done at the table",
    )
    parser.add_argument(
        "--table", type=Path, metavar="PROFILE", help="the table's profile, instead of the one that is kept"
    )
    parser.add_argument("--deck", metavar="DECK", help="the deck to offer first for a game (see ringmaster decks)")
    parser.add_argument("--state", metavar="DIR", type=Path, help="where games and settings are kept")
    parser.add_argument(
        "--log-level", choices=LEVELS, default="info", help="of what is logged to standard error (default info)"
    )


def run(args: argparse.Namespace) -> int:
    """Work until SIGTERM or Ctrl-C.

    Raises:
        BadInputError: a camera, a table or a deck was named for the table that draws itself, or the deck is not here.
        VisionError: the table's profile cannot be used.
        WorkFailedError: another referee is at work, the page cannot be served, or the referee has failed.
    """
    from hardware.camera.camera import parse_spec
    from referee.c_heap import share_one_heap
    from referee.demo.idle import simulated_devices, simulated_parts
    from referee.journal.folder import SIMULATED, state_folder
    from referee.service.service import running
    from referee.service.shutdown import Shutdown
    from referee.web.server import listening

    share_one_heap()
    for option in ("camera", "table", "deck"):
        if args.simulated and getattr(args, option) is not None:
            raise BadInputError(f"--{option} is for the real table; --simulated draws its own")
    if args.camera is not None:
        parse_spec(args.camera)
    if args.first_evening and not args.simulated:
        raise BadInputError("--first-evening is for trying how a table is set up: say --simulated, too")
    folder = state_folder(args.state)
    if args.simulated:
        # Games that nobody played are not to stand among a family's own.
        folder /= SIMULATED
    simulated = simulated_devices(setting_up=args.first_evening) if args.simulated else None
    parts = _parts(args, folder) if simulated is None else simulated_parts(simulated)
    begin_log(args.log_level)
    shutdown = Shutdown()
    try:
        # Before any device is opened: where the page cannot be, nobody could play.
        with (
            _until_told(shutdown) as stop,
            closing(listening(args.host, args.port)) as listener,
            running(folder, parts) as service,
            _playing(service, simulated, setting_up=args.first_evening),
        ):
            _serve(service, args, listener, stop)
            if service.failed:
                raise WorkFailedError("the referee has failed and must be started again; the game is kept")
    except RefereeError as error:
        shutdown.end(1, f"ringmaster run: {error}")
        raise
    shutdown.end(0)
    return 0


def _serve(service: Service, args: argparse.Namespace, listener: socket.socket, stop: threading.Event) -> None:
    """Serve the page until it is time to stop."""
    from referee.lessons.lessons import Lessons
    from referee.service.bus import IdleBell
    from referee.service.watchdog import notify
    from referee.web.app import create_app
    from referee.web.hosts import where
    from referee.web.options import WebOptions
    from referee.web.server import PageServer

    lessons = Lessons(service.folder, service.table_picture)
    options = WebOptions(
        state_dir=service.folder,
        say_code=service.say_code,
        newest_picture=service.newest_picture,
        keeping=service.keeping,
        system=service.system,
        lessons=lessons,
        has_room=not args.simulated,
        house=service.publisher,
    )
    app = create_app(service.desk, options)
    service.report_set_aside()
    service.bus.subscribe(IdleBell, lambda bell: app.state.bell_pressed(bell.t_ns))
    server = PageServer(app, args.host, args.port, service.report)
    server.start(listener)
    try:
        notify(f"READY=1\nSTATUS=The page is at port {server.port}.")
        print(f"The referee is ready: {where(args.host, server.port)}", flush=True)
        while not stop.wait(_STOP_CHECK_S) and not service.ended.is_set():
            pass
        notify("STOPPING=1")
        service.stop_soon()
    finally:
        server.stop()
        lessons.close()


def _parts(args: argparse.Namespace, folder: Path) -> Parts:
    from referee.service.devices import TableDevices
    from referee.service.parts import Parts
    from referee.service.table_decks import check_kept
    from vision.profile import load_profile

    camera: str | None = args.camera
    if args.deck is not None:
        check_kept(args.deck, folder)
    profile = None if args.table is None else load_profile(args.table)
    return Parts(lambda settings: TableDevices(settings, camera), deck=args.deck, profile=profile)


@contextmanager
def _playing(service: Service, simulated: SimulatedDevices | None, *, setting_up: bool) -> Iterator[None]:
    """Let the people at a simulated table play what begins."""
    if simulated is None:
        yield
        return
    from referee.demo.director import Director

    director = Director(service, simulated, setting_up=setting_up)
    director.start()
    try:
        yield
    finally:
        director.stop()


@contextmanager
def _until_told(shutdown: Shutdown) -> Iterator[threading.Event]:
    """Give what is set at SIGTERM or Ctrl-C, and say faults of any thread in one line."""
    stop = threading.Event()

    def tell(*_: object) -> None:
        stop.set()
        shutdown.begin()

    before = [(number, signal.signal(number, tell)) for number in (signal.SIGTERM, signal.SIGINT)]
    hook = threading.excepthook
    if not os.environ.get("RINGMASTER_DEBUG"):
        threading.excepthook = _say_fault
    try:
        yield stop
    finally:
        threading.excepthook = hook
        for number, handler in before:
            signal.signal(number, handler)


def _say_fault(fault: threading.ExceptHookArgs) -> None:
    name = fault.thread.name if fault.thread is not None else "?"
    what = " ".join(f"{fault.exc_type.__name__}: {fault.exc_value}".split())[:200]
    complain("run", f"a fault of its own in the part “{name}” ({what}); please report it")
