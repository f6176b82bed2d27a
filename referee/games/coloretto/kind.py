"""`GameKind` of Coloretto: page, decks, rules, watcher, demo and scoring."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from referee.engine.events import Event, Game, Header
from referee.engine.log import corrected_events
from referee.errors import BadInputError
from referee.games.coloretto.sayings import WORDS, say_choice
from referee.games.coloretto.score import (
    JOKERS_IN_DECK,
    PALETTES,
    HandCards,
    HandScore,
    SummarySide,
    parse_hand,
    score_coloretto,
)
from referee.games.coloretto.start_options import JOKER, PLUS2, is_colour, settings_from
from referee.games.kind import Cards, Demo, GameKind, Option, Page, Said, Scoring, Seat
from referee.language import Language

if TYPE_CHECKING:
    from referee.engine.session import Session, Watcher
    from referee.games.coloretto.rules import Coloretto
    from referee.games.kind import DemoScript
    from referee.watchers.table_finder import WatchSetup
    from vision.deck import Deck

_OPTIONS = (
    Option(
        "table",
        "coloretto.which_table_of_points",
        (
            ("brown", "page.sheet_brown"),
            ("grey", "page.sheet_grey"),
        ),
    ),
    Option("first", "coloretto.who_begins"),
)


def stands(game: Coloretto, language: Language) -> dict[str, Any]:
    """Return a game's state: rows with their room, the seats that have taken one, colours, and the score sheet."""
    table = game.settings.table
    hands = [_hand(game, seat) for seat in range(game.players)]
    return {
        "rows": [None if row is None else list(row) for row in game.rows],
        "rooms": list(game.rooms),
        "taken": sorted(game.taken),
        "last": game.last,
        "colours": colours_of(game),
        "table": table.value,
        "sheet": [sheet_line(hand, table, language) for hand in hands],
    }


def colours_of(game: Coloretto) -> list[str]:
    """Return the colours that a card may have, by all that is known."""
    seen = {card for hand in game.hands for card in hand} | {card for row in game.rows for card in row or ()}
    known = {card for card in seen if is_colour(card)}
    palette = next((one for one in PALETTES if known <= set(one)), tuple(sorted(known)))
    return [colour for colour in palette if colour not in game.settings.left_out]


def sheet(hands: Sequence[Mapping[str, Any]], table: str, language: Language) -> list[dict[str, Any]]:
    """Return the score of hands that people counted, with the contract's keys; table: side of the summary card.

    Raises:
        BadInputError: a hand is impossible.
    """
    parsed = [parse_hand({**data, "table": table}) for data in hands]
    return [sheet_line(hand, side, language) for hand, side in parsed]


def sheet_line(hand: HandCards, table: SummarySide, language: Language) -> dict[str, Any]:
    """Return the score of a hand with its reasons: `{"points", "lines", "plus2", "jokers", "text"}`.

    `lines`: `{"colour", "cards", "jokers": number of jokers among them, "points"}`, the most points first.
    """
    score = score_coloretto(hand, table)
    return {
        "points": score.points,
        "lines": [_line(hand, score, colour, table) for colour in (*score.plus, *score.minus)],
        "plus2": hand.plus2,
        "jokers": hand.jokers,
        "text": say_choice(score.plus, score.minus, score.jokers, language),
    }


def _line(hand: HandCards, score: HandScore, colour: str, table: SummarySide) -> dict[str, Any]:
    jokers = score.jokers.count(colour)
    cards = hand.colours.get(colour, 0) + jokers
    worth = table.points(cards)
    return {"colour": colour, "cards": cards, "jokers": jokers, "points": worth if colour in score.plus else -worth}


def _hand(game: Coloretto, seat: int) -> HandCards:
    held = game.hands[seat]
    colours: Sequence[str] = colours_of(game)
    return HandCards({colour: held[colour] for colour in colours}, min(held[JOKER], JOKERS_IN_DECK), held[PLUS2])


def _game(play: Session) -> Coloretto:
    from referee.games.coloretto.rules import Coloretto

    assert isinstance(play.game, Coloretto)
    return play.game


def _phase(play: Session, lasts_ms: int | None, language: Language) -> dict[str, Any]:
    game = _game(play)
    key = "over" if game.over else "placing"
    return {"key": key, "turn": game.turn, **stands(game, language), "told": _last_entered(play)}


