"""The desk of the running referee (see `referee.service.desk`): what pages are shown, and what they may tell."""

from __future__ import annotations

import re
import threading
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from hardware.health import HealthBoard
from referee.errors import BadInputError, OvertakenError
from referee.games.registry import GAMES
from referee.journal.evidence import EvidenceFolder
from referee.language import Language
from referee.sayings.guard import camera_note
from referee.service import archive
from referee.service.board import moment
from referee.service.bus import Bus, OutlinesMoved, PicturesKept, StateChanged
from referee.service.by_page import answer, correct, look_again, name_ringer, ring, tell
from referee.service.coloretto_page import sheet
from referee.service.desk import Data
from referee.service.figures import statistics
from referee.service.fitting import Fitting, NothingFitted
from referee.service.past import Known
from referee.service.play import Play
from referee.service.quality import Tallies, quality
from referee.service.question_pictures import Doubted, QuestionPictures
from referee.service.ring_pictures import Pictures
from referee.service.settings import PAGE_CAMERA, TableSettings, save_settings
from referee.service.setup_desk import setup_done, setup_in_state, setup_now
from referee.service.shown_ruling import explained, time_line
from referee.service.stage import Stage
from referee.service.table_decks import TableDecks
from referee.service.view import Scene, view
from referee.setup.walk import Walk

OUTLINES_NS = 250_000_000
"""The state is not made anew more often than this for what only moved in the picture."""


