"""Sets of pictures that figures were measured on: where they are, whose, and a checksum by which they are known again.

A set is a folder with pictures and their truth. Its checksum is SHA-256 over the names and the bytes of both, in the
order of names; what else lies in the folder, as a licence does, is no part of it.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, fields
from pathlib import Path

from referee.bench.figures import load_kept
from referee.errors import BadInputError

MANIFEST = Path("docs/sets.json")
_PICTURES, _TRUTH = (".jpg", ".jpeg", ".png"), (".json",)
_MAP = "_id.png"  # a renderer's map of what is where: drawn with a picture, and read by nobody
_SHORT = 12  # digits that tell sets apart where people read them


@dataclass(frozen=True)
class KnownSet:
    """A set that is known: its folder in the code's own, or where else it is to be had; `made`: how it came about."""

    name: str
    where: str
    licence: str
    made: str
    pictures: int
    sha256: str


@dataclass(frozen=True)
class Contents:
    """What a folder holds: how many pictures, and the checksum of them and their truth."""

    pictures: int
    sha256: str

    def __str__(self) -> str:
        return f"{self.pictures} pictures, sha256 {self.sha256[:_SHORT]}"


def contents_of(folder: Path) -> Contents:
    """Look through a folder, and the folders in it.

    Raises:
        BadInputError: there is none, it holds no pictures, or one cannot be read.
    """
    try:
        files = sorted(
            (path.relative_to(folder).as_posix(), path) for path in _files_in(folder) if not path.name.endswith(_MAP)
        )
        total = hashlib.sha256()
        for name, path in files:
            with path.open("rb") as file:
                total.update(f"{name}\0{hashlib.file_digest(file, 'sha256').hexdigest()}\n".encode())
    except OSError as error:
        raise BadInputError(f"{folder} cannot be read: {error.strerror or error}") from None
    pictures = sum(path.suffix.lower() in _PICTURES for _, path in files)
    if not pictures:
        raise BadInputError(f"there are no pictures in {folder}")
    return Contents(pictures, total.hexdigest())


def known_sets(path: Path = MANIFEST) -> tuple[KnownSet, ...]:
    """Load the sets that are known.

    Raises:
        BadInputError: there is no such file, or it is not of this kind.
    """
    names = ", ".join(field.name for field in fields(KnownSet))
    return load_kept(path, lambda kept: tuple(KnownSet(**one) for one in kept), f"sets of pictures ({names})")


def named(contents: Contents, sets: Sequence[KnownSet]) -> KnownSet | None:
    """Give the known set that a folder's pictures are."""
    return next((one for one in sets if one.sha256 == contents.sha256), None)


def _files_in(folder: Path) -> Iterator[Path]:
    if not folder.is_dir():
        raise BadInputError(f"there is no folder {folder}")
    for path in folder.rglob("*"):
        if path.suffix.lower() in (*_PICTURES, *_TRUTH) and not path.name.startswith(".") and path.is_file():
            yield path
