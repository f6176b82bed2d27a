"""Writes a disputed ruling as one file to send, which `ringmaster replay` takes and rules on.

In it are ten seconds of the table, black outside of it, the game's events before, settings, version, the measured table
and the family's deck; no names, no codes, and nobody's face.
"""

from __future__ import annotations

import json
import platform
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np

from hardware.camera.frames import Frame
from hardware.events import BellEdge
from hardware.recording import RecordedFrame, RecordingNotWrittenError, RecordingWriter
from referee.decks.store import DeckStore
from referee.engine.events import DECK, Event
from referee.engine.log import GameLog, corrected, corrected_events, numbers_in
from referee.errors import BadInputError, WorkFailedError
from referee.files import put_in_place
from referee.games.recorded_game import DECK_FILE, TABLE
from referee.jsonlines import shown
from referee.store.games import Query, game_numbered, games, kept_game
from vision.deck_file import pack_deck
from vision.errors import BadDeckError

DISPUTED = "disputed.json"
"""The file in such a recording with the disputed ruling and the machine's state."""
DISPUTES, MOST_KEPT = "disputes", 12
_NO_IMAGE = np.zeros((1, 1, 3), np.uint8)
_OF_PEOPLE = frozenset({"timer_flipped", "timer_ran_out", "decided", "stop", "contested", "count", "challenge"})


@dataclass(frozen=True)
class Film:
    """Pictures and bell edges round an instant, monotonic, in the order of time."""

    frames: tuple[RecordedFrame, ...] = ()
    edges: tuple[BellEdge, ...] = ()


@dataclass(frozen=True)
class MachineReport:
    """State of the machine. settings: without secrets. notes: failures of the camera's setup.

    shift_ns: the game's clock less that of the film. said: the numbers of the events that people reported, as far as
    known.
    """

    settings: Mapping[str, Any]
    notes: tuple[str, ...] = ()
    shift_ns: int = 0
    said: frozenset[int] = frozenset()


def keep_disputed(folder: Path, log: GameLog, ruling: str, film: Film, machine: MachineReport) -> Path:
    """Write the file into the state folder, which keeps the last ones, and return its path.

    An existing one stays if there is no more film than then: the first tap comes soonest after the ruling.

    Raises:
        BadInputError: there is no such ruling.
        WorkFailedError: the disk does not take it.
    """
    log.ruling(ruling)
    path = kept_path(folder, ruling)
    if path.exists() and not film.frames:
        return path
    part = path.with_suffix(".part")
    try:
        path.parent.mkdir(mode=0o750, exist_ok=True)
        part.unlink(missing_ok=True)
        write_disputed(part, log, ruling, film, machine, folder)
        put_in_place(part, path)
        for old in sorted(path.parent.glob("*.mcap"), key=lambda one: one.stat().st_mtime_ns)[:-MOST_KEPT]:
            old.unlink(missing_ok=True)
    except (OSError, RecordingNotWrittenError) as error:
        with suppress(OSError):
            part.unlink(missing_ok=True)
        raise WorkFailedError("error.service.file_to_send_cannot_be", why=error) from error
    return path


def as_kept(folder: Path, query: Query, ruling: str, settings: Mapping[str, Any]) -> tuple[bytes, bool]:
    """Return the file of a ruling, and whether it shows the table: the kept one, else a new one.

    Raises:
        BadInputError: there is no such ruling.
        WorkFailedError: the file cannot be read or made.
    """
    game = next(iter(numbers_in(ruling)), None)
    row = None if game is None else game_numbered(query, game)
    if row is None:
        raise BadInputError("error.service.there_is_no_ruling", ruling=shown(ruling))
    log = kept_game(query, row).log()
    log.ruling(ruling)
    kept = kept_path(folder, ruling)
    try:
        if kept.exists():
            return kept.read_bytes(), True
        with tempfile.TemporaryDirectory() as place:
            path = Path(place) / kept.name
            write_disputed(path, log, ruling, Film(), MachineReport(settings), folder)
            return path.read_bytes(), False
    except (OSError, RecordingNotWrittenError) as error:
        raise WorkFailedError("error.service.file_to_send_cannot_be_made", why=error) from error


