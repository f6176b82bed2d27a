"""The game on the table as the rest of the service asks about it: which one, and how it stands."""

from __future__ import annotations

import threading

from hardware.camera.frames import Frame
from referee.announcer import Announcer
from referee.errors import BadInputError
from referee.language import Language
from referee.service.live_game import LiveGame
from referee.service.settings import TableSettings


class GameOnTable:
    """What there is to know of it; `play` is None without a game. `lock` is held while the game is fed."""

    def __init__(self, settings: TableSettings) -> None:
        self.lock = threading.RLock()
        self.play: LiveGame | None = None
        self.settings = settings
        self._frame: Frame | None = None

    @property
    def language(self) -> Language:
        """The language of all that is said."""
        return Language(self.settings.language)

    @property
    def frame_wh(self) -> tuple[int, int] | None:
        """Width and height of the picture that was looked at last."""
        return None if self._frame is None else self._frame.size_px

    @property
    def paused(self) -> bool:
        """Whether the players said to wait."""
        return self.play is not None and self.play.paused

    @property
    def in_play(self) -> bool:
        """Whether a game goes on now, so that rings are ruled."""
        return self.play is not None and not self.play.over and not self.play.paused

    @property
    def open_game(self) -> int | None:
        """The number of the game on the table, None without one."""
        return None if self.play is None else self.play.log.row.game

    def playing(self) -> LiveGame:
        """Give the game on the table.

        Raises:
            BadInputError: there is none.
        """
        if self.play is None:
            raise BadInputError("error.service.no_game_is_being_played")
        return self.play

    def _announcer(self, play: LiveGame) -> Announcer:
        return Announcer(play.header.game, play.header.players, self.language)
