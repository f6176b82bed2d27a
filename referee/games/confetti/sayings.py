"""Sentences of Confetti's rulings."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from hardware.events import SandReason, SandTrouble
from referee.games.kind import RulingData, Words
from referee.language import Language
from referee.sayings import sandtimer
from referee.sayings.colours import colour_name
from referee.sayings.ends import say_end

_WHY = {
    "after_time": "confetti.why.after_time",
    "timer_running": "confetti.why.timer_running",
    "no_timer": "confetti.why.no_timer",
    "no_round": "confetti.why.no_round",
    "not_counted": "confetti.why.not_counted",
    "nothing_counted": "confetti.why.nothing_counted",
}

_WHAT = {
    "timer_flipped": "confetti.what.timer_flipped",
    "contested": "confetti.what.contested",
    "count": "confetti.what.count",
    "hands_gone": "confetti.what.hands_gone",
    "challenge": "confetti.what.challenge",
    "stop": "confetti.what.stop",
}

_SIZES = (
    "confetti.mark.small_on",
    "confetti.mark.medium_on",
    "confetti.mark.big_on",
)


_HIDDEN = {
    "out of sight": "confetti.hidden.out_of_sight",
    "hand": "confetti.hidden.hand",
    "thing": "confetti.hidden.thing",
    "light": "confetti.hidden.light",
    "darkness": "confetti.hidden.darkness",
    "between": "confetti.hidden.between",
    "apart": "confetti.hidden.apart",
    "blur": "confetti.hidden.blur",
}


def sentences(ruling: Mapping[str, Any], players: Sequence[str], language: Language) -> tuple[str, ...]:
    """Return the sentences of a ruling, empty for a silent one; `players` are the names by seat."""
    match ruling["ruling"]:
        case "round":
            return (_round(ruling, language),)
        case "time":
            return (language.text("confetti.time_hands_off"),)
        case "hand":
            return (
                language.text("confetti.player_hand", player=players[ruling["seat"]], hand=_hand(ruling, language)),
            )
        case "foul":
            moved = _moved(ruling, language)
            return (language.text("confetti.foul_after_time", player=players[ruling["seat"]], moved=moved),)
        case "unclear" if ruling["reason"] == "hand_gone":
            return _gone([players[seat] for seat in ruling["seats"]], language)
        case "unclear":
            unseen = language.list_of([players[seat] for seat in ruling["seats"]])
            return (
                language.text("confetti.unclear_no_hand_of_was", players=unseen),
                language.text("confetti.please_lay_cards_before_you"),
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
    """Return the players' instruction for a notice; "" for a notice of another game."""
    match kind:
        case "unclear_cards" if "camera" in data.get("reasons", ()):
            return language.text("confetti.camera_was_moved_please_lay")
        case "unclear_cards" if data.get("reasons") and set(data["reasons"]) <= set(_HIDDEN):
            said = [language.text(text, player=name) for reason, text in _HIDDEN.items() if reason in data["reasons"]]
            return " ".join(said)
        case "unclear_cards":
            return language.count("confetti.one_card_cannot_be_read", int(data.get("count", 1)), player=name)
        case "wrong_side":
            return language.count("confetti.one_card_lies_with_its", int(data.get("count", 1)), player=name)
        case "nothing_seen":
            return language.text("confetti.no_cards_of_yours_are", player=name)
        case "place_hidden":
            return language.text("confetti.something_may_hide_cards_before", player=name)
        case "no_cards":
            return language.text("confetti.no_cards_of_this_game")
        case _:
            return ""


def say_score(score: Mapping[str, Any], language: Language) -> str:
    """Return the parts of a hand without its points: "five sets on six cards, one card unused"."""
    parts = [language.text("confetti.no_sets")]
    if score["sets"]:
        sets = language.count("confetti.one_set", score["sets"])
        on = language.count("confetti.five_sets_on.one_card", score["cards_needed"])
        parts = [language.text("confetti.on", sets=sets, cards=on)]
    if score["unused"]:
        parts.append(language.count("confetti.one_card_unused", score["unused"]))
    if score["over_limit"]:
        parts.append(language.count("confetti.one_card_over_limit", score["over_limit"]))
    return ", ".join(parts)


