"""Storage that loses its memory with the power: SQLite on files of which only what was synced is really there.

Whatever is written waits in this process's memory until it is synced, so that killing the process is cutting the power.
As real disks do, some unsynced writes get through early, alone, out of order, or torn at a sector. Needs `apsw`.
"""

from __future__ import annotations

import os
import random
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, cast

import apsw

from referee.journal.database import Connection, Value

NAME = "forgetful"
SECTOR = 512
EARLY = 0.2
TORN = 0.3


class ForgetfulFile:
    """One file: `content` is what SQLite sees, the real file what the power leaves."""

    def __init__(self, path: str, dice: random.Random) -> None:
        self._descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o640)
        self._dice = dice
        self._content = bytearray(os.pread(self._descriptor, os.fstat(self._descriptor).st_size, 0))
        self._dirty: list[tuple[int, int]] = []
        self._shrunk = False

    def xRead(self, amount: int, offset: int) -> bytes:  # noqa: N802 - SQLite's own name
        """Give what was written, synced or not."""
        return bytes(self._content[offset : offset + amount])

    def xWrite(self, data: bytes, offset: int) -> None:  # noqa: N802 - SQLite's own name
        """Keep in memory what is written; now and then some of it gets through."""
        end = offset + len(data)
        if len(self._content) < end:
            self._content.extend(bytes(end - len(self._content)))
        self._content[offset:end] = data
        self._dirty.append((offset, end))
        if self._dice.random() < EARLY:
            if self._dice.random() < TORN:
                end = offset + SECTOR * self._dice.randrange(0, max(1, len(data) // SECTOR))
            os.pwrite(self._descriptor, self._content[offset:end], offset)

    def xTruncate(self, size: int) -> None:  # noqa: N802 - SQLite's own name
        """Cut the file, in memory."""
        del self._content[size:]
        self._shrunk = True

    def xSync(self, _flags: int) -> None:  # noqa: N802 - SQLite's own name
        """Let the real file be what SQLite sees; the power may go in the middle of it, too."""
        for start, end in self._dirty:
            os.pwrite(self._descriptor, self._content[start : min(end, len(self._content))], start)
        if self._shrunk:
            os.ftruncate(self._descriptor, len(self._content))
        self._dirty.clear()
        self._shrunk = False

    def xFileSize(self) -> int:  # noqa: N802 - SQLite's own name
        """Give the size that SQLite sees."""
        return len(self._content)

    def xClose(self) -> None:  # noqa: N802 - SQLite's own name
        """Forget what was not synced."""
        os.close(self._descriptor)

    def xLock(self, _level: int) -> None:  # noqa: N802 - SQLite's own name
        """Lock nothing: there is one process only."""

    def xUnlock(self, _level: int) -> None:  # noqa: N802 - SQLite's own name
        """Unlock nothing."""

    def xCheckReservedLock(self) -> bool:  # noqa: N802 - SQLite's own name
        """Say that nobody else writes."""
        return False

    def xFileControl(self, _op: int, _pointer: int) -> bool:  # noqa: N802 - SQLite's own name
        """Know no special wishes."""
        return False

    def xSectorSize(self) -> int:  # noqa: N802 - SQLite's own name
        """Give the size of what is written whole or not at all."""
        return SECTOR

    def xDeviceCharacteristics(self) -> int:  # noqa: N802 - SQLite's own name
        """Promise nothing."""
        return 0


class ForgetfulDisk(apsw.VFS):
    """SQLite's way to such files; dice: which unsynced writes get through."""

    def __init__(self, dice: random.Random) -> None:
        super().__init__(NAME, base="")
        self._dice = dice

    def xOpen(self, name: str | apsw.URIFilename | None, flags: list[int]) -> apsw.VFSFile:  # noqa: N802 - SQLite's
        """Open a file."""
        flags[1] = flags[0]
        path = name.filename() if isinstance(name, apsw.URIFilename) else name or ""
        # It has all that SQLite asks of a file, but is none of its own kind.
        return cast(apsw.VFSFile, ForgetfulFile(path, self._dice))


class ForgetfulConnection:
    """A connection to a database on such a disk (`referee.journal.database.Connection`)."""

    def __init__(self, path: Path) -> None:
        self._connection = apsw.Connection(str(path), vfs=NAME)
        # Without memory shared between processes, which these files do not have.
        self._connection.execute("PRAGMA locking_mode=EXCLUSIVE")

    def execute(self, sql: str, values: Sequence[Value] = (), /) -> Iterable[tuple[Any, ...]]:
        """Run one statement and give its rows."""
        return self._connection.execute(sql, tuple(values)).fetchall()

    def close(self) -> None:
        """Close the database."""
        self._connection.close()


def forgetful_connect(path: Path) -> Connection:
    """Open a database on a disk that has been made (`ForgetfulDisk`) in this process."""
    return ForgetfulConnection(path)
