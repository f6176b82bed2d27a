"""Which watcher looks on for a game, and what it is told of the table."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from referee.errors import BadInputError
from referee.events import Header
from referee.session import Watcher
from vision.profile import TableProfile

if TYPE_CHECKING:
    from referee.decks.finding import AnyDeck
    from vision.piles.sights import ClownReader


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


def watcher_for(header: Header, setup: WatchSetup) -> Watcher:
    """Give what looks on for a game; one that no watcher knows is played by what people say on the page."""
    make = _WATCHERS.get(header.game, _by_hand)
    return make(header, setup)


def _by_hand(header: Header, setup: WatchSetup) -> Watcher:
    from referee.watchers.by_hand import ByHandWatcher

    return ByHandWatcher()


def _confetti(header: Header, setup: WatchSetup) -> Watcher:
    from referee.watchers.confetti import ConfettiWatcher

    return ConfettiWatcher(header, setup)


def _piccolino(header: Header, setup: WatchSetup) -> Watcher:
    from referee.watchers.piccolino import PiccolinoWatcher
    from referee.watchers.piccolino_eyes import TableEyes
    from referee.watchers.piccolino_ringer import ArmEyes

    eyes = TableEyes(clown_reader(setup.deck_for(header)), setup.profile, len(header.players))
    return PiccolinoWatcher(header, eyes, ArmEyes(lambda: eyes.seating))


def _coloretto(header: Header, setup: WatchSetup) -> Watcher:
    from referee.watchers.coloretto import ColorettoWatcher
    from vision.prints.print_deck import PrintDeck

    deck = setup.deck_for(header)
    if not isinstance(deck, PrintDeck):
        raise BadInputError(f"Coloretto cannot be played with the cards of {deck.name}")
    return ColorettoWatcher(header, deck, setup.profile)


def clown_reader(deck: AnyDeck) -> ClownReader:
    """Give what reads a deck's clowns.

    Raises:
        BadInputError: its cards show marks.
    """
    from vision.deck import Deck
    from vision.pictured.clowns import PictureClowns
    from vision.pictured.picture_deck import PictureDeck
    from vision.prints.pile_reader import PrintClowns

    if isinstance(deck, Deck):
        raise BadInputError(f"the cards of {deck.name} show marks, not clowns")
    return PictureClowns(deck) if isinstance(deck, PictureDeck) else PrintClowns(deck)


_WATCHERS: dict[str, Callable[[Header, WatchSetup], Watcher]] = {
    "confetti": _confetti,
    "piccolino": _piccolino,
    "coloretto": _coloretto,
}
