"""Sentences of Piccolino's rulings."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import combinations
from typing import Any

from referee.games.kind import RulingData, Words
from referee.language import Language
from referee.sayings.ends import say_end

_MS_PER_S = 1000
_CLOWNS = ("red", "orange", "yellow", "green", "blue", "purple", "pink", "black")

_REMARKS = {
    "no_draw_pile": "piccolino.remark.no_draw_pile",
    "out_of_turn": "piccolino.remark.out_of_turn",
    "two_at_once": "piccolino.remark.two_at_once",
}


def sentences(ruling: Mapping[str, Any], players: Sequence[str], language: Language) -> tuple[str, ...]:
    """Return the sentences of a ruling, empty for a silent one; `players` are the names by seat."""
    match ruling["ruling"]:
        case "ring":
            again = language.text("piccolino.hidden_card_is_still_one")
            return (_ring(ruling, players, language), *((again,) if ruling.get("seen_again") else ()))
        case "unclear":
            return (_unclear(ruling, players, language), language.text("piccolino.please_look_at_picture_and"))
        case "too_early":
            return (_too_early(ruling, language),)
        case "also_rang":
            return (_also_rang(ruling, players, language),)
        case "ignored":
            return _ignored(ruling, players, language)
        case "cards_move":
            to = players[ruling["to"]]
            if ruling["from"] == "piles":
                return (_piles(to, ruling["count"], language),)
            return (_say_penalty(players[ruling["from"]], [to], ruling["count"], language),)
        case "out":
            return (language.text("piccolino.is_out", player=players[ruling["seat"]]),)
        case "remark":
            return (language.text(_remark(ruling["reason"]), player=players[ruling["seat"]]),)
        case "missed":
            return (_missed(ruling, language),)
        case "end":
            totals = [language.cards(cards) for cards in ruling["cards"]]
            return say_end(ruling["winners"], totals, players, language)
        case _:
            return ()


def notice(kind: str, name: str, data: Mapping[str, Any], players: Sequence[str], language: Language) -> str:
    """Return the players' instruction for a notice; "" for a notice of another game."""
    match kind:
        case "unread_card":
            return language.text("piccolino.top_card_cannot_be_read", player=name)
        case "strange_card":
            return language.text("piccolino.what_lies_before_you_is", player=name)
        case "no_clowns":
            return language.text("piccolino.i_see_no_clowns_of")
        case "no_card_to_turn":
            return language.text("piccolino.nobody_has_card_left_to")
        case _:
            return ""


def _say_penalty(giver: str, receivers: Sequence[str], cards: int, language: Language) -> str:
    """Return the sentence for penalty cards (P5); `cards` is the number for each receiver."""
    if len(receivers) == 1:
        return language.count("piccolino.gives_one_card_to", cards, player=giver, other=receivers[0])
    return language.count("piccolino.gives_one_card_each_to", cards, player=giver, others=language.list_of(receivers))


def _piles(winner: str, cards: int, language: Language) -> str:
    return language.count("piccolino.wins_piles_one_card", cards, player=winner)


def _ring(ruling: Mapping[str, Any], players: Sequence[str], language: Language) -> str:
    seat = ruling.get("seat")
    if ruling["valid"]:
        why = _why_valid(ruling, language)
        if seat is None:
            return language.text("piccolino.valid_ring", why=why)
        return language.text("piccolino.valid_ring_player_why", player=players[seat], why=why)
    why = _why_false(ruling, language)
    if ruling.get("turning"):
        why = language.text("piccolino.card_was_still_turning", why=why)
    if seat is None:
        return language.text("piccolino.false_ring", why=why)
    return language.text("piccolino.false_ring_player_why", player=players[seat], why=why)


def _why_valid(ruling: Mapping[str, Any], language: Language) -> str:
    if ruling.get("decided"):
        return language.text("piccolino.so_you_decided")
    why = happy_clowns(language, len(ruling["seats"]), ruling["colour"])
    return language.text("piccolino.but_lucky_guess", why=why) if ruling.get("lucky") else why


def _why_false(ruling: Mapping[str, Any], language: Language) -> str:
    colour = ruling.get("colour")
    if ruling.get("decided"):
        return language.text("piccolino.so_you_decided")
    match ruling.get("reason"):
        case "covered_up":
            return language.text("piccolino.pair_was_already_covered_up")
        case "sad":
            return one_is_sad(language, colour)
        case "lucky_guess":
            return language.text("piccolino.too_soon_lucky_guess")
        case _:
            return language.text("piccolino.no_two_happy_clowns_of")


def _too_early(ruling: Mapping[str, Any], language: Language) -> str:
    pair = happy_clowns(language, len(ruling["seats"]), ruling["colour"])
    lag = max(2, round(ruling["early_ms"]))
    return language.text("piccolino.too_early_but_milliseconds_after", pair=pair, lag=lag)


