"""Coloretto, as `referee.games.kind` asks for it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from referee.engine.events import Event, Game, Header
from referee.errors import BadInputError
from referee.games.coloretto.deck import CARDS
from referee.games.coloretto.page import PAGE
from referee.games.coloretto.sayings import WORDS
from referee.games.coloretto.setup import settings_from
from referee.games.kind import Demo, GameKind, Scoring

if TYPE_CHECKING:
    from referee.engine.session import Watcher
    from referee.games.kind import DemoScript
    from referee.watchers.table_finder import WatchSetup
    from vision.read.print_deck import AnyDeck


def _start(header: Header) -> Game:
    # The models of events take a tenth of a second to import, and scoring a hand needs none of them.
    from referee.games.coloretto.rules import from_header

    return from_header(header)


def _watcher(header: Header, setup: WatchSetup) -> Watcher:
    from referee.games.coloretto.watching.watcher import ColorettoWatcher
    from vision.read.print_deck import PrintDeck

    deck = setup.deck_for(header)
    if not isinstance(deck, PrintDeck):
        raise BadInputError("error.coloretto_cannot_be_played_with", name=deck.name)
    return ColorettoWatcher(header, deck, setup.profile)


def _script(header: Header, deck: AnyDeck, seed: int, rounds: int | None) -> DemoScript:
    from referee.games.coloretto.demo import ColorettoPlan, write_coloretto
    from referee.games.kind import DemoScript
    from vision.read.print_deck import PrintDeck

    if not isinstance(deck, PrintDeck):
        raise BadInputError("error.coloretto_cannot_be_played_with", name=deck.name)
    plan = ColorettoPlan(rounds or ColorettoPlan.rounds, players=len(header.players), settings=settings_from(header))
    game = write_coloretto(deck, seed, plan)
    said = () if game.has_last_card else tuple(move for move in game.moves if move.kind == "last_round")
    held = enumerate(game.game.settings.start_cards)
    dealt = (
        Event(0, "start_cards", {"event": "start_cards", "seat": seat, "cards": list(hand)}) for seat, hand in held
    )
    return DemoScript(game.script, "end", 1, truth=(*dealt, *game.moves), said=said)


COLORETTO = GameKind(
    name="coloretto",
    start=_start,
    settings=settings_from,
    watcher=_watcher,
    words=WORDS,
    page=PAGE,
    cards=CARDS,
    demo=Demo(_script, live_fps=10.0, fast_fps=5.0),
    scoring=Scoring("referee.games.coloretto.score_command", most_players=5),
)