def last_ruling(query: Query) -> str:
    """Return the name of the last ruling of the game that was played last.

    Raises:
        BadInputError: nothing has been ruled yet.
    """
    for row in games(query):
        log = kept_game(query, row).log()
        for place, _ in log.newest(1):
            return log.ruling_id(place)
    raise BadInputError("error.service.nothing_has_been_ruled_yet")


def kept_path(folder: Path, ruling: str) -> Path:
    """Return the path of a ruling's file."""
    return folder / DISPUTES / f"{ruling}.mcap"


def write_disputed(path: Path, log: GameLog, ruling: str, film: Film, machine: MachineReport, folder: Path) -> None:
    """Write the file.

    log: the game. ruling: the name of the disputed one. film: of the time round it; without one, the file has all
    events, and the ruling rests on the readings of then. folder: with the measured table and decks.

    Raises:
        BadInputError: there is no such ruling.
        RecordingNotWrittenError: the disk does not take it.
    """
    place, ruled = log.ruling(ruling)
    record, about = log.records[place.event], log.records[log.about(place, ruled)]
    shift_ns = machine.shift_ns
    begins_ns = film.frames[0].exposure_end_ns + shift_ns if film.frames else None
    ends_ns = film.frames[-1].exposure_end_ns + shift_ns if film.frames else record.event.t_ns
    names = [f"Player {seat + 1}" for seat in range(len(log.header.players))]
    header = {"game": log.header.game, "players": names, "options": dict(log.header.options)}
    told = list(_told(log, begins_ns, ends_ns, machine.said))
    start_ns = min([about.event.t_ns, *(one.t_ns for one in told), *(one.t_ns + shift_ns for one in film.frames)])
    with RecordingWriter(path, header, start_ns) as writer:
        for event in told:
            writer.told(event.t_ns, _line(event))
        for one in film.frames:
            frame = Frame(one.t_ns + shift_ns, one.exposure_end_ns + shift_ns, _NO_IMAGE, one.sequence)
            writer.frame(frame, one.encoded)
        for edge in film.edges:
            writer.bell(replace(edge, t_ns=edge.t_ns + shift_ns))
        for heard in log.records.values():
            if (begins_ns is None or heard.event.t_ns > begins_ns) and heard.event.t_ns <= ends_ns:
                for given in heard.first or heard.rulings:
                    writer.ruling(heard.event.t_ns, given)
        writer.attach(DISPUTED, _about(ruled, about.event, machine), start_ns)
        for name, data in _files(folder, log).items():
            writer.attach(name, data, start_ns)


def _line(event: Event) -> dict[str, Any]:
    return {**event.data, "event": event.kind, "t_ns": event.t_ns}


def _told(log: GameLog, begins_ns: int | None, ends_ns: int, said: frozenset[int]) -> Iterator[Event]:
    """Yield the events that pictures and bell do not show, with corrections."""
    instead = corrected_events(log.corrections)
    for number, record in log.records.items():
        data = instead.get(number, {})
        if data is None or record.refused or not record.is_of_game or record.event.t_ns > ends_ns:
            continue
        before = begins_ns is None or record.event.t_ns <= begins_ns
        if before or number in said or record.event.kind in _OF_PEOPLE:
            yield corrected(record.event, data) if data else record.event


def _files(folder: Path, log: GameLog) -> dict[str, bytes]:
    """Return the measured table and the taught deck, which are only here."""
    found, name = {}, log.header.options.get(DECK)
    with suppress(OSError):
        found[TABLE] = (folder / TABLE).read_bytes()
    with suppress(BadDeckError, WorkFailedError):
        if name in DeckStore(folder).names():
            found[DECK_FILE] = pack_deck(DeckStore(folder).load(str(name)))
    return found


def _about(ruled: Mapping[str, Any], event: Event, machine: MachineReport) -> bytes:
    about = {
        "disputed": dict(ruled),
        "event": _line(event),
        "version": version("ringmaster"),
        "python": platform.python_version(),
        "system": f"{platform.system()} {platform.release()} {platform.machine()}",
        "settings": dict(machine.settings),
        "camera_notes": list(machine.notes),
    }
    return json.dumps(about, indent=1, ensure_ascii=False).encode()
