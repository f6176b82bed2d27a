"""Set-up of Coloretto: options, rows and starting cards (K1, K2)."""

from __future__ import annotations

from dataclasses import dataclass

from referee.engine.events import Header
from referee.errors import BadInputError
from referee.games.coloretto.score import PALETTES, SummarySide
from referee.jsonlines import is_name, shown, whole_number

MIN_PLAYERS, MAX_PLAYERS = 2, 5
MAX_JOKERS = 12
"""More than any edition has; a limit keeps the ways to colour them few."""
MAX_START_CARDS = 2
PLUS2, JOKER, LAST_ROUND = "+2", "joker", "last round"


@dataclass(frozen=True)
class ColorettoOptions:
    """Options of a game.

    `table`: side of the summary card that counts (K8). `first`: the seat that begins.
    `start_cards`: each seat's colours before the first turn (K2); empty if unknown.
    `left_out`: the colours that are not in the game (K2); empty if unknown.
    """

    table: SummarySide = SummarySide.BROWN
    first: int = 0
    start_cards: tuple[tuple[str, ...], ...] = ()
    left_out: tuple[str, ...] = ()


def rooms(players: int) -> tuple[int, ...]:
    """Return each row's room in cards: three green rows for two players, else one brown row each (K1, K2)."""
    return (1, 2, 3) if players == MIN_PLAYERS else (3,) * players


def colours_known(seen: frozenset[str], settings: ColorettoOptions) -> tuple[str, ...]:
    """Return the colours that are certainly in the game: the seen ones; with known `left_out`, all others as well."""
    for palette in PALETTES:
        if settings.left_out and seen | set(settings.left_out) <= set(palette):
            return tuple(colour for colour in palette if colour in seen or colour not in settings.left_out)
    return tuple(sorted(seen))


def settings_from(header: Header) -> ColorettoOptions:
    """Return the options in an event log's header.

    Raises:
        BadInputError: Coloretto does not know an option or its value.
    """
    header.only_options(("table", "first", "start_cards", "left_out"))
    options, players = header.options, len(header.players)
    first = whole_number(options.get("first", 0), "first")
    if first >= players:
        raise BadInputError("error.games.first_nobody_sits_at_seat", first=shown(first))
    start_cards = options.get("start_cards", [])
    if not isinstance(start_cards, list) or len(start_cards) not in (0, players):
        raise BadInputError("error.games.start_cards_must_be_list")
    return ColorettoOptions(
        table=SummarySide(header.option("table", [table.value for table in SummarySide])),
        first=first,
        start_cards=tuple(_colours(cards, "start_cards") for cards in start_cards),
        left_out=_colours(options.get("left_out", []), "left_out"),
    )


def _colours(value: object, name: str) -> tuple[str, ...]:
    """Return the colours in a list; a single one needs no list."""
    colours = [value] if isinstance(value, str) else value
    if not isinstance(colours, list):
        raise BadInputError("error.games.must_be_list_of_colours", name=name, value=shown(value))
    for colour in colours:
        if not is_colour(colour):
            raise BadInputError("error.games.there_is_no_colour", name=name, colour=shown(colour))
    return tuple(colours)


def is_colour(card: object) -> bool:
    """Return whether a card has a colour; each edition names its own (E1)."""
    return is_name(card) and card not in (PLUS2, JOKER, LAST_ROUND)
