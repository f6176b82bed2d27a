"""Whole games of Coloretto before the referee's understanding, and how much of each was understood."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from referee.bench.coloretto_sampler import EVERY_NS, Sampler, Sight
from referee.bench.coloretto_table import Done, Evening, Habits
from referee.engine.events import Event, Header
from referee.engine.session import Doubt
from referee.errors import BadInputError
from referee.games.coloretto.rules import Coloretto, from_header
from referee.games.coloretto.watching.hypotheses import standing
from referee.games.coloretto.watching.looks import Look
from referee.games.coloretto.watching.tracker import Tracker

_ANSWERS_S = (2.0, 6.0)  # so soon a question is answered by who heard it
_LATE, _LATE_S = 0.3, (15.0, 40.0)  # and by some only so much later
_NAMES = ("Ann", "Ben", "Cem", "Dora", "Eva")
Key = tuple[object, ...]


@dataclass
class Counted:
    """One game, counted.

    understood: moves told as they were, without anybody's help. asked: questions, by kind. put_right: how often people
    had to tell how it stood. wrong: what was told in the end and is not so.
    """

    players: int
    seed: int
    moves: int = 0
    understood: int = 0
    asked: Counter[str] = field(default_factory=Counter)
    put_right: int = 0
    wrong: list[str] = field(default_factory=list)
    fouls: int = 0
    fouls_found: int = 0
    fouls_false: list[str] = field(default_factory=list)
    fouls_missed: list[str] = field(default_factory=list)
    points_right: bool = False

    def hold_against(
        self, true: Counter[Key], told: Counter[Key], true_fouls: Counter[Key], told_fouls: Counter[Key]
    ) -> None:
        """Count what was told, moves and fouls, against what was so."""
        self.understood = (true & told).total()
        self.wrong += [str(one) for one in (told - true).elements()]
        self.fouls, self.fouls_found = true_fouls.total(), (true_fouls & told_fouls).total()
        self.fouls_false = [str(one) for one in (told_fouls - true_fouls).elements()]
        self.fouls_missed = [str(one) for one in (true_fouls - told_fouls).elements()]

    def as_json(self) -> dict[str, object]:
        """Give it for a line of output."""
        # `asdict` would count a counter's items.
        return {**vars(self), "asked": dict(self.asked)}

    def figures(self) -> dict[str, int]:
        """Give what can be summed over games."""
        return {
            "games": 1,
            "moves": self.moves,
            "understood": self.understood,
            "questions": self.asked.total(),
            "put_right": self.put_right,
            "wrong": len(self.wrong),
            "fouls": self.fouls,
            "fouls_found": self.fouls_found,
            "fouls_false": len(self.fouls_false),
            "points_right": int(self.points_right),
        }


def try_game(players: int, seed: int, habits: Habits | None = None, sight: Sight | None = None) -> Counted:
    """Play one game and look on, at one look each half second."""
    return _Trial(players, seed, habits, sight).run()


class _Trial:
    def __init__(self, players: int, seed: int, habits: Habits | None, sight: Sight | None) -> None:
        self.evening = Evening(players, seed, habits)
        settings = self.evening.settings
        options = {"table": settings.table.value, "first": settings.first, "left_out": list(settings.left_out)}
        self.header = Header("coloretto", _NAMES[:players], options)
        self.tracker, self.game = Tracker(self.header), from_header(self.header)
        self.luck = random.Random(f"sight {players} {seed}")
        used = tuple(one for one in Sampler.colours if one not in settings.left_out)
        self.sampler = Sampler(
            sight or Sight(),
            self.luck,
            used,
            sum(map(len, settings.start_cards)),
            random.Random(f"arms {players} {seed}"),
        )
        self.counted = Counted(players, seed)
        self.events: list[Event] = []
        self.fouls: list[tuple[str, int, int]] = []
        self.answer_at: dict[tuple[object, ...], int] = {}
        self.told_by_hand = 0

    def run(self) -> Counted:
        look_ns = EVERY_NS
        for t_ns, lies in self.evening.play():
            # What is given has lain there since the time before.
            self.sampler.watch(lies)
            while look_ns <= t_ns:
                look = self.sampler.look(look_ns, lies)
                if look is not None:
                    self._see(look)
                self._answer(look_ns)
                look_ns += EVERY_NS
        return self._count()

    def _see(self, look: Look) -> None:
        for event in self.tracker.see(look)[0]:
            self._tell(event)

    def _tell(self, event: Event) -> None:
        try:
            rulings = self.game.apply(event)
        except BadInputError:
            self.counted.wrong.append(f"refused: {event.data}")
            return
        told = [ruling.as_json() for ruling in rulings]
        if not any(ruling["ruling"] == "foul" for ruling in told):
            self.events.append(event)
        for ruling in told:
            if ruling["ruling"] == "foul":
                self.fouls.append((str(ruling["reason"]), int(str(ruling["seat"])), int(str(ruling["row"]))))
                self.evening.heard = True
        self.tracker.judged(event, self.game.view())

    def _answer(self, t_ns: int) -> None:
        """People answer what they are asked, sooner or later."""
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
        """Say what is so: by one of the answers, or, where none of them is, move by move."""
        at, count = self._told_at(doubt)
        before, after = self.events[:at], self.events[at + count :]
        fitting: list[tuple[int, list[Event]]] = []
        for answer in doubt.answers:
            events = [replace(event, t_ns=t_ns) for event in answer.events]
            game = self._played([*before, *events, *after])
            # Events are put right in their places, but none comes between them.
            fits = not after or len(events) <= count
            stood = self._as_in_truth(game) if fits and game is not None else None
            if stood is not None:
                fitting.append((stood, events))
        if fitting:
            # They say how it stands now, not how it stood once.
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
        # What was told does not hold: people put it right on the page.
        start = [event for event in self.events if event.kind == "start_cards"]
        told = pieces(self.events, self.evening.players)
        by_hand = (pieces(moves, self.evening.players) - told).total()
        self.counted.put_right += 1
        for last in [event for event in self.events if event.kind == "last_round"]:
            moves.insert(sum(move.t_ns <= last.t_ns for move in moves), last)
        self._put(start, [replace(move, t_ns=t_ns) for move in moves], by_hand, doubt)

    def _told_at(self, doubt: Doubt) -> tuple[int, int]:
        """Give where among the events a guess at what was asked was told, and how many of them it is."""
        count = len(doubt.told)
        for at in range(len(self.events) - count, -1, -1) if count else ():
            if tuple(self.events[at : at + count]) == doubt.told:
                return at, count
        return len(self.events), 0

    def _put(self, before: Sequence[Event], events: Sequence[Event], by_hand: int, doubt: Doubt) -> None:
        """Let the game have gone so from where `before` ends; `by_hand` is how much of it people said."""
        self.tracker.answered(doubt)
        self.told_by_hand += by_hand
        if list(before) == self.events:
            for event in events:
                self._tell(event)
            return
        told = [*before, *events]
        game = self._played(told)
        if game is None:
            self.counted.wrong.append(f"cannot be put right: {doubt.kind}")
            return
        self.game, self.events = game, told
        self.tracker.follow(game.view())

    def _played(self, events: Sequence[Event]) -> Coloretto | None:
        """Give the game after events, None where the rules do not allow one of them."""
        game = from_header(self.header)
        try:
            for event in events:
                if any(ruling.as_json()["ruling"] == "foul" for ruling in game.apply(event)):
                    return None
        except BadInputError:
            return None
        return game

    def _as_in_truth(self, game: Coloretto) -> int | None:
        """Give after how many moves the table stood as a game does; None if it never did."""
        moves = sum(one.foul is None for one in self.evening.truth)
        wanted = standing(game)
        return next((k for k in range(moves, -1, -1) if standing(self.evening.stands_after(k)) == wanted), None)

    def _count(self) -> Counted:
        counted, evening = self.counted, self.evening
        true_moves = [one for one in evening.truth if one.foul is None]
        true = pieces([_event(one) for one in true_moves], evening.players)
        told = pieces(self.events, evening.players)
        counted.moves = len(true_moves)
        true_fouls = Counter[Key]((str(one.foul), one.seat, one.row) for one in evening.truth if one.foul)
        counted.hold_against(true, told, true_fouls, Counter[Key](self.fouls))
        counted.understood -= self.told_by_hand
        counted.points_right = self.game.over and self.game.hands == evening.game.hands
        return counted


def _event(done: Done) -> Event:
    data: dict[str, object] = {"seat": done.seat, "row": done.row}
    if done.kind == "take":
        return Event(done.t_ns, "row_taken", {"event": "row_taken", **data})
    return Event(done.t_ns, "card_placed", {"event": "card_placed", **data, "card": done.card})


def pieces(events: Sequence[Event], players: int) -> Counter[Key]:
    """Give what a game comes to: which cards lay in each row of each round, and who took it."""
    rows: dict[int, list[str]] = {}
    takers: dict[int, int] = {}
    pieces: Counter[Key] = Counter()
    number = 0
    for event in events:
        row = int(str(event.data.get("row", 0)))
        if event.kind == "card_placed":
            rows.setdefault(row, []).append(str(event.data["card"]))
        elif event.kind == "card_taken_back" and rows.get(row):
            rows[row].pop()
        elif event.kind == "card_moved":
            card = str(event.data["card"])
            rows[row].remove(card)
            rows.setdefault(int(str(event.data["to"])), []).append(card)
        elif event.kind == "row_taken":
            takers[row] = int(str(event.data["seat"]))
            pieces[number, row, "taken", takers[row]] += 1
        elif event.kind == "card_was":
            was, now, seat = str(event.data["was"]), str(event.data["card"]), int(str(event.data["seat"]))
            taken = next((at for at in rows if takers.get(at) == seat and was in rows[at]), None)
            if taken is None:
                pieces = _mended(pieces, was, now, seat)
            else:
                rows[taken] = [*rows[taken], now]
                rows[taken].remove(was)
        if len(takers) == players or event is events[-1]:
            pieces.update((number, at, "card", card) for at, cards in rows.items() for card in cards)
            rows, takers, number = {}, {}, number + 1
    return pieces


def _mended(pieces: Counter[Key], was: str, now: str, seat: int) -> Counter[Key]:
    """Put a card right that was told wrongly, in the latest row that somebody took with it."""
    for number, row, kind, who in sorted(pieces, key=str, reverse=True):
        key = (number, row, "card", was)
        if kind == "taken" and who == seat and pieces[key]:
            pieces[key] -= 1
            pieces[number, row, "card", now] += 1
            return +pieces
    return pieces
