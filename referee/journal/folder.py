"""The folder in which the referee keeps what must outlast it, and the lock that lets one process at a time in."""

from __future__ import annotations

import fcntl
import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from referee.errors import WorkFailedError

JOURNAL = "journal.sqlite"
EVIDENCE = "evidence"
SIMULATED = "simulated"
"""The folder in it for games that nobody played."""
INSTALLED = Path("/var/lib/ringmaster")
"""Where the installed service keeps its own."""
_LOCK = "lock"


def state_folder(given: Path | None = None, environment: Mapping[str, str] = os.environ) -> Path:
    """Give the folder that is asked for, else what systemd gives a service, else the user's own (XDG)."""
    if given is not None:
        return given
    if service := environment.get("STATE_DIRECTORY"):
        return Path(service.split(":")[0])
    return Path(environment.get("XDG_STATE_HOME") or Path.home() / ".local" / "state") / "ringmaster"


@contextmanager
def locked(folder: Path) -> Iterator[Path]:
    """Make the folder where it is missing, and keep every other process out of it as long as this lasts.

    Raises:
        WorkFailedError: another referee is at work in it, or it cannot be made.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True, mode=0o750)
        descriptor = os.open(folder / _LOCK, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o640)
    except OSError as error:
        raise WorkFailedError(f"the folder {folder} cannot be used: {error.strerror or error}") from error
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        os.close(descriptor)
        raise WorkFailedError(f"another Ringmaster is running with the games in {folder}: stop it first") from error
    try:
        yield folder
    finally:
        os.close(descriptor)
