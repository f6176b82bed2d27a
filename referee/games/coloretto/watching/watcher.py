"""Watches Coloretto: reads rows and areas, infers moves, and reports them as events."""

from __future__ import annotations

from collections.abc import Sequence

from hardware.camera.frames import Frame
from referee.engine.events import Event, Header
from referee.engine.log import RulingData
from referee.engine.session import Doubt, Notice, Observation, Watcher
from referee.games.coloretto.rules import Coloretto
from referee.games.coloretto.start_options import rooms
from referee.games.coloretto.watching.count import KIND as DIFFERS
from referee.games.coloretto.watching.count import EndCount
from referee.games.coloretto.watching.table_watch import TableWatch
from referee.games.coloretto.watching.tracker import Tracker
from vision.deck import Deck
from vision.profile import TableProfile


class ColorettoWatcher(Watcher):
    """Watcher of Coloretto.

    Notices: those of `Tracker` and of `no_table_notice`, after the end those of `EndCount`; once, for a deck without
    row cards, `rows_unmarked`.
    """

    def __init__(self, header: Header, deck: Deck, profile: TableProfile | None) -> None:
        players = len(header.players)
        self._tracker = Tracker(header)
        self._eyes = TableWatch(deck, profile, players, rooms(players))
        self._no_table: Notice | None = None
        self._end = EndCount(deck, profile, players)
        self._asks_room = all(face.attributes.get("kind") != "row" for face in deck.fronts)

    @property
    def looks_on(self) -> bool:
        """Return whether the game is over and the areas are not counted yet."""
        return self._tracker.game.over and self._end.is_wanted

    def look(self, frame: Frame) -> Observation:
        """Read the table once nothing moves and no arm is over it, and report the moves since the last look."""
        look = self._eyes.look(frame)
        self.outlines = self._eyes.outlines
        if self._tracker.game.over:
            return (
                Observation(notices=self._differing())
                if self._end.look(frame, rests=look is not None)
                else Observation()
            )
        self._end.follow()
        hint = self._rows_hint(frame.exposure_end_ns)
        if look is None:
            before, now = self._no_table, self._eyes.notice
            self._no_table = now
            is_new = before is None or now is None or before.data != now.data
            return Observation(notices=hint if now is None or not is_new else (*hint, now))
        events, notices = self._tracker.see(look)
        return Observation(events, (*hint, *notices))

    def judged(self, event: Event, rulings: Sequence[RulingData], view: Coloretto) -> None:
        """Follow an event of the game, from tracker or page."""
        self._tracker.judged(event, view)

    @property
    def doubts(self) -> Sequence[Doubt]:
        """Return the questions that only the players can answer."""
        return (*self._tracker.doubts, *self._end_doubts())

    def answered(self, doubt: Doubt) -> None:
        """Drop a question."""
        if doubt.kind == DIFFERS:
            self._end.answered(doubt)
        self._tracker.answered(doubt)

    def follow(self, view: Coloretto) -> bool:
        """Take a state of the game as certain."""
        self._tracker.follow(view)
        return True

    def begin_again(self) -> None:
        """Forget the game so far."""
        self._tracker.begin_again()

    def finish(self, t_ns: int) -> Observation:
        """Return the counted cards as events; uncertain moves are dropped."""
        return Observation(notices=self._differing()) if self._end.finish() else Observation()

    def _differing(self) -> tuple[Notice, ...]:
        return tuple(Notice(doubt.t_ns, doubt.kind, doubt.data["seat"], doubt.data) for doubt in self._end_doubts())

    def _end_doubts(self) -> tuple[Doubt, ...]:
        return self._end.doubts(self._tracker.game) if self._tracker.game.over else ()

    def _rows_hint(self, t_ns: int) -> tuple[Notice, ...]:
        """Explain once, when the table is found, how to lay out rows without row cards."""
        if not self._asks_room or self._eyes.place is None:
            return ()
        self._asks_room = False
        return (Notice(t_ns, "rows_unmarked", None, {}),)
