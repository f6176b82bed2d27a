"""Watches Confetti: the sandtimer starts and ends a round, and a still table afterwards shows the hands.

A hand becomes an event only when two looks at the still table agree and no card of any seat is unclear; until then
the players hear what to do. If they want the count all the same, the clear hands become events. An empty place is not
an empty hand: a seat without cards counts as empty only if it had none at the end of time. The players are asked for
cards that were put away before two looks agreed on them.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from enum import Enum

import numpy as np
from numpy.typing import NDArray

from hardware.camera.frames import Frame
from hardware.events import SandFlipped, SandRanOut
from hardware.events import TimedEvent as DeviceEvent
from referee.engine.events import Event, Header
from referee.engine.log import RulingData
from referee.engine.session import Notice, Observation, Outline, Watcher
from referee.errors import BadInputError
from referee.games.confetti.start_options import settings_from
from referee.games.confetti.table_score import card_of
from referee.games.confetti.watching.hands_in_time import FOREIGN_SHARE, Blend, HandsInTime, doubts, hand_outlines
from referee.scoring.seated_reading import SeatedReader, SeatedReading
from referee.scoring.seats import SeatCards, Sharing, share_out
from referee.scoring.unseen_cards import HandsOff, UnseenCards
from referee.watchers.stillness import FramePace, Stillness
from referee.watchers.table_finder import TableFinder, WatchSetup, no_table_notice
from vision.errors import VisionError

MS = 1_000_000
_SEEK_NS = 1_000 * MS
_SOON_NS = 5_000 * MS  # people wait this long for the count before they clear the table
_BLIND_NS = 3_000 * MS
_STILL_NS = 800 * MS  # hovering hands are never quiet for so long; also the interval of looks

Hands = tuple[tuple[str, ...], ...]


class _Phase(Enum):
    WAITING = "no round is played"
    RUNNING = "the sand runs"
    COUNTING = "the hands are to be read"


class ConfettiWatcher(Watcher):
    """Watcher of Confetti.

    Notices: of a seat `unclear_cards` (`count`, `reasons`), `wrong_side` (`count`), `nothing_seen` and
    `place_hidden`; `no_cards`, and those of `no_table_notice`.
    """

    def __init__(self, header: Header, setup: WatchSetup) -> None:
        self._side = settings_from(header).side
        self._players = len(header.players)
        deck = setup.deck_for(header)
        self._deck = deck
        self._reader = SeatedReader(deck, setup.profile, self._players)
        self._unseen = UnseenCards(deck)
        self._hands_off = HandsOff(deck) if setup.find_hands else None
        self._finder = TableFinder(setup.profile, self._players)
        self._still = Stillness()
        self._blend = Blend()
        self._in_time = HandsInTime(self._still)
        self._phase = _Phase.WAITING
        self._frame: Frame | None = None
        self._read_ns: int | None = None
        self._once: Hands | None = None
        self._doubtful: tuple[int | None, ...] = ()
        self._reported: tuple[object, ...] = ()
        self._kept: dict[int, int] = {}
        self._since_ns = 0  # beginning of the phase
        self._wanted = False  # the players want the clear hands at once
        self._given: dict[int, tuple[str, ...]] = {}
        self._last_seen: dict[int, Faces] = {}  # complete hands of this round
        self._turned: dict[int, int] = {}  # each seat's cards with the other side up at the end of time
        self._blind = False  # a gap between frames was long enough for a hand to come and go
        self._in_time_seats: set[int] = set()  # with a complete hand at the end of time
        self._only_asks = False  # a table without motion shows nothing new
        self._gone: frozenset[int] = frozenset()  # seats that are asked for their hands
        self._said: set[int] = set()  # seats that have answered
        self._pace = FramePace()
        self.outlines: tuple[Outline, ...] = ()

    def look(self, frame: Frame) -> Observation:
        """Read the table when it is still and its hands are wanted."""
        self._watch_table(frame)
        self._blind = self._blind or self._unseen_since(frame)
        self._still.look(frame)
        self._pace.look(frame)
        self._frame = frame
        t_ns = frame.exposure_end_ns
        if self._still.still_ns(t_ns) == 0:
            self._blend.begin()
        if self._phase is _Phase.RUNNING:
            return Observation()
        rested_ns = t_ns - self._still.still_ns(t_ns)
        read_since_it_moved = self._read_ns is not None and self._read_ns >= rested_ns
        if read_since_it_moved and (self._phase is _Phase.WAITING or self._only_asks):
            return Observation()
        self._blend.add(frame.bgr())
        waited_since_ns = self._read_ns if self._read_ns is not None and read_since_it_moved else rested_ns
        if t_ns - waited_since_ns < _STILL_NS:
            return Observation()
        if self._phase is _Phase.WAITING:
            return self._survey(frame)
        if not read_since_it_moved:
            self._once, self._doubtful, self._only_asks = None, (), False
        return self._count(frame, certain=False)

    def hear(self, event: DeviceEvent) -> Observation:
        """Take the sandtimer's events."""
        match event:
            case SandFlipped():
                return Observation((Event(event.t_ns, "timer_flipped", {}),))
            case SandRanOut():
                return Observation((*self._hands_in_time(event.t_ns), Event(event.t_ns, "timer_ran_out", {})))
            case _:
                return Observation()

    def judged(self, event: Event, rulings: Sequence[RulingData], view: object) -> None:
        """Follow the game's phases."""
        self._follow(event)
        for ruling in rulings:
            match ruling["ruling"]:
                case "round":
                    self._last_seen, self._in_time_seats, self._turned, self._blind = {}, set(), {}, False
                    self._enter(_Phase.RUNNING, event.t_ns)
                case "time":
                    self._enter(_Phase.COUNTING, event.t_ns)
                case "unclear":
                    self._wanted = True
                case "hand":
                    self._kept[ruling["seat"]] = ruling["kept"]
                    self._enter(_Phase.WAITING, event.t_ns)
                case "end":
                    self._enter(_Phase.WAITING, event.t_ns)

    def _unseen_since(self, frame: Frame) -> bool:
        last = self._frame
        return last is None or frame.exposure_end_ns - last.exposure_end_ns > _BLIND_NS

    def _follow(self, event: Event) -> None:
        """Note which seats have shown a hand, and which were asked for one."""
        seat, faces = event.data.get("seat"), event.data.get("faces")
        if event.kind == "hands_gone":
            seats = event.data.get("seats")
            self._gone |= frozenset(seats if isinstance(seats, list) else ())
        elif event.kind == "hand" and isinstance(seat, int):
            self._gone -= {seat}
            if isinstance(faces, list):
                self._last_seen[seat] = frozenset(faces)
                if self._phase is _Phase.RUNNING:
                    self._in_time_seats.add(seat)
            elif self._phase is _Phase.COUNTING:
                self._said.add(seat)

    def begin_again(self) -> None:
        """Forget the game so far."""
        self._kept, self._last_seen, self._in_time_seats, self._turned = {}, {}, set(), {}
        self._enter(_Phase.WAITING, 0)

    def finish(self, t_ns: int) -> Observation:
        """Take the last frame as the final state of the table, unless it is from before the end of time."""
        if self._phase is not _Phase.COUNTING or self._frame is None or self._frame.exposure_end_ns <= self._since_ns:
            return Observation()
        return self._count(self._frame, certain=True)

    def _enter(self, phase: _Phase, t_ns: int) -> None:
        if phase is not self._phase:
            self._phase, self._once, self._doubtful, self._reported = phase, None, (), ()
            self._since_ns, self._wanted, self._given = t_ns, False, {}
            self._gone, self._said, self._only_asks = frozenset(), set(), False
            self._blend.begin()
            # A table without motion since then is read again for the hands that are wanted now.
            self._read_ns = None

    def _watch_table(self, frame: Frame) -> None:
        """Limit the search for motion to the table, once its place is known.

        People move beside it and daylight changes, and a table that is never still is never read.
        """
        if self._still.watches or not self._finder.search(frame.bgr(), frame.exposure_end_ns, _SEEK_NS):
            return
        place = self._finder.place
        if place is not None:
            self._still.watch(place.table.to_px(place.ring.corners_mm) / frame.size_px)

    def _survey(self, frame: Frame) -> Observation:
        """Look at the table between the rounds: the seats, and the look of their places without hands."""
        seated, seen = self._read(frame, self._at_rest(frame))
        if seated is None:
            return seen
        self._in_time.rest(frame, seated)
        t_ns = frame.exposure_end_ns
        return Observation(
            notices=self._unreported(*(Notice(t_ns, "two_markers", None, {"number": n}) for n in seated.doubled))
        )

    def _hands_in_time(self, t_ns: int) -> tuple[Event, ...]:
        frame = self._frame
        if self._phase is not _Phase.RUNNING or frame is None or frame.exposure_end_ns >= t_ns:
            return ()
        # A card taken since an old picture counts as taken in time.
        if self._pace.too_old(t_ns):
            return ()
        survey = self._reader.survey
        if survey is None or not self._in_time.worth_reading(frame, survey):
            return ()
        seated, _ = self._read(frame, self._at_rest(frame))
        if seated is None:
            return ()
        sharing, notices, _ = self._doubts(frame, seated)
        self._turned = {hand.seat: len(hand.other_side) for hand in sharing.seats}
        doubtful = {notice.seat for notice in notices}
        certain = [hand for hand in sharing.seats if hand.seat not in doubtful]
        clear = [hand for hand in certain if self._in_time.all_in_sight(frame, seated, hand)]
        return tuple(_hand(frame.exposure_end_ns, hand) for hand in clear)

    def _count(self, frame: Frame, *, certain: bool) -> Observation:
        image = self._at_rest(frame)
        seated, seen = self._read(frame, image)
        if seated is None:
            return seen
        t_ns = frame.exposure_end_ns
        if not seated.reading.cards and not self._last_seen:
            # Nobody plays without cards: the camera is covered, or the table has been cleared already.
            return Observation(notices=self._unreported(Notice(t_ns, "no_cards", None, {})))
        lay_before = self._in_time.lay_before(frame, seated.table)
        seated = self._unseen.doubt(image, seated, lay_before)
        self.outlines = hand_outlines(seated, self._side)
        sharing, notices, gone = self._doubts(frame, seated)
        if not notices or gone or self._wanted:
            hands = tuple(tuple(sorted(card.named.id for card in hand.cards)) for hand in sharing.seats)
            if not certain and hands != self._once:
                self._once = hands
                self._remember(sharing, notices, gone)
                return Observation()
            # This check takes longest, so it comes last: a resting arm is as still as the cards under it.
            if self._hands_off is not None:
                seated = self._hands_off.doubt(image, seated)
            self.outlines = hand_outlines(seated, self._side)
            sharing, notices, gone = self._doubts(frame, seated)
        self._remember(sharing, notices, gone)
        doubtful = {notice.seat for notice in notices} | gone | self._said
        clear = [hand for hand in sharing.seats if hand.seat not in doubtful]
        asked = self._ask_for(t_ns, gone)
        self._only_asks = bool(gone) and not notices
        if doubtful:
            wanted = self._wanted or bool(gone) or not notices
            return Observation(
                (*self._wanted_hands(t_ns, clear, wanted=wanted), *asked),
                self._what_to_do(notices) if notices else (),
            )
        return Observation(tuple(_hand(t_ns, hand) for hand in sharing.seats))

    def _doubts(self, frame: Frame, seated: SeatedReading) -> tuple[Sharing, tuple[Notice, ...], frozenset[int]]:
        """Return the assigned cards, an instruction for each uncertain hand, and the seats without their cards."""
        sharing = share_out(seated.reading, seated.ring, self._side)
        t_ns = frame.exposure_end_ns
        foreign = {hand.seat: self._in_time.foreign_cards(frame, seated, hand.seat) for hand in sharing.seats}
        notices = doubts(t_ns, sharing, self._kept, foreign)
        if self._phase is not _Phase.COUNTING:
            return sharing, notices, frozenset()
        soon = t_ns - self._since_ns <= _SOON_NS
        fouls = self._in_time_seats if soon else set()
        turned = {seat: max(self._turned.get(seat, 0), self._kept.get(seat, 0)) for seat in range(self._players)}
        moved = {
            hand.seat: self._blind or self._in_time.moved_since(self._since_ns, seated, hand.seat)
            for hand in sharing.seats
        }
        gone = gone_hands(sharing, self._last_seen, turned, foreign, moved, fouls) - self._said
        return sharing, tuple(one for one in notices if one.seat not in gone | self._said), gone

    def _remember(self, sharing: Sharing, notices: Sequence[Notice], gone: frozenset[int]) -> None:
        """Keep the complete hands: cards that are missing later were put away."""
        doubtful = {notice.seat for notice in notices} | gone
        for hand in sharing.seats:
            if hand.seat not in doubtful and hand.cards:
                self._last_seen.setdefault(hand.seat, faces_of(hand))

    def _ask_for(self, t_ns: int, gone: frozenset[int]) -> tuple[Event, ...]:
        """Ask the seats without their cards for their hands, once."""
        seats = sorted(gone - self._gone)
        if not seats:
            return ()
        last_seen = [self._cards_of(self._last_seen.get(seat)) for seat in seats]
        return (Event(t_ns, "hands_gone", {"event": "hands_gone", "seats": seats, "last_seen": last_seen}),)

    def _cards_of(self, faces: Faces | None) -> list[list[str]] | None:
        if faces is None:
            return None
        return [list(card_of(self._deck.face(face, self._side))) for face in sorted(faces)]

    def _wanted_hands(self, t_ns: int, clear: Sequence[SeatCards], *, wanted: bool) -> tuple[Event, ...]:
        """Return events of the wanted hands that are clear and new; two looks have agreed on all of them."""
        if not wanted:
            return ()
        faces = {hand.seat: tuple(sorted(card.named.id for card in hand.cards)) for hand in clear}
        fresh = [hand for hand in clear if self._given.get(hand.seat) != faces[hand.seat]]
        self._given |= faces
        return tuple(_hand(t_ns, hand) for hand in fresh)

    def _at_rest(self, frame: Frame) -> NDArray[np.uint8]:
        """Return the blended picture since the table rests, or this frame."""
        image = self._blend.picture()
        self._blend.begin()
        return frame.bgr() if image is None else image

    def _read(self, frame: Frame, image: NDArray[np.uint8]) -> tuple[SeatedReading | None, Observation]:
        """Read a picture of the table, with the notices up to a frame."""
        self._read_ns = frame.exposure_end_ns
        try:
            seated = self._reader.read(image)
        except (BadInputError, VisionError) as error:
            self.outlines = ()
            return None, Observation(notices=self._unreported(no_table_notice(error, self._read_ns)))
        self.outlines = hand_outlines(seated, self._side)
        width, height = seated.table.size_px
        self._still.watch(seated.table.to_px(seated.ring.corners_mm) / (width, height))
        return seated, Observation()

    def _what_to_do(self, notices: tuple[Notice, ...]) -> tuple[Notice, ...]:
        # One look at a noisy picture may doubt a card that the next one reads.
        doubtful = tuple(notice.seat for notice in notices)
        if doubtful != self._doubtful:
            self._doubtful = doubtful
            return ()
        return self._unreported(*notices)

    def _unreported(self, *notices: Notice) -> tuple[Notice, ...]:
        """Return the notices that were not given before."""
        what = tuple((notice.kind, notice.seat, str(notice.data)) for notice in notices)
        if what == self._reported:
            return ()
        self._reported = what
        return notices