def _last_entered(play: Session) -> str | None:
    """Return the last event that a person entered, in a correction's form; None if it was deleted or is missing."""
    struck = {number for number, data in corrected_events(play.log.corrections).items() if data is None}
    entered = (number for number, record in reversed(play.log.records.items()) if record.is_of_game)
    return next((play.log.event_id(number) for number in entered if number not in struck), None)


def _seats(play: Session, language: Language) -> list[Seat]:
    """Return each seat's open cards, whether it sits the round out, and, after the end, its points."""
    game = _game(play)
    end = play.log.end()
    points = [None] * game.players if end is None else end["points"]
    return [
        Seat(
            points[seat],
            [(card, count) for card, count in hand.most_common() if count],
            language.text("coloretto.has_taken_row") if seat in game.taken else "",
        )
        for seat, hand in enumerate(game.hands)
    ]


def _step(play: Session) -> str:
    return str(len(play.log.records))


PAGE = Page(
    text="coloretto.place_card_or_take_row",
    least=2,
    most=5,
    options=_OPTIONS,
    phase=_phase,
    seats=_seats,
    step=_step,
)


KINDS = ("colour", "+2", "joker", "last round", "row", "summary")
_FEWEST_COLOURS = 2


def _is_whole(said: Said) -> bool:
    kind = said.get("kind")
    return kind is not None and (kind != "colour" or "colour" in said)


def _check(deck: Deck) -> None:
    for face in deck.fronts:
        kind = face.attributes.get("kind")
        # Cards of a deck with suits that mean nothing in Coloretto are not in the game (E1).
        if kind is None and "suit" in face.attributes:
            continue
        if kind not in KINDS or not _is_whole(face.attributes):
            raise BadInputError("error.games.has_no_kind_or_no", number=face.id, list=", ".join(KINDS))
    kinds = Counter(face.attributes.get("kind") for face in deck.fronts)
    missing = [kind for kind in ("colour", "+2", "joker") if not kinds[kind]]
    if missing:
        raise BadInputError("error.games.there_are_no_cards_in", what=missing[0])
    if kinds["colour"] < _FEWEST_COLOURS:
        raise BadInputError("error.games.all_colour_cards_in_these")


def card_colours(deck: Deck) -> list[str]:
    """Return the colours of a deck's cards, in its order."""
    return list(
        dict.fromkeys(face.attributes["colour"] for face in deck.fronts if face.attributes.get("kind") == "colour")
    )


def _missing(fronts: Sequence[Said]) -> str | None:
    kinds = [one["kind"] for one in fronts]
    for kind, key in (("+2", "lesson_no_plus2"), ("joker", "lesson_no_joker")):
        if kind not in kinds:
            return key
    return "lesson_one_colour" if kinds.count("colour") < _FEWEST_COLOURS else None


def _tally(meanings: Sequence[Said], expected: int) -> dict[str, Any]:
    colours = {meaning.get("colour") for meaning in meanings if meaning.get("kind") == "colour"}
    kinds = {meaning.get("kind") for meaning in meanings}
    more = [kind for kind in ("+2", "joker") if kind in kinds]
    of_all = expected + 2 if expected else 0
    return {"seen": len(colours) + len(more), "of": of_all, "colours": len(colours), "kinds": more}


def _face_name(said: Said) -> str:
    if said["kind"] == "colour":
        return said["colour"]
    return "-".join(said["kind"].split() + ([said["room"]] if "room" in said else []))


CARDS = Cards(
    check=_check,
    beside=("everdeck",),
    is_whole=_is_whole,
    face_name=_face_name,
    missing=_missing,
    tally=_tally,
    colours=card_colours,
)


def _start(header: Header) -> Game:
    # The models of events take 0.1 s to import, and scoring a hand needs none of them.
    from referee.games.coloretto.rules import from_header

    return from_header(header)


def _watcher(header: Header, setup: WatchSetup) -> Watcher:
    from referee.games.coloretto.watching.watcher import ColorettoWatcher

    return ColorettoWatcher(header, setup.deck_for(header), setup.profile)


def _script(header: Header, deck: Deck, seed: int, rounds: int | None) -> DemoScript:
    from referee.games.coloretto.demo import ColorettoPlan, write_coloretto
    from referee.games.kind import DemoScript

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
