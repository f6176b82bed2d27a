"""Set-up of Piccolino: options and the deal (P1, P2)."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

from referee.engine.events import Header
from referee.errors import BadInputError
from referee.jsonlines import shown, whole_number

MIN_PLAYERS, MAX_PLAYERS = 2, 5
DECK_CARDS = 55
BLACK_CARDS = 6
"""Black cards of the reference deck: five happy, one sad. Two players leave them out (P1)."""
MAX_CARDS = 1000
MAX_LOCKOUT_MS = 60_000


class TwoLeft(Enum):
    """Rule for a wrong ring that gives the other player the discard piles (P5)."""

    ALWAYS = "always"
    START = "start"


class LuckyGuess(Enum):
    """Verdict of a ring faster than anybody can react: valid (and marked lucky) or wrong."""

    VALID = "valid"
    FALSE = "false"


@dataclass(frozen=True)
class PiccolinoOptions:
    """Options of a game.

    `dealer`: the seat that deals, and turns the first card (P2).
    `cards`: number of dealt cards; None: the reference deck's number (P1), which a complete header always names.
    `two_left`: **Ruling** of P5, for any last two players, or only for games that began with two.
    `lockout_ms`: time for which rings belong to the one before, ms (P8).
    `lucky_guess`: a house rule on rings under 100 ms.
    `remarks`: report cards turned out of turn, or two at once.
    `missed`: report at the end of a round the pairs that nobody rang for.
    """

    dealer: int = 0
    cards: int | None = None
    two_left: TwoLeft = TwoLeft.ALWAYS
    lockout_ms: int = 1500
    lucky_guess: LuckyGuess = LuckyGuess.VALID
    remarks: bool = False
    missed: bool = False


def cards_dealt(players: int, settings: PiccolinoOptions) -> int:
    """Return how many cards are in the game (P1)."""
    if settings.cards is not None:
        return settings.cards
    return DECK_CARDS - BLACK_CARDS if players == MIN_PLAYERS else DECK_CARDS


def deal(players: int, cards: int, dealer: int) -> list[int]:
    """Return each seat's number of cards, dealt one by one from the dealer's left (P2)."""
    each, more = divmod(cards, players)
    return [each + ((seat - dealer - 1) % players < more) for seat in range(players)]


def settings_from(header: Header) -> PiccolinoOptions:
    """Return the options in an event log's header.

    Raises:
        BadInputError: Piccolino does not know an option or its value.
    """
    header.only_options(("dealer", "cards", "two_left", "lockout_ms", "lucky_guess", "remarks", "missed"))
    options = header.options
    dealer = whole_number(options.get("dealer", 0), "dealer")
    if dealer >= len(header.players):
        raise BadInputError("error.games.dealer_nobody_sits_at_seat", dealer=shown(dealer))
    cards = options.get("cards")
    lockout_ms = whole_number(options.get("lockout_ms", PiccolinoOptions.lockout_ms), "lockout_ms")
    dealt = cards_dealt(len(header.players), PiccolinoOptions()) if cards is None else whole_number(cards, "cards", 1)
    return PiccolinoOptions(
        dealer=dealer,
        cards=_at_most(dealt, "cards", MAX_CARDS),
        two_left=TwoLeft(header.option("two_left", [when.value for when in TwoLeft])),
        lockout_ms=_at_most(lockout_ms, "lockout_ms", MAX_LOCKOUT_MS),
        lucky_guess=LuckyGuess(header.option("lucky_guess", [guess.value for guess in LuckyGuess])),
        remarks=header.option("remarks", ("off", "on")) == "on",
        missed=header.option("missed", ("off", "on")) == "on",
    )


def _at_most(number: int, name: str, most: int) -> int:
    if number > most:
        raise BadInputError("error.games.must_be_at_most", name=name, most=most)
    return number
