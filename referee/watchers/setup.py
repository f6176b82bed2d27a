"""Which watcher looks on for a game."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from referee.errors import BadInputError
from referee.events import Header
from referee.session import Watcher
from referee.watchers.watch_setup import WatchSetup

if TYPE_CHECKING:
    from referee.decks.finding import AnyDeck
    from vision.piles.sights import ClownReader


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
    from vision import print_readers
    from vision.deck import Deck

    if isinstance(deck, Deck):
        raise BadInputError(f"the cards of {deck.name} show marks, not clowns")
    return print_readers.clown_reader(deck)


_WATCHERS: dict[str, Callable[[Header, WatchSetup], Watcher]] = {
    "confetti": _confetti,
    "piccolino": _piccolino,
    "coloretto": _coloretto,
}
