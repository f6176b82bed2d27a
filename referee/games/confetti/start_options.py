"""Set-up of Confetti: options, rounds by the number of players (C2), and the supply of cards (C3)."""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import Enum

from referee.engine.events import Header
from referee.games.confetti.score import Overlimit

DECK_CARDS = 84


class Edition(Enum):
    """Edition of the rule sheet (C3, C9)."""

    ENGLISH = "english"
    GERMAN = "german"


class LateCards(Enum):
    """Rule for a hand that changed after time (C4; the rule sheets call it a foul and no more)."""

    COUNT = "count"
    VOID = "void"


@dataclass(frozen=True)
class ConfettiOptions:
    """Options of a game: `edition` (C3, C9), `overlimit` (C7), `side` ("white" or "black", C1).

    `late_cards`: **Ruling** where the sheets are silent. A foul is called in both cases. With COUNT the last hand
    counts; with VOID the last hand that was seen before the end of time.
    """

    edition: Edition = Edition.ENGLISH
    overlimit: Overlimit = Overlimit.SEPARATE
    side: str = "white"
    late_cards: LateCards = LateCards.COUNT


@dataclass(frozen=True)
class Supply:
    """Numbers of cards that no player keeps (C3, C9): set aside, on the table or in hands, taken out."""

    aside: int = DECK_CARDS
    table: int = 0
    out_for_round: int = 0
    out_for_game: int = 0

    def without_contested(self, edition: Edition) -> Supply:
        """Return the supply without a card that two players held: out for the round, or for the game (C9)."""
        table = max(0, self.table - 1)
        if edition is Edition.GERMAN:
            return replace(self, table=table, out_for_round=self.out_for_round + 1)
        return replace(self, table=table, out_for_game=self.out_for_game + 1)


def round_limits(players: int) -> tuple[int, ...]:
    """Return the largest allowed hand of each round (C2)."""
    if players == 1:
        return (6,) * 5
    return (6, 6, 9) if players <= 4 else (6, 9)


def cards_to_lay_out(aside: int, number: int, players: int, edition: Edition) -> int:
    """Return the number of cards, of those set aside, that are laid out for round `number` (C3)."""
    halves = 2 if edition is Edition.GERMAN and 2 <= players <= 4 else 1
    return aside // 2 if number <= halves else aside


def settings_from(header: Header) -> ConfettiOptions:
    """Return the options in an event log's header.

    Raises:
        BadInputError: Confetti does not know an option or its value.
    """
    header.only_options(("edition", "overlimit", "side", "late_cards"))
    return ConfettiOptions(
        edition=Edition(header.option("edition", [edition.value for edition in Edition])),
        overlimit=Overlimit(header.option("overlimit", [overlimit.value for overlimit in Overlimit])),
        side=header.option("side", ("white", "black")),
        late_cards=LateCards(header.option("late_cards", [late.value for late in LateCards])),
    )
