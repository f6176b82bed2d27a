"""Piccolino's rulings in words."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import combinations
from typing import Any

from referee.games.kind import RulingData, Words
from referee.language import Language, mark
from referee.sayings.colours import happy_clowns, one_is_sad
from referee.sayings.ends import say_end

_MS_PER_S = 1000
_CLOWNS = ("red", "orange", "yellow", "green", "blue", "purple", "pink", "black")

_REMARKS = {
    "no_draw_pile": mark("{player} turned a card, but should have no draw pile left: please count the cards."),
    "out_of_turn": mark("{player} turned a card out of turn."),
    "two_at_once": mark("{player} turned a card at once with another player."),
}


def sentences(ruling: Mapping[str, Any], players: Sequence[str], language: Language) -> tuple[str, ...]:
    """Give the sentences for a ruling, none for one that needs no words; `players` are the names by seat."""
    match ruling["ruling"]:
        case "ring":
            again = language.text("The hidden card is still the one I saw before.")
            return (_ring(ruling, players, language), *((again,) if ruling.get("seen_again") else ()))
        case "unclear":
            return (_unclear(ruling, players, language), language.text("Please look at the picture and decide."))
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
            return (language.text("{player} is out.", player=players[ruling["seat"]]),)
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
    """Give what players should do; "" for what is none of this game's."""
    match kind:
        case "unread_card":
            return language.text("{player}: the top card cannot be read, please straighten it.", player=name)
        case "strange_card":
            return language.text(
                "{player}: what lies before you is no card of this deck, please take it away.", player=name
            )
        case "no_clowns":
            return language.text(
                "I see no clowns of this deck here: please play with its cards, or rings stay unclear."
            )
        case "no_card_to_turn":
            return language.text(
                "Nobody has a card left to turn: ring if two happy clowns of one colour lie open, or end the game."
            )
        case _:
            return ""


def _say_penalty(giver: str, receivers: Sequence[str], cards: int, language: Language) -> str:
    """Give the sentence for penalty cards (P5), so many to each."""
    if len(receivers) == 1:
        return language.count(
            "{player} gives one card to {other}.",
            "{player} gives {n} cards to {other}.",
            cards,
            player=giver,
            other=receivers[0],
        )
    return language.count(
        "{player} gives one card each to {others}.",
        "{player} gives {n} cards each to {others}.",
        cards,
        player=giver,
        others=language.list_of(receivers),
    )


def _piles(winner: str, cards: int, language: Language) -> str:
    return language.count(
        "{player} wins the piles: one card.", "{player} wins the piles: {n} cards.", cards, player=winner
    )


def _ring(ruling: Mapping[str, Any], players: Sequence[str], language: Language) -> str:
    seat = ruling.get("seat")
    if ruling["valid"]:
        why = _why_valid(ruling, language)
        if seat is None:
            return language.text("Valid ring: {why}.", why=why)
        return language.text("Valid ring, {player}: {why}.", player=players[seat], why=why)
    why = _why_false(ruling, language)
    if ruling.get("turning"):
        why = language.text("{why}, a card was still turning", why=why)
    if seat is None:
        return language.text("False ring: {why}.", why=why)
    return language.text("False ring, {player}: {why}.", player=players[seat], why=why)


def _why_valid(ruling: Mapping[str, Any], language: Language) -> str:
    if ruling.get("decided"):
        return language.text("so you decided")
    why = happy_clowns(language, len(ruling["seats"]), ruling["colour"])
    return language.text("{why}, but a lucky guess", why=why) if ruling.get("lucky") else why


def _why_false(ruling: Mapping[str, Any], language: Language) -> str:
    colour = ruling.get("colour")
    if ruling.get("decided"):
        return language.text("so you decided")
    match ruling.get("reason"):
        case "covered_up":
            return language.text("the pair was already covered up")
        case "sad":
            return one_is_sad(language, colour)
        case "lucky_guess":
            return language.text("too soon, a lucky guess")
        case _:
            return language.text("no two happy clowns of one colour")


def _too_early(ruling: Mapping[str, Any], language: Language) -> str:
    pair = happy_clowns(language, len(ruling["seats"]), ruling["colour"])
    lag = max(2, round(ruling["early_ms"]))
    return language.text("Too early: {pair}, but {lag} milliseconds after the ring.", pair=pair, lag=lag)


def _also_rang(ruling: Mapping[str, Any], players: Sequence[str], language: Language) -> str:
    player, lag_ms = _ringer(ruling, players, language), float(ruling["lag_ms"])
    if ruling.get("again"):
        return language.text("{player} pressed the bell once more.", player=player)
    if lag_ms < 0.1:
        return language.text("{player} rang too, at the very same moment.", player=player)
    if lag_ms >= 2 * _MS_PER_S:
        seconds = language.decimal(lag_ms / _MS_PER_S)
        return language.text("{player} rang too, {lag} seconds later.", player=player, lag=seconds)
    lag = language.decimal(lag_ms) if lag_ms < 10 else str(round(lag_ms))
    if lag == "1":
        return language.text("{player} rang too, one millisecond later.", player=player)
    if round(lag_ms, 1) < 2:
        # French has the singular up to here.
        return language.text_in("under two", "{player} rang too, {lag} milliseconds later.", player=player, lag=lag)
    return language.text("{player} rang too, {lag} milliseconds later.", player=player, lag=lag)


def _ignored(ruling: Mapping[str, Any], players: Sequence[str], language: Language) -> tuple[str, ...]:
    """Give why something does not count, to whoever rang or played; the camera's looks are nobody's doing."""
    event, reason = ruling.get("event", "bell"), ruling["reason"]
    if event == "card_shown" and reason == "out":
        return (language.text("{player} is out: that card does not count.", player=players[ruling["seat"]]),)
    if event != "bell":
        return ()
    player = _ringer(ruling, players, language)
    match reason:
        case "out":
            return (language.text("{player} is out: that ring does not count.", player=player),)
        case "table_cleared":
            return (language.text("{player} rang after the piles were won: that does not count.", player=player),)
        case "game_over":
            return (language.text("{player} rang after the end: that does not count.", player=player),)
        case _:
            return (language.text("{player} rang: that does not count.", player=player),)


def _ringer(ruling: Mapping[str, Any], players: Sequence[str], language: Language) -> str:
    seat = ruling.get("seat")
    return language.text("Somebody") if seat is None else players[seat]


def _unclear(ruling: Mapping[str, Any], players: Sequence[str], language: Language) -> str:
    if ruling.get("reason") == "no_clowns":
        return language.text("Unclear: I see no clowns of this deck here.")
    unread = [players[seat] for seat in ruling.get("seats", ())]
    if not unread:
        return language.text("Unclear: the cards could not be told for certain.")
    return language.text(
        "Unclear, the cards could not be told for certain: {players}.", players=language.list_of(unread)
    )


def _remark(reason: str) -> str:
    return _REMARKS.get(reason, mark("{player}: please look at the cards."))


def _missed(ruling: Mapping[str, Any], language: Language) -> str:
    seconds = language.decimal(ruling["longest_ms"] / _MS_PER_S)
    if ruling["count"] == 1:
        return language.text("Nobody rang for one pair, open for {seconds} s.", seconds=seconds)
    pairs = language.number(ruling["count"])
    return language.text("Nobody rang for {n} pairs, the longest open for {seconds} s.", n=pairs, seconds=seconds)


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
    """Give the rulings in groups: penalty moves of one player and size (P5), one after the other, together."""
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
