"""Keeps evidence: pictures in a folder with a budget, whose list the journal has, and files of disputed rulings.

The file of a disputed ruling is to be sent, and `ringmaster replay` takes it and rules on it. In it are ten seconds of
the table, black outside of it, the game's events before, settings, version, the measured table and the family's deck;
no names, no codes, and nobody's face.
"""

from __future__ import annotations

import json
import platform
import shutil
import tempfile
from collections.abc import Iterator, Mapping, Sequence
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
from referee.engine.log import GameLog
from referee.errors import BadInputError, WorkFailedError
from referee.files import put_in_place, write_whole
from referee.games.recorded_game import DECK_FILE, TABLE
from referee.store.games import Query, games, kept_game, named_game
from referee.store.store import Store
from vision.deck_file import pack_deck
from vision.errors import BadDeckError

MS_PER_DAY = 86_400_000
LAST_GAMES = 20
"""Number of the last games with pictures that lose none for their age."""
DISPUTES, MOST_KEPT = "disputes", 12
"""The folder of files of disputed rulings, and how many it keeps."""
DISPUTED = "disputed.json"
"""The file in such a recording with the disputed ruling and the machine's state."""
_NO_IMAGE = np.zeros((1, 1, 3), np.uint8)
_OF_PEOPLE = frozenset({"timer_flipped", "timer_ran_out", "decided", "stop", "contested", "count", "challenge"})
# Pictures with their age, days, in the order of deletion. No game counts as older than one before it: the clock may
# have been behind, or set back.
_BY_AGE = f"""WITH dated AS (
        SELECT game, max(max(kept_ms)) OVER (ORDER BY game) AS since_ms, row_number() OVER (ORDER BY game DESC) AS back
        FROM evidence GROUP BY game)
    SELECT file, bytes, disputed, iif(?1 IS NULL OR back <= ?2, 0,
        (min(?1, (SELECT max(since_ms) FROM dated)) - since_ms) / {MS_PER_DAY}.0)
    FROM evidence JOIN dated USING (game) ORDER BY disputed, game, event, file"""


@dataclass(frozen=True)
class Budget:
    """Limits of kept evidence.

    most_bytes: of all pictures. least_free_bytes: free space left on the disk. undisputed_days, disputed_days: the
    least age of deleted pictures, if there is room. Undisputed ones go first, the oldest first.
    """

    most_bytes: int = 2_000_000_000
    least_free_bytes: int = 500_000_000
    undisputed_days: int = 30
    disputed_days: int = 365


@dataclass(frozen=True)
class EvidencePicture:
    """One picture. name: its id. t_ms: from the instant it is about, negative before it."""

    name: str
    t_ms: float


