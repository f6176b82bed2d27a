"""Lets the people at the simulated table play each game that begins, with its players, options and deck.

They deal, play to the end, answer the referee's questions, and clear the table after a stop.
"""

from __future__ import annotations

import math
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from typing import Any

from hardware.camera.frames import Frame
from hardware.supervised import nothing
from referee.decks.game_deck import deck_of
from referee.demo.devices import SimulatedDevices
from referee.demo.idle import empty_table
from referee.demo.players import TablePlayers
from referee.demo.table import DemoTable, demo_table
from referee.demo.voice import Say, stamped
from referee.engine.events import Event, Header
from referee.engine.session import Session
from referee.errors import BadInputError
from referee.match.commands import AnswerDoubt, Command, Decide, ReportEvent, Ringer, Simple
from referee.match.referee import Referee
from simulation.live import LiveTable
from vision.errors import BadDeckError

POLL_S = 0.1
# largest delay of a busy computer behind the game
CATCH_UP_S = 60.0
SEEN_AFTER_S = 2.0  # time for a move, the hand's way back, and the referee's look at a still table
PATIENCE_S = 12.0
"""Seconds for which people pause after a question about moves; then they enter the moves."""
# A game that was stopped, or left for another, can be resumed.
_TABLES_KEPT = 2
Write = Callable[[Header, int], DemoTable]


