"""Counts the areas at the end of a game of Coloretto from one picture, independently of the history.

Reading a whole table takes seconds on a small computer, so a thread does it. Its result is taken at a fixed time of the
frames' clock, so that a recording gives the same result again.
"""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace

from hardware.camera.frames import Frame
from referee.engine.events import Event
from referee.engine.session import Answer, Doubt, Outline, Shown
from referee.errors import BadInputError
from referee.games.coloretto.rules import Coloretto
from referee.games.coloretto.table_score import card_of, read_areas
from referee.scoring.seats import SeatCards
from vision.deck import Deck
from vision.errors import VisionError
from vision.profile import TableProfile

_TAKES_NS = 5_000_000_000
_LONGEST_NS = 60_000_000_000  # after the end; later the cards have been put away
_MOST_LACKING = 2  # unseen cards; with more of them the picture cannot be read
_HIDDEN_BY_ONE = 2  # missing cards that an unreadable one explains: itself, and one below it
KIND = "area_differs"


@dataclass(frozen=True)
class _Area:
    """Cards of one seat's area in a picture, by the rules' names, in the order of their outlines."""

    cards: tuple[str, ...]
    outlines: tuple[Outline, ...]
    unread: tuple[Outline, ...]


class EndCount:
    """Counts once, and compares the result with the game after each correction.

    Its doubts and notices are `area_differs` (`seat`, `missing`, `extra`). is_wanted: whether a count is still to be
    made or to be taken.
    """

    def __init__(self, deck: Deck, profile: TableProfile | None, players: int) -> None:
        self._deck, self._profile, self._players = deck, profile, players
        self.begin_again()

    def begin_again(self) -> None:
        """Forget the count: the game goes on."""
        self.is_wanted = False
        self._since_ns: int | None = None
        self._frame: Frame | None = None
        self._thread: threading.Thread | None = None
        self._areas: list[_Area] = []
        self._faults: list[Exception] = []
        self._answered: set[int] = set()

    def follow(self) -> None:
        """Note that the game goes on, so that its end will be seen. The cards of an earlier end are gone by now."""
        if self._frame is not None or self._since_ns is not None:
            self.begin_again()
        self.is_wanted = True

    def look(self, frame: Frame, *, rests: bool) -> bool:
        """Take the next frame after the end; return whether the count is known now.

        rests: nothing moves and no arm is over the table.
        """
        if not self.is_wanted:
            return False
        t_ns = frame.exposure_end_ns
        self._since_ns = self._since_ns or t_ns
        if self._frame is None and rests:
            self._frame = frame
            # The list is new, so an earlier count that is still running writes into its own one.
            self._areas = []
            self._faults = []
            found = (frame, self._areas, self._faults)
            # The end of the process waits for this thread: one that is left inside OpenCV crashes the process.
            self._thread = threading.Thread(target=self._count, args=found, name="coloretto count")
            self._thread.start()
        if self._frame is None:
            self.is_wanted = t_ns - self._since_ns < _LONGEST_NS
            return False
        return t_ns - self._frame.exposure_end_ns >= _TAKES_NS and self.finish()

    def finish(self) -> bool:
        """Wait for a running count; return whether there was one.

        Raises:
            Exception: the error of the count.
        """
        if self._thread is None:
            return False
        self._thread.join()
        self._thread, self.is_wanted = None, False
        for fault in self._faults:
            raise fault
        return True

    def doubts(self, game: Coloretto) -> tuple[Doubt, ...]:
        """Return the differences between each seat's area and the history, without unreadable cards."""
        if self._frame is None or self._thread is not None:
            return ()
        doubts = []
        for seat, area in enumerate(self._areas):
            seen, due = Counter(area.cards), game.hands[seat]
            missing, extra = sorted((due - seen).elements()), sorted((seen - due).elements())
            lacking = len(missing) - _HIDDEN_BY_ONE * len(area.unread)
            if seat not in self._answered and (extra or 0 < lacking <= _MOST_LACKING):
                # The time of a question identifies it.
                t_ns = self._frame.exposure_end_ns + seat
                shown = Shown(self._frame, _marked(area, extra))
                data = {"seat": seat, "missing": missing, "extra": extra}
                doubts.append(Doubt(t_ns, KIND, data, _answers(seat, missing, extra, t_ns), shown=shown))
        return tuple(doubts)

    def answered(self, doubt: Doubt) -> None:
        """Drop the question about that seat's cards."""
        self._answered.add(int(doubt.data["seat"]))

    def _count(self, frame: Frame, areas: list[_Area], faults: list[Exception]) -> None:
        try:
            sharing = read_areas(frame.bgr(), self._deck, self._profile, self._players)[1]
        except (BadInputError, VisionError):
            return
        except Exception as fault:  # `finish` raises it on the caller's thread.
            faults.append(fault)
            return
        areas += [self._area(hand) for hand in sharing.seats]

    def _area(self, hand: SeatCards) -> _Area:
        named = [(card_of(self._deck, card.named.id), card) for card in hand.cards]
        return _Area(
            tuple(name for name, _ in named if name is not None),
            tuple(
                Outline(tuple(map(tuple, card.corners_px.tolist())), hand.seat, name, certain=True)
                for name, card in named
                if name is not None
            ),
            tuple(
                Outline(tuple(map(tuple, unclear.corners_px.tolist())), hand.seat, str(unclear.reason), certain=False)
                for unclear in hand.unclear
            ),
        )


def _marked(area: _Area, extra: Sequence[str]) -> tuple[Outline, ...]:
    """Return the outlines of an area's cards, doubtful ones marked; a hidden card has no outline."""
    in_doubt = set(extra)
    unread = (one for one in area.unread if one.corners_px)
    return (*(replace(one, certain=one.label not in in_doubt) for one in area.outlines), *unread)


def _answers(seat: int, missing: Sequence[str], extra: Sequence[str], t_ns: int) -> tuple[Answer, ...]:
    """Return the possible answers: the history, or the picture if it shows as many cards."""
    as_recorded = Answer((), {"none": True})
    if not extra or len(missing) != len(extra):
        return (as_recorded,)
    pairs = list(zip(missing, extra, strict=True))
    events = tuple(
        Event(t_ns, "card_was", {"event": "card_was", "seat": seat, "was": was, "card": card}) for was, card in pairs
    )
    return as_recorded, Answer(events, {"card": extra[0]} if len(extra) == 1 else {"cards": list(extra)})
