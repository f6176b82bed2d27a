"""The lesson on the page, with all steps that a family can take.

Pictures are saved at once and studied one after the other, while the cards may already be exchanged. The draft is saved
after each change, so a restart, or another phone, continues from there.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from referee.decks.store import DeckStore
from referee.lessons import background, work
from referee.lessons.draft import Draft, Example, Game, Group
from referee.lessons.faults import LessonError, check_name
from referee.lessons.going_on import GoingOn
from referee.lessons.view import missing
from referee.lessons.workbench import Workbench
from vision.errors import VisionError

TakePicture = Callable[[], NDArray[np.uint8] | None]
"""Returns the camera's picture of the table, (h, w, 3) uint8 BGR, or None without a camera."""


class Lessons:
    """The one lesson of a table. Safe to use from any thread. on_change: called after each change, from any thread."""

    def __init__(
        self,
        state: Path,
        take_picture: TakePicture,
        bench: Workbench | None = None,
        on_change: Callable[[], None] = lambda: None,
    ) -> None:
        self._take = take_picture
        self._bench = bench or Workbench()
        self._on = GoingOn(state, on_change)
        self._store = DeckStore(state)
        self._on.start()
        for shot in self._on.draft.shots if self._on.draft is not None else ():
            if shot.state == "waiting":
                self._study(shot.number)

    def close(self) -> None:
        """Stop the work; the saved state continues at the next start."""
        self._on.stop()
        self._bench.rest()

    @property
    def version(self) -> int:
        """Return a number that grows with each change."""
        return self._on.version

    def view(self) -> dict[str, Any]:
        """Return the page's view: `{"version", "busy", "waiting", "trouble", "saved", "draft"}`.

        `busy`: null, "studying", "making", "reading" or "saving"; `waiting`: number of waiting jobs; `trouble`: null or
        `{"key", "values"}` of a sentence; `saved`: name of the last lesson's deck, or null; `draft`: null or
        `referee.lessons.view`'s data.
        """
        return self._on.view()

    def picture(self, number: int) -> bytes | None:
        """Return a picture of the lesson, a JPEG, or None."""
        return self._on.files.read(self._on.files.picture(number))

    def card(self, name: str) -> bytes | None:
        """Return a card's own picture, a PNG, or None."""
        with contextlib.suppress(ValueError):
            return self._on.files.read(self._on.files.card(name))
        return None

    def begin(self, name: str, game: Game | None, expected: int) -> None:
        """Begin a lesson in place of a running one.

        Raises:
            LessonError: the deck's name is invalid or taken.
        """
        check_name(self._store, name)
        with self._on.lock:
            self._on.forget()
            self._on.saved = None
            self._on.draft = Draft(name=name, game=game, expected=expected)
            self._on.keep()

    def rename(self, name: str, expected: int) -> None:
        """Rename the deck, and set its number of colours or cards.

        Raises:
            LessonError: the deck's name is invalid or taken.
        """
        check_name(self._store, name)
        with self._on.lock:
            draft = self._on.get()
            draft.name, draft.expected = name, expected
            self._on.keep()

    def look(self) -> None:
        """Take a picture of the cards on the table, to be studied soon.

        Raises:
            LessonError: no lesson, no camera, or enough pictures.
        """
        image = self._picture_now()
        with self._on.lock:
            draft = self._on.get()
            self._drop_test(draft)
            shot = draft.new_shot()
            self._on.files.keep_picture(shot.number, image)
            self._on.keep()
            self._study(shot.number)

    def take_back(self) -> None:
        """Remove the last picture and everything that was learned from it.

        Raises:
            LessonError: there is none.
        """
        with self._on.lock:
            draft = self._on.get()
            if not draft.shots:
                raise LessonError("fault.lesson_gone")
            self._on.forget_picture(draft.shots[-1].number)
        self._propose()

    def say(self, group: int, attributes: dict[str, str], is_back: bool) -> None:
        """Set a group's attributes."""
        self._edit(lambda draft: draft.say(group, attributes, is_back, self._alike))

    def confirm(self) -> None:
        """Confirm all proposals."""
        self._edit(lambda draft: draft.confirm(self._alike))

    def join(self, first: int, second: int) -> None:
        """Join two groups of one face."""
        self._edit(lambda draft: draft.join(first, second))

    def move(self, card: str, to: int | None) -> None:
        """Put a card into another group, or into one of its own."""
        self._edit(lambda draft: draft.move(card, to))

    def split(self, group: int) -> None:
        """Split a group that shows two faces."""

        def parted(draft: Draft) -> Group:
            names = [example.name for example in draft.group(group).examples]
            if len(names) < 2 or draft.card_mm is None:
                raise LessonError("fault.lesson_one_card")
            return draft.split(group, work.split(self._on.state, names, draft.card_mm))

        self._edit(parted)

    def test(self) -> None:
        """Take a picture of any cards, and read it by the deck once that is made.

        Raises:
            LessonError: the deck is not complete, or there is no camera.
        """
        self._demand_whole()
        image = self._picture_now()
        with self._on.lock:
            draft = self._on.get()
            self._drop_test(draft)
            shot = draft.new_shot("test")
            self._on.files.keep_picture(shot.number, image)
            self._on.keep()
            self._on.later("making", partial(background.test, self._on, self._bench, shot.number))

    def mend(self, reading: int, group: int | None) -> None:
        """Correct a card of the test to a known face or a new one; it becomes an example of that face.

        Raises:
            LessonError: there is no such card.
        """
        with self._on.lock:
            draft = self._on.get()
            if draft.test is None or not 0 <= reading < len(draft.test.readings):
                raise LessonError("fault.lesson_gone")
            read = draft.test.readings[reading]
            if draft.kind == "marks" or len(read.corners) != 4:
                raise LessonError("fault.lesson_gone")
            shot = draft.shot(draft.test.picture)
            place = len(shot.cards)
            work.keep_example(self._on.state, shot.number, place, read.corners, draft)
            shot.cards.append(read.corners)
            found = draft.add_to(group, Example(picture=shot.number, place=place))
            read.group = read.likely = found.id
            read.mended = True
            draft.changed()
            self._on.keep()

    def save(self) -> None:
        """Make the deck and add it to the others, which ends the lesson.

        Raises:
            LessonError: the deck is not complete, or its name was taken meanwhile.
        """
        self._demand_whole()
        with self._on.lock:
            check_name(self._store, self._on.get().name)
            self._on.later("making", partial(background.save, self._on, self._bench))

    def drop(self) -> None:
        """Remove the lesson."""
        with self._on.lock:
            self._on.forget()
            self._on.changed()
        self._bench.rest()

    def _study(self, number: int) -> None:
        self._on.later("studying", partial(background.study, self._on, self._bench, number))

    def _propose(self) -> None:
        self._on.later("naming", partial(background.propose, self._on, self._bench))

    def _demand_whole(self) -> None:
        with self._on.lock:
            key = missing(self._on.get())
        if key is not None:
            raise LessonError(f"fault.{key}")

    def _picture_now(self) -> NDArray[np.uint8]:
        with self._on.lock:
            self._on.get()
        image = self._take()
        if image is None:
            raise LessonError("fault.lesson_no_camera")
        return image

    def _drop_test(self, draft: Draft) -> None:
        """Remove the last test, but keep its corrections."""
        before, draft.test = draft.test, None
        if before is not None and not draft.shot(before.picture).cards:
            self._on.forget_picture(before.picture)

    def _edit(self, change: Callable[[Draft], object]) -> None:
        with self._on.lock:
            change(self._on.get())
            self._on.keep()
        self._propose()

    def _alike(self, one: Example, other: Example) -> bool:
        try:
            return work.are_alike(self._on.state, one, other, self._on.get().card_mm or (63.0, 88.0))
        except VisionError:
            return True