class EvidenceFolder:
    """Keeps pictures; safe to use from any thread, but one thread writes."""

    def __init__(self, folder: Path, store: Store, budget: Budget | None = None) -> None:
        self._folder = folder
        self._store = store
        self._budget = budget or Budget()

    def add(
        self,
        game: int,
        event: int,
        pictures: Sequence[tuple[float, bytes]],
        sight: Mapping[str, object] | None = None,
    ) -> bool:
        """Keep pictures of an event: times from it, ms, and JPEG data. False if the disk does not take them.

        sight: the outlines in the deciding picture.
        """
        try:
            self._folder.mkdir(mode=0o750, exist_ok=True)
            for place, (t_ms, data) in enumerate(pictures):
                name = f"{game}-{event}-{place}"
                write_whole(self._path(name), data)
                about: dict[str, Any] = {"file": name, "game": game, "event": event, "t_ms": float(t_ms)}
                self._store.add("evidence", **about, bytes=len(data), kept_ms=self._store.wall_ms())
        except (OSError, WorkFailedError):
            self.thin()
            return False
        if sight is not None:
            self._store.add("sights", game=game, event=event, data=sight)
        # A power cut may lose a picture, but never a ruling: so a picture need not delay the next ruling.
        self._store.flush(durable=False)
        return True

    def find(self, name: str) -> bytes | None:
        """Return a picture, None if it is missing or gone."""
        if not self._store.read("SELECT 1 FROM evidence WHERE file = ?", name):
            return None
        try:
            return self._path(name).read_bytes()
        except OSError:
            return None

    def of_event(self, game: int, event: int) -> tuple[EvidencePicture, ...]:
        """Return the pictures of an event, in the order of time."""
        sql = "SELECT file, t_ms FROM evidence WHERE game = ? AND event = ? ORDER BY t_ms"
        rows = self._store.read(sql, game, event)
        return tuple(EvidencePicture(*row) for row in rows)

    def of_game(self, game: int) -> dict[int, str]:
        """Return the picture to show first for each event of a game: the last one before it."""
        rows = self._store.read("SELECT event, file, t_ms FROM evidence WHERE game = ? ORDER BY t_ms DESC", game)
        last = {event: file for event, file, _ in rows}
        return last | {event: file for event, file, t_ms in reversed(rows) if t_ms <= 0}

    def thin(self, now_ms: int | None = None) -> int:
        """Delete pictures beyond the budget, the oldest games first, and return their number.

        now_ms: the time of day; None: nothing goes for its age alone. A clock that jumps makes nothing old: age counts
        from the newest picture there is, games keep their order, and the last ones lose nothing while there is room.
        """
        ((total,),) = self._store.read("SELECT coalesce(sum(bytes), 0) FROM evidence")
        over, gone = max(total - self._budget.most_bytes, self._budget.least_free_bytes - self._free()), 0
        for file, size, disputed, days_old in self._store.read(_BY_AGE, now_ms, LAST_GAMES):
            days = self._budget.disputed_days if disputed else self._budget.undisputed_days
            if over <= 0 and days_old <= days:
                continue
            if not _deleted(self._path(file)):
                # A disk that takes nothing frees nothing either.
                break
            self._store.forget_evidence(file)
            over -= size
            gone += 1
        if gone:
            self._store.flush(durable=False)
        return gone

    def forget_game(self, game: int) -> None:
        """Delete a game with its pictures and the kept files of its disputed rulings.

        The next start deletes the pictures that the disk refuses to delete now.

        Raises:
            WorkFailedError: the disk does not take it.
        """
        for (file,) in self._store.read("SELECT file FROM evidence WHERE game = ?", game):
            _deleted(self._path(file))
        for path in self._folder.with_name(DISPUTES).glob(f"{game}-*"):
            _deleted(path)
        self._store.delete_game(game)

    def sweep(self) -> None:
        """Delete files that the journal does not know, left by a power cut. To be called at the start only."""
        for path in (*self._folder.glob("*.part"), *self._unknown()):
            _deleted(path)

    def set_aside(self, name: str) -> bool:
        """Set aside pictures that the journal does not know; False on failure.

        name: that of the journal that was set aside.
        """
        away = self._folder.with_name(f"{self._folder.name}-of-{name}")
        try:
            for path in self._unknown():
                away.mkdir(mode=0o750, exist_ok=True)
                path.rename(away / path.name)
        except OSError:
            return False
        return True

    def _unknown(self) -> list[Path]:
        if not self._store.is_open:
            return []
        known = {file for (file,) in self._store.read("SELECT file FROM evidence")}
        return [path for path in sorted(self._folder.glob("*.jpg")) if path.stem not in known]

    def _free(self) -> int:
        try:
            return shutil.disk_usage(self._folder if self._folder.exists() else self._folder.parent).free
        except OSError:
            return self._budget.least_free_bytes

    def _path(self, name: str) -> Path:
        return self._folder / f"{name}.jpg"


def _deleted(path: Path) -> bool:
    """Delete a file; False if the disk does not let it go."""
    try:
        path.unlink(missing_ok=True)
    except OSError:
        return False
    return True


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
    log = named_game(query, ruling)
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
        log = kept_game(query, row)
        for ruling in log.newest():
            return log.ruling_id(ruling)
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
    row = log.ruling(ruling)
    about, shift_ns = log.records[log.about(row)].event, machine.shift_ns
    begins_ns = film.frames[0].exposure_end_ns + shift_ns if film.frames else None
    ends_ns = film.frames[-1].exposure_end_ns + shift_ns if film.frames else log.records[row.event].event.t_ns
    names = tuple(f"Player {seat + 1}" for seat in range(len(log.header.players)))
    reported = list(_reported(log, begins_ns, ends_ns, machine.said))
    start_ns = min([about.t_ns, *(one.t_ns for one in reported), *(one.t_ns + shift_ns for one in film.frames)])
    with RecordingWriter(path, replace(log.header, players=names).as_json(), start_ns) as writer:
        for event in reported:
            writer.input(event.t_ns, event.as_json())
        for one in film.frames:
            frame = Frame(one.t_ns + shift_ns, one.exposure_end_ns + shift_ns, _NO_IMAGE, one.sequence)
            writer.frame(frame, one.encoded)
        for edge in film.edges:
            writer.edge(replace(edge, t_ns=edge.t_ns + shift_ns))
        for heard in log.records.values():
            if (begins_ns is None or heard.event.t_ns > begins_ns) and heard.event.t_ns <= ends_ns:
                for given in heard.first or heard.rulings:
                    writer.ruling(heard.event.t_ns, given)
        writer.attach(DISPUTED, _about(row.data, about, machine), start_ns)
        for name, data in _files(folder, log).items():
            writer.attach(name, data, start_ns)


def _reported(log: GameLog, begins_ns: int | None, ends_ns: int, said: frozenset[int]) -> Iterator[Event]:
    """Yield the events that pictures and bell do not show, with corrections."""
    for record, event in log.played():
        is_before = begins_ns is None or event.t_ns <= begins_ns
        if event.t_ns <= ends_ns and (is_before or record.number in said or event.kind in _OF_PEOPLE):
            yield event


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
        "event": event.as_json(),
        "version": version("ringmaster"),
        "python": platform.python_version(),
        "system": f"{platform.system()} {platform.release()} {platform.machine()}",
        "settings": dict(machine.settings),
        "camera_notes": list(machine.notes),
    }
    return json.dumps(about, indent=1, ensure_ascii=False).encode()
