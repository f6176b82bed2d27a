"""A seat's discard pile: observations of its top over time.

A card counts from the first frame in which its face can be read (P9). What hides a pile never changes what is there:
the last certain face stays, for as long as nobody could have changed it unseen.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from referee.engine.events import Event
from referee.engine.session import Notice

Corners = NDArray[np.float64]


class DiscardSight(Protocol):
    """What a discard pile's place shows in a frame; `vision.piles.observations.PileSight` is one.

    kind: "face", "back", "empty", "covered", "turning", "unclear", or "strange": a card that is none of the deck's.
    """

    @property
    def seat(self) -> int:
        """Seat of the pile."""

    @property
    def kind(self) -> str:
        """State of the place."""

    @property
    def colour(self) -> str | None:
        """The face's colour."""

    @property
    def mood(self) -> str | None:
        """The face's mood."""

    @property
    def corners_px(self) -> Corners | None:
        """The card's corners (4, 2), clockwise from the face's top-left."""


@dataclass(frozen=True, eq=False)
class BareSight:
    """State of a seat's place that had no pile before."""

    seat: int
    kind: str
    colour: str | None = None
    mood: str | None = None
    corners_px: Corners | None = None


MS = 1_000_000
HIDDEN_NS = 3_000 * MS
"""ns for which a pile may be out of sight before its top is unknown."""
LAID_NS = 400 * MS
"""In so long a card can be laid under a hand, by the player whose turn it is."""
UNREAD_NS = 1_000 * MS
BARE_NS = 150 * MS
"""A sleeve may look like bare table for a moment; nobody takes a pile away in less."""
GONE_NS = 400 * MS
TAKEN_NS = 150 * MS
AGAIN_NS = 1_000 * MS
STEADY_NS = 120 * MS
STUCK_NS = 8_000 * MS
SETTLES_NS = 300 * MS
"""A card that shows already in the hand goes out of sight once more before it is."""
_NUDGED = 0.04  # of a card's diagonal: a pile is as it lay, or has been moved
_SAME = 0.01
_SELF = 0.004  # no two cards are laid so alike

Face = tuple[str, str]
Unread = tuple[None, None]


