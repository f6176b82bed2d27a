"""Sentences at the end of every game."""

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
    """Return the winners, then everybody else's total.

    totals: each seat's, in words. stopped: whether the players ended the game early.
    """
    names, total = language.list_of([players[seat] for seat in winners]), totals[winners[0]]
    if len(players) == 1:
        verdict = language.text("end.end_has", player=names, total=total)
    elif len(winners) == 1:
        verdict = language.text("end.end_wins_with", player=names, total=total)
    else:
        verdict = language.text("end.end_share_win_with_each", players=names, total=total)
    others = [
        language.text("end.player_total", player=players[seat], total=totals[seat])
        for seat in range(len(players))
        if seat not in winners
    ]
    early = (language.text("end.game_ends_early_with_points"),) if stopped else ()
    return (*early, verdict, *others)