class TableDesk:
    """The real desk. The state is made once a version, by whoever changes something, and given to all who ask.

    folder: where settings are kept. fitting: the devices, as far as the page has to do with them. walk: through the
    steps of setting up; None: there are none. known: what was told of games that are over.
    """

    def __init__(
        self,
        stage: Stage,
        evidence: EvidenceFolder,
        pictures: Pictures,
        health: HealthBoard,
        folder: Path,
        fitting: Fitting | None = None,
        clock: Callable[[], int] = time.monotonic_ns,
        decks: TableDecks | None = None,
    ) -> None:
        self._stage = stage
        self._evidence = evidence
        self._pictures = pictures
        self._asked = QuestionPictures(pictures.area)
        self._health = health
        self._folder = folder
        self._fitting = fitting or NothingFitted()
        self._clock = clock
        self._decks = decks or TableDecks(folder, health.report)
        self._lock = threading.Lock()
        self._settling = threading.Lock()
        self._listeners: dict[int, Callable[[int], None]] = {}
        self._next_listener = 0
        self._version = 0
        self._made_ns = 0
        self._picture_of: dict[tuple[int, int], str] = {}
        self._state: dict[str, Any] = {}
        self.known: Known = {}
        self._tallies: Tallies = {}
        self.walk: Walk | None = None
        self.refresh()

    def state(self) -> Data:
        """Give all that a page shows."""
        return {**self._state, "t_ns": self._clock()}

    def subscribe(self, notify: Callable[[int], None]) -> Callable[[], None]:
        """Tell of each change."""
        with self._lock:
            number = self._next_listener
            self._next_listener += 1
            self._listeners[number] = notify

        def end() -> None:
            with self._lock:
                self._listeners.pop(number, None)

        return end

    def listen(self, bus: Bus) -> None:
        """Make the state anew when the parts of the referee tell of something that it shows."""
        bus.subscribe(Doubted, self._asked.heed)
        bus.subscribe(StateChanged, lambda _: self.refresh())
        bus.subscribe(OutlinesMoved, lambda _: self.refresh_outlines())
        bus.subscribe(PicturesKept, lambda kept: self.pictures_kept(kept.game, kept.event))

    def refresh_outlines(self) -> None:
        """Make the state anew unless that was done just now: only what is seen has moved."""
        if self._clock() - self._made_ns >= OUTLINES_NS:
            self.refresh()

    def refresh(self) -> None:
        """Make the state anew after a change, and tell all listeners."""
        now_ns = self._clock()
        with self._stage.lock:
            stage = self._stage
            scene = Scene(
                stage.settings,
                stage.voice.caption,
                stage.voice.said,
                self._health.snapshot(),
                stage.notices,
                stage.frame_wh,
                None if stage.settings.sand is None else stage.settings.sand[0] // 1_000_000,
                self._asked.names(),
            )
            state = view(stage.play, stage.paused, scene, self._picture)
            self._made_ns = now_ns
            self._version += 1
            self._state = {"version": self._version, **state, "setup": setup_in_state(self.walk, self._stage)}
            version = self._version
        with self._lock:
            listeners = list(self._listeners.values())
        for notify in listeners:
            notify(version)

    def pictures_kept(self, game: int, event: int) -> None:
        """Take it that an event has pictures now."""
        self._remember_pictures(game)
        self.refresh()

    def resumed(self, play: Play) -> None:
        """Take it that a game goes on that has pictures already."""
        self.pictures_kept(play.log.row.game, 0)

    def do(self, command: Data) -> Data:
        """Carry out a command."""
        seen = command.get("moment")
        if seen is None:
            return self._carry_out(command)
        with self._stage.lock:
            if seen != moment(self._stage.play):
                raise OvertakenError("something else was entered just before: please look again")
            return self._carry_out(command)

    def _carry_out(self, command: Data) -> Data:
        match command.get("do"):
            case "start":
                return self._start(command)
            case "stop":
                self._stage.stop()
            case "pause" | "resume" as what:
                self._stage.pause(what == "pause")
            case "flip":
                if not self._fitting.flip():
                    self._stage.say("timer_flipped", {})
            case "time":
                self._stage.say("timer_ran_out", {})
            case "count":
                # Who taps cannot see what the camera saw: hands that it did not see are asked for.
                self._stage.say("count", {"ask": True})
            case "ringer":
                name_ringer(self._stage, command.get("seat"))
            case "ring":
                ring(self._stage, self._fitting, command)
            case "bell_here":
                self._fitting.bell_here()
            case "decide":
                self._stage.say("decided", {"valid": command.get("valid")})
            case "event":
                return {"version": self._version, "rulings": tell(self._stage, command.get("event"))}
            case "correct":
                return {"version": self._version, "changed": correct(self._stage, command)}
            case "sheet":
                return {"sheet": sheet(command, Language(self._stage.settings.language))}
            case "answer":
                answer(self._stage, str(command.get("question")), command.get("answer"))
            case "undo":
                self._stage.undo()
            case "look_again":
                look_again(self._stage, str(command.get("ruling")))
            case "setup":
                return setup_done(self.walk, self._stage, command, self.refresh)
            case "settings":
                return self._settings({key: value for key, value in command.items() if key != "do"})
            case _:
                raise BadInputError("there is no such command")
        return {"version": self._version}

    def picture(self, which: str) -> bytes | None:
        """Give a JPEG."""
        if which == "live":
            return self._pictures.live()
        return self._asked.find(which) or self._evidence.find(which)

    def timeline(self, ruling: str) -> Data:
        """Give the photo-finish of a ruling."""
        return time_line(self._stage, self._evidence, ruling)

    def explain(self, ruling: str) -> Data:
        """Give why a ruling is as it is."""
        return explained(self._stage, self._evidence, ruling)

    def history(self) -> Data:
        """Give past games."""
        return archive.history(self._stage.journal.read, self._stage.language, self.known)

    def game(self, which: str) -> Data:
        """Give one past game."""
        pictures = self._evidence.of_game(int(which)) if which.isascii() and which.isdecimal() else {}
        return archive.one_game(self._stage.journal.read, which, self._stage.language, pictures, self.known)

    def decks(self) -> Data:
        """Give the decks that each game can be played with, and the colours of those for Coloretto."""
        choices = self._decks.choices(self._stage.journal.read)
        return {"decks": dict(choices), "colours": self._decks.colours(choices["coloretto"])}

    def statistics(self) -> Data:
        """Give figures over all evenings."""
        return statistics(self._stage.journal.read, self.known)

    def quality(self) -> Data:
        """Give how good it is at this table."""
        return quality(self._stage.journal.read, self._stage.language, self.known, self._tallies)

    def setup(self, *, look: bool) -> Data:
        """Give how far setting up is, and what the open step finds now."""
        return setup_now(self.walk, look=look)

    def opened_walk(self) -> Walk:
        """Give the walk through the steps of setting up.

        Raises:
            BadInputError: there is none at this table.
        """
        if self.walk is None:
            raise BadInputError("there is nothing to set up here")
        return self.walk

    def whole_picture(self) -> bytes | None:
        """Give the newest picture whole, small, for aiming the camera."""
        return self._pictures.whole()

    def cameras(self) -> Data:
        """Give the USB cameras that are plugged in."""
        notes = [camera_note(note, self._stage.language) for note in self._fitting.camera_notes()]
        return {"cameras": [{"camera": spec, "name": name} for spec, name in self._fitting.cameras()], "notes": notes}

    def _start(self, command: Data) -> Data:
        game, players, options = command.get("game"), command.get("players"), command.get("options", {})
        if game not in GAMES or not isinstance(players, list) or not isinstance(options, Mapping):
            raise BadInputError(f"choose a game ({', '.join(GAMES)}) and say who plays")
        play = self._stage.start(str(game), [str(player) for player in players], options)
        return {"version": self._version, "game": str(play.log.row.game)}

    def _settings(self, data: Mapping[str, Any]) -> Data:
        hidden = set(data) - set(TableSettings().public())
        if hidden:
            raise BadInputError("there is no such setting on the page")
        if "camera" in data and not re.match(PAGE_CAMERA, str(data["camera"])):
            raise BadInputError("there is no such camera")
        return self.change_settings(data)

    def change_settings(self, data: Mapping[str, Any]) -> Data:
        """Take other settings, also those that pages do not show.

        Raises:
            BadInputError: they cannot be so.
            WorkFailedError: the disk does not take them.
        """
        with self._settling:
            # To try a camera takes seconds, in which rings are ruled: so the stage is not held.
            self._fitting.check(self._stage.settings.changed(data))
            with self._stage.lock:
                settings = self._stage.settings.changed(data)
                save_settings(self._folder, settings)
                self._stage.change_settings(settings)
            self._fitting.fit(settings)
        return {"version": self._version, "settings": settings.public()}

    def _picture(self, game: int, event: int) -> str | None:
        return self._picture_of.get((game, event))

    def _remember_pictures(self, game: int) -> None:
        found = self._evidence.of_game(game)
        self._picture_of = {(game, event): name for event, name in found.items()}
