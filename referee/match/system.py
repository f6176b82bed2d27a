"""What the page shows and changes of the machine and of what it keeps: version, log, checks, games, players."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from importlib.metadata import version
from typing import TYPE_CHECKING, Any

from hardware.problems import Health
from referee.doctor import checks
from referee.doctor.machine import Finding, Machine, State
from referee.errors import BadInputError, WorkFailedError
from referee.files import note_set_aside
from referee.language import Language
from referee.log import KEPT
from referee.match.process import Power
from referee.names import players_in
from referee.sayings import kept as sayings
from referee.sayings.service import device
from referee.store.games import game_numbered, iso_time
from referee.store.history import listed
from referee.store.upkeep import forget_game, forget_player, renamed, report_set_aside
from referee.translated import translated

if TYPE_CHECKING:
    from referee.match.referee import Referee

_STATE = {Health.OK: State.OK, Health.MISSING: State.FAULT, Health.STALLED: State.FAULT}


class System:
    """See the module. power: what can be asked of the computer. machine: where it is checked; None: this one."""

    def __init__(self, referee: Referee, power: Power, machine: Machine | None = None) -> None:
        self._referee, self._power = referee, power
        self._machine = machine or Machine(folder=lambda: referee.folder)

    def public(self) -> dict[str, Any]:
        """Give it all: `version`, `offers`, `findings`, `log`, `unfinished` games, and `players` with their games."""
        language = self._referee.language
        shown = listed(self._referee.store.read).games
        names = Counter(name for past in shown for name in past.row.header.players)
        held = self._referee.match.held()
        return {
            "version": version("ringmaster"),
            "offers": list(self._power.offers),
            "findings": [_data(finding, language) for finding in self._findings(language)],
            "log": KEPT.lines(),
            "unfinished": [
                {
                    "id": str(past.row.game),
                    "game": past.row.header.game,
                    "players": list(past.row.header.players),
                    "started": iso_time(past.started_ms),
                }
                for past in shown
                if past.end is None and past.row.game not in held
            ],
            "players": [{"name": name, "games": names[name]} for name in sorted(names, key=str.casefold)],
        }

    def switch(self, what: str) -> None:
        """Start the referee or the computer anew, or shut the computer down.

        Raises:
            WorkFailedError: it cannot be done from here.
        """
        if not self._power.ask(what):
            raise WorkFailedError(sayings.no_power(self._referee.language))

    def note_set_aside(self) -> None:
        """Take it that somebody has read which files were set aside.

        Raises:
            WorkFailedError: the disk does not let them be moved.
        """
        note_set_aside(self._referee.folder)
        report_set_aside(self._referee.folder, self._referee.store, self._referee.health, self._referee.language)
        self._referee.changed()

    def forget_game(self, game: int) -> None:
        """Delete a game with its pictures.

        Raises:
            BadInputError: there is none with that number, or it may still be gone on with.
            WorkFailedError: the disk does not take it.
        """
        referee = self._referee
        with referee.turn():
            if referee.match.session is not None and referee.match.session.over and referee.match.game == game:
                referee.end_game()
            if game in self._referee.match.held():
                raise BadInputError(sayings.game_is_on(referee.language))
            if game_numbered(referee.store.read, game) is None:
                raise BadInputError(sayings.no_such_game(referee.language))
            forget_game(referee.store, self._referee.evidence, self._referee.folder, game)

    def forget_player(self, name: str) -> int:
        """Put "Somebody" in the place of a name everywhere, and give in how many games.

        Raises:
            BadInputError: a game is being played, or nobody is called so.
            WorkFailedError: the disk does not take it.
        """
        referee = self._referee
        with referee.turn():
            if referee.match.session is not None and not referee.match.session.over:
                raise BadInputError(sayings.game_is_on(referee.language))
            count = forget_player(referee.store, name, referee.language)
            if referee.match.session is not None:
                # It is over, and stands on the pages with the name.
                referee.end_game()
            referee.voice.forget()
            return count

    def rename(self, name: str, new: str) -> int:
        """Call a player otherwise in all games, also as another one is called: then both are one from now on.

        Gives in how many games.

        Raises:
            BadInputError: a game is being played, nobody is called so, the new name cannot be, or the two have played
                against each other.
            WorkFailedError: the disk does not take it.
        """
        language = self._referee.language
        (called,) = players_in([new])
        with self._referee.lock:
            if self._referee.match.in_play:
                raise BadInputError(sayings.game_is_on(language))
            changes = renamed(self._referee.store.read, name, called, language)
            self._referee.store.change_headers(changes)
        return len(changes)

    def _findings(self, language: Language) -> Iterator[Finding]:
        """Check the computer as `ringmaster doctor` does, and tell of the devices what the referee knows of them.

        They are its own while it runs: nobody else can try them.
        """
        wanted = (
            checks.check_permissions,
            checks.check_power,
            checks.check_clock,
            checks.check_disk,
        )
        for check in wanted:
            yield from check(self._machine)
        for one in self._referee.health.snapshot():
            text = device(one.device, one.state, one.message, language)
            yield Finding(one.device, _STATE.get(one.state, State.REMARK), text)


def _data(finding: Finding, language: Language) -> dict[str, str]:
    return {
        "check": finding.check,
        "state": finding.state.value,
        "message": translated(finding.message, language),
        "advice": translated(finding.advice, language),
    }
