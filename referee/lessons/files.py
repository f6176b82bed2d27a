"""The files of a lesson in the state folder: the draft, its pictures, each card's own picture, the deck so far."""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray

from referee.errors import WorkFailedError
from referee.files import kept_data, write_whole
from referee.lessons.draft import Draft

FOLDER = "lesson"
_QUALITY = 95
_MOST_BYTES = 4 * 2**20
_CARD = re.compile(r"[0-9]{1,6}-[0-9]{1,6}")


class LessonFiles:
    """The files of the running lesson."""

    def __init__(self, state: Path) -> None:
        self.folder = state / FOLDER

    def load(self) -> Draft | None:
        """Return the draft, or None without one; an invalid one is set aside."""
        usual: Draft | None = None
        return kept_data(self.folder / "draft.json", _MOST_BYTES, _draft, usual, self.folder.parent)

    def save(self, draft: Draft) -> None:
        """Keep the draft.

        Raises:
            WorkFailedError: it cannot be written.
        """
        self._make()
        write_whole(self.folder / "draft.json", draft.model_dump_json().encode())

    def keep_picture(self, number: int, image_bgr: NDArray[np.uint8]) -> None:
        """Keep a picture of the lesson.

        Raises:
            WorkFailedError: it cannot be written.
        """
        self._make()
        data = cv2.imencode(".jpg", image_bgr, [cv2.IMWRITE_JPEG_QUALITY, _QUALITY])[1].tobytes()
        write_whole(self.picture(number), data)

    def keep_card(self, name: str, card: NDArray[np.uint8]) -> None:
        """Keep a card's own picture.

        Raises:
            WorkFailedError: it cannot be written.
        """
        write_whole(self.card(name), cv2.imencode(".png", card)[1].tobytes())

    def read(self, path: Path) -> bytes | None:
        """Return a file's bytes, or None without the file."""
        try:
            return path.read_bytes()
        except OSError:
            return None

    def picture(self, number: int) -> Path:
        """Return the path of a picture."""
        return self.folder / f"picture-{number}.jpg"

    def card(self, name: str) -> Path:
        """Return the path of a card's own picture; `name` is that of an example."""
        if not _CARD.fullmatch(name):
            raise ValueError("no card is called so")
        return self.folder / f"card-{name}.png"

    @property
    def deck(self) -> Path:
        """Return the path of the lesson's deck."""
        return self.folder / "so-far.deck"

    def forget_picture(self, number: int) -> None:
        """Remove a picture and its cards."""
        self.picture(number).unlink(missing_ok=True)
        for path in self.folder.glob(f"card-{number}-*.png"):
            path.unlink(missing_ok=True)

    def clear(self) -> None:
        """Remove all files."""
        shutil.rmtree(self.folder, ignore_errors=True)

    def _make(self) -> None:
        try:
            self.folder.mkdir(parents=True, exist_ok=True, mode=0o750)
        except OSError as error:
            raise WorkFailedError(
                "error.club.folder_cannot_be_made", folder=self.folder, why=error.strerror or error
            ) from error


def _draft(data: object) -> Draft | None:
    # Validation in JSON mode turns lists into tuples.
    return Draft.model_validate_json(json.dumps(data))
