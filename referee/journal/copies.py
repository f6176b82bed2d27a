"""Checked copies of the journal: what a damaged one goes on with. Three are kept, one a day.

Copies are numbered, because a Raspberry Pi without a network does not know the day.
"""

from __future__ import annotations

import re
import sqlite3
import time
from contextlib import closing, suppress
from pathlib import Path

from referee.errors import WorkFailedError
from referee.files import put_in_place
from referee.log import LOG

COPIES = "journal-copies"
MOST_COPIES = 3
_NAME = re.compile(r"journal-([0-9]{1,9})\.sqlite")


def copies(path: Path) -> list[Path]:
    """Give the copies of a journal, the newest first."""
    try:
        found = [(int(name[1]), one) for one in _folder(path).iterdir() if (name := _NAME.fullmatch(one.name))]
    except OSError:
        return []
    return [one for _, one in sorted(found, reverse=True)]


def make_copy(path: Path) -> Path:
    """Copy a journal that may be in use, check the copy, and give it; an earlier one of today gives way.

    Raises:
        WorkFailedError: the disk does not take it, or the copy is not sound.
    """
    kept, folder = copies(path), _folder(path)
    number = 1 + max((int(name[1]) for one in kept if (name := _NAME.fullmatch(one.name))), default=0)
    part = folder / "journal.part"
    try:
        folder.mkdir(mode=0o750, exist_ok=True)
        part.unlink(missing_ok=True)
        with closing(sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro", uri=True)) as connection:
            connection.execute("VACUUM INTO ?", (str(part),))
        if not is_sound(part):
            raise WorkFailedError("error.journal.copy_of_journal_is_not")
        copy = folder / f"journal-{number}.sqlite"
        put_in_place(part, copy)
        today = [one for one in kept[:1] if _day(one) == _day(copy)]
        for old in {*today, *kept[MOST_COPIES - 1 + len(today) :]}:
            old.unlink(missing_ok=True)
    except (sqlite3.Error, OSError) as error:
        with suppress(OSError):
            part.unlink(missing_ok=True)
        raise WorkFailedError("error.journal.journal_cannot_be_copied", why=error) from error
    LOG.info("the journal is copied to %s", copy.name)
    return copy


def forget_copies(path: Path) -> None:
    """Delete all copies, because they hold names or games that were deleted. Raises OSError if the disk refuses."""
    for copy in copies(path):
        copy.unlink(missing_ok=True)


def is_sound(path: Path) -> bool:
    """Whether SQLite finds nothing wrong in a copy."""
    try:
        with closing(sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro&immutable=1", uri=True)) as connection:
            return connection.execute("PRAGMA integrity_check(1)").fetchall() == [("ok",)]
    except Exception:  # SQLite answers damage with errors of any kind, MemoryError among them.
        return False


def _folder(path: Path) -> Path:
    return path.with_name(COPIES)


def _day(path: Path) -> str:
    return time.strftime("%Y-%m-%d", time.localtime(path.stat().st_mtime))
