"""A game that nobody built in is played by what its `GameKind` says: rules, words, page, history, past a restart."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

import pytest

from hardware.problems import Health, Problem
from referee.announcer import Announcer
from referee.doctor.machine import lacking
from referee.engine.events import Event, Game, Header, Ruling
from referee.engine.session import Watcher
from referee.errors import BadInputError
from referee.games.kind import Cards, GameKind, Option, Page, Seat, Words
from referee.games.registry import GAMES
from referee.language import Language
from referee.match import queries
from referee.store.history import history, one_game
from referee.web.games import games_in
from tests.support.commands import sent
from tests.support.quiet_table import QuietTable, quiet_table

PLAYERS = ["Ann", "Ben"]


@dataclass(frozen=True)
class Trick(Ruling):
    name = "trick"

    seat: int


@dataclass(frozen=True)
class Ended(Ruling):
    name = "end"

    points: tuple[int, ...]
    winners: tuple[int, ...]


class War(Game):
    """The higher card takes the trick; three tricks make a game."""

    def __init__(self, players: int) -> None:
        self.tricks = [0] * players
        self.shown: dict[int, int] = {}

    def seats(self) -> list[Seat]:
        shown = ("has shown" if seat in self.shown else "" for seat in range(len(self.tricks)))
        return [Seat(points, detail=detail) for points, detail in zip(self.tricks, shown, strict=True)]

    def apply(self, event: Event) -> tuple[Ruling, ...]:
        seat, rank = event.seat(len(self.tricks)), event.data.get("rank")
        if not isinstance(rank, int):
            raise BadInputError("a card has a rank")
        self.shown[seat] = rank
        if len(self.shown) < len(self.tricks):
            return ()
        best = max(self.shown, key=lambda one: self.shown[one])
        self.tricks[best] += 1
        self.shown = {}
        trick = Trick(event.t_ns, best)
        if sum(self.tricks) < 3:
            return (trick,)
        winners = tuple(seat for seat, points in enumerate(self.tricks) if points == max(self.tricks))
        return trick, Ended(event.t_ns, tuple(self.tricks), winners)


def start(header: Header) -> Game:
    header.only_options(("aces",))
    return War(len(header.players))


def sentences(ruling: Mapping[str, Any], players: Sequence[str], language: Language) -> tuple[str, ...]:
    if ruling["ruling"] == "trick":
        return (f"The trick is {players[ruling['seat']]}'s.",)
    return (f"{players[ruling['winners'][0]]} wins.",)


WAR = GameKind(
    name="war",
    start=start,
    watcher=lambda header, setup: Watcher(),
    words=Words(sentences, likely=lambda players: [{"ruling": "trick", "seat": seat} for seat in range(players)]),
    page=Page(
        text="The higher card takes the trick.",
        least=2,
        most=2,
        options=(Option("aces", "Aces", (("high", "are high"), ("low", "are low"))),),
        phase=lambda play, lasts_ms, language: {"key": "over" if play.over else "turning", "turn": 0},
        seats=lambda play, language: cast(War, play.game).seats(),
        steps=lambda ruling, readings, language: [{"kind": "card", "text": str(e.data["rank"])} for e in readings],
    ),
    cards=Cards(check=lambda deck: None),
    devices=frozenset({"bell"}),
)


@pytest.fixture(autouse=True)
def known(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(GAMES, "war", WAR)


@pytest.fixture
def table(tmp_path: Path) -> Iterator[QuietTable]:
    table = quiet_table(tmp_path)
    table.referee.do(sent({"do": "start", "game": "war", "players": PLAYERS, "options": {"aces": "low"}}))
    yield table
    table.close()


def show(table: QuietTable, ann: int, ben: int) -> list[dict[str, Any]]:
    table.report("card", seat=0, rank=ann)
    return [dict(ruling) for ruling in table.report("card", seat=1, rank=ben)]


def test_it_is_offered_on_the_page() -> None:
    offered = next(game for game in games_in.__wrapped__("en") if game["id"] == "war")
    assert (offered["name"], offered["most"]) == ("War", 2)
    assert [choice["text"] for choice in offered["options"][0]["choices"]] == ["are high", "are low"]


def test_it_is_played_shown_explained_and_kept(table: QuietTable) -> None:
    table.report("card", seat=0, rank=9)
    state = table.referee.state()
    assert [seat["detail"] for seat in state["board"]] == ["has shown", ""]
    table.report("card", seat=1, rank=4)
    state = table.referee.state()
    assert state["latest"]["text"] == "The trick is Ann's."
    assert [seat["points"] for seat in state["board"]] == [1, 0]
    assert queries.explain(table.referee, state["latest"]["id"])["steps"] == [{"kind": "card", "text": "4"}]
    show(table, 2, 7)
    assert show(table, 3, 8)[-1]["winners"] == [1]
    assert table.referee.state()["mode"] == "over"
    language = Language("en")
    [listed] = history(table.referee.store.read, language)["games"]
    assert (listed["game"], listed["points"], listed["winners"], listed["fault"]) == ("war", [1, 2], [1], "")
    assert one_game(table.referee.store.read, listed["id"], language, {})["rulings"][-1]["text"].endswith("Ben wins.")


def test_it_goes_on_after_a_restart_and_a_correction_replays_it(table: QuietTable, tmp_path: Path) -> None:
    show(table, 9, 4)
    table.close()
    later = quiet_table(tmp_path)
    later.referee.resume()
    assert [seat["points"] for seat in later.referee.state()["board"]] == [1, 0]
    ruling = later.referee.state()["latest"]["id"]
    later.referee.do(sent({"do": "correct", "ruling": ruling, "with": {"event": "card", "seat": 1, "rank": 12}}))
    assert [seat["points"] for seat in later.referee.state()["board"]] == [0, 1]
    later.close()


def test_what_it_is_told_wrongly_is_refused(table: QuietTable) -> None:
    with pytest.raises(BadInputError, match="rank"):
        table.report("card", seat=0)
    with pytest.raises(BadInputError, match="aces"):
        table.referee.do(sent({"do": "start", "game": "war", "players": PLAYERS, "options": {"kings": "high"}}))


def test_its_phrases_are_ready_and_its_devices_are_looked_for() -> None:
    assert Announcer("war", PLAYERS, Language("en")).fixed_phrases() == ("The trick is Ann's.", "The trick is Ben's.")
    bell = Problem("bell", Health.MISSING, "gone")
    assert lacking([bell], "war") == {"bell"}
