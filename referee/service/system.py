"""What the page shows and changes of the machine and of what it keeps: version, log, checks, games, players."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from importlib.metadata import version
from pathlib import Path
from typing import Any

from hardware.problems import HealthBoard, Problem
from referee.doctor import checks
from referee.doctor.machine import Machine
from referee.errors import BadInputError, WorkFailedError
from referee.files import note_set_aside
from referee.journal.evidence import EvidenceFolder
from referee.journal.rows import iso_time
from referee.journal.stored import game_numbered
from referee.journal.tidying import change_headers
from referee.language import Language
from referee.log import KEPT
from referee.names import players_in
from referee.phrases import in_language
from referee.sayings.service import problem
from referee.service.forgetting import forget_game, forget_player, renamed
from referee.service.game_controller import GameController
from referee.service.past import Known, listed
from referee.service.power import Power
from referee.service.set_aside import report_set_aside


@dataclass
class System:
    """See the module. folder: where games are kept. power: what can be asked of the computer.

    machine: where it is checked; None: this one. known: what was told of games that are over.
    refresh: has the page show devices as they are now.
    """

    folder: Path
    controller: GameController
    health: HealthBoard
    evidence: EvidenceFolder
    power: Power = field(default_factory=Power)
    machine: Machine | None = None
    known: Known = field(default_factory=dict)
    refresh: Callable[[], None] = lambda: None

    def public(self) -> dict[str, Any]:
        """Give it all: `version`, `offers`, `findings`, `log`, `unfinished` games, and `players` with their games."""
        language = self.controller.language
        shown = listed(self.controller.journal.read, self.known).games
        names = Counter(name for past, _ in shown for name in past.row.header.players)
        held = self._held()
        return {
            "version": version("ringmaster"),
            "offers": list(self.power.offers),
            "findings": [_data(finding, language) for finding in self._findings(language)],
            "log": KEPT.lines(),
            "unfinished": [
                {
                    "id": str(past.row.game),
                    "game": past.row.header.game,
                    "players": list(past.row.header.players),
                    "started": iso_time(past.row.started_ms),
                }
                for past, _ in shown
                if past.end is None and past.row.game not in held
            ],
            "players": [{"name": name, "games": names[name]} for name in sorted(names, key=str.casefold)],
        }

    def switch(self, what: str) -> None:
        """Start the referee or the computer anew, or shut the computer down.

        Raises:
            WorkFailedError: it cannot be done from here.
        """
        if not self.power.ask(what):
            raise WorkFailedError("kept.that_cannot_be_done_from")

    def note_set_aside(self) -> None:
        """Take it that somebody has read which files were set aside.

        Raises:
            WorkFailedError: the disk does not let them be moved.
        """
        note_set_aside(self.folder)
        report_set_aside(self.folder, self.controller.journal, self.health)
        self.refresh()

    def forget_game(self, game: int) -> None:
        """Delete a game with its pictures.

        Raises:
            BadInputError: there is none with that number, or it may still be gone on with.
            WorkFailedError: the disk does not take it.
        """
        controller = self.controller
        with controller.lock:
            if controller.play is not None and controller.play.over and controller.open_game == game:
                controller.stop()
            if game in self._held():
                raise BadInputError("kept.game_is_being_played_end")
            if game_numbered(controller.journal.read, game) is None:
                raise BadInputError("kept.there_is_no_such_game")
            forget_game(controller.journal, self.evidence, self.folder, game)

    def forget_player(self, name: str) -> int:
        """Put "Somebody" in the place of a name everywhere, and give in how many games.

        Raises:
            BadInputError: a game is being played, or nobody is called so.
            WorkFailedError: the disk does not take it.
        """
        controller = self.controller
        with controller.lock:
            if controller.play is not None and not controller.play.over:
                raise BadInputError("kept.game_is_being_played_end")
            count = forget_player(controller.journal, name, controller.language)
            if controller.play is not None:
                # It is over, and stands on the pages with the name.
                controller.stop()
            controller.voice.forget()
            return count

    def rename(self, name: str, new: str) -> int:
        """Call a player otherwise in all games, also as another one is called: then both are one from now on.

        Gives in how many games.

        Raises:
            BadInputError: a game is being played, nobody is called so, the new name cannot be, or the two have played
                against each other.
            WorkFailedError: the disk does not take it.
        """
        language = self.controller.language
        (called,) = players_in([new])
        with self.controller.lock:
            if self.controller.in_play:
                raise BadInputError("kept.game_is_being_played_end")
            changes = renamed(self.controller.journal.read, name, called, language)
            change_headers(self.controller.journal, changes)
        return len(changes)

    def _held(self) -> set[int]:
        """Give the games that are being played, or can be gone back to."""
        held, play = set(), self.controller.play
        while play is not None:
            held.add(play.log.row.game)
            play = play.instead_of if not play.log.records else None
        return held

    def _findings(self, language: Language) -> Iterator[Problem]:
        """Check the computer as `ringmaster doctor` does, and tell of the devices what the referee knows of them.

        They are its own while it runs: nobody else can try them.
        """
        machine = self.machine or Machine(folder=lambda: self.folder)
        wanted = (
            checks.check_permissions,
            checks.check_power,
            checks.check_clock,
            checks.check_disk,
        )
        for check in wanted:
            yield from check(machine)
        for one in self.health.snapshot():
            yield replace(one, message=problem(one, language))


def _data(finding: Problem, language: Language) -> dict[str, str]:
    return {
        "check": finding.part,
        "state": finding.severity.value,
        "message": in_language(finding.message, language),
        "advice": in_language(finding.advice, language),
    }
