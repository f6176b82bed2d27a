"""Piccolino, as `referee.games.kind` asks for it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from referee.engine.events import Game, Header
from referee.errors import BadInputError
from referee.games.kind import Demo, GameKind
from referee.games.piccolino.deck import CARDS
from referee.games.piccolino.page import PAGE
from referee.games.piccolino.sayings import WORDS
from referee.games.piccolino.setup import settings_from

if TYPE_CHECKING:
    from referee.engine.session import Watcher
    from referee.games.kind import DemoScript
    from referee.watchers.table_finder import WatchSetup
    from vision.read.print_deck import AnyDeck

_TURNS = 8  # of a round that is shown


def _start(header: Header) -> Game:
    # The models of events take a tenth of a second to import, and scoring a hand needs none of them.
    from referee.games.piccolino.rules import from_header

    return from_header(header)


def _watcher(header: Header, setup: WatchSetup) -> Watcher:
    from referee.games.piccolino.watching.ringer import RingerDetector
    from referee.games.piccolino.watching.tracker import PileTracker
    from referee.games.piccolino.watching.watcher import PiccolinoWatcher
    from vision.deck import Deck
    from vision.piles.pile_reader import PrintTableReader

    deck = setup.deck_for(header)
    if isinstance(deck, Deck):
        raise BadInputError("error.games.cards_of_show_marks_not", deck=deck.name)
    eyes = PileTracker(PrintTableReader(deck), setup.profile, len(header.players))
    return PiccolinoWatcher(header, eyes, RingerDetector(lambda: eyes.seating))


def _script(header: Header, deck: AnyDeck, seed: int, rounds: int | None) -> DemoScript:
    from referee.games.kind import DemoScript
    from referee.games.piccolino.demo import PiccolinoPlan, write_piccolino
    from vision.deck import Deck

    if isinstance(deck, Deck):
        raise BadInputError("error.games.cards_of_show_marks_not", deck=deck.name)
    turns = None if rounds is None else _TURNS * rounds
    played = write_piccolino(deck, seed, PiccolinoPlan(len(header.players), turns, settings=settings_from(header)))
    rings = tuple(ruling for ruling in played.rulings if ruling["ruling"] == "ring")
    return DemoScript(played.script, "ring", len(rings), rings, truth=played.events)


PICCOLINO = GameKind(
    name="piccolino",
    start=_start,
    settings=settings_from,
    watcher=_watcher,
    words=WORDS,
    page=PAGE,
    cards=CARDS,
    demo=Demo(_script, live_fps=24.0, fast_fps=20.0),
    devices=frozenset({"bell"}),
)
