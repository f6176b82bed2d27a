"""The events of Coloretto."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import AfterValidator, BeforeValidator, Field, TypeAdapter, ValidationInfo

from referee.engine.event_models import PLAYERS, EventModel, Seat
from referee.errors import BadInputError
from referee.games.coloretto.start_options import JOKER, MAX_START_CARDS, PLUS2, is_colour, rooms
from referee.jsonlines import shown


def _row(row: int, info: ValidationInfo) -> int:
    rows = len(rooms(info.context[PLAYERS])) if info.context else row + 1
    if row >= rows:
        raise BadInputError("error.games.there_is_no_row_last", row=shown(row), number=rows - 1)
    return row


def _card(card: object) -> object:
    if not isinstance(card, str) or not (is_colour(card) or card in (PLUS2, JOKER)):
        raise BadInputError("error.games.card_must_be_colour_or", plus2=PLUS2, joker=JOKER, card=shown(card))
    return card


def _starts(cards: object) -> object:
    if not isinstance(cards, list) or not all(map(is_colour, cards)) or len(cards) > MAX_START_CARDS:
        raise BadInputError("error.games.cards_must_be_colours_that")
    return cards


Row = Annotated[int, Field(ge=0, description="counted from 0"), AfterValidator(_row)]
CardName = Annotated[str, BeforeValidator(_card), Field(description=f'a colour, "{PLUS2}" or "{JOKER}"')]


class CardPlaced(EventModel):
    """A seat placed a card in a row (K4)."""

    event: Literal["card_placed"] = "card_placed"
    seat: Seat
    row: Row
    card: CardName


class RowTaken(EventModel):
    """A seat took a row (K4)."""

    event: Literal["row_taken"] = "row_taken"
    seat: Seat
    row: Row


class LastRound(EventModel):
    """The card was drawn that makes the running round the last (K6)."""

    event: Literal["last_round"] = "last_round"


class CardTakenBack(EventModel):
    """The card placed last was lifted again."""

    event: Literal["card_taken_back"] = "card_taken_back"
    row: Row


class CardMoved(EventModel):
    """A card moved from one row to another."""

    event: Literal["card_moved"] = "card_moved"
    card: CardName
    row: Row
    to: Row


class CardWas(EventModel):
    """A correction of the face of a card that a seat has."""

    event: Literal["card_was"] = "card_was"
    seat: Seat
    was: str
    card: CardName


class StartCards(EventModel):
    """The colours with which a seat starts (K2)."""

    event: Literal["start_cards"] = "start_cards"
    seat: Seat
    cards: Annotated[tuple[str, ...], BeforeValidator(_starts), Field(strict=False, max_length=MAX_START_CARDS)]


class Stopped(EventModel):
    """The players end the game early."""

    event: Literal["stop"] = "stop"


Action = CardPlaced | RowTaken | LastRound | CardTakenBack | CardMoved | CardWas | StartCards | Stopped
EVENTS: TypeAdapter[Action] = TypeAdapter(Annotated[Action, Field(discriminator="event")])
