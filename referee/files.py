"""Files that are written whole or not at all, and invalid files of our own, which are set aside."""

from __future__ import annotations

import json
import os
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, BinaryIO, TypeVar, cast

from referee.errors import BadInputError, WorkFailedError

T = TypeVar("T")
_ASIDE = "damaged"
SEEN = "set-aside"
"""Folder of the files that were set aside and noted by somebody."""


def check_writable(path: Path, inputs: Iterable[Path] = ()) -> None:
    """Check that a file may be written there; `inputs` are files that are to be read.

    Raises:
        BadInputError: the path is a folder, or its folder is missing, or it is an input by this or another name.
    """
    for read in inputs:
        if path.exists() and read.exists() and path.samefile(read):
            raise BadInputError("error.is_to_be_read_and", path=path)
    if path.is_dir():
        raise BadInputError("error.is_folder_not_file", path=path)
    if not path.parent.is_dir():
        raise BadInputError("error.there_is_no_folder_to", folder=path.parent, path=path.name)


def write_whole(path: Path, data: bytes, *, secret: bool = False) -> None:
    """Write a file whole; after a failure it is as it was before.

    secret: no one but its owner may ever read it, not even for a moment.

    Raises:
        BadInputError: the path is a folder, or its folder is missing.
        WorkFailedError: it cannot be written.
    """
    with whole_file(path, secret=secret) as file:
        file.write(data)


@contextmanager
def whole_file(path: Path, *, secret: bool = False) -> Iterator[BinaryIO]:
    """Open a temporary file; it replaces the target when the block ends without an error.

    File and folder are synced: a power cut leaves the old file or the new one whole.

    Raises:
        BadInputError: the path is a folder, or its folder is missing.
        WorkFailedError: it cannot be written.
    """
    check_writable(path)
    temporary = None
    try:
        if path.exists() and not path.is_file():
            # A device or a pipe (`/dev/stdout`) is written to, never replaced.
            with path.open("wb") as device:
                yield device
            return
        with tempfile.NamedTemporaryFile(
            dir=path.parent, prefix=f".{path.name}.", suffix=".part", delete=False
        ) as file:
            temporary = Path(file.name)
            yield cast(BinaryIO, file)
            if not secret:
                mask = os.umask(0)
                os.umask(mask)
                os.fchmod(file.fileno(), 0o666 & ~mask)
        put_in_place(temporary, path)
        temporary = None
    except OSError as error:
        raise WorkFailedError("error.cannot_be_written", path=path, why=error.strerror or error) from error
    finally:
        if temporary is not None:
            temporary.unlink(missing_ok=True)


def put_in_place(part: Path, path: Path) -> None:
    """Replace a file by a finished one, durably. Raises OSError if the disk refuses; the old file is there then."""
    with part.open("rb") as file:
        os.fsync(file.fileno())
    part.replace(path)
    sync_folder(path.parent)


def sync_folder(folder: Path) -> None:
    """Make new names in a folder durable; a power cut may drop them before. Raises OSError if it fails."""
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def kept_data(path: Path, most_bytes: int, parse: Callable[[Any], T], usual: T, folder: Path | None = None) -> T:
    """Return the parsed content of a JSON file of our own; `usual` where the file is missing or invalid.

    An invalid file is set aside in `folder`, or beside itself, and the page reports it (`set_aside_files`).
    """
    try:
        with path.open("rb") as file:
            data = file.read(most_bytes + 1)
        if len(data) > most_bytes:
            raise BadInputError("error.files.it_is_too_large")
        return parse(json.loads(data))
    except FileNotFoundError:
        return usual
    except Exception:  # Whatever is wrong with a file, it must not prevent each start from now on.
        set_aside(path, folder)
        return usual


def set_aside(path: Path, folder: Path | None = None) -> Path | None:
    """Rename an invalid file, and return its new name; None if the disk refuses."""
    aside = name_aside(path if folder is None else folder / path.name)
    try:
        path.rename(aside)
        sync_folder(aside.parent)
    except OSError:
        return None
    return aside


def name_aside(path: Path, stamp: str | None = None) -> Path:
    """Return a free name for a file to be set aside."""
    stem = f"{path.stem}-{_ASIDE}-{stamp or time.strftime('%Y-%m-%d-%H%M%S')}"
    names = (path.with_name(f"{stem}{'' if count == 1 else f'-{count}'}{path.suffix}") for count in range(1, 1000))
    return next(name for name in names if not name.exists())


def set_aside_files(folder: Path) -> list[Path]:
    """Return the files set aside in a folder, until `note_set_aside`; a database without its log."""
    try:
        found = sorted(folder.glob(f"*-{_ASIDE}-[0-9]*"))
    except OSError:
        return []
    return [path for path in found if not path.name.endswith(("-wal", "-shm"))]


def name_kept(path: Path) -> str:
    """Return the beginning of the name of a file before it was set aside."""
    return path.name.partition(f"-{_ASIDE}-")[0]


def note_set_aside(folder: Path) -> None:
    """Note that somebody knows of the files set aside, which then move to a folder of their own.

    Raises:
        WorkFailedError: the disk refuses.
    """
    seen = folder / SEEN
    try:
        seen.mkdir(mode=0o750, exist_ok=True)
        for path in folder.glob(f"*-{_ASIDE}-[0-9]*"):
            path.rename(seen / path.name)
        sync_folder(folder)
    except OSError as error:
        raise WorkFailedError("error.files_cannot_be_moved", why=error.strerror or error) from error
