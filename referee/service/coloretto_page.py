"""What the page shows of Coloretto beside the rulings: rows, the colours in the game, and a score sheet. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from referee.errors import BadInputError
from referee.games.coloretto.rules import Coloretto
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
from referee.language import Language
from referee.sayings.coloretto import say_choice

_MOST_HANDS = 5


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
        raise BadInputError('"hands" must be a list with the cards of one to five players')
    lines = []
    for data in hands:
        if not isinstance(data, Mapping):
            raise BadInputError("a hand says how many cards of each colour there are")
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
