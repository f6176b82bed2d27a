"""Has the journal copied after each evening and each night, where nobody plays."""

from __future__ import annotations

import threading

from referee.errors import WorkFailedError
from referee.journal.journal import Journal
from referee.log import LOG

SECOND_NS = 1_000_000_000
REST_NS = 60 * SECOND_NS
"""So long nothing was written, and no game is on: an evening may be over, and the power be switched off soon."""
NIGHT_NS, NIGHT_REST_NS = 20 * 3600 * SECOND_NS, 600 * SECOND_NS
"""A game that is never ended is copied once a day, too, while it rests."""


class Copying:
    """Tended by the referee's thread; a copy is made on a thread of its own, as it may take seconds."""

    def __init__(self, journal: Journal) -> None:
        self._journal = journal
        self._changes = -1
        self._changed_ns = 0
        self._tried_ns: int | None = None
        self._copied: int | None = None
        self._thread: threading.Thread | None = None

    def tend(self, now_ns: int, *, in_play: bool) -> None:
        """Begin a copy if one is due."""
        if self._journal.changes != self._changes:
            self._changes, self._changed_ns = self._journal.changes, now_ns
        if self._tried_ns is None:
            self._tried_ns = now_ns
        at_work = self._thread is not None and self._thread.is_alive()
        if self._changes == self._copied or not self._journal.is_open or at_work:
            return
        rested_ns = now_ns - self._changed_ns
        night = rested_ns > NIGHT_REST_NS and now_ns - self._tried_ns > NIGHT_NS
        if (rested_ns > REST_NS and not in_play) or night:
            self._copied, self._tried_ns = self._changes, now_ns
            self._thread = threading.Thread(target=self._copy, name="journal copy", daemon=True)
            self._thread.start()

    def _copy(self) -> None:
        try:
            self._journal.copy()
        except WorkFailedError as error:
            # The next change, or the next night, is another try.
            LOG.warning("%s", error)
