"""What people are asked at Coloretto, and which events each answer stands for."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from referee.engine.events import Event
from referee.engine.session import Answer, Doubt
from referee.games.coloretto.rules import Coloretto
from referee.games.coloretto.score import PALETTES
from referee.games.coloretto.setup import JOKER, PLUS2, is_colour
from referee.games.coloretto.watching.hypotheses import Hypothesis
from referee.games.coloretto.watching.looks import UNKNOWN, Look, Move

_MOST_ANSWERS = 3


def asked_about(hypotheses: Sequence[Hypothesis], look: Look, margin: float) -> Doubt:
    """Give what is not clear where several hypotheses are likely, or none is told."""
    moved = [hypothesis for hypothesis in hypotheses if hypothesis.moves]
    likely = [hypothesis for hypothesis in moved if hypothesis.cost < hypotheses[0].cost + margin]
    takers: dict[int, dict[int, Hypothesis]] = {}
    for hypothesis in likely:
        for move in hypothesis.moves:
            if move.kind == "take":
                takers.setdefault(move.row, {}).setdefault(move.seat, hypothesis)
    for row, by_seat in takers.items():
        if len(by_seat) > 1:
            answers = [_answer(hypothesis, look, {"seat": seat}) for seat, hypothesis in sorted(by_seat.items())]
            return Doubt(look.t_ns, "who_took", {"row": row, "seats": sorted(by_seat)}, tuple(answers))
    for hypothesis in likely:
        unknown = [move for move in hypothesis.moves if move.card == UNKNOWN]
        row = unknown[0].row if unknown else 0
        if len(unknown) == 1 and look.rows[row].unread:
            return Doubt(look.t_ns, "row_card_unread", {"row": row}, _each_card(hypothesis, look))
    for row, spot in enumerate(look.rows):
        if spot.unread:
            return Doubt(look.t_ns, "row_card_unread", {"row": row}, ())
    told = [one for one in moved if all(move.card != UNKNOWN for move in one.moves)][:_MOST_ANSWERS]
    answers = [
        _answer(hypothesis, look, {"moves": [event.data for event in _events(hypothesis, look)]}) for hypothesis in told
    ]
    return Doubt(look.t_ns, "not_understood", {}, tuple(answers))


def misread(moves: Sequence[Move], t_ns: int) -> tuple[Doubt, ...]:
    """Give what is asked of cards that are seen in an area in place of others; nothing was told instead."""
    return tuple(
        Doubt(
            t_ns,
            "misread",
            {"seat": move.seat, "card": move.card, "was": list(move.was)},
            (
                Answer((), {"card": move.was[0]} if len(move.was) == 1 else {"none": True}),
                *(
                    Answer((_was(move.seat, was, move.card, t_ns),), {"card": move.card, "was": was})
                    for was in dict.fromkeys(move.was)
                ),
            ),
        )
        for move in moves
        if move.kind == "misread"
    )


def start_card(game: Coloretto, seat: int, look: Look) -> Doubt:
    """Give what is asked of a card that a seat starts with and nobody can read."""
    known = list(look.areas[seat].cards)
    answers = tuple(
        Answer(
            (Event(look.t_ns, "start_cards", {"event": "start_cards", "seat": seat, "cards": [*known, card]}),),
            {"card": card},
        )
        for card in _cards_of(game)
        if is_colour(card)
    )
    return Doubt(look.t_ns, "start_card", {"seat": seat}, answers)


def event_of(move: Move, t_ns: int) -> Event:
    """Give a move as the game is told it."""
    match move.kind:
        case "place":
            data: dict[str, object] = {"event": "card_placed", "seat": move.seat, "row": move.row, "card": move.card}
        case "take":
            data = {"event": "row_taken", "seat": move.seat, "row": move.row}
        case "moved":
            data = {"event": "card_moved", "row": move.row, "to": move.to, "card": move.card}
        case _:
            data = {"event": "card_taken_back", "row": move.row}
    return Event(t_ns, str(data["event"]), data)


def _was(seat: int, was: str, card: str, t_ns: int) -> Event:
    return Event(t_ns, "card_was", {"event": "card_was", "seat": seat, "was": was, "card": card})


def _answer(hypothesis: Hypothesis, look: Look, data: Mapping[str, object]) -> Answer:
    return Answer(_events(hypothesis, look), data)


def _events(hypothesis: Hypothesis, look: Look) -> tuple[Event, ...]:
    return tuple(event_of(move, look.t_ns) for move in hypothesis.moves if move.is_told)


def _each_card(hypothesis: Hypothesis, look: Look) -> tuple[Answer, ...]:
    """Give an answer for each card that the one that nobody can read may be."""
    return tuple(
        _answer(
            replace(
                hypothesis, moves=tuple(replace(m, card=card) if m.card == UNKNOWN else m for m in hypothesis.moves)
            ),
            look,
            {"card": card},
        )
        for card in _cards_of(hypothesis.game)
    )


def _cards_of(game: Coloretto) -> list[str]:
    known = {card for cards in game.hands for card in cards} | {card for row in game.rows for card in row or ()}
    palette = next((one for one in PALETTES if known & set(one)), PALETTES[0])
    return [*(colour for colour in palette if colour not in game.settings.left_out), PLUS2, JOKER]
