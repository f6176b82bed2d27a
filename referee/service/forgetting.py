"""Forgetting, on the page and by `ringmaster history`: a game with its pictures, or a player in all games."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import replace
from itertools import count
from pathlib import Path

from referee.engine.events import Header
from referee.errors import BadInputError
from referee.journal.evidence import EvidenceFolder
from referee.journal.journal import Journal
from referee.journal.rows import Query
from referee.journal.stored import games
from referee.journal.tidying import change_headers, delete_game
from referee.language import Language
from referee.names import folded
from referee.sayings import kept as sayings
from referee.service.disputed import DISPUTES


def forget_game(journal: Journal, evidence: EvidenceFolder, folder: Path, game: int) -> None:
    """Delete a game with its pictures and the files of its rulings that were kept to be sent.

    Raises:
        WorkFailedError: the disk does not take it.
    """
    evidence.forget_game(game)
    for path in (folder / DISPUTES).glob(f"{game}-*"):
        with suppress(OSError):
            path.unlink()
    delete_game(journal, game)


def renamed(query: Query, name: str, called: str, language: Language) -> Mapping[int, Header]:
    """Give the headers of a player's games, by their numbers, as they are with another name.

    Raises:
        BadInputError: nobody is called so, or the two have played against each other.
    """
    changes = {}
    for row in games(query):
        players = row.header.players
        if name not in players:
            continue
        others = [one for one in players if one != name]
        if folded(called) in map(folded, others):
            raise BadInputError("kept.and_have_played_against_each", name=name, other=called)
        changed = tuple(called if one == name else one for one in players)
        changes[row.game] = replace(row.header, players=changed)
    if not changes:
        raise BadInputError("kept.nobody_called_has_played_here", name=name)
    return changes


def forget_player(journal: Journal, name: str, language: Language) -> int:
    """Put "Somebody" in the place of a name in all games, and give how many those are.

    Two who have played against each other and are both forgotten stay two: "Somebody 2".

    Raises:
        BadInputError: nobody is called so.
        WorkFailedError: the disk does not take it.
    """
    near = {folded(one) for row in games(journal.read) if name in row.header.players for one in row.header.players}
    aliases = (sayings.somebody(number, language) for number in count(1))
    called = next(alias for alias in aliases if folded(alias) not in near)
    changes = renamed(journal.read, name, called, language)
    change_headers(journal, changes)
    return len(changes)
