"""Confetti's rulings in words."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from referee.language import Language, mark, mark_in
from referee.sayings.colours import colour_name
from referee.sayings.ends import say_end, say_ignored

_WHY = {
    "after_time": mark("time was up"),
    "timer_running": mark("the sand is still running"),
    "no_timer": mark("the sandtimer was not running"),
    "no_round": mark("no round is being played"),
    "not_counted": mark("the hands have not been counted yet"),
    "nothing_counted": mark("no hand has been counted yet"),
    "game_over": mark("the game is over"),
}

_WHAT = {
    "timer_flipped": mark("The sandtimer was flipped"),
    "timer_ran_out": mark("The sand ran out"),
    "contested": mark("A card was contested"),
    "count": mark("The count was asked for"),
    "hand": mark("A hand was shown"),
    "challenge": mark("A score was challenged"),
    "stop": mark("The end was asked for"),
}

_SIZES = (
    mark_in("mark", "small on {card}"),
    mark_in("mark", "medium on {card}"),
    mark_in("mark", "big on {card}"),
)


def sentences(ruling: Mapping[str, Any], players: Sequence[str], language: Language) -> tuple[str, ...]:
    """Give the sentences for a ruling, none for one that needs no words; `players` are the names by seat."""
    match ruling["ruling"]:
        case "round":
            return (_round(ruling, language),)
        case "time":
            return (language.text("Time! Hands off."),)
        case "hand":
            return (language.text("{player}: {hand}.", player=players[ruling["seat"]], hand=_hand(ruling, language)),)
        case "foul":
            moved = _moved(ruling, language)
            return (language.text("Foul, {player}: {moved} after time.", player=players[ruling["seat"]], moved=moved),)
        case "unclear":
            unseen = language.list_of([players[seat] for seat in ruling["seats"]])
            return (
                language.text("Unclear: no hand of {players} was seen.", players=unseen),
                language.text("Please lay the cards before you, or say on the page what you hold, or that it is none."),
            )
        case "ignored":
            return (_ignored(ruling, players, language),)
        case "arrangement":
            return _arrangement(ruling, players, language)
        case "end":
            totals = [language.points(points) for points in ruling["points"]]
            return say_end(ruling["winners"], totals, players, language, stopped=ruling.get("stopped", False))
        case _:
            return ()


def say_score(score: Mapping[str, Any], language: Language) -> str:
    """Give what a hand holds, without its points: "five sets on six cards, one card unused"."""
    parts = [language.text("no sets")]
    if score["sets"]:
        sets = language.count("one set", "{n} sets", score["sets"])
        on = language.count_in("five sets on …", "one card", "{n} cards", score["cards_needed"])
        parts = [language.text("{sets} on {cards}", sets=sets, cards=on)]
    if score["unused"]:
        parts.append(language.count("one card unused", "{n} cards unused", score["unused"]))
    if score["over_limit"]:
        parts.append(language.count("one card over the limit", "{n} cards over the limit", score["over_limit"]))
    return ", ".join(parts)


def say_set(number: int, colour: str, language: Language) -> str:
    """Give what a set is, for whoever looks at its three cards."""
    name = _capital(colour_name(language, colour))
    return language.text("Set {number}, {colour}: a small one, a medium one and a big one.", number=number, colour=name)


def say_unneeded(cards: int, language: Language) -> str:
    """Give what cards cost that no set needs (C7)."""
    return language.count(
        "No set needs this card: it costs a point.", "No set needs these {n} cards: each costs a point.", cards
    )


def say_over(cards: int, language: Language) -> str:
    """Give what cards over the limit cost (C7)."""
    return language.count(
        "There is one card more than allowed: it costs a point.",
        "There are {n} cards more than allowed: each costs a point.",
        cards,
    )


def say_sum(score: Mapping[str, Any], language: Language) -> str:
    """Give what it comes to."""
    return language.text(
        "In all: {hand}, {points}.", hand=say_score(score, language), points=language.points(score["points"])
    )


def _round(ruling: Mapping[str, Any], language: Language) -> str:
    number, lay_out = language.number(ruling["number"]), ruling.get("lay_out", 0)
    limit = language.count_in("at most …", "one card", "{n} cards", ruling["limit"])
    if not lay_out:
        return language.text("Round {number}: at most {cards}.", number=number, cards=limit)
    if ruling["number"] == 1:
        message = mark("Round {number}: at most {cards}, about {more} cards on the table.")
    else:
        message = mark("Round {number}: at most {cards}, about {more} more on the table.")
    return language.text(message, number=number, cards=limit, more=lay_out)


def _hand(ruling: Mapping[str, Any], language: Language) -> str:
    points, kept = ruling["points"], ruling["kept"]
    held = say_score(ruling, language) if ruling.get("seen", True) else language.text("no hand was shown")
    parts = [held, language.points(points)]
    if kept != points:
        parts.append(language.text("{points} in all", points=language.points(kept)))
    return ", ".join(parts)


def _moved(ruling: Mapping[str, Any], language: Language) -> str:
    taken, put_back = len(ruling.get("taken", ())), len(ruling.get("put_back", ()))
    moved = []
    if taken:
        moved.append(language.count("one card taken", "{n} cards taken", taken))
    if put_back:
        moved.append(language.count("one card put back", "{n} cards put back", put_back))
    return language.list_of(moved) or language.text("cards moved")


def _ignored(ruling: Mapping[str, Any], players: Sequence[str], language: Language) -> str:
    event, reason = ruling["event"], ruling["reason"]
    return say_ignored(language.text(_WHAT[event]), language.text(_WHY[reason]), ruling.get("seat"), players, language)


def _arrangement(ruling: Mapping[str, Any], players: Sequence[str], language: Language) -> tuple[str, ...]:
    def one(colour_set: Mapping[str, Any]) -> str:
        cards = ["-".join(colour_name(language, c) for c in ruling["cards"][at]) for at in colour_set["cards"]]
        marks = [language.text_in("mark", size, card=card) for size, card in zip(_SIZES, cards, strict=True)]
        colour = colour_name(language, colour_set["colour"])
        return language.text("{colour}: {marks}.", colour=_capital(colour), marks=language.list_of(marks))

    verdict = language.text("{player}: {hand}.", player=players[ruling["seat"]], hand=say_score(ruling, language))
    return (verdict, *map(one, ruling["arrangement"]))


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]
