"""The running lesson: its draft, its files, waiting jobs, and faults."""

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
    """The draft with a lock, and a thread for slow jobs.

    Every reader and writer of the draft holds `lock`. `version` grows with each change, which calls `on_change`.
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
        """Start the thread."""
        self._thread.start()

    def stop(self) -> None:
        """Stop after the current job."""
        self._jobs.put(None)

    def view(self) -> dict[str, Any]:
        """Return the page's view; see `Lessons.view`."""
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
        """Return a copy of the draft, for work without the lock.

        Raises:
            LessonError: there is none.
        """
        with self.lock:
            return self.get().model_copy(deep=True)

    def is_still(self, draft: Draft) -> bool:
        """Return whether the draft is still the one that was copied."""
        return self.draft is not None and (self.draft.began, self.draft.revision) == (draft.began, draft.revision)

    def keep(self) -> None:
        """Save the draft after a change."""
        if self.draft is not None:
            self.files.save(self.draft)
        self.changed()

    def changed(self) -> None:
        """Report a change."""
        self.version += 1
        self._on_change()

    def forget_picture(self, number: int) -> None:
        """Remove a picture and everything that was learned from it."""
        self.get().forget_picture(number)
        self.files.forget_picture(number)
        self.keep()

    def forget(self) -> None:
        """Remove the lesson."""
        self.draft = self.trouble = None
        self.files.clear()

    def later(self, what: str, job: Callable[[], None]) -> None:
        """Queue a job; `what` is its name on the page."""
        with self.lock:
            self._busy.append(what)
            self.trouble = None
            self._jobs.put(job)
            self.changed()

    def now(self, what: str) -> None:
        """Set the name of the present job."""
        with self.lock:
            self._busy[:1] = [what]
            self.changed()

    def _failed(self, fault: Exception) -> None:
        """Show the fault of a job on the page; the other jobs continue."""
        self.trouble = page_fault(fault)
        self.changed()

    def _work(self) -> None:
        while (job := self._jobs.get()) is not None:
            began = None if self.draft is None else self.draft.began
            try:
                job()
            except (RingmasterError, VisionError) as error:
                # Faults of a dropped lesson are of no interest.
                if self.draft is not None and self.draft.began == began:
                    self.trouble = page_fault(error)
            finally:
                with self.lock:
                    self._busy.pop(0)
                    self.changed()


def page_fault(error: Exception) -> dict[str, Any]:
    """Return the page's sentence for an error: its key and its values."""
    if isinstance(error, LessonError):
        return {"key": error.key.removeprefix("fault."), "values": dict(error.values)}
    return {"key": "lesson_failed", "values": {"why": str(error)}}
