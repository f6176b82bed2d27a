"""Whole games of Coloretto, and the share of each that is understood: `python -m tools.bench.coloretto`.

Without `--drawn` no picture is drawn: the camera's view is sampled, with hands in it and wrong readings.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

from referee.decks.lookup import find_deck
from referee.engine.events import Event, Header
from referee.engine.session import Doubt
from referee.errors import BadInputError
from referee.games.coloretto.demo import ColorettoPlan
from referee.games.coloretto.rules import Coloretto, from_header
from referee.games.coloretto.watching.looks import TableLook
from referee.games.coloretto.watching.search import standing
from referee.games.coloretto.watching.tracker import Tracker
from referee.output import along
from tests.support.coloretto_drawn import Counted, Key, pieces, watch_game
from tests.support.drawn_lesson import taught
from tools.bench.coloretto_sampler import EVERY_NS, SIGHT, ColorettoSampler, Sight
from tools.bench.coloretto_table import HABITS, Evening, Habits, TrueMove
from tools.bench.common import Row, command, say

_ANSWERS_S = (2.0, 6.0)  # delay of an answer to a question
_LATE, _LATE_S = 0.3, (15.0, 40.0)  # share and delay of late answers
_NAMES = ("Ann", "Ben", "Cem", "Dora", "Eva")


def measure(games: int = 100, seed: int = 1, drawn: float = 0.0, deck: str = "coloretto", lesson: bool = False) -> Row:
    """Play for two to five in turn; cases are moves, and a move that needed help is unclear.

    drawn: pictures a second of a drawn table. deck: of drawn games. lesson: the deck is taught by drawn pictures.
    """
    drawn_deck = find_deck(deck)
    known = taught(drawn_deck, seed) if lesson else None
    # With two players a row's capacity is only on its own card.
    least = 2 if any("room" in face.attributes for face in drawn_deck.fronts) else 3
    sums: Counter[str] = Counter()
    for number in along(range(games), games):
        players, at = least + number % (6 - least), seed + number
        game = (
            watch_game(at, drawn, ColorettoPlan(players=players), drawn_deck, known)
            if drawn
            else Trial(players, at).run()
        )
        sums.update(game.figures())
        if game.wrong or game.fouls_false:
            say(game.as_json())
    say(sums)
    wrong = sums["wrong"] + sums["fouls_false"]
    return Row(sums["moves"], sums["understood"], sums["moves"] - sums["understood"] - sums["wrong"], wrong)


class Trial:
    """One sampled game, with one look each half second."""

    def __init__(self, players: int, seed: int, habits: Habits = HABITS, sight: Sight = SIGHT) -> None:
        self.evening = Evening(players, seed, habits)
        settings = self.evening.settings
        options = {"table": settings.table.value, "first": settings.first, "left_out": list(settings.left_out)}
        self.header = Header("coloretto", _NAMES[:players], options)
        self.tracker, self.game = Tracker(self.header), from_header(self.header)
        self.luck = random.Random(f"sight {players} {seed}")
        used = tuple(one for one in ColorettoSampler.colours if one not in settings.left_out)
        self.sampler = ColorettoSampler(
            sight,
            self.luck,
            used,
            sum(map(len, settings.start_cards)),
            random.Random(f"arms {players} {seed}"),
        )
        self.counted = Counted(players, seed)
        self.events: list[Event] = []
        self.fouls: list[tuple[str, int, int]] = []
        self.answer_at: dict[tuple[object, ...], int] = {}
        self.entered_by_hand = 0

    def run(self) -> Counted:
        """Play to the end, and count."""
        look_ns = EVERY_NS
        for t_ns, table in self.evening.play():
            # A given state has lasted since the time before.
            self.sampler.watch(table)
            while look_ns <= t_ns:
                look = self.sampler.look(look_ns, table)
                if look is not None:
                    self._see(look)
                self._answer(look_ns)
                look_ns += EVERY_NS
        return self._count()

    def _see(self, look: TableLook) -> None:
        for event in self.tracker.see(look)[0]:
            self._apply(event)

    def _apply(self, event: Event) -> None:
        try:
            rulings = self.game.apply(event)
        except BadInputError:
            self.counted.wrong.append(f"refused: {event.data}")
            return
        results = [ruling.as_json() for ruling in rulings]
        if not any(ruling["ruling"] == "foul" for ruling in results):
            self.events.append(event)
        for ruling in results:
            if ruling["ruling"] == "foul":
                self.fouls.append((str(ruling["reason"]), int(str(ruling["seat"])), int(str(ruling["row"]))))
                self.evening.heard = True
        self.tracker.judged(event, self.game.view())

    def _answer(self, t_ns: int) -> None:
        """Let people answer questions, after a while."""
        for doubt in self.tracker.doubts:
            key = (doubt.kind, doubt.t_ns)
            if key not in self.answer_at:
                late = self.luck.random() < _LATE
                wait = self.luck.uniform(*(_LATE_S if late else _ANSWERS_S))
                self.answer_at[key] = t_ns + round(wait * 1e9)
                self.counted.asked[doubt.kind] += 1
            if t_ns >= self.answer_at[key]:
                self._answer_one(doubt, t_ns)
                return

    def _answer_one(self, doubt: Doubt, t_ns: int) -> None:
        """Answer truthfully: by one of the answers, or move by move without a true one."""
        at, count = self._index_of(doubt)
        before, after = self.events[:at], self.events[at + count :]
        fitting: list[tuple[int, list[Event]]] = []
        for answer in doubt.answers:
            events = [replace(event, t_ns=t_ns) for event in answer.events]
            game = self._played([*before, *events, *after])
            # Events are corrected in their places; no event is inserted between them.
            fits = not after or len(events) <= count
            stood = self._as_in_truth(game) if fits and game is not None else None
            if stood is not None:
                fitting.append((stood, events))
        if fitting:
            # Prefer the answer that fits the present state.
            _, events = max(fitting, key=lambda one: one[0])
            self._put(before, [*events, *after], len(events), doubt)
            return
        moves = [_event(move) for move in self.evening.truth if move.foul is None]
        game = self._played(self.events)
        done = None if game is None else self._as_in_truth(game)
        if done is not None:
            left = [replace(move, t_ns=t_ns) for move in moves[done:]]
            self._put(self.events, left, len(left), doubt)
            return
        # The reported moves are wrong: people correct them on the page.
        start = [event for event in self.events if event.kind == "start_cards"]
        reported = pieces(self.events, self.evening.players)
        by_hand = (pieces(moves, self.evening.players) - reported).total()
        self.counted.put_right += 1
        for last in [event for event in self.events if event.kind == "last_round"]:
            moves.insert(sum(move.t_ns <= last.t_ns for move in moves), last)
        self._put(start, [replace(move, t_ns=t_ns) for move in moves], by_hand, doubt)

    def _index_of(self, doubt: Doubt) -> tuple[int, int]:
        """Return the index of a question's guess among the events, and the number of its events."""
        count = len(doubt.taken)
        for at in range(len(self.events) - count, -1, -1) if count else ():
            if tuple(self.events[at : at + count]) == doubt.taken:
                return at, count
        return len(self.events), 0

    def _put(self, before: Sequence[Event], events: Sequence[Event], by_hand: int, doubt: Doubt) -> None:
        """Replace the events after `before`; `by_hand`: the number of them that people entered."""
        self.tracker.answered(doubt)
        self.entered_by_hand += by_hand
        if list(before) == self.events:
            for event in events:
                self._apply(event)
            return
        corrected = [*before, *events]
        game = self._played(corrected)
        if game is None:
            self.counted.wrong.append(f"cannot be put right: {doubt.kind}")
            return
        self.game, self.events = game, corrected
        self.tracker.follow(game.view())

    def _played(self, events: Sequence[Event]) -> Coloretto | None:
        """Return the game after events; None if the rules forbid one of them."""
        game = from_header(self.header)
        try:
            for event in events:
                if any(ruling.as_json()["ruling"] == "foul" for ruling in game.apply(event)):
                    return None
        except BadInputError:
            return None
        return game

    def _as_in_truth(self, game: Coloretto) -> int | None:
        """Return the number of true moves after which the table was in a game's state; None if it never was."""
        moves = sum(one.foul is None for one in self.evening.truth)
        wanted = standing(game)
        return next((k for k in range(moves, -1, -1) if standing(self.evening.stands_after(k)) == wanted), None)

    def _count(self) -> Counted:
        counted, evening = self.counted, self.evening
        true_moves = [one for one in evening.truth if one.foul is None]
        true = pieces([_event(one) for one in true_moves], evening.players)
        reported = pieces(self.events, evening.players)
        counted.moves = len(true_moves)
        true_fouls = Counter[Key]((str(one.foul), one.seat, one.row) for one in evening.truth if one.foul)
        counted.hold_against(true, reported, true_fouls, Counter[Key](self.fouls))
        counted.understood -= self.entered_by_hand
        counted.points_right = self.game.over and self.game.hands == evening.game.hands
        return counted


def _event(done: TrueMove) -> Event:
    data: dict[str, object] = {"seat": done.seat, "row": done.row}
    if done.kind == "take":
        return Event(done.t_ns, "row_taken", {"event": "row_taken", **data})
    return Event(done.t_ns, "card_placed", {"event": "card_placed", **data, "card": done.card})


if __name__ == "__main__":
    command(measure)
