"""The lesson that goes on, as every part of its work sees it: the draft, its files, what waits, what went wrong."""

from __future__ import annotations

import queue
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

from hardware.supervised import SupervisedThread
from referee.errors import RingmasterError
from referee.lessons.draft import Draft
from referee.lessons.faults import LessonError
from referee.lessons.files import LessonFiles
from referee.lessons.view import draft_view
from vision.errors import VisionError


class GoingOn:
    """The draft with a lock, and a thread that works off what takes long.

    Each reader or writer of the draft holds `lock`. `version` grows with each change, and `on_change` is called then.
    """

    def __init__(self, state: Path, on_change: Callable[[], None] = lambda: None) -> None:
        self.state, self._on_change = state, on_change
        self.files = LessonFiles(state)
        self.lock = threading.RLock()
        self.draft = self.files.load()
        self.trouble: dict[str, Any] | None = None
        self.saved: str | None = None
        self.version = 1
        self._busy: list[str] = []
        self._jobs: queue.Queue[Callable[[], None] | None] = queue.Queue()
        self._thread = SupervisedThread("lesson", self._work, self._failed)

    def start(self) -> None:
        """Begin to work."""
        self._thread.start()

    def stop(self) -> None:
        """Work no more once what is being done is done."""
        self._jobs.put(None)

    def view(self) -> dict[str, Any]:
        """Return all that the page shows; see `Lessons.view`."""
        with self.lock:
            return {
                "version": self.version,
                "busy": self._busy[0] if self._busy else None,
                "waiting": len(self._busy),
                "trouble": self.trouble,
                "saved": self.saved,
                "draft": None if self.draft is None else draft_view(self.draft),
            }

    def get(self) -> Draft:
        """Return the draft.

        Raises:
            LessonError: there is none.
        """
        if self.draft is None:
            raise LessonError("fault.lesson_none")
        return self.draft

    def copy(self) -> Draft:
        """Return the draft as it is now, to be worked on without the lock.

        Raises:
            LessonError: there is none.
        """
        with self.lock:
            return self.get().model_copy(deep=True)

    def is_still(self, draft: Draft) -> bool:
        """Return whether what was worked on is what there is."""
        return self.draft is not None and (self.draft.began, self.draft.revision) == (draft.began, draft.revision)

    def keep(self) -> None:
        """Keep the draft after a change."""
        if self.draft is not None:
            self.files.save(self.draft)
        self.changed()

    def changed(self) -> None:
        """Report a change."""
        self.version += 1
        self._on_change()

    def forget_picture(self, number: int) -> None:
        """Forget a picture and all that was learned from it."""
        self.get().forget_picture(number)
        self.files.forget_picture(number)
        self.keep()

    def forget(self) -> None:
        """Forget the lesson."""
        self.draft = self.trouble = None
        self.files.clear()

    def later(self, what: str, job: Callable[[], None]) -> None:
        """Have something done in its turn; `what` is what the page calls it."""
        with self.lock:
            self._busy.append(what)
            self.trouble = None
            self._jobs.put(job)
            self.changed()

    def now(self, what: str) -> None:
        """Say what is being done now."""
        with self.lock:
            self._busy[:1] = [what]
            self.changed()

    def _failed(self, fault: Exception) -> None:
        """Say on the page what became of the job that failed; the others go on."""
        self.trouble = told(fault)
        self.changed()

    def _work(self) -> None:
        while (job := self._jobs.get()) is not None:
            began = None if self.draft is None else self.draft.began
            try:
                job()
            except (RingmasterError, VisionError) as error:
                # Of a lesson that was given up nobody wants to hear.
                if self.draft is not None and self.draft.began == began:
                    self.trouble = told(error)
            finally:
                with self.lock:
                    self._busy.pop(0)
                    self.changed()


def told(error: Exception) -> dict[str, Any]:
    """Return the sentence that the page says of an error: its key and its values."""
    if isinstance(error, LessonError):
        return {"key": error.key.removeprefix("fault."), "values": dict(error.values)}
    return {"key": "lesson_failed", "values": {"why": str(error)}}
