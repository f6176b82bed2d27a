"""How the players of Piccolino did, from the rulings of their game."""

from __future__ import annotations

from referee.engine.events import Event, Header
from referee.games.piccolino.rules import from_header
from referee.games.piccolino.rulings import AlsoRang, FalseRing, ValidRing
from referee.games.piccolino.stats import SeatStatistics, statistics
from referee.games.piccolino.tops import Reason

MS = 1_000_000


def test_reactions_run_from_the_pairs_last_card_to_the_first_ring_of_each() -> None:
    game = from_header(Header("piccolino", ("Ann", "Ben", "Cem"), {}))
    happy_red: dict[str, object] = {"colour": "red", "mood": "happy"}
    events: list[tuple[int, str, dict[str, object]]] = [
        (0, "card_shown", {"seat": 0, **happy_red}),
        (1000, "card_shown", {"seat": 1, **happy_red}),
        (1400, "bell", {"seat": 2}),
        (1438, "bell", {"seat": 1}),
        (1500, "bell", {"seat": 1}),
        (1600, "bell", {"seat": 2}),
        (5000, "card_shown", {"seat": 2, **happy_red}),
        (5500, "bell", {"seat": 1}),
        (5600, "bell", {"seat": 0}),
        (9000, "card_shown", {"seat": 0, **happy_red}),
        (9090, "bell", {"seat": 2}),
    ]
    rulings = [ruling for t_ms, kind, data in events for ruling in game.apply(Event(t_ms * MS, kind, data))]
    ann, ben, cem = statistics(rulings, 3)
    assert ann == SeatStatistics(valid=0, false=0, too_late=0, lucky=0, won_cards=0, reactions_ms=())
    assert ben == SeatStatistics(valid=0, false=1, too_late=1, lucky=0, won_cards=0, reactions_ms=(438.0,))
    assert cem == SeatStatistics(valid=2, false=0, too_late=0, lucky=1, won_cards=4, reactions_ms=(400.0, 90.0))
    assert (cem.fastest_ms, cem.median_ms) == (90.0, 245.0)
    assert (ann.fastest_ms, ann.median_ms) == (None, None)


def test_rings_of_nobody_known_and_after_wrong_rings_are_no_reactions() -> None:
    rulings = [
        ValidRing(0, None, "red", (0, 1), 300.0),
        AlsoRang(1, None, 10.0),
        AlsoRang(2, 1, 20.0),
        FalseRing(3, 1, Reason.SAD),
        AlsoRang(4, 0, 30.0),
        FalseRing(5, None, Reason.NO_PAIR),
        ValidRing(6, 0, None, (), None, decided=True),
        AlsoRang(7, 1, 5.0),
    ]
    ann, ben = statistics(rulings, 2)
    assert (ann.valid, ann.false, ann.too_late, ann.reactions_ms) == (1, 0, 0, ())
    assert (ben.valid, ben.false, ben.too_late, ben.reactions_ms) == (0, 1, 1, (320.0,))