class Director:
    """Follows the present game and shows it on the devices, on its own thread.

    devices: the referee's. write: returns the table for a game's header and number, and raises BadInputError if the
    game cannot be played; None: any game, to its end, with its number as seed. say: receives people's taps on the page.
    setting_up: whether the page begins with setting up.
    """

    def __init__(
        self,
        referee: Referee,
        devices: SimulatedDevices,
        write: Write | None = None,
        say: Say | None = None,
        *,
        setting_up: bool = False,
    ) -> None:
        self._referee, self._devices, self._setting_up = referee, devices, setting_up
        self._write, self._say = write or self._any_game, say or nothing
        self._tables: dict[int, tuple[DemoTable, TablePlayers]] = {}
        self._shown: int | None = None
        self._refused: int | None = None
        self._said: set[tuple[int, int]] = set()
        self._asked: dict[str, float] = {}
        self._news, self._stopping = threading.Event(), threading.Event()
        self._end: Callable[[], None] = lambda: None
        self._thread = threading.Thread(target=self._run, name="players", daemon=True)

    def start(self) -> None:
        """Start; a game of an earlier process has lost its table, and ends."""
        referee = self._referee
        with referee.turn():
            referee.begins_with_setup = self._setting_up
            session = referee.resume(aloud=False)
            if session is not None and not session.over:
                referee.end_game()
                referee.announcements.speak(referee.language.text("service.drawn_table_was_cleared_so"))
            referee.changed()
        self._end = referee.subscribe(lambda version: self._news.set())
        self._thread.start()

    def stop(self) -> None:
        """Stop."""
        self._end()
        self._stopping.set()
        self._news.set()
        if self._thread.ident is not None:
            self._thread.join()

    @property
    def over(self) -> bool:
        """Return whether the present game has been played and ruled to its end."""
        with self._referee.lock:
            play = self._referee.match.session
            return self._shown is not None and self._devices.over and (play is None or play.over)

    @property
    def seconds(self) -> float:
        """Return the playing time of the present game; 0 without one."""
        return 0.0 if self._shown is None else self._devices.seconds

    def frame_at(self, t_ns: int) -> Frame | None:
        """Draw the present game's frame again whose exposure ended at `t_ns`."""
        table = self._tables.get(self._shown or 0)
        return None if table is None else table[0].frame_at(t_ns)

    def _any_game(self, header: Header, number: int) -> DemoTable:
        return demo_table(header, deck_of(header, self._referee.folder).deck, number)

    def _run(self) -> None:
        while not self._stopping.is_set():
            self._news.wait(POLL_S)
            self._news.clear()
            self._look()

    def _look(self) -> None:
        match = self._referee.match
        with self._referee.lock:
            play, paused = match.session, match.paused
            asked = play is not None and self._wait_for(play)
            game = None if play is None or self._was_stopped(play) else play.log.game
        if game != self._shown:
            self._show(game, play)
        if self._shown is None or play is None:
            return
        if (paused or asked) is not self._devices.table.held:
            (self._devices.hold if paused or asked else self._devices.release)()
        if not paused and not play.over:
            self._take_part(play, *self._tables[self._shown])

    def _wait_for(self, play: Session) -> bool:
        """Return whether people pause, for a while, because the referee asks about moves, or has missed one."""
        now_s = time.monotonic()
        since_s = [self._asked.setdefault(play.question_id(doubt), now_s) for doubt in play.watcher.doubts]
        if play.log.game == self._shown:
            unseen = self._missed_moves(play, self._tables[self._shown][1], self._devices.seconds - SEEN_AFTER_S)
            since_s += [self._asked.setdefault(f"move-{self._shown}-{one.t_ns}", now_s) for one in unseen[:1]]
        return not play.over and any(now_s - asked_s < PATIENCE_S for asked_s in since_s)

    def _was_stopped(self, play: Session) -> bool:
        """Return whether people ended a game before the end of its script."""
        played_out = play.log.game == self._shown and self._devices.over
        return play.over and (play.log.undoes == "stop" or play.log.game not in self._tables) and not played_out

    def _show(self, game: int | None, play: Session | None) -> None:
        """Show another game on the table, or clear it."""
        # Drawing another table takes a while.
        self._devices.hold()
        table: LiveTable | None = None
        if game is not None and play is not None and game != self._refused:
            try:
                if game not in self._tables:
                    written = self._write(play.header, game)
                    self._tables[game] = written, TablePlayers(written)
                table = self._tables[game][0].table
            except (BadInputError, BadDeckError) as error:
                self._refuse(game, error)
                game = None
        if game == self._refused:
            game = None
        if game != self._shown:
            self._shown = None
            self._devices.show(table or empty_table())
            self._shown = game
        while len(self._tables) > _TABLES_KEPT:
            self._tables.pop(next(iter(self._tables)))

    def _refuse(self, game: int, error: Exception) -> None:
        """End a game that cannot be played here."""
        referee = self._referee
        self._refused = game
        self._say(f"({error})")
        with referee.lock:
            if referee.match.game == game:
                referee.end_game()
                referee.announcements.speak(referee.language.text("service.drawn_table_cannot_play_this"))

    def _take_part(self, play: Session, demo: DemoTable, players: TablePlayers) -> None:
        """Enter on the page what people know: the ringer, moves, answers, and the end of the game."""
        devices, state = self._devices, self._referee.state()
        game = play.log.game
        if (state["game"] or {}).get("id") != str(game):
            return
        for event in demo.played.said:
            if devices.seconds >= event.t_ns / 1e9 and (game, event.t_ns) not in self._said:
                self._said.add((game, event.t_ns))
                self._tap_event(event)
        for question in state["questions"]:
            self._answer(question, state["rulings"], play, players)
        if not devices.over:
            return
        with self._referee.lock:
            caught_up = _ruled(play, demo.played.ruling) >= demo.played.rulings and not state["questions"]
            late = devices.seconds > demo.table.script.length_s + CATCH_UP_S
            if (caught_up or late) and self._referee.match.session is play and not play.over:
                self._tap("(a tap on the page: the game ends here)", Simple(do="stop"))

    def _answer(
        self, question: Mapping[str, Any], rulings: Sequence[Mapping[str, Any]], play: Session, players: TablePlayers
    ) -> None:
        now_s = self._devices.seconds
        if question["kind"] == "doubt":
            doubt = next((one for one in play.watcher.doubts if play.question_id(one) == question["id"]), None)
            number = None if doubt is None else players.choose(doubt, now_s, time.monotonic())
            if number is None and time.monotonic() - self._asked.get(question["id"], math.inf) > PATIENCE_S / 2:
                self._enter_moves(play, players)
            if number is not None:
                words = f"(a tap on the page: {question['answers'][number]['text']})"
                self._tap(words, AnswerDoubt(question=question["id"], answer=number))
            return
        if question["kind"] == "no_hand" and (asked := play.question) is not None:
            for hand in players.hands(asked.t_ns, asked.seats, now_s, time.monotonic()):
                self._tap_event(hand, "a hand")
            return
        unclear = (ruling for ruling in rulings if ruling["id"] == question["ruling"])
        about = question["verdict"] or next(unclear, None)
        if about is None:
            return
        answer = players.answer(question["kind"], self._devices.table.seconds(about["t_ns"]), time.monotonic())
        if answer is not None:
            command = Ringer(**answer.data) if answer.kind == "ringer" else Decide(**answer.data)
            self._tap(answer.words, command)

    def _enter_moves(self, play: Session, players: TablePlayers) -> None:
        """Enter on the page the moves that the referee has missed."""
        # The referee may catch up meanwhile: a move that it both sees and hears would be a foul.
        with self._referee.lock:
            for event in self._missed_moves(play, players, self._devices.seconds):
                self._tap_event(event)

    def _missed_moves(self, play: Session, players: TablePlayers, script_s: float) -> list[Event]:
        records = [record for record in play.log.records.values() if record.is_of_game and not record.refused]
        heard = [one.event for one in records if all(ruling["ruling"] != "foul" for ruling in one.rulings)]
        return players.missed_moves(heard, script_s)

    def _tap_event(self, event: Event, name: str = "") -> None:
        words = f"(a tap on the page: {name or event.kind.replace('_', ' ')})"
        self._tap(words, ReportEvent.model_validate({"event": dict(event.data)}))

    def _tap(self, words: str, command: Command) -> None:
        self._say(stamped(self._devices.seconds, words))
        # Another device may have tapped on the page just before.
        with suppress(BadInputError):
            self._referee.do(command)


def _ruled(play: Session, kind: str) -> int:
    """Return the number of rulings of a kind; rings that stay unclear or are ignored count as ruled."""
    rulings = [ruling for record in play.log.records.values() for ruling in record.rulings]
    times = [ruling["t_ns"] for ruling in rulings if ruling["ruling"] == kind]
    rings = {ruling["t_ns"] for ruling in rulings if ruling["ruling"] == "unclear" or ruling.get("event") == "bell"}
    return len(times) + len(rings.difference(times))