def _hand(t_ns: int, hand: SeatCards) -> Event:
    cards = [list(card_of(card.named)) for card in hand.cards]
    faces = [card.named.id for card in hand.cards]
    return Event(t_ns, "hand", {"event": "hand", "seat": hand.seat, "cards": cards, "faces": faces})


Faces = frozenset[str]


def faces_of(hand: SeatCards) -> Faces:
    """Return the faces before a seat with the played side up."""
    return frozenset(card.named.id for card in hand.cards)


def gone_hands(
    sharing: Sharing,
    last_seen: Mapping[int, Faces],
    turned: Mapping[int, int],
    foreign: Mapping[int, float | None],
    moved: Mapping[int, bool],
    fouls: Collection[int],
) -> frozenset[int]:
    """Return the seats whose cards have been put away, wholly or in part.

    last_seen: a seat's last complete hand since the end of time. turned: number of a seat's cards that may show the
    other side: those at the end of time, or its point cards (C8). foreign: area before a seat that is neither card nor
    table, in areas of a card; None where unknown. moved: motion there since the end of time. fouls: seats with a
    complete hand at the end of time, if that was just now. One or two cards less are a foul there (C4), because nobody
    clears the table so soon. Later, or where others clear it, the cause is unknown.
    """
    gone, fewer = set[int](), set[int]()
    for hand in sharing.seats:
        was, now = last_seen.get(hand.seat), faces_of(hand)
        more_turned = len(hand.other_side) > turned[hand.seat]
        if was is None:
            share = foreign[hand.seat]
            bare = share is not None and share <= FOREIGN_SHARE
            if moved[hand.seat] and not now and not hand.unclear and (more_turned or bare):
                gone.add(hand.seat)
            continue
        missing = was - now
        # A card that is unreadable or on another one may be the missing card, unless that is seen elsewhere.
        hidden = bool(hand.unclear) or (foreign[hand.seat] or 0.0) > FOREIGN_SHARE
        put_away = missing & _elsewhere(sharing, hand) if hidden else missing
        if put_away and hand.seat in fouls and not more_turned and not hidden and len(was & now) > len(missing):
            fewer.add(hand.seat)
        elif put_away:
            gone.add(hand.seat)
    return frozenset(gone | fewer | _in_doubt(sharing, last_seen, gone)) if gone else frozenset()


def _in_doubt(sharing: Sharing, last_seen: Mapping[int, Faces], gone: Collection[int]) -> set[int]:
    """Return the seats that may hold others' cards, or lack some of their own, while the table is being cleared."""
    return {
        hand.seat
        for hand in sharing.seats
        if hand.seat not in gone and not hand.unclear and last_seen.get(hand.seat) != faces_of(hand)
    }


def _elsewhere(sharing: Sharing, hand: SeatCards) -> Faces:
    """Return the faces that are outside a hand."""
    others = [card for other in sharing.seats if other is not hand for card in other.cards]
    turned = [card for seat in sharing.seats for card in seat.other_side]
    return frozenset(card.named.id for card in (*others, *turned, *sharing.heap))