def say_set(number: int, colour: str, language: Language) -> str:
    """Return the description of a set, read beside its three cards."""
    name = _capital(colour_name(language, colour))
    return language.text("confetti.set_small_one_medium_one", number=number, colour=name)


def say_unneeded(cards: int, language: Language) -> str:
    """Return the deduction for cards that no set needs (C7)."""
    return language.count("confetti.no_set_needs_this_card", cards)


def say_over(cards: int, language: Language) -> str:
    """Return the deduction for cards over the limit (C7)."""
    return language.count("confetti.there_is_one_card_more", cards)


def say_sum(score: Mapping[str, Any], language: Language) -> str:
    """Return the sum of a score."""
    return language.text(
        "confetti.in_all_hand_points", hand=say_score(score, language), points=language.points(score["points"])
    )


def _gone(names: Sequence[str], language: Language) -> tuple[str, ...]:
    if len(names) == 1:
        said = language.text("confetti.i_had_not_finished_counting", player=names[0])
    else:
        said = language.text("confetti.i_had_not_finished_counting_cards_of", players=language.list_of(names))
    return said, language.text("confetti.please_lay_them_before_you")


def _round(ruling: Mapping[str, Any], language: Language) -> str:
    number, lay_out = language.number(ruling["number"]), ruling.get("lay_out", 0)
    limit = language.count("confetti.at_most.one_card", ruling["limit"])
    if not lay_out:
        return language.text("confetti.round_at_most", number=number, cards=limit)
    message = "confetti.round_at_most_about_cards" if ruling["number"] == 1 else "confetti.round_at_most_about_more"
    return language.text(message, number=number, cards=limit, more=lay_out)


def _hand(ruling: Mapping[str, Any], language: Language) -> str:
    points, kept = ruling["points"], ruling["kept"]
    held = say_score(ruling, language) if ruling.get("seen", True) else language.text("confetti.no_hand_was_shown")
    parts = [held, language.points(points)]
    if kept != points:
        parts.append(language.text("confetti.in_all", points=language.points(kept)))
    return ", ".join(parts)


def _moved(ruling: Mapping[str, Any], language: Language) -> str:
    taken, put_back = len(ruling.get("taken", ())), len(ruling.get("put_back", ()))
    moved = []
    if taken:
        moved.append(language.count("confetti.one_card_taken", taken))
    if put_back:
        moved.append(language.count("confetti.one_card_put_back", put_back))
    return language.list_of(moved) or language.text("confetti.cards_moved")


def _ignored(ruling: Mapping[str, Any], players: Sequence[str], language: Language) -> tuple[str, ...]:
    """Return why a player's action changes nothing; a device's event needs no sentence."""
    event, reason, seat = ruling["event"], ruling["reason"], ruling.get("seat")
    if event not in _WHAT or reason not in _WHY:
        return ()
    what, why = language.text(_WHAT[event]), language.text(_WHY[reason])
    if seat is None:
        return (language.text("confetti.but_it_changes_nothing", what=what, why=why),)
    player = players[seat]
    return (language.text("confetti.what_player_but_why_it_changes", what=what, player=player, why=why),)


def _arrangement(ruling: Mapping[str, Any], players: Sequence[str], language: Language) -> tuple[str, ...]:
    def one(colour_set: Mapping[str, Any]) -> str:
        cards = ["-".join(colour_name(language, c) for c in ruling["cards"][at]) for at in colour_set["cards"]]
        marks = [language.text(size, card=card) for size, card in zip(_SIZES, cards, strict=True)]
        colour = colour_name(language, colour_set["colour"])
        return language.text("confetti.colour_marks", colour=_capital(colour), marks=language.list_of(marks))

    verdict = language.text("confetti.player_hand", player=players[ruling["seat"]], hand=say_score(ruling, language))
    return (verdict, *map(one, ruling["arrangement"]))


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]


def _likely(players: int) -> Iterable[RulingData]:
    yield {"ruling": "time"}


def _phrases(language: Language) -> tuple[str, ...]:
    return tuple(sandtimer.say(SandTrouble(0, why), language) for why in SandReason)


WORDS = Words(sentences=sentences, likely=_likely, phrases=_phrases, notice=notice)
