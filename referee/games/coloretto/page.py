"""Page of Coloretto: options, rows with their colours, and the score sheet. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from referee.engine.corrections import corrected_events
from referee.games.coloretto.sayings import say_choice
from referee.games.coloretto.score import (
    JOKERS_IN_DECK,
    PALETTES,
    HandCards,
    HandScore,
    SummarySide,
    parse_hand,
    score_coloretto,
)
from referee.games.coloretto.setup import JOKER, PLUS2, is_colour
from referee.games.kind import Option, Page, Seat
from referee.language import Language

if TYPE_CHECKING:
    from referee.engine.session import Session
    from referee.games.coloretto.rules import Coloretto

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
    """Return how a game stands: rows, for how many cards each, who has taken one, the colours, and the score sheet."""
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
    """Return the colours that a card may have, as far as anybody knows."""
    seen = {card for hand in game.hands for card in hand} | {card for row in game.rows for card in row or ()}
    known = {card for card in seen if is_colour(card)}
    palette = next((one for one in PALETTES if known <= set(one)), tuple(sorted(known)))
    return [colour for colour in palette if colour not in game.settings.left_out]


def sheet(hands: Sequence[Mapping[str, Any]], table: str, language: Language) -> list[dict[str, Any]]:
    """Return the score of hands that people counted themselves, with the keys of the outside contract; table: a side.

    Raises:
        BadInputError: there is no such hand.
    """
    parsed = [parse_hand({**data, "table": table}) for data in hands]
    return [sheet_line(hand, side, language) for hand, side in parsed]


def sheet_line(hand: HandCards, table: SummarySide, language: Language) -> dict[str, Any]:
    """Return what a hand is worth, and why: `{"points", "lines", "plus2", "jokers", "text"}`.

    `lines`: `{"colour", "cards", "jokers": how many of them are jokers, "points"}`, the dearest first.
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
    return {"key": key, "turn": game.turn, **stands(game, language), "told": _last_told(play)}


def _last_told(play: Session) -> str | None:
    """Return the last event that a person entered, as a correction names it; None if it was struck or is missing."""
    struck = {number for number, data in corrected_events(play.log.corrections).items() if data is None}
    told = (number for number, record in reversed(play.log.records.items()) if record.is_of_game)
    return next((play.log.event_id(number) for number in told if number not in struck), None)


def _seats(play: Session, language: Language) -> list[Seat]:
    """Return each seat's points, which nobody has before the end, its open cards, and whether it sits the round out."""
    game = _game(play)
    ends = (ruling["points"] for _, ruling in play.log.newest(50) if ruling["ruling"] == "end")
    points = next(ends, [None] * game.players)
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
