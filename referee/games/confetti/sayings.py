"""Confetti's rulings in words."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from hardware.events import SandReason, SandTrouble
from referee.games.kind import RulingData, Words
from referee.language import Language, mark, mark_in
from referee.sayings import sandtimer
from referee.sayings.colours import colour_name
from referee.sayings.ends import say_end

_WHY = {
    "after_time": mark("time was up"),
    "timer_running": mark("the sand is still running"),
    "no_timer": mark("the sandtimer was not running"),
    "no_round": mark("no round is being played"),
    "not_counted": mark("the hands have not been counted yet"),
    "nothing_counted": mark("no hand has been counted yet"),
}

_WHAT = {
    "timer_flipped": mark("The sandtimer was flipped"),
    "contested": mark("A card was contested"),
    "count": mark("The count was asked for"),
    "hands_gone": mark("Cards were put away"),
    "challenge": mark("A score was challenged"),
    "stop": mark("The end was asked for"),
}

_SIZES = (
    mark_in("mark", "small on {card}"),
    mark_in("mark", "medium on {card}"),
    mark_in("mark", "big on {card}"),
)


_HIDDEN = {
    "cut short": mark("The picture is too hard to read to the end: more light, and a tidier table, please."),
    "out of sight": mark("The place of {player} is not in the picture, please turn the camera."),
    "hand": mark("A hand lies over the cards of {player}, please take it away."),
    "thing": mark("Something before {player} may hide a card or be one: please take it away or straighten the cards."),
    "light": mark("It is too bright before {player} to see every card: please turn the lamp or shade the table."),
    "darkness": mark("It is too dark before {player} to see every card: please make more light."),
    "between": mark("A card lies halfway between {player} and a neighbour: please push it to the one whose it is."),
    "apart": mark("A card lies halfway between {player} and the middle: please pull it to the hand or push it away."),
    "blur": mark("The picture is too blurred to see every card of {player}: please wipe the camera's lens."),
}


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
        case "unclear" if ruling["reason"] == "hand_gone":
            return _gone([players[seat] for seat in ruling["seats"]], language)
        case "unclear":
            unseen = language.list_of([players[seat] for seat in ruling["seats"]])
            return (
                language.text("Unclear: no hand of {players} was seen.", players=unseen),
                language.text("Please lay the cards before you, or say on the page what you hold, or that it is none."),
            )
        case "ignored":
            return _ignored(ruling, players, language)
        case "arrangement":
            return _arrangement(ruling, players, language)
        case "end":
            totals = [language.points(points) for points in ruling["points"]]
            return say_end(ruling["winners"], totals, players, language, stopped=ruling.get("stopped", False))
        case _:
            return ()


def notice(kind: str, name: str, data: Mapping[str, Any], players: Sequence[str], language: Language) -> str:
    """Give what players should do; "" for what is none of this game's."""
    match kind:
        case "unclear_cards" if "camera" in data.get("reasons", ()):
            return language.text("The camera was moved: please lay the marker cards 0 to 3 at the table's corners.")
        case "unclear_cards" if data.get("reasons") and set(data["reasons"]) <= set(_HIDDEN):
            said = [language.text(text, player=name) for reason, text in _HIDDEN.items() if reason in data["reasons"]]
            return " ".join(said)
        case "unclear_cards":
            return language.count(
                "{player}: one card cannot be read, please spread your cards.",
                "{player}: {n} cards cannot be read, please spread your cards.",
                int(data.get("count", 1)),
                player=name,
            )
        case "wrong_side":
            return language.count(
                "{player}: one card lies with its other side up, please turn it over.",
                "{player}: {n} cards lie with their other side up, please turn them over.",
                int(data.get("count", 1)),
                player=name,
            )
        case "nothing_seen":
            return language.text(
                "{player}: no cards of yours are to be seen. Please lay them before you, or count without them.",
                player=name,
            )
        case "place_hidden":
            return language.text(
                "{player}: something may hide cards before you, please take it away or say what you hold.", player=name
            )
        case "no_cards":
            return language.text("No cards of this game are to be seen: please lay them before you.")
        case _:
            return ""


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


def _gone(names: Sequence[str], language: Language) -> tuple[str, ...]:
    if len(names) == 1:
        said = language.text("I had not finished counting {player}’s cards.", player=names[0])
    else:
        said = language.text("I had not finished counting the cards of {players}.", players=language.list_of(names))
    return said, language.text("Please lay them before you again, or say on the page what you held.")


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


def _ignored(ruling: Mapping[str, Any], players: Sequence[str], language: Language) -> tuple[str, ...]:
    """Give why something changes nothing: of what people did while they play, and not of what a device noticed."""
    event, reason, seat = ruling["event"], ruling["reason"], ruling.get("seat")
    if event not in _WHAT or reason not in _WHY:
        return ()
    what, why = language.text(_WHAT[event]), language.text(_WHY[reason])
    if seat is None:
        return (language.text("{what}, but {why}: it changes nothing.", what=what, why=why),)
    player = players[seat]
    return (language.text("{what} ({player}), but {why}: it changes nothing.", what=what, player=player, why=why),)


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


def _likely(players: int) -> Iterable[RulingData]:
    yield {"ruling": "time"}


def _phrases(language: Language) -> tuple[str, ...]:
    return tuple(text for why in SandReason for text in sandtimer.sentences(SandTrouble(0, why), language))


WORDS = Words(sentences=sentences, likely=_likely, phrases=_phrases, notice=notice)
