"""Backs up a family's data in one file, and restores it: games with their pictures, decks, settings, measured table.

It is the file of `ringmaster export`, with more in it: `ringmaster import` takes its games, too. Restored data is
checked like any file from elsewhere.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

from referee.decks.store import DECKS, DeckStore
from referee.errors import BadInputError, RingmasterError, SettingError
from referee.log import LOG
from referee.match.settings import FILE as SETTINGS
from referee.match.settings import GIVES_WAY, TableSettings
from referee.match.table import PROFILE
from referee.sayings import kept as sayings
from referee.settings_file import changed_where_possible
from referee.setup.step import FILE as SETUP
from referee.setup.step import kept_from, load_kept, save_kept
from referee.state_folder import EVIDENCE
from referee.store.archive import TORN, Archive, ImportTally, open_archive, take_games, write_archive
from referee.store.games import kept_game, shelf
from vision.deck_file import SUFFIX, unpack_deck
from vision.errors import VisionError
from vision.profile import load_profile

if TYPE_CHECKING:
    from referee.match.referee import Referee

_MOST_BYTES = {SETTINGS: 1 << 16, SETUP: 1 << 16, PROFILE: 1 << 20}
_MOST_DECK_BYTES = 64 << 20
_HERE_ONLY = ("voice_page",)
"""Settings of one device only."""


def back_up(referee: Referee, path: Path, *, pictures: bool) -> None:
    """Write all into a file, whole or not at all.

    Raises:
        BadInputError: the path is a folder, or its folder is missing.
        WorkFailedError: it cannot be written.
    """
    referee.store.flush()
    folder, query = referee.folder, referee.store.read
    decks = [f"{DECKS}/{name}{SUFFIX}" for name in DeckStore(folder).names()]
    others = [name for name in (SETTINGS, SETUP, PROFILE, *decks) if (folder / name).is_file()]
    games = (kept_game(query, row) for row in shelf(query).games)
    write_archive(path, games, query, folder / EVIDENCE if pictures else None, {name: folder / name for name in others})


def restore(referee: Referee, path: Path) -> dict[str, Any]:
    """Restore all sound parts of a file that are not here yet; games that are here stay as they are.

    Return `games` added, games already `there`, `decks`, success of `settings` and `table`, and the parts `left_out`, a
    sentence or "".

    Raises:
        BadInputError: a game is in play, or the file is not a backup, or torn so that nothing in it can be found.
        WorkFailedError: the disk does not take the games.
    """
    if referee.match.in_play:
        raise BadInputError("kept.game_is_being_played_end")
    try:
        with open_archive(path) as archive:
            return _Restoring(referee, archive).result()
    except (BadInputError, VisionError) as error:
        raise BadInputError("kept.this_file_is_no_backup") from error


class _Restoring:
    """lost: the parts of the archive that were not restored."""

    def __init__(self, referee: Referee, archive: Archive) -> None:
        self._referee, self._archive = referee, archive
        self.lost: list[str] = []

    def result(self) -> dict[str, Any]:
        referee, tally, store = self._referee, ImportTally(), DeckStore(self._referee.folder)
        evidence = referee.folder / EVIDENCE
        referee.store.take_in(lambda connection: take_games(self._archive, connection, evidence, tally))
        if tally.left_out:
            LOG.warning("%s", tally.complaint())
        self.lost += [sayings.SOME_GAMES] * bool(tally.left_out) + [sayings.PICTURES] * bool(tally.pictures_left_out)
        decks = 0
        for name in self._archive.names:
            deck = name.removeprefix(f"{DECKS}/").removesuffix(SUFFIX)
            if name == f"{DECKS}/{deck}{SUFFIX}" and deck not in store.names():
                decks += self._took(name, partial(self._deck, deck))
        table, settings = self._took(PROFILE, self._profile), self._took(SETTINGS, self._settings)
        self._took(SETUP, self._setup)
        return {
            "games": tally.added,
            "there": tally.there,
            "decks": decks,
            "settings": settings,
            "table": table,
            "left_out": sayings.not_restored(self.lost, referee.language),
        }

    def _took(self, name: str, take: Callable[[bytes], object]) -> bool:
        """Restore a part of the backup if it is there, and return whether it was taken; else list it as lost."""
        if name not in self._archive.names:
            return False
        try:
            take(self._archive.member(name, _MOST_BYTES.get(name, _MOST_DECK_BYTES)))
        except (RingmasterError, VisionError, RecursionError, *TORN):
            self.lost.append(name)
            return False
        return True

    def _deck(self, name: str, data: bytes) -> None:
        DeckStore(self._referee.folder).add(unpack_deck(data, name))

    def _profile(self, data: bytes) -> None:
        with TemporaryDirectory() as place:
            path = Path(place) / PROFILE
            path.write_bytes(data)
            self._referee.keep_profile(load_profile(path))

    def _settings(self, data: bytes) -> None:
        """Restore settings; a camera that is not plugged in here stays as it is."""
        given = _object(data)
        known = {name: given[name] for name in TableSettings.model_fields if name in given}
        _, refused = changed_where_possible(TableSettings(), known, GIVES_WAY)
        wanted = {name: value for name, value in known.items() if name not in (*_HERE_ONLY, *refused)}
        self.lost += [sayings.SOME_SETTINGS] * bool(refused)
        with suppress(SettingError):
            self._referee.change_settings(wanted)
            return
        self._referee.change_settings({name: value for name, value in wanted.items() if name != "camera"})

    def _setup(self, data: bytes) -> None:
        given = _object(data)
        kept = kept_from(given)
        save_kept(self._referee.folder, {**kept, **load_kept(self._referee.folder)})
        if len(kept) < len(given):
            raise BadInputError("error.service.some_steps_in_it_make")


def _object(data: bytes) -> dict[str, Any]:
    value = json.loads(data)
    if not isinstance(value, dict):
        raise BadInputError("error.service.it_is_no_json_object")
    return value
