"""The league table, by hand-worked examples."""

from __future__ import annotations

import pytest

from referee.club.league import FIRST_ELO, Result, league
from referee.club.recording import results

ANN_FIRST = Result((("ann", 1), ("ben", 2), ("cem", 3)))


def test_a_point_for_each_player_left_behind_and_half_for_a_shared_place() -> None:
    standings = league([ANN_FIRST, Result((("ann", 1), ("ben", 1)))])
    assert [(one.player, one.games, one.wins, one.points) for one in standings] == [
        ("ann", 2, 2, 2.5),
        ("ben", 2, 1, 1.5),
        ("cem", 1, 0, 0.0),
    ]
    assert standings[0].against == {"ben": [1, 1, 0], "cem": [1, 0, 0]}


def test_points_by_place_are_shared_by_who_shares_places() -> None:
    standings = league([Result((("ann", 1), ("ben", 1), ("cem", 3), ("dora", 4)))], (5, 3, 1))
    assert {one.player: one.points for one in standings} == {"ann": 4, "ben": 4, "cem": 1, "dora": 0}


def test_elo_of_two_equals_moves_by_half_of_k_and_nothing_is_made_of_nothing() -> None:
    two = {one.player: one.elo for one in league([Result((("ann", 1), ("ben", 2)))])}
    assert two == {"ann": FIRST_ELO + 16, "ben": FIRST_ELO - 16}
    four = league([ANN_FIRST, ANN_FIRST, Result((("ann", 4), ("ben", 2), ("cem", 3), ("dora", 1)))])
    assert sum(one.elo for one in four) == pytest.approx(4 * FIRST_ELO)


def test_a_game_alone_is_no_league_game() -> None:
    assert league([Result((("ann", 1),))]) == []


def test_places_follow_from_the_end_of_each_game() -> None:
    confetti = {"ruling": "end", "winners": [1, 2], "points": [3, 7, 7]}
    assert results(confetti, 3) == [(3, 3), (7, 1), (7, 1)]
    piccolino = {"ruling": "end", "winners": [1], "cards": [0, 55, 0]}
    assert results(piccolino, 3) == [(0, 2), (55, 1), (0, 2)]
    assert results(None, 2) == [(None, None)] * 2
