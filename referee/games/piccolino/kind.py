"""Piccolino, as `referee.games.kind` asks for it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from referee.engine.events import Header
from referee.errors import BadInputError
from referee.games.kind import Demo, GameKind
from referee.games.piccolino.deck import CARDS
from referee.games.piccolino.page import PAGE
from referee.games.piccolino.rules import from_header
from referee.games.piccolino.sayings import WORDS

if TYPE_CHECKING:
    from referee.demo.table import DemoTable
    from referee.engine.session import Watcher
    from referee.watchers.watch_setup import WatchSetup
    from simulation.live import Shots
    from vision.prints.print_deck import AnyDeck


def _watcher(header: Header, setup: WatchSetup) -> Watcher:
    from referee.games.piccolino.watching.eyes import TableEyes
    from referee.games.piccolino.watching.ringer import ArmEyes
    from referee.games.piccolino.watching.watcher import PiccolinoWatcher
    from vision.deck import Deck
    from vision.print_readers import clown_reader

    deck = setup.deck_for(header)
    if isinstance(deck, Deck):
        raise BadInputError(f"the cards of {deck.name} show marks, not clowns")
    eyes = TableEyes(clown_reader(deck), setup.profile, len(header.players))
    return PiccolinoWatcher(header, eyes, ArmEyes(lambda: eyes.seating))


def _table(deck: AnyDeck, seed: int, rounds: int, shots: Shots) -> DemoTable:
    """Lay a table for four, with eight turns a round."""
    from referee.demo.table import DemoTable, demo_header
    from referee.games.piccolino.demo import Plan, write_piccolino
    from simulation.live import LiveTable
    from vision.deck import Deck

    if isinstance(deck, Deck):
        raise BadInputError(f"the cards of {deck.name} show marks, not clowns")
    played = write_piccolino(deck, seed, Plan(players=4, turns=8 * rounds))
    rings = tuple(ruling for ruling in played.rulings if ruling["ruling"] == "ring")
    table, header = LiveTable(played.script, deck, seed, shots), demo_header("piccolino", 4, deck)
    return DemoTable(table, header, seed, "ring", len(rings), rings, deck, stops=True)


PICCOLINO = GameKind(
    name="piccolino",
    start=from_header,
    watcher=_watcher,
    words=WORDS,
    page=PAGE,
    cards=CARDS,
    demo=Demo(_table, live_fps=24.0, fast_fps=20.0),
    devices=frozenset({"bell"}),
)
