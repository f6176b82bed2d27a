"""What a watcher is told of the table."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from referee.engine.events import Header
from vision.profile import TableProfile

if TYPE_CHECKING:
    from referee.decks.finding import AnyDeck


@dataclass(frozen=True)
class WatchSetup:
    """What a watcher is told of the table.

    deck: the deck on the table, None: the one that the game's options name, or the game's own. profile: what
    calibration measured, None: markers in the picture tell. state: the folder with taught decks, None: the usual one.
    find_hands: whether people's hands are looked for before a count; that takes longest, and only adds doubts.
    """

    deck: AnyDeck | None = None
    profile: TableProfile | None = None
    state: Path | None = None
    find_hands: bool = True

    def deck_for(self, header: Header) -> AnyDeck:
        """Give the deck on the table.

        Raises:
            BadDeckError: it is not there, or it is broken.
            BadInputError: the game cannot be played with it.
        """
        from referee.decks.game_deck import deck_of

        return deck_of(header, self.state).deck if self.deck is None else self.deck
