"""The desk of the running referee (see `desk_protocol`): what pages are shown, and what they may tell."""

from __future__ import annotations

import re
import threading
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from hardware.problems import HealthBoard
from referee.errors import BadInputError, OvertakenError
from referee.games.coloretto.page import sheet
from referee.games.registry import GAMES
from referee.journal.evidence import EvidenceFolder
from referee.language import Language
from referee.phrases import in_language
from referee.service import archive
from referee.service.board import moment
from referee.service.bus import Bus, OutlinesMoved, PicturesKept, StateChanged
from referee.service.desk_protocol import Data
from referee.service.device_admin import DeviceAdmin, NoDeviceAdmin
from referee.service.figures import statistics
from referee.service.game_controller import GameController
from referee.service.live_game import LiveGame
from referee.service.page_commands import answer, correct, look_again, name_ringer, ring, tell
from referee.service.page_state import Scene, view
from referee.service.past import Known
from referee.service.quality import Tallies, quality
from referee.service.question_pictures import Doubted, QuestionPictures
from referee.service.records import numbers_in
from referee.service.ring_pictures import Pictures
from referee.service.settings import PAGE_CAMERA, TableSettings, save_settings
from referee.service.setup_desk import setup_done, setup_in_state, setup_now
from referee.service.shown_ruling import explained, time_line
from referee.service.table_decks import TableDecks
from referee.setup.walk import Walk

OUTLINES_NS = 250_000_000
"""The state is not made anew more often than this for what only moved in the picture."""


