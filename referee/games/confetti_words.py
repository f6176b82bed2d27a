"""Confetti's rulings in words for the people at the table."""

from __future__ import annotations

from collections.abc import Sequence

from referee.games.confetti_hand import SIZES, Card, Score
from referee.games.confetti_rulings import (
    ArrangementShown,
    Foul,
    GameEnded,
    HandCounted,
    Ignored,
    Reason,
    RoundStarted,
    TimeUp,
)
from referee.words import count_of, list_of, number_word

_WHY = {
    Reason.AFTER_TIME: "time was up",
    Reason.TIMER_RUNNING: "the sand is still running",
    Reason.NO_TIMER: "the sandtimer was not running",
    Reason.NO_ROUND: "no round is being played",
    Reason.NOT_COUNTED: "the hands have not been counted yet",
    Reason.NOTHING_COUNTED: "no hand has been counted yet",
    Reason.GAME_OVER: "the game is over",
}

_WHAT = {
    "timer_flipped": "The sandtimer was flipped",
    "timer_ran_out": "The sand ran out",
    "contested": "A card was contested",
    "count": "The count was asked for",
    "hand": "A hand was shown",
    "challenge": "A score was challenged",
}


def say_score(score: Score) -> str:
    """Give what a hand holds, without its points: "five sets on six cards, one card unused"."""
    parts = [f"{count_of(score.sets, 'set')} on {count_of(score.cards_needed, 'card')}" if score.sets else "no sets"]
    if score.unused:
        parts.append(f"{count_of(score.unused, 'card')} unused")
    if score.over_limit:
        parts.append(f"{count_of(score.over_limit, 'card')} over the limit")
    return ", ".join(parts)


def say(ruling: object, players: Sequence[str]) -> str:
    """Give the sentence for a ruling; `players` are the names by seat."""
    match ruling:
        case RoundStarted():
            return _say_round(ruling)
        case TimeUp():
            return "Time! Hands off"
        case HandCounted():
            return f"{players[ruling.seat]}: {_say_hand(ruling)}"
        case Foul():
            return f"{players[ruling.seat]}: foul, {_say_moved(ruling)} after time"
        case Ignored():
            who = "" if ruling.seat is None else f" ({players[ruling.seat]})"
            return f"{_WHAT[ruling.event]}{who}, but {_WHY[ruling.reason]}: it changes nothing"
        case ArrangementShown():
            return f"{players[ruling.seat]}: {_say_arrangement(ruling)}"
        case GameEnded():
            return _say_end(ruling, players)
        case _:
            raise TypeError(f"not a ruling of Confetti: {ruling!r}")


def _say_round(ruling: RoundStarted) -> str:
    text = f"Round {number_word(ruling.number)}: at most {count_of(ruling.limit, 'card')}"
    if ruling.lay_out:
        text += f", about {ruling.lay_out} {'more' if ruling.number > 1 else 'cards'} on the table"
    return text


def _say_hand(ruling: HandCounted) -> str:
    if not ruling.seen:
        return f"no hand was shown, no points ({ruling.kept} kept in all)"
    points = count_of(ruling.score.points, "point")
    return f"{say_score(ruling.score)}, {points} ({ruling.kept} kept in all)"


def _say_moved(ruling: Foul) -> str:
    moved = []
    if ruling.taken:
        moved.append(f"took {count_of(len(ruling.taken), 'card')}")
    if ruling.put_back:
        moved.append(f"put back {count_of(len(ruling.put_back), 'card')}")
    return " and ".join(moved)


def _say_card(card: Card) -> str:
    return "-".join(card)


def _say_arrangement(ruling: ArrangementShown) -> str:
    if not ruling.score.sets:
        return "the cards hold no set"
    sets = [
        f"{one.colour} with "
        + list_of([f"{size} on {_say_card(ruling.cards[at])}" for size, at in zip(SIZES, one.cards, strict=True)])
        for one in ruling.score.arrangement
    ]
    return f"{say_score(ruling.score)}; {'; '.join(sets)}"


def _say_end(ruling: GameEnded, players: Sequence[str]) -> str:
    most = count_of(max(ruling.points), "point")
    winners = list_of([players[seat] for seat in ruling.winners])
    others = [f"{players[seat]} {points}" for seat, points in enumerate(ruling.points) if seat not in ruling.winners]
    verdict = f"{winners} share the win with {most} each" if len(ruling.winners) > 1 else f"{winners} wins with {most}"
    if len(players) == 1:
        verdict = f"{winners} has {most}"
    return f"The end: {verdict}" + (f" ({', '.join(others)})" if others else "")