class SeatPile:
    """Tracks one pile. `told` takes events of the game from any source; `see` returns new ones."""

    def __init__(self, seat: int) -> None:
        self.seat = seat
        self.known = False  # a face was read or entered here at some time
        self.passed_over = False  # the next player has laid a card, and none was seen here yet
        self.top: Face | Unread | None = None
        self.sight: DiscardSight | None = None
        self._pose: Corners | None = None
        self._plain_ns: int | None = None
        self._settled_ns = 0  # when it was last certain that no other card had come
        self._hidden_ns: int | None = None  # since when it is not plainly seen
        self._blind = False  # frames were lost since it was last plainly seen
        self._unclear_ns: int | None = None
        self._strange_told = False
        self._empty_ns: int | None = None
        self._turned = False  # a card was in mid-turn since it was last plainly seen
        self._doubted: Face | None = None  # what lay there before it became unreadable
        self._shown_ns = 0
        self._read: Face | None = None  # what was last read there
        self._gone: Face | None = None  # what lay there before it went away
        self._won_ns: int | None = None  # since when the pile is won and to be taken away
        self._taken_ns: int | None = None
        self._left: tuple[Face | Unread | None, Corners | None] = (None, None)
        self._steady: tuple[Face, Corners | None, int] | None = None
        self._another = False  # another card than the one that was won has lain here since then
        self._before: tuple[Face | Unread | None, Corners | None] | None = None  # what a ring in doubt hangs on

    @property
    def leaving(self) -> bool:
        """Return whether what is here is won already and waits to be taken away."""
        return self._won_ns is not None

    def told(self, top: Face | Unread | None) -> None:
        """Learn the top card from an event of the game; None: the pile went away."""
        if top is None and self.top is not None and self.top[0] is not None:
            self._gone = self.top
        elif top is not None:
            self._gone = None
        if top is not None and top[0] is not None:
            self.known, self.passed_over = True, False
        self.top = top

    def won(self, t_ns: int) -> None:
        """The piles were won: what is here means nothing until it has been taken away."""
        bare = self.sight is not None and self.sight.kind == "empty" and self.top is None
        self._left = (self.top, self._pose)
        self._won_ns = None if bare else t_ns
        self.top = self._gone = self._doubted = self._steady = self._empty_ns = None
        self._another = False

    def not_won(self) -> None:
        """It turned out that nobody has won the piles."""
        if self._won_ns is not None:
            self.top, self._won_ns = self._left[0], None

    def doubt(self, *, doubted: bool) -> None:
        """Learn whether an unclear ring hangs on what lay here, while nobody saw it: see whether it still does."""
        if not doubted:
            self._before = None
        elif self._before is None:
            self._before = (self.top, self._pose)

    def see(
        self, sight: DiscardSight, t_ns: int, *, sweeping: bool, lost: bool
    ) -> tuple[tuple[Event, ...], tuple[Notice, ...]]:
        """Take what the place shows in the next frame.

        sweeping: won piles are still being taken away. lost: frames are missing before this one.
        """
        self.sight = sight
        self._follow(sight, t_ns, lost=lost)
        if self._is_as_before(sight, t_ns):
            return (self._event("pile_unchanged", t_ns),), ()
        if self.leaving:
            return self._see_leaving(sight, t_ns, sweeping), ()
        if sweeping and not self._stays(sight, t_ns):
            return (), ()
        match sight.kind:
            case "face":
                return self._see_face(sight, t_ns), ()
            case "unclear":
                return self._see_unclear(t_ns)
            case "strange":
                return (), self._see_strange(t_ns)
            case "empty" if self._empty_ns is not None and t_ns - self._empty_ns >= GONE_NS:
                self._plainly(sight, t_ns)
                return (() if self.top is None else (self._event("pile_gone", t_ns),)), ()
            case "empty" if self.top is None:
                self._plainly(sight, t_ns)
        return (), ()

    def is_turning(self) -> bool:
        """Return whether a card was in mid-turn over this pile in the last frame."""
        if self.leaving or self.sight is None:
            return False
        return self.sight.kind in ("turning", "back") or (self.sight.kind == "covered" and self._turned)

    def is_plain(self) -> bool:
        """Return whether the last frame showed the pile lying there plainly, or plainly none."""
        return self._hidden_ns is None and self.sight is not None

    @property
    def held_another(self) -> bool:
        """Return whether another card than the one that was won has lain here since, and nobody saw the place bare.

        It may be a first card, or piles that were put down on their way.
        """
        return self.leaving and self._another

    def is_unseen(self, t_ns: int, *, turns: bool) -> bool:
        """Return whether nobody can say what is open here at `t_ns`, when the last frame before it is the last seen.

        turns: it is this player's turn to lay a card.
        """
        if self.passed_over or (self.sight is not None and self.sight.kind == "strange"):
            return True
        # A back that stays is no card in mid-turn: it is there the wrong way up.
        lies_wrong = self.sight is not None and self.sight.kind == "back"
        laid = (turns or lies_wrong) and self._hidden_ns is not None and t_ns - self._hidden_ns > LAID_NS
        if self.leaving or self.is_plain():
            return laid or self.held_another
        if laid or self._blind or self.sight is None or self.sight.kind == "unclear" or self._plain_ns is None:
            return True
        if self._empty_ns is not None and self.top is not None and t_ns - self._empty_ns > BARE_NS:
            return True
        return t_ns - self._plain_ns > HIDDEN_NS

    def _follow(self, sight: DiscardSight, t_ns: int, *, lost: bool) -> None:
        """Keep since when the place is as it is."""
        self._unclear_ns = (self._unclear_ns or t_ns) if sight.kind in ("unclear", "strange") else None
        self._empty_ns = (self._empty_ns or t_ns) if sight.kind == "empty" else None
        if sight.kind in ("turning", "back"):
            self._turned, self._settled_ns = True, t_ns
        if sight.kind != "face":
            self._hidden_ns = self._hidden_ns or t_ns
            self._blind |= lost

    def _plainly(self, sight: DiscardSight, t_ns: int) -> None:
        self._plain_ns, self._hidden_ns, self._turned, self._blind = t_ns, None, False, False
        self._settled_ns = t_ns
        self._pose = sight.corners_px

    def _see_face(self, sight: DiscardSight, t_ns: int) -> tuple[Event, ...]:
        face = _face(sight)
        if face is None:
            return ()
        if self._lies_still(face, sight, t_ns):
            self._won_ns = t_ns
            return ()
        # What people said of a card is not taken back because the camera still reads what it read before.
        believed = self.top is not None and self.top[0] is not None and self._read is not None
        known, arrived = self._read if believed else self.top, self._arrived(sight)
        back_again = self._gone == face or (known == (None, None) and self._doubted in (None, face))
        hidden_ns = t_ns - self._settled_ns
        self._plainly(sight, t_ns)
        self._doubted, self._read = None, face
        if back_again:
            return (self._event("card_read", t_ns, face),)
        if known == face and not arrived:
            return ()
        self._shown_ns = t_ns
        return (self._event("card_shown", t_ns, face, hidden_ns),)

    def _is_as_before(self, sight: DiscardSight, t_ns: int) -> bool:
        """Return whether what is here is what lay here before a ring that is in doubt of it; no two cards are alike."""
        if self._before is None or self.leaving:
            return False
        top, pose = self._before
        if top is None:
            return self._empty_ns is not None and t_ns - self._empty_ns >= BARE_NS
        return pose is not None and _face(sight) == top and _moved(pose, sight.corners_px) < _SAME

    def _arrived(self, sight: DiscardSight) -> bool:
        """Return whether a card with the face of the one before is another one; a wrong answer changes counts only."""
        if self._hidden_ns is None or self._hidden_ns - self._shown_ns < SETTLES_NS:
            return False
        moved = _moved(self._pose, sight.corners_px)
        return moved > _NUDGED or (self._turned and moved > _SAME)

    def _lies_still(self, face: Face, sight: DiscardSight, t_ns: int) -> bool:
        """Return whether what was taken away a moment ago is there after all: an arm looked like bare table."""
        if self._taken_ns is None or t_ns - self._taken_ns > AGAIN_NS or self.top is not None or self._turned:
            return False
        return face == self._left[0] and _moved(self._left[1], sight.corners_px) < _SELF

    def _see_unclear(self, t_ns: int) -> tuple[tuple[Event, ...], tuple[Notice, ...]]:
        """Report a card that stays unreadable (P10): a new one where none was, else the one that was there."""
        if self.top == (None, None) or self._unclear_ns is None or t_ns - self._unclear_ns < UNREAD_NS:
            return (), ()
        self._doubted = self.top if self.top is not None and self.top[0] is not None else None
        kind = "card_shown" if self.top is None else "card_read"
        hidden_ns = t_ns - self._settled_ns if self.top is None else None
        return (self._event(kind, t_ns, (None, None), hidden_ns),), (Notice(t_ns, "unread_card", self.seat, {}),)

    def _see_strange(self, t_ns: int) -> tuple[Notice, ...]:
        """Report once an object that is not a card of the deck."""
        lasts = self._unclear_ns is not None and t_ns - self._unclear_ns >= UNREAD_NS
        told, self._strange_told = self._strange_told, lasts
        return (Notice(t_ns, "strange_card", self.seat, {}),) if lasts and not told else ()

    def _see_leaving(self, sight: DiscardSight, t_ns: int, sweeping: bool) -> tuple[Event, ...]:
        if sight.kind == "empty" and self._empty_ns is not None and t_ns - self._empty_ns >= TAKEN_NS:
            self._won_ns, self._taken_ns = None, t_ns
            self._plainly(sight, t_ns)
            return ()
        stays = self._stays(sight, t_ns)
        waited = not sweeping or self._won_ns is None or t_ns - self._won_ns >= STUCK_NS
        face = _face(sight)
        if not stays or face is None:
            return ()
        # A card with the face of the one that was won may be the next one: no two are laid alike.
        self._another |= face != self._left[0] or _moved(self._left[1], sight.corners_px) > _SAME
        if not waited or face == self._left[0]:
            return ()
        self._won_ns = None
        return self._see_face(sight, t_ns)

    def _stays(self, sight: DiscardSight, t_ns: int) -> bool:
        """Return whether a face stays: others show while piles are pushed away and pass by, but only for a moment."""
        face = _face(sight)
        if face is None:
            self._steady = None
            return True
        if self._steady is None or self._steady[0] != face or _moved(self._steady[1], sight.corners_px) > _SAME:
            self._steady = face, sight.corners_px, t_ns
        return t_ns - self._steady[2] >= STEADY_NS

    def _event(self, kind: str, t_ns: int, face: Face | Unread | None = None, hidden_ns: int | None = None) -> Event:
        shown = {} if face is None else {"colour": face[0], "mood": face[1]}
        hidden = {} if hidden_ns is None else {"hidden_ns": hidden_ns}
        return Event(t_ns, kind, {"seat": self.seat, **shown, **hidden})


def _face(sight: DiscardSight) -> Face | None:
    if sight.kind != "face" or sight.colour is None or sight.mood is None:
        return None
    return sight.colour, sight.mood


def _moved(before: Corners | None, now: Corners | None) -> float:
    """Return how far a card is from another, as a share of its diagonal; what has no place has not moved."""
    if before is None or now is None:
        return 0.0
    return float(np.linalg.norm(before - now, axis=1).mean() / np.linalg.norm(now[0] - now[2]))
