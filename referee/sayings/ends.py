"""What is said at the end of every game."""

from __future__ import annotations

from collections.abc import Sequence

from referee.language import Language


def say_end(
    winners: Sequence[int],
    totals: Sequence[str],
    players: Sequence[str],
    language: Language,
    *,
    stopped: bool = False,
) -> tuple[str, ...]:
    """Give who wins, and then what everybody else has.

    totals: what each seat has, in words. stopped: whether the players ended the game early.
    """
    names, total = language.list_of([players[seat] for seat in winners]), totals[winners[0]]
    if len(players) == 1:
        verdict = language.text("The end: {player} has {total}.", player=names, total=total)
    elif len(winners) == 1:
        verdict = language.text("The end: {player} wins with {total}.", player=names, total=total)
    else:
        verdict = language.text("The end: {players} share the win with {total} each.", players=names, total=total)
    others = [
        language.text("{player}: {total}.", player=players[seat], total=totals[seat])
        for seat in range(len(players))
        if seat not in winners
    ]
    early = (language.text("The game ends early, with the points as they are."),) if stopped else ()
    return (*early, verdict, *others)
