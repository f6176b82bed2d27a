"""Keeps evidence pictures: files in a folder with a budget; the journal has their list."""

from __future__ import annotations

import shutil
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from referee.errors import WorkFailedError
from referee.files import write_whole
from referee.store.store import Store

MS_PER_DAY = 86_400_000
LAST_GAMES = 20
"""Number of the last games with pictures that lose none for their age."""


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

    def __init__(self, folder: Path, journal: Store, budget: Budget | None = None) -> None:
        self._folder = folder
        self._journal = journal
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
                self._journal.add_evidence(name, game, event, t_ms, len(data))
        except (OSError, WorkFailedError):
            self.thin()
            return False
        if sight is not None:
            self._journal.add_sight(game, event, sight)
        # A power cut may lose a picture, but never a ruling: so a picture need not delay the next ruling.
        self._journal.flush(durable=False)
        return True

    def find(self, name: str) -> bytes | None:
        """Return a picture, None if it is missing or gone."""
        if not self._journal.read("SELECT 1 FROM evidence WHERE file = ?", name):
            return None
        try:
            return self._path(name).read_bytes()
        except OSError:
            return None

    def of_event(self, game: int, event: int) -> tuple[EvidencePicture, ...]:
        """Return the pictures of an event, in the order of time."""
        sql = "SELECT file, t_ms FROM evidence WHERE game = ? AND event = ? ORDER BY t_ms"
        rows = self._journal.read(sql, game, event)
        return tuple(EvidencePicture(*row) for row in rows)

    def of_game(self, game: int) -> dict[int, str]:
        """Return the picture to show first for each event of a game: the last one before it."""
        rows = self._journal.read("SELECT event, file, t_ms FROM evidence WHERE game = ? ORDER BY t_ms DESC", game)
        last = {event: file for event, file, _ in rows}
        return last | {event: file for event, file, t_ms in reversed(rows) if t_ms <= 0}

    def thin(self, now_ms: int | None = None) -> int:
        """Delete pictures beyond the budget, the oldest games first, and return their number.

        now_ms: the time of day; None: nothing goes for its age alone. A clock that jumps makes nothing old: age counts
        from the newest picture there is, games keep their order, and the last ones lose nothing while there is room.
        """
        rows = self._journal.read(
            "SELECT file, bytes, kept_ms, disputed, game FROM evidence ORDER BY disputed, game, event, file"
        )
        over = max(sum(row[1] for row in rows) - self._budget.most_bytes, self._budget.least_free_bytes - self._free())
        days_old = {} if now_ms is None else _days_old([(game, kept_ms) for _, _, kept_ms, _, game in rows], now_ms)
        gone = 0
        for file, size, _, disputed, game in rows:
            days = self._budget.disputed_days if disputed else self._budget.undisputed_days
            if over <= 0 and days_old.get(game, 0) <= days:
                continue
            if not _deleted(self._path(file)):
                # A disk that takes nothing frees nothing either.
                break
            self._journal.forget_evidence(file)
            over -= size
            gone += 1
        if gone:
            self._journal.flush(durable=False)
        return gone

    def forget_game(self, game: int) -> None:
        """Delete the pictures of a game; the next start deletes those that the disk refuses to delete now."""
        for (file,) in self._journal.read("SELECT file FROM evidence WHERE game = ?", game):
            _deleted(self._path(file))

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
        if not self._journal.is_open:
            return []
        known = {file for (file,) in self._journal.read("SELECT file FROM evidence")}
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


def _days_old(kept: Sequence[tuple[int, int]], now_ms: int) -> dict[int, float]:
    """Return the age of each game's pictures, days, without the last games.

    kept: game and time of each picture, ms. No game counts as older than one before it: the clock may have been behind,
    or set back.
    """
    latest: dict[int, int] = {}
    for game, kept_ms in kept:
        latest[game] = max(kept_ms, latest.get(game, 0))
    since_ms, times = 0, {}
    for game in sorted(latest):
        since_ms = times[game] = max(since_ms, latest[game])
    newest_ms = min(now_ms, since_ms)
    return {game: (newest_ms - times[game]) / MS_PER_DAY for game in sorted(latest)[:-LAST_GAMES]}
