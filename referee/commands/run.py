"""`ringmaster run`: runs the referee, with its page on every phone at the table."""

from __future__ import annotations

import os
import signal
import socket
import threading
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import click

from referee.commands import COMMANDS, options
from referee.errors import BadInputError, RingmasterError, WorkFailedError
from referee.log import LEVELS, begin_log
from referee.output import complain
from referee.phrases import phrase

if TYPE_CHECKING:
    from referee.demo.devices import SimulatedDevices
    from referee.match.devices import Parts
    from referee.match.process import Shutdown
    from referee.match.referee import Referee

_STOP_CHECK_S = 0.5


@click.command(help=COMMANDS["run"])
@options.host
@options.port(8080)
@options.camera()
@click.option("--simulated", is_flag=True, help="a table that draws itself and plays any game that is started")
@click.option(
    "--first-evening",
    is_flag=True,
    help="with --simulated: the page begins with setting up, and whatever that asks for is done at the table",
)
@options.table("the table's profile, instead of the one that is kept")
@options.deck("the deck to offer first for a game (see ringmaster decks)")
@options.state("where games and settings are kept")
@click.option("--log-level", type=click.Choice(LEVELS), default="info", help="of what is logged to standard error")
def command(
    host: str,
    port: int,
    camera: str | None,
    simulated: bool,
    first_evening: bool,
    table: Path | None,
    deck: str | None,
    state: Path | None,
    log_level: str,
) -> int:
    """Run until SIGTERM or Ctrl-C.

    Raises:
        BadInputError: the simulated table got a camera, a table or a deck, or the deck does not exist.
        VisionError: the table's profile cannot be used.
        WorkFailedError: another referee is running, the page cannot be served, or the referee has failed.
    """
    from hardware.camera.camera import parse_spec
    from referee.c_heap import share_one_heap
    from referee.demo.idle import simulated_devices, simulated_parts
    from referee.match.process import Shutdown
    from referee.match.referee import running
    from referee.state_folder import SIMULATED, state_folder
    from referee.web.server import listening

    share_one_heap()
    for option, given in (("camera", camera), ("table", table), ("deck", deck)):
        if simulated and given is not None:
            raise BadInputError("error.commands.is_for_real_table_simulated", option=option)
    if camera is not None:
        parse_spec(camera)
    if first_evening and not simulated:
        raise BadInputError("error.commands.first_evening_is_for_trying")
    folder = state_folder(state)
    if simulated:
        # Simulated games stay apart from a family's own.
        folder /= SIMULATED
    devices = simulated_devices(setting_up=first_evening) if simulated else None
    parts = _parts(camera, table, deck, folder) if devices is None else simulated_parts(devices)
    begin_log(log_level)
    shutdown = Shutdown()
    try:
        # The port is opened before any device: without the page nobody could play.
        with (
            _until_stopped(shutdown) as stop,
            closing(listening(host, port)) as listener,
            running(folder, parts) as referee,
            _playing(referee, devices, setting_up=first_evening),
        ):
            _serve(referee, (host, port), listener, stop, has_room=not simulated)
            if referee.failed:
                raise WorkFailedError("error.commands.referee_has_failed_and_must")
    except RingmasterError as error:
        shutdown.end(1, f"ringmaster run: {error}")
        raise
    shutdown.end(0)
    return 0


def _serve(
    referee: Referee, address: tuple[str, int], listener: socket.socket, stop: threading.Event, *, has_room: bool
) -> None:
    """Serve the page until `stop`."""
    from referee.lessons.lessons import Lessons
    from referee.match.process import notify
    from referee.web.app import create_app
    from referee.web.hosts import where
    from referee.web.options import WebOptions
    from referee.web.server import PageServer

    lessons = Lessons(referee.folder, referee.pictures.newest_of_table, on_change=referee.notify)
    options = WebOptions(
        state_dir=referee.folder,
        say_code=referee.say_code,
        newest_picture=referee.pictures.newest,
        lessons=lessons,
        has_room=has_room,
    )
    app = create_app(referee, options)
    referee.report_set_aside()
    server = PageServer(app, *address, referee.report)
    server.start(listener)
    try:
        notify(f"READY=1\nSTATUS=The page is at port {server.port}.")
        print(f"The referee is ready: {where(address[0], server.port)}", flush=True)
        while not stop.wait(_STOP_CHECK_S) and not referee.ended.is_set():
            pass
        notify("STOPPING=1")
        referee.stop_soon()
    finally:
        server.stop()
        lessons.close()


def _parts(camera: str | None, table: Path | None, deck: str | None, folder: Path) -> Parts:
    from referee.match.devices import Parts, TableDevices
    from referee.match.table_decks import check_kept
    from vision.profile import load_profile

    if deck is not None:
        check_kept(deck, folder)
    profile = None if table is None else load_profile(table)
    return Parts(lambda settings: TableDevices(settings, camera), deck=deck, profile=profile)


@contextmanager
def _playing(referee: Referee, simulated: SimulatedDevices | None, *, setting_up: bool) -> Iterator[None]:
    """Let the people at a simulated table play each game that begins."""
    if simulated is None:
        yield
        return
    from referee.demo.director import Director

    director = Director(referee, simulated, setting_up=setting_up)
    director.start()
    try:
        yield
    finally:
        director.stop()


@contextmanager
def _until_stopped(shutdown: Shutdown) -> Iterator[threading.Event]:
    """Yield an event that SIGTERM or Ctrl-C sets, and report the faults of all threads in one line."""
    stop = threading.Event()

    def on_signal(*_: object) -> None:
        stop.set()
        shutdown.begin()

    before = [(number, signal.signal(number, on_signal)) for number in (signal.SIGTERM, signal.SIGINT)]
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
    complain("run", phrase("terminal.own_fault_in_part", part=name, what=what))
