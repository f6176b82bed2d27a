"""How the page offers Coloretto, and what it shows of a game: rows, the colours in it, and a score sheet. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from referee.engine.corrections import corrected_events
from referee.errors import BadInputError
from referee.games.coloretto.rules import Coloretto
from referee.games.coloretto.sayings import say_choice
from referee.games.coloretto.score import (
    JOKERS_IN_DECK,
    PALETTES,
    ColorettoHand,
    ColorettoScore,
    Table,
    parse_hand,
    score_coloretto,
)
from referee.games.coloretto.setup import JOKER, PLUS2, is_colour
from referee.games.kind import Option, Page
from referee.language import Language

if TYPE_CHECKING:
    from referee.service.live_game import LiveGame

_MOST_HANDS = 5
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
    """Give how a game stands: rows, for how many cards each, who has taken one, the colours, and the score sheet."""
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
    """Give the colours that a card may have, as far as anybody knows."""
    seen = {card for hand in game.hands for card in hand} | {card for row in game.rows for card in row or ()}
    known = {card for card in seen if is_colour(card)}
    palette = next((one for one in PALETTES if known <= set(one)), tuple(sorted(known)))
    return [colour for colour in palette if colour not in game.settings.left_out]


def sheet(command: Mapping[str, Any], language: Language) -> list[dict[str, Any]]:
    """Give what hands are worth that people counted themselves: `hands` as the outside contract has them, `table`.

    Raises:
        BadInputError: there is no such hand.
    """
    hands = command.get("hands")
    if not isinstance(hands, list) or not 1 <= len(hands) <= _MOST_HANDS:
        raise BadInputError("error.games.hands_must_be_list_with")
    lines = []
    for data in hands:
        if not isinstance(data, Mapping):
            raise BadInputError("error.games.hand_says_how_many_cards")
        hand, table = parse_hand({**data, "table": command.get("table", Table.BROWN.value)})
        lines.append(sheet_line(hand, table, language))
    return lines


def sheet_line(hand: ColorettoHand, table: Table, language: Language) -> dict[str, Any]:
    """Give what a hand is worth, and why: `{"points", "lines", "plus2", "jokers", "text"}`.

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


def _line(hand: ColorettoHand, score: ColorettoScore, colour: str, table: Table) -> dict[str, Any]:
    jokers = score.jokers.count(colour)
    cards = hand.colours.get(colour, 0) + jokers
    worth = table.points(cards)
    return {"colour": colour, "cards": cards, "jokers": jokers, "points": worth if colour in score.plus else -worth}


def _hand(game: Coloretto, seat: int) -> ColorettoHand:
    held = game.hands[seat]
    colours: Sequence[str] = colours_of(game)
    return ColorettoHand({colour: held[colour] for colour in colours}, min(held[JOKER], JOKERS_IN_DECK), held[PLUS2])


def _game(play: LiveGame) -> Coloretto:
    assert isinstance(play.game, Coloretto)
    return play.game


def _points(play: LiveGame, seat: int) -> int | None:
    """Nobody has points before the end."""
    ends = (ruling for _, ruling in play.log.newest(50) if ruling["ruling"] == "end")
    return next((ruling["points"][seat] for ruling in ends), None)


def _phase(play: LiveGame, lasts_ms: int | None, language: Language) -> dict[str, Any]:
    game = _game(play)
    key = "over" if game.over else "placing"
    return {"key": key, "turn": game.turn, **stands(game, language), "told": _last_told(play)}


def _last_told(play: LiveGame) -> str | None:
    """Give what a person told last of the game, as a correction names it; None if that was struck or is not there."""
    struck = {number for number, data in corrected_events(play.log.corrections).items() if data is None}
    told = (number for number, record in reversed(play.log.records.items()) if record.is_of_game)
    return next((play.log.event_id(number) for number in told if number not in struck), None)


def _held(play: LiveGame, seat: int) -> list[tuple[str, int]]:
    """What lies open before a seat, most of one kind first."""
    return [(card, count) for card, count in _game(play).hands[seat].most_common() if count]


def _detail(play: LiveGame, seat: int, language: Language) -> str:
    """Whether a seat sits the round out."""
    return language.text("coloretto.has_taken_row") if seat in _game(play).taken else ""


def _step(play: LiveGame) -> str:
    return str(len(play.log.records))


PAGE = Page(
    text="coloretto.place_card_or_take_row",
    least=2,
    most=5,
    options=_OPTIONS,
    phase=_phase,
    points=_points,
    held=_held,
    detail=_detail,
    step=_step,
)
