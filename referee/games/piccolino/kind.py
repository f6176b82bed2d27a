"""`GameKind` of Piccolino: page, decks, rules, watcher and demo."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from referee.engine.events import Game, Header
from referee.errors import BadInputError
from referee.games.kind import Cards, Demo, GameKind, Option, Page, Said, Seat
from referee.games.piccolino.sayings import WORDS
from referee.games.piccolino.start_options import settings_from
from referee.language import Language

if TYPE_CHECKING:
    from referee.engine.session import Session, Watcher
    from referee.games.kind import DemoScript
    from referee.games.piccolino.rules import Piccolino
    from referee.watchers.table_finder import WatchSetup
    from vision.deck import Deck

_OPTIONS = (
    Option("dealer", "piccolino.who_deals"),
    Option(
        "two_left",
        "piccolino.false_ring_with_two_players",
        (
            ("always", "piccolino.gives_other_all_open_cards"),
            ("start", "piccolino.does_so_only_if_two"),
        ),
    ),
    Option(
        "lucky_guess",
        "piccolino.ring_faster_than_anybody_can",
        (
            ("valid", "piccolino.is_valid_and_called_lucky"),
            ("false", "piccolino.is_false"),
        ),
    ),
    Option(
        "remarks",
        "piccolino.cards_turned_out_of_turn",
        (("off", "piccolino.are_not_mentioned"), ("on", "piccolino.are_pointed_out")),
    ),
    Option(
        "missed",
        "piccolino.pairs_that_nobody_rang_for",
        (
            ("off", "piccolino.are_not_mentioned"),
            ("on", "piccolino.are_told_at_end_of"),
        ),
    ),
)


def _game(play: Session) -> Piccolino:
    from referee.games.piccolino.rules import OneBell

    assert isinstance(play.game, OneBell)
    return play.game.game


def _phase(play: Session, lasts_ms: int | None, language: Language) -> dict[str, Any]:
    game, question = _game(play), play.question
    asked = question is not None and question.kind == "who_rang"
    key = "over" if game.over else "who_rang" if asked else "turning"
    # Cards may have been turned since the ring that waits, so the turn at that ring is not known here.
    return {"key": key, "turn": None if asked else game.turn()}


def _seats(play: Session, language: Language) -> list[Seat]:
    """Return each seat's cards, which are its points, with their piles in a few words."""
    cards = _game(play).cards
    details = (
        language.text("piccolino.out") if out else language.text("piccolino.to_turn_open", draw=draw, open=discard)
        for out, draw, discard in zip(cards.is_out, cards.draw, cards.discard, strict=True)
    )
    return [Seat(points, detail=detail) for points, detail in zip(cards.totals(), details, strict=True)]


PAGE = Page(
    text="piccolino.two_happy_clowns_of_one",
    least=2,
    most=5,
    options=_OPTIONS,
    phase=_phase,
    seats=_seats,
)


MOODS = ("happy", "sad")
_FEWEST_COLOURS = 2


def is_clown(said: Said) -> bool:
    """Return whether a face's attributes name a colour and a mood."""
    return "colour" in said and said.get("mood") in MOODS


def check(deck: Deck) -> None:
    """Check that the game can be played with a deck.

    Raises:
        BadInputError: the deck lacks something; the error names it.
    """
    for face in deck.fronts:
        if not is_clown(face.attributes):
            raise BadInputError("error.games.has_no_colour_or_is", number=face.id)
    moods = Counter(face.attributes["mood"] for face in deck.fronts)
    for mood in MOODS:
        if not moods[mood]:
            raise BadInputError("error.games.there_are_no_clowns_in", mood=mood)
    happy = {face.attributes["colour"] for face in deck.fronts if face.attributes["mood"] == "happy"}
    if len(happy) < _FEWEST_COLOURS:
        raise BadInputError("error.games.all_happy_clowns_in_these")


def clown_colours(deck: Deck) -> list[str]:
    """Return the colours of a deck's clowns, in its order."""
    return list(dict.fromkeys(face.attributes["colour"] for face in deck.fronts if is_clown(face.attributes)))


def _missing(fronts: Sequence[Said]) -> str | None:
    happy, sad = ({one["colour"] for one in fronts if one["mood"] == mood} for mood in MOODS)
    if not happy:
        return "lesson_no_happy"
    if not sad:
        return "lesson_no_sad"
    return "lesson_one_colour" if len(happy) < _FEWEST_COLOURS else None


def _tally(meanings: Sequence[Said], expected: int) -> dict[str, Any]:
    happy, sad = (len({m.get("colour") for m in meanings if m.get("mood") == mood}) for mood in MOODS)
    open_ = sum(1 for meaning in meanings if "mood" not in meaning)
    return {"seen": happy + sad + open_, "of": 2 * expected, "happy": happy, "sad": sad, "open": open_}


def _face_name(said: Said) -> str:
    return f"{said['colour']}-{said['mood']}"


CARDS = Cards(
    check=check,
    is_whole=is_clown,
    face_name=_face_name,
    missing=_missing,
    tally=_tally,
    header_colours=clown_colours,
)


_TURNS = 8  # of a demonstrated round


def _start(header: Header) -> Game:
    # The models of events take 0.1 s to import, and scoring a hand needs none of them.
    from referee.games.piccolino.rules import from_header

    return from_header(header)


def _watcher(header: Header, setup: WatchSetup) -> Watcher:
    from referee.games.piccolino.watching.ringer import RingerDetector
    from referee.games.piccolino.watching.tracker import PileTracker
    from referee.games.piccolino.watching.watcher import PiccolinoWatcher
    from vision.piles.pile_reader import PrintTableReader

    eyes = PileTracker(PrintTableReader(setup.deck_for(header)), setup.profile, len(header.players))
    return PiccolinoWatcher(header, eyes, RingerDetector(lambda: eyes.seating))


def _script(header: Header, deck: Deck, seed: int, rounds: int | None) -> DemoScript:
    from referee.games.kind import DemoScript
    from referee.games.piccolino.demo import PiccolinoPlan, write_piccolino

    turns = None if rounds is None else _TURNS * rounds
    plan = PiccolinoPlan(len(header.players), turns, settings=settings_from(header))
    played = write_piccolino(deck, seed, plan)
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
