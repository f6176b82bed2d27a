"""`ringmaster record`: records the table's pictures into one file for `replay`."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping
from contextlib import closing, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import click

from referee.commands import COMMANDS, options
from referee.engine.events import DECK, Header
from referee.errors import BadInputError, WorkFailedError
from referee.files import check_writable
from referee.names import players_in
from referee.output import complain, for_people
from referee.phrases import phrase

if TYPE_CHECKING:
    from hardware.camera.camera import Camera, CameraSettings
    from hardware.camera.frames import Frame
    from hardware.events import BellEdge, SandEdge

FILES = ("folder", "video", "recording")
SECOND_NS = 1_000_000_000


@click.command(help=COMMANDS["record"])
@options.output("FILE.mcap", "the recording to write", required=True)
@options.camera("picamera2")
@click.option("--seconds", metavar="N", type=float, help="stop by itself after so many seconds")
@click.option("--fps", metavar="N", type=float, default=30.0, help="pictures a second")
@click.option("--edges", is_flag=True, help="also record bell and sandtimer on the Raspberry Pi's pins")
@click.option(
    "--game",
    metavar="GAME",
    shell_complete=options.games_from,
    help="the game that is played, for the replay: confetti, piccolino …",
)
@click.option("--players", metavar="NAMES", help="the players clockwise, with commas: Ann,Ben,Cem")
@options.deck("the deck on the table", show_default="the game's own")
@options.language
def command(
    output: Path,
    camera: str,
    seconds: float | None,
    fps: float,
    edges: bool,
    game: str | None,
    players: str | None,
    deck: str | None,
) -> int:
    """Record until the time is over, the pictures end, or Ctrl-C; exit status 0 in all three cases."""
    from hardware.camera.camera import CameraSettings, open_camera, parse_spec

    header = _header(game, players, deck)
    if seconds is not None and not (math.isfinite(seconds) and seconds > 0):
        raise BadInputError("error.commands.seconds_cannot_be_recorded", seconds=seconds)
    check_writable(output)
    if output.exists():
        raise BadInputError("error.is_there_already_choose_another", path=output)
    from_file = parse_spec(camera)[0] in FILES
    settings = CameraSettings(frames_per_s=fps, live=not from_file)
    opened = open_camera(camera, settings)
    for note in opened.notes:
        _say(note)
    frames = _all_frames(opened) if from_file else _live_frames(opened, camera, settings, seconds)
    with closing(frames), _edges(edges) as fetch:
        return _record(output, header, frames, fetch, seconds)


def _record(
    output: Path,
    header: Mapping[str, object] | None,
    frames: Iterator[Frame],
    fetch: Callable[[], Iterable[BellEdge | SandEdge]],
    seconds: float | None,
) -> int:
    from hardware.recording import RecordingWriter

    first = next(frames, None)
    if first is None:
        raise WorkFailedError("error.commands.not_one_picture_came")
    span_ns = math.inf if seconds is None else seconds * SECOND_NS
    last = first
    with RecordingWriter(output, header, first.t_ns) as writer:
        try:
            writer.frame(first)
            for frame in frames:
                for edge in fetch():
                    writer.edge(edge)
                if frame.t_ns - first.t_ns >= span_ns:
                    break
                writer.frame(frame)
                last = frame
        except KeyboardInterrupt:
            _say(phrase("error.stopped"))
        for edge in fetch():
            writer.edge(edge)
        count = writer.frames
    lost = last.sequence - first.sequence + 1 - count
    span_s = f"{(last.t_ns - first.t_ns) / SECOND_NS:.1f}"
    if lost > 0:
        result = phrase("terminal.recorded_but", n=count, path=output, lost=lost, seconds=span_s)
    else:
        result = phrase("terminal.recorded", n=count, path=output, seconds=span_s)
    print(for_people(result))
    return 0


@contextmanager
def _edges(wanted: bool) -> Iterator[Callable[[], Iterable[BellEdge | SandEdge]]]:
    """Open the bell's and the sandtimer's lines, if wanted; yield a function that fetches their edges."""
    if not wanted:
        yield tuple
        return
    from hardware.bell import bell_lines, bell_seats
    from hardware.edges import EdgeTap
    from hardware.gpio import GpioLines
    from hardware.sand import sand_lines
    from hardware.settings import BellSettings, SandSettings

    bell = BellSettings()
    tap = EdgeTap(GpioLines([*bell_lines(bell), *sand_lines(SandSettings())]), bell_seats(bell), _say)
    tap.open()
    try:
        yield tap.fetch
    finally:
        tap.close()


def _all_frames(camera: Camera) -> Generator[Frame, None, None]:
    """Yield every frame of a file, as fast as possible."""
    try:
        while (frame := camera.read()) is not None:
            yield frame
    finally:
        camera.close()
        for note in camera.notes:
            _say(note)


def _live_frames(
    camera: Camera, spec: str, settings: CameraSettings, seconds: float | None
) -> Generator[Frame, None, None]:
    """Yield the newest frame each time, across disconnections of the camera, until the time is over."""
    from hardware.camera.camera import open_camera
    from hardware.camera.frames import FrameBuffer
    from hardware.camera.supervisor import CameraState, CameraSupervisor

    opened = [camera]
    # Only the newest frame is needed; older ones would cost memory.
    buffer = FrameBuffer(keep_ns=SECOND_NS // 2)
    supervisor = CameraSupervisor(
        lambda: opened.pop() if opened else open_camera(spec, settings), buffer, lambda report: _say(report.message)
    )
    end_ns = math.inf if seconds is None else time.monotonic_ns() + seconds * SECOND_NS
    supervisor.start()
    seen = 0
    try:
        while time.monotonic_ns() < end_ns:
            frame, seen = buffer.wait_newer(seen, timeout_s=0.5)
            if frame is not None:
                yield frame
            elif supervisor.report.state is CameraState.ENDED:
                return
    finally:
        supervisor.stop()


def _header(game: str | None, players: str | None, deck: str | None) -> dict[str, object] | None:
    if game is None:
        if players is not None or deck is not None:
            raise BadInputError("error.commands.say_with_game_which_game")
        return None
    from referee.games.registry import game_kind

    given = (players or "").split(",")
    if not all(name.strip() for name in given):
        raise BadInputError("error.commands.say_with_players_who_plays")
    # An invalid header would be noticed only at the replay, after the evening.
    header = game_kind(game).explicit(Header(game, players_in(given), {} if deck is None else {DECK: deck}))
    game_kind(game).start(header)
    if deck is not None:
        from referee.decks.game_deck import with_version

        header = with_version(header)
    return {"game": game, "players": list(header.players), "options": dict(header.options)}


def _say(message: str) -> None:
    complain("record", message)
