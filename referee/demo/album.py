"""The album of a demonstration: a photo-finish of every ring, drawn into a folder."""

from __future__ import annotations

from pathlib import Path

import cv2

from referee.announcer import Announcer
from referee.demo.photo_finish import PhotoFinishes, draw_finish
from referee.engine.session import Outcome, Session
from referee.errors import WorkFailedError
from referee.files import write_whole


class FinishAlbum:
    """Draws the rings of a session. finishes: receives its events. folder: made with the first picture."""

    def __init__(self, session: Session, announcer: Announcer, finishes: PhotoFinishes, folder: Path) -> None:
        self.paths: list[Path] = []
        self._session = session
        self._announcer = announcer
        self._folder = folder
        self._finishes = finishes

    def heard(self, outcome: Outcome, *, looked: bool) -> None:
        """Take the outcome of an input, `looked`: of a frame. Raises WorkFailedError if a picture cannot be written."""
        if looked and outcome.frame is not None:
            self._finishes.look(outcome.frame, self._session.watcher.outlines)
        for ruling in outcome.rulings:
            finish = self._finishes.of(ruling)
            if finish is None:
                continue
            picture = draw_finish(finish, self._finishes.players, self._announcer.sentences(ruling))
            self._folder.mkdir(parents=True, exist_ok=True)
            path = self._folder / f"ring-{len(self.paths) + 1:02}.jpg"
            done, data = cv2.imencode(".jpg", picture, [cv2.IMWRITE_JPEG_QUALITY, 90])
            if not done:
                raise WorkFailedError("error.demo.photo_finish_could_not_be")
            write_whole(path, data.tobytes())
            self.paths.append(path)
