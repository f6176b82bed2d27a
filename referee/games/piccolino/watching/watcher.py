"""Looks on at Piccolino: the piles in every frame, the bell, and the arm that reaches it.

A card counts from the first frame in which its face can be read (P9). What hides a pile never changes what is there:
the last certain face stays, for as long as nobody could have changed it unseen.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from hardware.camera.frames import Frame
from hardware.events import BellPressed
from hardware.events import TimedEvent as DeviceEvent
from referee.engine.events import Event, Header
from referee.engine.log import RulingData
from referee.engine.session import Notice, Observation, Outline, Watcher
from referee.games.piccolino.rules import PiccolinoView, from_header
from referee.games.piccolino.watching.ringer import RingerDetector
from referee.games.piccolino.watching.tracker import PileTracker
from referee.watchers.stillness import FramePace
from vision.piles.observations import PileSight

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

Corners = NDArray[np.float64]
Face = tuple[str, str]
Unread = tuple[None, None]


class SeatPile:
    """Tracks one pile. `learn` takes events of the game from any source; `see` returns new ones."""

    def __init__(self, seat: int) -> None:
        self.seat = seat
        self.known = False  # a face was read or entered here at some time
        self.passed_over = False  # the next player has laid a card, and none was seen here yet
        self.top: Face | Unread | None = None
        self.sight: PileSight | None = None
        self._pose: Corners | None = None
        self._visible_ns: int | None = None
        self._settled_ns = 0  # when it was last certain that no other card had come
        self._hidden_ns: int | None = None  # since when it is not fully visible
        self._blind = False  # frames were lost since it was last fully visible
        self._unclear_ns: int | None = None
        self._strange_reported = False
        self._empty_ns: int | None = None
        self._turned = False  # a card was in mid-turn since it was last fully visible
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

    def learn(self, top: Face | Unread | None) -> None:
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
        self, sight: PileSight, t_ns: int, *, sweeping: bool, lost: bool
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
                self._see_fully(sight, t_ns)
                return (() if self.top is None else (self._event("pile_gone", t_ns),)), ()
            case "empty" if self.top is None:
                self._see_fully(sight, t_ns)
        return (), ()

    def is_turning(self) -> bool:
        """Return whether a card was in mid-turn over this pile in the last frame."""
        if self.leaving or self.sight is None:
            return False
        return self.sight.kind in ("turning", "back") or (self.sight.kind == "covered" and self._turned)

    def is_visible(self) -> bool:
        """Return whether the last frame showed the whole top, or that there is no card."""
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
        is_upside_down = self.sight is not None and self.sight.kind == "back"
        laid = (turns or is_upside_down) and self._hidden_ns is not None and t_ns - self._hidden_ns > LAID_NS
        if self.leaving or self.is_visible():
            return laid or self.held_another
        if laid or self._blind or self.sight is None or self.sight.kind == "unclear" or self._visible_ns is None:
            return True
        if self._empty_ns is not None and self.top is not None and t_ns - self._empty_ns > BARE_NS:
            return True
        return t_ns - self._visible_ns > HIDDEN_NS

    def _follow(self, sight: PileSight, t_ns: int, *, lost: bool) -> None:
        """Keep since when the place is as it is."""
        self._unclear_ns = (self._unclear_ns or t_ns) if sight.kind in ("unclear", "strange") else None
        self._empty_ns = (self._empty_ns or t_ns) if sight.kind == "empty" else None
        if sight.kind in ("turning", "back"):
            self._turned, self._settled_ns = True, t_ns
        if sight.kind != "face":
            self._hidden_ns = self._hidden_ns or t_ns
            self._blind |= lost

    def _see_fully(self, sight: PileSight, t_ns: int) -> None:
        self._visible_ns, self._hidden_ns, self._turned, self._blind = t_ns, None, False, False
        self._settled_ns = t_ns
        self._pose = sight.corners_px

    def _see_face(self, sight: PileSight, t_ns: int) -> tuple[Event, ...]:
        face = _face(sight)
        if face is None:
            return ()
        if self._is_still_there(face, sight, t_ns):
            self._won_ns = t_ns
            return ()
        # What people said of a card is not taken back because the camera still reads what it read before.
        believed = self.top is not None and self.top[0] is not None and self._read is not None
        known, arrived = self._read if believed else self.top, self._arrived(sight)
        back_again = self._gone == face or (known == (None, None) and self._doubted in (None, face))
        hidden_ns = t_ns - self._settled_ns
        self._see_fully(sight, t_ns)
        self._doubted, self._read = None, face
        if back_again:
            return (self._event("card_read", t_ns, face),)
        if known == face and not arrived:
            return ()
        self._shown_ns = t_ns
        return (self._event("card_shown", t_ns, face, hidden_ns),)

    def _is_as_before(self, sight: PileSight, t_ns: int) -> bool:
        """Return whether what is here is what lay here before a ring that is in doubt of it; no two cards are alike."""
        if self._before is None or self.leaving:
            return False
        top, pose = self._before
        if top is None:
            return self._empty_ns is not None and t_ns - self._empty_ns >= BARE_NS
        return pose is not None and _face(sight) == top and _moved(pose, sight.corners_px) < _SAME

    def _arrived(self, sight: PileSight) -> bool:
        """Return whether a card with the face of the one before is another one; a wrong answer changes counts only."""
        if self._hidden_ns is None or self._hidden_ns - self._shown_ns < SETTLES_NS:
            return False
        moved = _moved(self._pose, sight.corners_px)
        return moved > _NUDGED or (self._turned and moved > _SAME)

    def _is_still_there(self, face: Face, sight: PileSight, t_ns: int) -> bool:
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
        reported, self._strange_reported = self._strange_reported, lasts
        return (Notice(t_ns, "strange_card", self.seat, {}),) if lasts and not reported else ()

    def _see_leaving(self, sight: PileSight, t_ns: int, sweeping: bool) -> tuple[Event, ...]:
        if sight.kind == "empty" and self._empty_ns is not None and t_ns - self._empty_ns >= TAKEN_NS:
            self._won_ns, self._taken_ns = None, t_ns
            self._see_fully(sight, t_ns)
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

    def _stays(self, sight: PileSight, t_ns: int) -> bool:
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


def _face(sight: PileSight) -> Face | None:
    if sight.kind != "face" or sight.colour is None or sight.mood is None:
        return None
    return sight.colour, sight.mood


def _moved(before: Corners | None, now: Corners | None) -> float:
    """Return how far a card is from another, as a share of its diagonal; what has no place has not moved."""
    if before is None or now is None:
        return 0.0
    return float(np.linalg.norm(before - now, axis=1).mean() / np.linalg.norm(now[0] - now[2]))


class PiccolinoWatcher(Watcher):
    """See the module. Notices: `unread_card` and `strange_card` of a seat, `no_clowns`, and those of the eyes."""

    def __init__(self, header: Header, piles: PileTracker, ringers: RingerDetector | None = None) -> None:
        self._eyes = piles
        self._ringers = ringers
        self._header = header
        self._pace = FramePace()
        self._frame_ns: int | None = None
        self._won_ns: int | None = None
        self._last_won_ns: int | None = None
        self.begin_again()
        self._reported: tuple[tuple[str, int | None], ...] = ()
        self.outlines: tuple[Outline, ...] = ()

    def look(self, frame: Frame) -> Observation:
        """Read the piles: cards that show, or can be read now."""
        t_ns = frame.exposure_end_ns
        lost = self._pace.look(frame)
        self._frame_ns = t_ns
        sights = self._eyes.look(frame)
        events, notices = self._see(sights, t_ns, lost=lost)
        notices += self._new_notices(self._eyes.notices)
        for ring_ns, seat in self._ringers.look(frame) if self._ringers else ():
            events.append(Event(t_ns, "ringer", {"seat": seat, "ring_t_ns": ring_ns}))
        self.outlines = tuple(_outline(sight) for sight in sights if sight.corners_px is not None)
        return Observation(tuple(events), tuple(notices))

    def hear(self, event: DeviceEvent) -> Observation:
        """Take the bell: with what could not be seen at that instant, and what was in mid-turn."""
        if not isinstance(event, BellPressed):
            return Observation()
        events: list[Event] = []
        unseen: list[int] = []
        if self._frame_ns is not None:
            events, _ = self._see(self._eyes.look_closely(), self._frame_ns, lost=False)
        seat = event.seat
        if seat is None and self._ringers is not None:
            seat = self._ringers.rang(event.t_ns)
        data: dict[str, object] = {"seat": seat}
        if turning := [pile.seat for pile in self._piles if pile.is_turning()]:
            data["turning"] = turning
        too_old, missing = self._pace.too_old(event.t_ns), self._pace.missing(event.t_ns)
        for pile in self._piles:
            stale = too_old or (missing and not pile.is_visible())
            if self._unseen(pile, event.t_ns, stale=stale):
                unseen.append(pile.seat)
        if unseen:
            data["unseen"] = unseen
        if not self._knows_deck:
            data["no_clowns"] = True
        if event.way is not None:
            data["phone"] = {"back_ms": event.way.back_ms, "most_ms": event.way.most_ms}
        return Observation((*events, Event(event.t_ns, "bell", data)))

    def judged(self, event: Event, rulings: Sequence[RulingData], view: PiccolinoView) -> None:
        """Learn what is open by the game, and when piles are won."""
        if event.kind == "card_shown":
            self._pass_over(event.data.get("seat"))
        self._view = view
        match event.kind:
            case "card_shown" | "card_read" | "pile_gone":
                self._learn(event)
            case "bell" | "pile_unchanged":
                # How a ring will be ruled that waits for its ringer's name is known before that.
                if view.ring_t_ns is not None:
                    self._win(view.ring_t_ns, event.t_ns)
        for pile in self._piles:
            settles = self._knows_deck and not pile.passed_over
            pile.doubt(doubted=settles and pile.seat in view.unseen)
        for ruling in rulings:
            if ruling["ruling"] == "cards_move" and ruling["from"] == "piles":
                self._win(ruling["t_ns"], event.t_ns)
            elif ruling["ruling"] == "ignored" and ruling["t_ns"] == self._won_ns:
                self._won_ns = None
                for pile in self._piles:
                    pile.not_won()

    def begin_again(self) -> None:
        """Forget the events about piles."""
        self._piles = tuple(SeatPile(seat) for seat in range(len(self._header.players)))
        self._view = from_header(self._header).view()
        self._won_ns = self._last_won_ns = None
        self._no_clowns_reported = self._read_one = False

    def _see(self, sights: Sequence[PileSight], t_ns: int, *, lost: bool) -> tuple[list[Event], list[Notice]]:
        sweeping = any(pile.leaving for pile in self._piles) and self._won_ns is not None
        events: list[Event] = []
        notices: list[Notice] = []
        for sight in sights:
            if sight.seat < len(self._piles):
                seen, said = self._piles[sight.seat].see(sight, t_ns, sweeping=sweeping, lost=lost)
                events += seen
                notices += said
        self._read_one = self._read_one or any(event.kind == "card_shown" for event in events)
        return events, self._strangers_reported(notices, t_ns)

    @property
    def _knows_deck(self) -> bool:
        """Return whether any clown was read or entered in this game: before that, piles are unknown."""
        return self._read_one or any(pile.known for pile in self._piles)

    def _pass_over(self, seat: object) -> None:
        """A card at a seat means that those before it in turn have laid theirs, where none was read or is bare."""
        turn, players = self._view.turn, len(self._piles)
        if not isinstance(seat, int) or turn is None or not self._knows_deck:
            return
        for step in range((seat - turn) % players):
            pile = self._piles[(turn + step) % players]
            bare = pile.sight is not None and pile.sight.kind == "empty"
            pile.passed_over = not pile.known and not bare and not self._view.is_out[pile.seat]

    def _strangers_reported(self, notices: list[Notice], t_ns: int) -> list[Notice]:
        """Say one sentence for all where there are cards and no clown of the deck has been among them yet."""
        strange = [notice for notice in notices if notice.kind == "strange_card"]
        if self._knows_deck or not strange:
            return notices
        others = [notice for notice in notices if notice not in strange]
        reported, self._no_clowns_reported = self._no_clowns_reported, True
        return others if reported else [*others, Notice(t_ns, "no_clowns", None, {})]

    def _unseen(self, pile: SeatPile, t_ns: int, *, stale: bool) -> bool:
        """Where no frame tells, a change may have come: in a moment if frames are missing and the pile was touched."""
        if not self._knows_deck:
            return True
        if self._won_ns is not None and pile.leaving and any(p.leaving for p in self._piles if p is not pile):
            # The winner's arm takes the piles away, and lays no card meanwhile; but play may have gone on unseen.
            return pile.held_another
        if stale and not pile.leaving:
            return True
        return pile.is_unseen(t_ns, turns=pile.seat == self._view.turn)

    def _learn(self, event: Event) -> None:
        seat, colour, mood = (event.data.get(key) for key in ("seat", "colour", "mood"))
        if not isinstance(seat, int):
            return
        top: Face | Unread | None = (
            (colour, mood) if isinstance(colour, str) and isinstance(mood, str) else (None, None)
        )
        self._piles[seat].learn(None if event.kind == "pile_gone" else top)
        if event.kind == "card_shown":
            self._won_ns = None

    def _win(self, ring_ns: int, now_ns: int) -> None:
        """The piles are won by the ring at `ring_ns`, which may have been known before its ringer was."""
        if ring_ns == self._last_won_ns:
            return
        self._last_won_ns = self._won_ns = ring_ns
        for pile in self._piles:
            pile.won(now_ns)

    def _new_notices(self, notices: Sequence[Notice]) -> list[Notice]:
        """Return those that were not there in the frame before."""
        before, self._reported = self._reported, tuple((notice.kind, notice.seat) for notice in notices)
        return [notice for notice in notices if (notice.kind, notice.seat) not in before]


def _outline(sight: PileSight) -> Outline:
    corners = () if sight.corners_px is None else sight.corners_px
    certain = sight.kind == "face"
    label = f"{sight.colour} {sight.mood}" if certain else sight.kind
    return Outline(tuple((float(x), float(y)) for x, y in corners), sight.seat, label, certain)
