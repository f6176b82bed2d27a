"""Looks on at Piccolino: the piles in every frame, the bell, and the arm that reaches it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from hardware.camera.frames import Frame
from hardware.events import BellPressed
from hardware.events import TimedEvent as DeviceEvent
from referee.engine.events import Event, Header
from referee.engine.session import Notice, Observation, Outline, RulingData
from referee.games.piccolino.rules import PiccolinoView, from_header
from referee.games.piccolino.watching.seat import DiscardSight, Face, SeatPile, Unread
from referee.watchers.stillness import FramePace


class PileObserver(Protocol):
    """Return the tracker of the discard piles."""

    @property
    def notices(self) -> Sequence[Notice]:
        """Return the players' instruction to make the piles visible; empty if they are."""

    def look(self, frame: Frame) -> Sequence[DiscardSight]:
        """Return what each discard pile's place shows; seats whose place is not known are left out."""

    def look_closely(self) -> Sequence[DiscardSight]:
        """Return what else can be said of the last frame, now that a ring hangs on it."""


class RingerObserver(Protocol):
    """Return the detector of the ringer at the one bell for all."""

    def look(self, frame: Frame) -> Sequence[tuple[int, int]]:
        """Take the next frame, and give the rings that are decided by now: when, and by which seat for certain."""

    def rang(self, t_ns: int) -> int | None:
        """Take a ring; gives the seat that rang if that is certain by now, else frames to come may decide it."""


class PiccolinoWatcher:
    """See the module. Notices: `unread_card` and `strange_card` of a seat, `no_clowns`, and those of the eyes."""

    def __init__(self, header: Header, piles: PileObserver, ringers: RingerObserver | None = None) -> None:
        self._eyes = piles
        self._ringers = ringers
        self._header = header
        self._pace = FramePace()
        self._frame_ns: int | None = None
        self._won_ns: int | None = None
        self._last_won_ns: int | None = None
        self.begin_again()
        self._told: tuple[tuple[str, int | None], ...] = ()
        self.outlines: tuple[Outline, ...] = ()

    def look(self, frame: Frame) -> Observation:
        """Read the piles: cards that show, or can be read now."""
        t_ns = frame.exposure_end_ns
        lost = self._pace.missing(t_ns)
        self._pace.look(frame)
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
        if self._frame_ns is not None:
            events, _ = self._see(self._eyes.look_closely(), self._frame_ns, lost=False)
        seat = event.seat
        if seat is None and self._ringers is not None:
            seat = self._ringers.rang(event.t_ns)
        data: dict[str, object] = {"seat": seat}
        if turning := [pile.seat for pile in self._piles if pile.is_turning()]:
            data["turning"] = turning
        if unseen := [pile.seat for pile in self._piles if self._unseen(pile, event.t_ns)]:
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
        self._no_clowns_told = self._read_one = False

    def finish(self, t_ns: int) -> Observation:
        """Drop the events that wait."""
        return Observation()

    def _see(self, sights: Sequence[DiscardSight], t_ns: int, *, lost: bool) -> tuple[list[Event], list[Notice]]:
        sweeping = any(pile.leaving for pile in self._piles) and self._won_ns is not None
        events: list[Event] = []
        notices: list[Notice] = []
        for sight in sights:
            if sight.seat < len(self._piles):
                seen, said = self._piles[sight.seat].see(sight, t_ns, sweeping=sweeping, lost=lost)
                events += seen
                notices += said
        self._read_one = self._read_one or any(event.kind == "card_shown" for event in events)
        return events, self._strangers_told(notices, t_ns)

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

    def _strangers_told(self, notices: list[Notice], t_ns: int) -> list[Notice]:
        """Say one sentence for all where there are cards and no clown of the deck has been among them yet."""
        strange = [notice for notice in notices if notice.kind == "strange_card"]
        if self._knows_deck or not strange:
            return notices
        others = [notice for notice in notices if notice not in strange]
        told, self._no_clowns_told = self._no_clowns_told, True
        return others if told else [*others, Notice(t_ns, "no_clowns", None, {})]

    def _unseen(self, pile: SeatPile, t_ns: int) -> bool:
        """Where no frame tells, a change may have come: in a moment if frames are missing and the pile was touched."""
        if not self._knows_deck:
            return True
        if self._won_ns is not None and pile.leaving and any(p.leaving for p in self._piles if p is not pile):
            # The winner's arm takes the piles away, and lays no card meanwhile; but play may have gone on unseen.
            return pile.held_another
        stale = self._pace.too_old(t_ns) or (self._pace.missing(t_ns) and not pile.is_plain())
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
        self._piles[seat].told(None if event.kind == "pile_gone" else top)
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
        before, self._told = self._told, tuple((notice.kind, notice.seat) for notice in notices)
        return [notice for notice in notices if (notice.kind, notice.seat) not in before]


def _outline(sight: DiscardSight) -> Outline:
    corners = () if sight.corners_px is None else sight.corners_px
    certain = sight.kind == "face"
    label = f"{sight.colour} {sight.mood}" if certain else sight.kind
    return Outline(tuple((float(x), float(y)) for x, y in corners), sight.seat, label, certain)
