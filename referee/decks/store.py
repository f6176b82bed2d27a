"""A family's decks in the state folder: one deck file each, under the deck's name."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from referee.errors import BadInputError, WorkFailedError
from referee.files import write_whole
from vision.deck import Deck, deck_names
from vision.deck_file import SUFFIX, deck_name, pack_deck, read_deck_file, renamed
from vision.descriptions import why_broken
from vision.errors import BadDeckError

DECKS = "decks"
RESERVED = frozenset({"none", "markers", "confetti", "piccolino", "coloretto", "everdeck"})
MOST_DECKS = 500
_MOST_CACHED = 16  # of 1 to 3 MB each


@dataclass(frozen=True)
class KeptDeck:
    """A stored deck: `deck` is None where its file cannot be read, and `trouble` is then the reason."""

    name: str
    deck: Deck | None
    trouble: str = ""


class DeckStore:
    """The decks in a folder, which is made with the first deck."""

    def __init__(self, state: Path) -> None:
        self._folder = state / DECKS

    def names(self) -> list[str]:
        """Return the names of all decks, sorted.

        Raises:
            WorkFailedError: the folder cannot be read.
        """
        try:
            if not self._folder.is_dir():
                return []
            files = [path.name for path in self._folder.iterdir()]
        except OSError as error:
            raise WorkFailedError(
                "error.decks.decks_in_cannot_be_read", folder=self._folder, why=error.strerror or error
            ) from error
        names = (name.removesuffix(SUFFIX) for name in files if name.endswith(SUFFIX) and name[0] != ".")
        return sorted(names, key=lambda name: (name.casefold(), name))

    def all(self) -> Iterator[KeptDeck]:
        """Return every deck; an unreadable one does not hide the others."""
        return map(self.one, self.names())

    def one(self, name: str) -> KeptDeck:
        """Return a deck, or the reason why it cannot be read."""
        try:
            return KeptDeck(name, self.load(name))
        except BadDeckError as error:
            return KeptDeck(name, None, str(error))

    def load(self, name: str) -> Deck:
        """Return a deck.

        Raises:
            BadDeckError: there is no deck of this name, or its file is broken.
        """
        if name not in self.names():
            raise BadDeckError(
                "error.there_is_no_taught_deck", "there is no taught deck called {name}", name=repr(name)
            )
        path = self._path(name)
        try:
            file = path.stat()
        except OSError:
            return read_deck_file(path)
        return _read(path, name, file.st_mtime_ns, file.st_size)

    def add(self, deck: Deck) -> None:
        """Store a deck under its name.

        Raises:
            BadInputError: the name is invalid or in use.
            WorkFailedError: it cannot be written.
        """
        self.check_free(deck.name)
        try:
            self._folder.mkdir(parents=True, exist_ok=True, mode=0o750)
        except OSError as error:
            raise WorkFailedError(
                "error.club.folder_cannot_be_made", folder=self._folder, why=error.strerror or error
            ) from error
        write_whole(self._path(deck.name), pack_deck(deck))

    def check_free(self, name: str, *, replace: bool = False) -> None:
        """Check that a deck can be stored under a name.

        Raises:
            BadInputError: the name is invalid or in use.
        """
        try:
            deck_name(name)
        except ValueError as error:
            raise BadInputError("error.decks.is_no_name_for_deck", name=repr(name), why=why_broken(error)) from error
        if name.casefold() in RESERVED | set(deck_names()):
            raise BadInputError("error.is_deck_that_comes_with", name=name)
        names = self.names()
        taken = [other for other in names if other.casefold() == name.casefold()]
        if taken and not (replace and taken == [name]):
            raise BadInputError("error.there_is_deck_called_already", name=taken[0])
        if not taken and len(names) >= MOST_DECKS:
            raise BadInputError("error.decks.there_are_decks_already_remove", number=len(names))

    def remove(self, name: str) -> None:
        """Delete a deck.

        Raises:
            BadDeckError: there is no deck of this name.
            WorkFailedError: it cannot be deleted.
        """
        if name not in self.names():
            raise BadDeckError(
                "error.there_is_no_taught_deck", "there is no taught deck called {name}", name=repr(name)
            )
        try:
            self._path(name).unlink()
        except OSError as error:
            raise WorkFailedError(
                "error.decks.deck_cannot_be_removed", name=name, why=error.strerror or error
            ) from error

    def rename(self, name: str, new: str) -> None:
        """Rename a deck.

        Raises:
            BadDeckError: there is no deck of this name.
            BadInputError: the new name is invalid or in use.
        """
        deck = self.load(name)
        if new.casefold() == name.casefold():
            # Only upper and lower case differ: the name is not in use by another deck.
            self.remove(name)
            self.add(renamed(deck, new))
            return
        self.add(renamed(deck, new))
        self.remove(name)

    def _path(self, name: str) -> Path:
        return self._folder / f"{name}{SUFFIX}"


@lru_cache(maxsize=_MOST_CACHED)
def _read(path: Path, name: str, changed_ns: int, size: int) -> Deck:
    """Return a deck of a file that is as it was then; a person may have copied it there under another name."""
    return renamed(read_deck_file(path), name)
