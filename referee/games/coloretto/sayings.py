"""Sentences of Coloretto's rulings."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from referee.games.coloretto.score import HandCards
from referee.games.kind import RulingData, Words
from referee.language import Language
from referee.sayings.colours import colour_name
from referee.sayings.ends import say_end

_WHY_FOUL = {
    "already_out": "coloretto.why_foul.already_out",
    "not_your_turn": "coloretto.why_foul.not_your_turn",
    "row_gone": "coloretto.why_foul.row_gone",
    "row_full": "coloretto.why_foul.row_full",
    "row_empty": "coloretto.why_foul.row_empty",
}


def sentences(ruling: Mapping[str, Any], players: Sequence[str], language: Language) -> tuple[str, ...]:
    """Return the sentences of a ruling, empty for a silent one; `players` are the names by seat."""
    match ruling["ruling"]:
        case "foul":
            why = _WHY_FOUL.get(ruling["reason"], "coloretto.that_is_not_allowed")
            return (language.text("coloretto.foul", player=players[ruling["seat"]], why=language.text(why)),)
        case "round_end" if ruling.get("last"):
            return (language.text("coloretto.round_is_over"),)
        case "round_end":
            starts = language.text("coloretto.starts_next_one", player=players[ruling["starts"]])
            return (language.text("coloretto.round_is_over"), starts)
        case "end":
            return _end(ruling, players, language)
        case _:
            return ()


def notice(kind: str, player: str, data: Mapping[str, Any], players: Sequence[str], language: Language) -> str:
    """Return the sentence of a question or notice; "" for one of another game."""
    row = int(data.get("row", 0)) + 1
    match kind:
        case "who_took":
            names = [players[seat] for seat in data["seats"]]
            asked = language.text("coloretto.or", first=", ".join(names[:-1]), last=names[-1])
            return language.text("coloretto.who_took_row_tap_it", row=row, players=asked)
        case "rows_unmarked":
            return language.text("coloretto.no_cards_mark_rows_here")
        case "row_card_unread":
            return language.text("coloretto.card_in_row_cannot_be", row=row)
        case "misread":
            who, seen = players[int(data["seat"])], _cards_named([data["card"]], language)
            was = language.list_of([card_name(card, language) for card in dict.fromkeys(data["was"])])
            return language.text("coloretto.i_see_before_you_where", player=who, seen=seen, was=was)
        case "start_card":
            who = players[int(data["seat"])]
            return language.text("coloretto.which_card_do_you_start", player=who)
        case "not_understood":
            return language.text("coloretto.i_have_lost_track_of")
        case "area_differs":
            lacking = _cards_named(data["missing"], language)
            over = _cards_named(data["extra"], language)
            if lacking and over:
                return language.text("coloretto.i_see_and_not_please", player=player, extra=over, missing=lacking)
            if lacking:
                return language.text("coloretto.i_do_not_see_please", player=player, missing=lacking)
            return language.text("coloretto.i_see_which_you_did", player=player, extra=over)
        case _:
            return ""


def answer(data: Mapping[str, Any], players: Sequence[str], language: Language) -> str:
    """Return the words of an answer to a question, in brief."""
    match data:
        case {"seat": int(seat)}:
            return players[seat]
        case {"card": str(card)}:
            return card_name(card, language)
        case {"cards": [*cards]}:
            return _cards_named(cards, language)
        case {"moves": [*moves]}:
            return language.list_of([said for move in moves if (said := _move(move, players, language))])
        case _:
            return language.text("coloretto.all_is_as_it_was")


def _move(move: Mapping[str, Any], players: Sequence[str], language: Language) -> str:
    row = int(move.get("row", 0)) + 1
    match move["event"]:
        case "card_placed":
            card = card_name(str(move["card"]), language)
            return language.text("coloretto.laid_in_row", player=players[move["seat"]], card=card, row=row)
        case "card_moved":
            card, to = card_name(str(move["card"]), language), int(move["to"]) + 1
            return language.text("coloretto.slipped_from_row_to_row", card=card, row=row, to=to)
        case "row_taken":
            return language.text("coloretto.took_row", player=players[move["seat"]], row=row)
        case _:
            return language.text("coloretto.last_card_was_taken_back", row=row)


def card_name(card: str, language: Language) -> str:
    """Return a card of the rules in words."""
    return (
        card if card == "+2" else language.text("coloretto.joker") if card == "joker" else colour_name(language, card)
    )


def _cards_named(cards: Sequence[str], language: Language) -> str:
    """Return the words for cards of the rules: "two green and one joker"."""
    colours = {card: cards.count(card) for card in cards if card not in ("joker", "+2")}
    return say_hand(HandCards(colours, cards.count("joker"), cards.count("+2")), language)


def say_hand(hand: HandCards, language: Language) -> str:
    """Return the words for a hand: "six green, four yellow, one joker, one +2"."""
    held = [(colour_name(language, colour), cards) for colour, cards in hand.colours.items() if cards]
    held.sort(key=lambda one: -one[1])
    parts = [
        language.text("coloretto.cards_colour", cards=language.number(cards), colour=colour) for colour, cards in held
    ]
    if hand.jokers:
        parts.append(language.count("coloretto.n_joker", hand.jokers))
    if hand.plus2:
        parts.append(language.text("coloretto.cards_colour", cards=language.number(hand.plus2), colour="+2"))
    return language.list_of(parts)


def say_choice(plus: Sequence[str], minus: Sequence[str], jokers: Sequence[str], language: Language) -> str:
    """Return the words for counted colours and jokers (K8): "green and red count plus, blue counts minus"."""
    parts = []
    if plus:
        parts.append(language.count("coloretto.counts_plus", len(plus), **_named(plus, language)))
    if minus:
        count = language.count("coloretto.counts_minus", len(minus), **_named(minus, language))
        parts.append(count)
    if jokers:
        named = _named(jokers, language)
        parts.append(language.count("coloretto.joker_is", len(jokers), **named))
    return ", ".join(parts)


def _named(colours: Sequence[str], language: Language) -> dict[str, str]:
    return {"colours": language.list_of([colour_name(language, colour) for colour in dict.fromkeys(colours)])}


def _end(ruling: Mapping[str, Any], players: Sequence[str], language: Language) -> tuple[str, ...]:
    totals = [language.points(points) for points in ruling["points"]]
    verdict = say_end(ruling["winners"], totals, players, language, stopped=ruling.get("stopped", False))
    choices = []
    for player, hand in zip(players, ruling.get("hands", ()), strict=False):
        choice = say_choice(hand["plus"], hand.get("minus", ()), hand["joker_colours"], language)
        if choice:
            choices.append(language.text("coloretto.player_choice", player=player, choice=choice))
    return (*verdict, *choices)


def _likely(players: int) -> Iterable[RulingData]:
    for seat in range(players):
        yield {"ruling": "round_end", "starts": seat}
        for reason in _WHY_FOUL:
            yield {"ruling": "foul", "seat": seat, "reason": reason}


WORDS = Words(sentences=sentences, likely=_likely, notice=notice, answer=answer)
