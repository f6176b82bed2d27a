"""The league: points by place, results between players, and Elo. Pure.

Elo, "The Rating of Chessplayers, Past and Present" (1978); a game of n players counts as games between all pairs, each
with 1/(n - 1) of the weight.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

FIRST_ELO, ELO_K, ELO_SCALE = 1500.0, 32.0, 400.0


@dataclass(frozen=True)
class Result:
    """A finished game: the players and their places, 1 is the best; equal results share a place."""

    places: tuple[tuple[str, int], ...]


@dataclass
class Standing:
    """A player in the league. against: games won, shared and lost against each other player."""

    player: str
    games: int = 0
    wins: int = 0
    points: float = 0.0
    elo: float = FIRST_ELO
    against: dict[str, list[int]] = field(default_factory=dict)


def league(results: Iterable[Result], scale: Sequence[float] = ()) -> list[Standing]:
    """Return the standings, best first, after games in the order of play.

    scale: points for each place, from the first; 0 beyond it. Players at one place share its points. Without a scale a
    player gets a point for each player behind, and half a point for each at the same place. Games of two and of five
    then fit into one league.
    """
    found: dict[str, Standing] = {}
    for result in results:
        if len(result.places) < 2:
            continue
        for player, place in result.places:
            one = found.setdefault(player, Standing(player))
            one.games += 1
            one.wins += place == 1
            one.points += _points(place, [other for _, other in result.places], scale)
        _meet(found, result)
        _rate(found, result)
    return sorted(found.values(), key=lambda one: (-one.points, -one.wins, one.games, one.player))


def _points(place: int, places: Sequence[int], scale: Sequence[float]) -> float:
    sharing = places.count(place)
    if not scale:
        return sum(other > place for other in places) + (sharing - 1) / 2
    shared = [scale[at - 1] if at <= len(scale) else 0.0 for at in range(place, place + sharing)]
    return sum(shared) / sharing


def _meet(found: Mapping[str, Standing], result: Result) -> None:
    for player, place in result.places:
        for other, its in result.places:
            if other != player:
                outcome = 1 if place == its else 0 if place < its else 2
                found[player].against.setdefault(other, [0, 0, 0])[outcome] += 1


def _rate(found: Mapping[str, Standing], result: Result) -> None:
    before = {player: found[player].elo for player, _ in result.places}
    k = ELO_K / (len(result.places) - 1)
    for player, place in result.places:
        for other, its in result.places:
            if other != player:
                expected = 1 / (1 + 10 ** ((before[other] - before[player]) / ELO_SCALE))
                found[player].elo += k * ((1.0 if place < its else 0.5 if place == its else 0.0) - expected)
