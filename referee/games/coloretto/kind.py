"""Coloretto, as `referee.games.kind` asks for it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING

from referee.errors import BadInputError
from referee.events import Header
from referee.games.coloretto.deck import CARDS
from referee.games.coloretto.page import PAGE
from referee.games.coloretto.rules import from_header
from referee.games.coloretto.sayings import WORDS
from referee.games.kind import Demo, GameKind, Scoring

if TYPE_CHECKING:
    import argparse

    from referee.decks.finding import AnyDeck
    from referee.demo.table import DemoTable
    from referee.session import Watcher
    from referee.watchers.watch_setup import WatchSetup
    from simulation.live import Shots


def _watcher(header: Header, setup: WatchSetup) -> Watcher:
    from referee.games.coloretto.watching.watcher import ColorettoWatcher
    from vision.prints.print_deck import PrintDeck

    deck = setup.deck_for(header)
    if not isinstance(deck, PrintDeck):
        raise BadInputError(f"Coloretto cannot be played with the cards of {deck.name}")
    return ColorettoWatcher(header, deck, setup.profile)


def _table(deck: AnyDeck, seed: int, rounds: int, shots: Shots) -> DemoTable:
    """Lay a table for four, on cloth."""
    from referee.demo.table import DemoTable, demo_header
    from referee.games.coloretto.demo import Plan, write_coloretto
    from simulation.live import LiveTable
    from vision.prints.print_deck import PrintDeck

    if not isinstance(deck, PrintDeck):
        raise BadInputError(f"Coloretto cannot be played with the cards of {deck.name}")
    script = write_coloretto(deck, seed, Plan(rounds=rounds)).script
    table = LiveTable(script, deck, seed, replace(shots, look=replace(shots.look, table="cloth")))
    return DemoTable(table, demo_header("coloretto", 4, deck), seed, "end", 1, deck=deck)


def _score_lines(args: argparse.Namespace) -> Callable[[dict[str, object]], str]:
    from referee.games.coloretto.score_command import scorer

    return scorer(args)


def _score_picture(args: argparse.Namespace) -> int:
    from referee.games.coloretto.score_command import score_image

    return score_image(args)


COLORETTO = GameKind(
    name="coloretto",
    start=from_header,
    watcher=_watcher,
    words=WORDS,
    page=PAGE,
    cards=CARDS,
    demo=Demo(_table, live_fps=10.0, fast_fps=5.0),
    scoring=Scoring(_score_lines, _score_picture, most_players=5),
)
