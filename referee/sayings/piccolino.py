"""Piccolino's rulings in words."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from referee.language import Language
from referee.sayings.colours import happy_clowns, one_is_sad
from referee.sayings.ends import say_end

_MS_PER_S = 1000


def sentences(ruling: Mapping[str, Any], players: Sequence[str], language: Language) -> tuple[str, ...]:
    """Give the sentences for a ruling, none for one that needs no words; `players` are the names by seat."""
    match ruling["ruling"]:
        case "ring":
            return (_ring(ruling, players, language),)
        case "unclear":
            return (
                language.text("Unclear: the cards could not be told for certain."),
                language.text("Please look at the picture and decide."),
            )
        case "also_rang":
            return (_also_rang(ruling, players, language),)
        case "ignored":
            return (_ignored(ruling, players, language),)
        case "cards_move":
            to = players[ruling["to"]]
            if ruling["from"] == "piles":
                return (_piles(to, ruling["count"], language),)
            return (say_penalty(players[ruling["from"]], [to], ruling["count"], language),)
        case "out":
            return (language.text("{player} is out.", player=players[ruling["seat"]]),)
        case "end":
            totals = [language.cards(cards) for cards in ruling["cards"]]
            return say_end(ruling["winners"], totals, players, language)
        case _:
            return ()


def say_penalty(giver: str, receivers: Sequence[str], cards: int, language: Language) -> str:
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
        why = happy_clowns(language, len(ruling["seats"]), ruling["colour"])
        if seat is None:
            return language.text("Valid ring: {why}.", why=why)
        return language.text("Valid ring, {player}: {why}.", player=players[seat], why=why)
    why = _why_false(ruling, language)
    if seat is None:
        return language.text("False ring: {why}.", why=why)
    return language.text("False ring, {player}: {why}.", player=players[seat], why=why)


def _why_false(ruling: Mapping[str, Any], language: Language) -> str:
    colour = ruling.get("colour")
    match ruling.get("reason"):
        case "covered_up":
            return language.text("the pair was already covered up")
        case "sad":
            return one_is_sad(language, colour)
        case "turning":
            return language.text("the card was still turning")
        case _:
            return language.text("no two happy clowns of one colour")


def _also_rang(ruling: Mapping[str, Any], players: Sequence[str], language: Language) -> str:
    player, lag_ms = players[ruling["seat"]], float(ruling["lag_ms"])
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


def _ignored(ruling: Mapping[str, Any], players: Sequence[str], language: Language) -> str:
    seat = ruling.get("seat")
    who = language.text("Somebody") if seat is None else players[seat]
    match ruling["reason"]:
        case "out":
            return language.text("{player} is out: that ring does not count.", player=who)
        case "table_cleared":
            return language.text("{player} rang after the piles were won: that does not count.", player=who)
        case _:
            return language.text("{player} rang: that does not count.", player=who)
