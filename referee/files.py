"""Files that are written whole or not at all."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO, cast

from referee.errors import BadInputError, WorkFailedError


def check_writable(path: Path, inputs: Iterable[Path] = ()) -> None:
    """Say beforehand that a file can never be written there; `inputs` are files that are to be read.

    Raises:
        BadInputError: the path is a folder, or lies in none, or is one of the inputs by this or another name.
    """
    for read in inputs:
        if path.exists() and read.exists() and path.samefile(read):
            raise BadInputError(f"{path} is to be read, and would be lost: write to another file")
    if path.is_dir():
        raise BadInputError(f"{path} is a folder, not a file")
    if not path.parent.is_dir():
        raise BadInputError(f"there is no folder {path.parent} to write {path.name} into")


def write_whole(path: Path, data: bytes, *, secret: bool = False) -> None:
    """Write a file so that it is there whole or, if anything fails, as it was before.

    secret: nobody but its owner may ever read it, not even for a moment.

    Raises:
        BadInputError: the path is a folder, or lies in none.
        WorkFailedError: it cannot be written.
    """
    with whole_file(path, secret=secret) as file:
        file.write(data)


@contextmanager
def whole_file(path: Path, *, secret: bool = False) -> Iterator[BinaryIO]:
    """Give a file to write; it takes its place when the block ends well, and until then all is as it was before.

    Raises:
        BadInputError: the path is a folder, or lies in none.
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
        with tempfile.NamedTemporaryFile(dir=path.parent, prefix=f".{path.name}.", delete=False) as file:
            temporary = Path(file.name)
            yield cast(BinaryIO, file)
        if not secret:
            mask = os.umask(0)
            os.umask(mask)
            temporary.chmod(0o666 & ~mask)
        temporary.replace(path)
        temporary = None
    except OSError as error:
        raise WorkFailedError(f"{path} cannot be written: {error.strerror or error}") from error
    finally:
        if temporary is not None:
            temporary.unlink(missing_ok=True)
