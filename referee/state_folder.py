"""The folder of the referee's lasting files, and the lock that admits one process at a time."""

from __future__ import annotations

import errno
import fcntl
import os
import shutil
import sys
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

from referee.errors import WorkFailedError
from referee.files import set_aside

JOURNAL = "journal.sqlite"
EVIDENCE = "evidence"
SIMULATED = "simulated"
"""The folder in it for simulated games."""
INSTALLED = Path("/var/lib/ringmaster")
"""Folder of the installed service's files."""
_LOCK = "lock"
_ROOT = Path(__file__).parents[1]
_MEMORY = Path("/dev/shm")
"""Takes temporary files where the whole disk is read-only."""


def state_folder(given: Path | None = None, environment: Mapping[str, str] = os.environ) -> Path:
    """Return the given folder, else systemd's for a service, else the user's own (XDG)."""
    if given is not None:
        return given
    if service := environment.get("STATE_DIRECTORY"):
        return Path(service.split(":")[0])
    return Path(environment.get("XDG_STATE_HOME") or Path.home() / ".local" / "state") / "ringmaster"


def as_typed(command: str, folder: Path | None = None, *, as_root: bool = False) -> str:
    """Return a command to be typed here: by name where Ringmaster is installed, by path in a checkout.

    folder: the state folder of the command. as_root: whether the folder is another user's.
    """
    program = Path(sys.prefix) / "bin" / "ringmaster"
    if (_ROOT / "pyproject.toml").exists() and program.is_relative_to(_ROOT):
        name = str(program.relative_to(_ROOT))
    else:
        name = "ringmaster" if shutil.which("ringmaster") else str(program)
    sudo = "sudo " if as_root or folder == INSTALLED else ""
    if folder is not None and folder.name == SIMULATED:
        folder = folder.parent
    usual = folder in (None, INSTALLED, state_folder(environment={}))
    return f"{sudo}{name} {command}{'' if usual else f' --state {folder}'}"


@contextmanager
def working_folder(folder: Path) -> Iterator[Path]:
    """Yield the locked folder; on a read-only disk a temporary one with the same files in it.

    Raises:
        WorkFailedError: another referee is at work in it, or it cannot be used.
    """
    with ExitStack() as held:
        try:
            place = held.enter_context(locked(folder))
        except ReadOnlyError:
            place = Path(
                held.enter_context(TemporaryDirectory(prefix="ringmaster-", dir=_MEMORY if _MEMORY.is_dir() else None))
            )
            _mirror(folder, place)
        yield place


def _mirror(folder: Path, place: Path) -> None:
    """Copy files, and link folders: pictures are many, and are read only."""
    try:
        for path in folder.iterdir() if folder.is_dir() else ():
            if path.is_file():
                shutil.copy2(path, place / path.name)
            elif path.is_dir():
                (place / path.name).symlink_to(path.absolute())
    except OSError as error:
        raise WorkFailedError(
            "error.journal.folder_cannot_be_read", folder=folder, why=error.strerror or error
        ) from error


class ReadOnlyError(WorkFailedError):
    """The folder is on a read-only disk."""


@contextmanager
def locked(folder: Path) -> Iterator[Path]:
    """Create the folder where it is missing, and lock it against all other processes.

    Raises:
        WorkFailedError: another referee is at work in it, or it cannot be made.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True, mode=0o750)
        if (folder / _LOCK).is_dir():
            set_aside(folder / _LOCK)
        descriptor = os.open(folder / _LOCK, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o640)
    except OSError as error:
        kind = ReadOnlyError if error.errno == errno.EROFS else WorkFailedError
        raise kind("error.folder_cannot_be_used", folder=folder, why=error.strerror or error) from error
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        os.close(descriptor)
        raise WorkFailedError("error.another_ringmaster_is_running_with", folder=folder) from error
    try:
        yield folder
    finally:
        os.close(descriptor)