class TableDesk:
    """The real desk. The state is made once a version, by whoever changes something, and given to all who ask.

    folder: where settings are kept. device_admin: the devices, for the page. walk: through the steps of setting up;
    None: there are none. begins_with_setup: whether a new page begins with it while nothing is set up. known: what was
    told of games that are over.
    """

    def __init__(
        self,
        controller: GameController,
        evidence: EvidenceFolder,
        pictures: Pictures,
        health: HealthBoard,
        folder: Path,
        device_admin: DeviceAdmin | None = None,
        clock: Callable[[], int] = time.monotonic_ns,
        decks: TableDecks | None = None,
    ) -> None:
        self._controller = controller
        self._evidence = evidence
        self._pictures = pictures
        self._asked = QuestionPictures(pictures.area)
        self._health = health
        self._folder = folder
        self._device_admin = device_admin or NoDeviceAdmin()
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
        self.begins_with_setup = True
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
        with self._controller.lock:
            controller = self._controller
            scene = Scene(
                controller.settings,
                controller.voice.caption,
                controller.voice.said,
                self._health.snapshot(),
                controller.notices,
                controller.frame_wh,
                None if controller.settings.sand is None else controller.settings.sand[0] // 1_000_000,
                self._asked.names(),
            )
            state = view(controller.play, controller.paused, scene, self._picture)
            self._made_ns = now_ns
            self._version += 1
            setup = setup_in_state(self.walk, self._controller)
            setup["due"] = setup["due"] and self.begins_with_setup
            self._state = {"version": self._version, **state, "setup": setup}
            version = self._version
        with self._lock:
            listeners = list(self._listeners.values())
        for notify in listeners:
            notify(version)

    def pictures_kept(self, game: int, event: int) -> None:
        """Take it that an event has pictures now."""
        self._remember_pictures(game)
        self.refresh()

    def resumed(self, play: LiveGame) -> None:
        """Take it that a game goes on that has pictures already."""
        self.pictures_kept(play.log.row.game, 0)

    def do(self, command: Data) -> Data:
        """Carry out a command."""
        seen = command.get("moment")
        if seen is None:
            return self._carry_out(command)
        with self._controller.lock:
            if seen != moment(self._controller.play):
                raise OvertakenError("fault.overtaken")
            return self._carry_out(command)

    def _carry_out(self, command: Data) -> Data:
        match command.get("do"):
            case "start":
                return self._start(command)
            case "stop":
                self._controller.stop()
            case "pause" | "resume" as what:
                self._controller.pause(what == "pause")
            case "flip":
                if not self._device_admin.flip():
                    self._controller.say("timer_flipped", {})
            case "time":
                self._controller.say("timer_ran_out", {})
            case "count":
                # Who taps cannot see what the camera saw: hands that it did not see are asked for.
                self._controller.say("count", {"ask": True})
            case "ringer":
                name_ringer(self._controller, command.get("seat"))
            case "ring":
                ring(self._controller, self._device_admin, command)
            case "bell_here":
                self._device_admin.bell_here()
            case "decide":
                self._controller.say("decided", {"valid": command.get("valid")})
            case "event":
                return {"version": self._version, "rulings": tell(self._controller, command.get("event"))}
            case "correct":
                changed = correct(self._controller, command)
                # A past game is counted once; it was another one then.
                for game in numbers_in(str(command.get("event", command.get("ruling"))))[:1]:
                    self.known.pop(game, None)
                    self._tallies.pop(game, None)
                return {"version": self._version, "changed": changed}
            case "sheet":
                return {"sheet": sheet(command, Language(self._controller.settings.language))}
            case "answer":
                answer(self._controller, str(command.get("question")), command.get("answer"))
            case "undo":
                self._controller.undo()
            case "look_again":
                look_again(self._controller, str(command.get("ruling")))
            case "setup":
                return setup_done(self.walk, self._controller, command, self.refresh)
            case "settings":
                return self._settings({key: value for key, value in command.items() if key != "do"})
            case _:
                raise BadInputError("error.service.there_is_no_such_command")
        return {"version": self._version}

    def picture(self, which: str) -> bytes | None:
        """Give a JPEG."""
        if which == "live":
            return self._pictures.live()
        return self._asked.find(which) or self._evidence.find(which)

    def timeline(self, ruling: str) -> Data:
        """Give the photo-finish of a ruling."""
        return time_line(self._controller, self._evidence, ruling)

    def explain(self, ruling: str) -> Data:
        """Give why a ruling is as it is."""
        return explained(self._controller, self._evidence, ruling)

    def history(self) -> Data:
        """Give past games."""
        return archive.history(self._controller.journal.read, self._controller.language, self.known)

    def game(self, which: str) -> Data:
        """Give one past game."""
        pictures = self._evidence.of_game(int(which)) if which.isascii() and which.isdecimal() else {}
        return archive.one_game(self._controller.journal.read, which, self._controller.language, pictures, self.known)

    def decks(self) -> Data:
        """Give the decks that each game can be played with, and the colours of those for Coloretto."""
        choices = self._decks.choices(self._controller.journal.read)
        return {"decks": dict(choices), "colours": self._decks.colours(choices)}

    def statistics(self) -> Data:
        """Give figures over all evenings."""
        return statistics(self._controller.journal.read, self.known)

    def quality(self) -> Data:
        """Give how good it is at this table."""
        return quality(self._controller.journal.read, self._controller.language, self.known, self._tallies)

    def setup(self, *, look: bool) -> Data:
        """Give how far setting up is, and what the open step finds now."""
        return setup_now(self.walk, look=look)

    def opened_walk(self) -> Walk:
        """Give the walk through the steps of setting up.

        Raises:
            BadInputError: there is none at this table.
        """
        if self.walk is None:
            raise BadInputError("error.service.there_is_nothing_to_set")
        return self.walk

    def whole_picture(self) -> bytes | None:
        """Give the newest picture whole, small, for aiming the camera."""
        return self._pictures.whole()

    def cameras(self) -> Data:
        """Give the cameras that are plugged in."""
        notes = [in_language(note, self._controller.language) for note in self._device_admin.camera_notes()]
        return {
            "cameras": [{"camera": spec, "name": name} for spec, name in self._device_admin.cameras()],
            "notes": notes,
        }

    def _start(self, command: Data) -> Data:
        game, players, options = command.get("game"), command.get("players"), command.get("options", {})
        if game not in GAMES or not isinstance(players, list) or not isinstance(options, Mapping):
            raise BadInputError("error.service.choose_game_and_say_who", list=", ".join(GAMES))
        play = self._controller.start(str(game), [str(player) for player in players], options)
        return {"version": self._version, "game": str(play.log.row.game)}

    def _settings(self, data: Mapping[str, Any]) -> Data:
        hidden = set(data) - set(TableSettings().public())
        if hidden:
            raise BadInputError("error.service.there_is_no_such_setting")
        if "camera" in data and not re.match(PAGE_CAMERA, str(data["camera"])):
            raise BadInputError("error.service.there_is_no_such_camera")
        return self.change_settings(data)

    def change_settings(self, data: Mapping[str, Any]) -> Data:
        """Take other settings, also those that pages do not show.

        Raises:
            BadInputError: they cannot be so.
            WorkFailedError: the disk does not take them.
        """
        with self._settling:
            # To try a camera takes seconds, in which rings are ruled: so the controller is not held.
            self._device_admin.check(self._controller.settings.changed(data))
            with self._controller.lock:
                settings = self._controller.settings.changed(data)
                save_settings(self._folder, settings)
                self._controller.change_settings(settings)
            self._device_admin.fit(settings)
        return {"version": self._version, "settings": settings.public()}

    def _picture(self, game: int, event: int) -> str | None:
        return self._picture_of.get((game, event))

    def _remember_pictures(self, game: int) -> None:
        found = self._evidence.of_game(game)
        self._picture_of = {(game, event): name for event, name in found.items()}
