"""How the page offers Piccolino, and what it shows of a game. Pure."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from referee.games.kind import Option, Page, Seat
from referee.language import Language, mark_in

if TYPE_CHECKING:
    from referee.engine.session import Session
    from referee.games.piccolino.one_bell import KnownSeats

_OPTIONS = (
    Option("dealer", mark_in("page", "Who deals?")),
    Option(
        "two_left",
        mark_in("page", "A false ring with two players left"),
        (
            ("always", mark_in("page", "gives the other all open cards")),
            ("start", mark_in("page", "does so only if two began the game")),
        ),
    ),
    Option(
        "lucky_guess",
        mark_in("page", "A ring faster than anybody can react"),
        (
            ("valid", mark_in("page", "is valid, and called a lucky guess")),
            ("false", mark_in("page", "is false")),
        ),
    ),
    Option(
        "remarks",
        mark_in("page", "Cards turned out of turn"),
        (("off", mark_in("page", "are not mentioned")), ("on", mark_in("page", "are pointed out"))),
    ),
    Option(
        "missed",
        mark_in("page", "Pairs that nobody rang for"),
        (
            ("off", mark_in("page", "are not mentioned")),
            ("on", mark_in("page", "are told at the end of a round")),
        ),
    ),
)


def _game(play: Session) -> KnownSeats:
    from referee.games.piccolino.one_bell import OneBell

    assert isinstance(play.game, OneBell)
    return play.game.game


def _phase(play: Session, lasts_ms: int | None, language: Language) -> dict[str, Any]:
    game, question = _game(play), play.question
    asked = question is not None and question.kind == "who_rang"
    key = "over" if game.over else "who_rang" if asked else "turning"
    # Cards may have been turned since the ring that waits: whose turn it was then is not whose it is.
    return {"key": key, "turn": None if asked else game.turn()}


def _seats(play: Session, language: Language) -> list[Seat]:
    """Give each seat's cards, which are its points, and how they lie, in a few words."""
    cards = _game(play).cards
    details = (
        language.text("out") if out else language.text("{draw} to turn, {open} open", draw=draw, open=discard)
        for out, draw, discard in zip(cards.is_out, cards.draw, cards.discard, strict=True)
    )
    return [Seat(points, detail=detail) for points, detail in zip(cards.totals(), details, strict=True)]


PAGE = Page(
    text=mark_in("page", "Two happy clowns of one colour: ring!"),
    least=2,
    most=5,
    options=_OPTIONS,
    phase=_phase,
    seats=_seats,
)
