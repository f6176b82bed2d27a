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
from hardware.recording import RecordingNotWrittenError, RecordingWriter
from referee.decks.store import DeckStore
from referee.engine.corrections import corrected, corrected_events
from referee.engine.events import DECK, Event
from referee.engine.log import GameLog, Record, numbers_in
from referee.errors import BadInputError, WorkFailedError
from referee.files import put_in_place
from referee.games.recorded_game import DECK_FILE, TABLE
from referee.jsonlines import shown
from referee.match.frame_history import HeldFrames
from referee.match.settings import TableSettings
from referee.match.table import PROFILE
from referee.store.games import Query, game_numbered, games, kept_game
from vision.deck_file import pack_deck
from vision.errors import BadDeckError

DISPUTED = "disputed.json"
"""The file in such a recording with the disputed ruling and the machine's state."""
DISPUTES, MOST_KEPT = "disputes", 12
_NO_IMAGE = np.zeros((1, 1, 3), np.uint8)
_SECRET = ("voice_page",)
_OF_PEOPLE = frozenset({"timer_flipped", "timer_ran_out", "decided", "stop", "contested", "count", "challenge"})


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


def keep_disputed(folder: Path, log: GameLog, ruling: str, film: HeldFrames, machine: MachineReport) -> Path:
    """Write the file into the state folder, which keeps the last ones, and return its path.

    An existing one stays if there is no more film than then: the first tap comes soonest after the ruling.

    Raises:
        BadInputError: there is no such ruling.
        WorkFailedError: the disk does not take it.
    """
    log.ruling(ruling)
    path = kept_path(folder, ruling)
    if path.exists() and not film.shots:
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


def as_kept(folder: Path, query: Query, ruling: str, settings: TableSettings) -> tuple[bytes, bool]:
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
            write_disputed(path, log, ruling, HeldFrames(), MachineReport(open_settings(settings)), folder)
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


def open_settings(settings: TableSettings) -> dict[str, Any]:
    """Return the settings that anybody may read."""
    return {name: value for name, value in settings.public().items() if name not in _SECRET}


def kept_path(folder: Path, ruling: str) -> Path:
    """Return the path of a ruling's file."""
    return folder / DISPUTES / f"{ruling}.mcap"


def write_disputed(
    path: Path, log: GameLog, ruling: str, film: HeldFrames, machine: MachineReport, folder: Path
) -> None:
    """Write the file.

    log: the game. ruling: the name of the disputed one. film: of the time round it; without one, the file has all
    events,
    and the ruling rests on the readings of then. folder: with the measured table and decks.

    Raises:
        BadInputError: there is no such ruling.
        RecordingNotWrittenError: the disk does not take it.
    """
    place, ruled = log.ruling(ruling)
    record, about = log.records[place.event], log.records[log.about(place, ruled)]
    shots = [replace(s, t_ns=s.t_ns + machine.shift_ns) for s in film.shots]
    begins_ns = film.shots[0].exposure_end_ns + machine.shift_ns if shots else None
    ends_ns = film.shots[-1].exposure_end_ns + machine.shift_ns if shots else record.event.t_ns
    names = tuple(f"Player {seat + 1}" for seat in range(len(log.header.players)))
    header = {"game": log.header.game, "players": list(names), "options": dict(log.header.options)}
    told = list(_told(log, begins_ns, ends_ns, machine.said))
    start_ns = min([event.t_ns for event in told] + [shot.t_ns for shot in shots] + [about.event.t_ns])
    with RecordingWriter(path, header, start_ns) as writer:
        for event in told:
            writer.told(event.t_ns, {**event.data, "event": event.kind, "t_ns": event.t_ns})
        for shot in shots:
            end_ns = shot.exposure_end_ns + machine.shift_ns
            writer.frame(Frame(shot.t_ns, end_ns, _NO_IMAGE, shot.sequence), shot.jpeg)
        for edge in film.edges:
            writer.bell(replace(edge, t_ns=edge.t_ns + machine.shift_ns))
        for one in log.records.values():
            if (begins_ns is None or one.event.t_ns > begins_ns) and one.event.t_ns <= ends_ns:
                for given in one.first or one.rulings:
                    writer.ruling(one.event.t_ns, given)
        writer.attach(DISPUTED, _about(ruled, about, machine), start_ns)
        for name, data in _files(folder, log).items():
            writer.attach(name, data, start_ns)


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
    found = {}
    with suppress(OSError):
        found[TABLE] = (folder / PROFILE).read_bytes()
    name = log.header.options.get(DECK)
    with suppress(BadDeckError, WorkFailedError):
        if name in DeckStore(folder).names():
            found[DECK_FILE] = pack_deck(DeckStore(folder).load(str(name)))
    return found


def _about(ruled: Mapping[str, Any], about: Record, machine: MachineReport) -> bytes:
    told = {
        "disputed": dict(ruled),
        "event": {**about.event.data, "event": about.event.kind, "t_ns": about.event.t_ns},
        "version": version("ringmaster"),
        "python": platform.python_version(),
        "system": f"{platform.system()} {platform.release()} {platform.machine()}",
        "settings": dict(machine.settings),
        "camera_notes": list(machine.notes),
    }
    return json.dumps(told, indent=1, ensure_ascii=False).encode()