def _also_rang(ruling: Mapping[str, Any], players: Sequence[str], language: Language) -> str:
    player, lag_ms = _ringer(ruling, players, language), float(ruling["lag_ms"])
    if ruling.get("again"):
        return language.text("piccolino.pressed_bell_once_more", player=player)
    if lag_ms < 0.1:
        return language.text("piccolino.rang_too_at_very_same", player=player)
    if lag_ms >= 2 * _MS_PER_S:
        seconds = language.decimal(lag_ms / _MS_PER_S)
        return language.text("piccolino.rang_too_seconds_later", player=player, lag=seconds)
    lag = language.decimal(lag_ms) if lag_ms < 10 else str(round(lag_ms))
    if lag == "1":
        return language.text("piccolino.rang_too_one_millisecond_later", player=player)
    if round(lag_ms, 1) < 2:
        # French uses the singular up to this number.
        return language.text("piccolino.under_two.rang_too_milliseconds_later", player=player, lag=lag)
    return language.text("piccolino.rang_too_milliseconds_later", player=player, lag=lag)


def _ignored(ruling: Mapping[str, Any], players: Sequence[str], language: Language) -> tuple[str, ...]:
    """Return why an event does not count, addressed to its player; a camera's event needs no sentence."""
    event, reason = ruling.get("event", "bell"), ruling["reason"]
    if event == "card_shown" and reason == "out":
        return (language.text("piccolino.is_out_that_card_does", player=players[ruling["seat"]]),)
    if event != "bell":
        return ()
    player = _ringer(ruling, players, language)
    match reason:
        case "out":
            return (language.text("piccolino.is_out_that_ring_does", player=player),)
        case "table_cleared":
            return (language.text("piccolino.rang_after_piles_were_won", player=player),)
        case "game_over":
            return (language.text("piccolino.rang_after_end_that_does", player=player),)
        case _:
            return (language.text("piccolino.rang_that_does_not_count", player=player),)


def _ringer(ruling: Mapping[str, Any], players: Sequence[str], language: Language) -> str:
    seat = ruling.get("seat")
    return language.text("piccolino.somebody") if seat is None else players[seat]


def _unclear(ruling: Mapping[str, Any], players: Sequence[str], language: Language) -> str:
    if ruling.get("reason") == "no_clowns":
        return language.text("piccolino.unclear_i_see_no_clowns")
    unread = [players[seat] for seat in ruling.get("seats", ())]
    if not unread:
        return language.text("piccolino.unclear_cards_could_not_be")
    return language.text("piccolino.unclear_cards_could_not_be_told_for", players=language.list_of(unread))


def _remark(reason: str) -> str:
    return _REMARKS.get(reason, "piccolino.please_look_at_cards")


def _missed(ruling: Mapping[str, Any], language: Language) -> str:
    seconds = language.decimal(ruling["longest_ms"] / _MS_PER_S)
    if ruling["count"] == 1:
        return language.text("piccolino.nobody_rang_for_one_pair", seconds=seconds)
    pairs = language.number(ruling["count"])
    return language.text("piccolino.nobody_rang_for_pairs_longest", n=pairs, seconds=seconds)


def _likely(players: int) -> Iterable[RulingData]:
    seats = range(players)
    for seat in seats:
        for reason in ("no_pair", "covered_up"):
            yield {"ruling": "ring", "valid": False, "seat": seat, "reason": reason}
    for seat in seats:
        for colour in _CLOWNS:
            yield {"ruling": "ring", "valid": False, "seat": seat, "reason": "sad", "colour": colour}
            yield {"ruling": "ring", "valid": True, "seat": seat, "colour": colour, "seats": [0, 1]}
    yield from ({"ruling": "out", "seat": seat} for seat in seats)
    for giver, receiver in combinations(seats, 2):
        yield {"ruling": "cards_move", "from": giver, "to": receiver, "count": 1}


def _penalties_together(rulings: Iterable[RulingData]) -> Iterator[list[RulingData]]:
    """Yield the rulings in groups: consecutive penalty moves of one player and size (P5) form one."""
    group: list[RulingData] = []
    for ruling in rulings:
        if group and (_penalty(ruling) is None or _penalty(ruling) != _penalty(group[0])):
            yield group
            group = []
        group.append(ruling)
    if group:
        yield group


def _penalty(ruling: RulingData) -> tuple[int, int] | None:
    if ruling["ruling"] != "cards_move" or ruling["from"] == "piles":
        return None
    return ruling["from"], ruling["count"]


def _penalties(moves: Sequence[RulingData], players: Sequence[str], language: Language) -> str:
    receivers = [players[move["to"]] for move in moves]
    return _say_penalty(players[moves[0]["from"]], receivers, moves[0]["count"], language)


WORDS = Words(
    sentences=sentences,
    likely=_likely,
    together=_penalties_together,
    said_together=_penalties,
    notice=notice,
)


def happy_clowns(language: Language, number: int, colour: str) -> str:
    """Return "two happy greens"."""
    known = f"clowns.happy.{colour}"
    if known not in language:
        return language.text("clowns.happy_of_colour", n=language.number(number), colour=colour)
    clowns = language.text(known)
    return language.text("clowns.happy", n=language.number(number), clowns=clowns)


def one_is_sad(language: Language, colour: str | None) -> str:
    """Return "one of the reds is sad"; None: unknown colour."""
    if colour is None:
        return language.text("clowns.one_is_sad")
    known = f"clowns.one_of.{colour}"
    if known not in language:
        return language.text("clowns.sad_of_colour", colour=colour)
    return language.text("clowns.sad", clowns=language.text(known))
