"""Between a watcher and its session: brings the watcher's times onto the game's clock, and hears what was ruled.

A game's clock is the monotonic clock plus a shift: after the power was off that clock begins anew, and play goes on.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import fields, is_dataclass, replace

import cv2

from hardware.camera.frames import Frame
from hardware.events import BellPressed, SandFlipped, SandRanOut
from hardware.events import Event as DeviceEvent
from referee.engine.events import Event, GameView
from referee.engine.session import Doubt, Doubts, LooksOn, Outline, RulingData, Seen, Watcher
from vision.errors import VisionError

OnJudged = Callable[[Event, Sequence[RulingData], GameView], None]
Told = tuple[Event, Sequence[RulingData], GameView]
"""An event, what was ruled on it, and how the game stood then."""
FAULTS = (cv2.error, VisionError, ArithmeticError, LookupError, OSError, RuntimeError, TypeError, ValueError)
_TIMES = ("t_ns", "frame_t_ns", "ring_t_ns")


class GuardedWatcher:
    """A `Watcher` round another one. on_judged: told each event and its rulings, on the game's clock.

    fault: what went wrong when the watcher last looked or listened, None if nothing did. One picture that it cannot
    bear must not end the game: it is left out. What a device noticed is never lost by that.
    """

    def __init__(self, watcher: Watcher, shift_ns: int, players: int, on_judged: OnJudged) -> None:
        self.watcher = watcher
        self.on_judged: OnJudged | None = on_judged
        self.fault: str | None = None
        self._players = players
        self._shift_ns = shift_ns
        self._frame_ns: int | None = None

    @property
    def outlines(self) -> Sequence[Outline]:
        """What the watcher saw last."""
        return self.watcher.outlines

    def look(self, frame: Frame) -> Seen:
        """Take the next frame."""
        self._frame_ns = frame.t_ns
        return self._shifted(self._tried(lambda: self.watcher.look(frame), Seen()))

    def hear(self, event: DeviceEvent) -> Seen:
        """Take what a device noticed."""
        return self._shifted(self._tried(lambda: self.watcher.hear(event), _unwatched(event, self._players)))

    def begin_again(self) -> None:
        """Let the watcher forget how the game went."""
        self.watcher.begin_again()

    def finish(self, t_ns: int) -> Seen:
        """Take it that nothing follows."""
        return self._shifted(self.watcher.finish(t_ns))

    def judged(self, event: Event, rulings: Sequence[RulingData], view: GameView) -> None:
        """Hand on what was ruled."""
        if self.on_judged is not None:
            self.on_judged(event, rulings, view)

    def tell(self, event: Event, rulings: Sequence[RulingData], view: GameView) -> None:
        """Tell the watcher what was ruled on an event, by its own clock."""
        by_ns = -self._shift_ns
        own = replace(event, t_ns=event.t_ns + by_ns, data=_moved(event.data, by_ns))
        self.watcher.judged(own, [_moved(ruling, by_ns) for ruling in rulings], _view_moved(view, by_ns))

    @property
    def doubts(self) -> Sequence[Doubt]:
        """What the watcher asks, if it does."""
        return self.watcher.doubts if isinstance(self.watcher, Doubts) else ()

    @property
    def looks_on(self) -> bool:
        """Whether the watcher has something to see when its game is over."""
        return isinstance(self.watcher, LooksOn) and self.watcher.looks_on

    def follow(self, told: Iterable[Told], view: GameView) -> None:
        """Tell the watcher anew how the game went, event by event, or, to one that follows the game, how it stands."""
        if isinstance(self.watcher, Doubts):
            self.watcher.follow(view)
            return
        self.begin_again()
        for event, rulings, then in told:
            self.tell(event, rulings, then)

    def _tried(self, work: Callable[[], Seen], instead: Seen) -> Seen:
        try:
            seen = work()
        except FAULTS as error:
            self.fault = f"{type(error).__name__}: {' '.join(str(error).split())[:200]}"
            return instead
        self.fault = None
        return seen

    def _shifted(self, seen: Seen) -> Seen:
        return replace(seen, events=tuple(self._stamped(event) for event in seen.events))

    def _stamped(self, event: Event) -> Event:
        """A ring is stamped here with the frame before it (P9): the session knows frames by their own clock only."""
        data = dict(event.data)
        if event.kind == "bell":
            data.setdefault("frame_t_ns", self._frame_ns)
        return replace(event, t_ns=event.t_ns + self._shift_ns, data=_moved(data, self._shift_ns))


def _unwatched(event: DeviceEvent, players: int) -> Seen:
    """Give what a device event means where the watcher fails: a ring of which nobody saw what lay there is unclear."""
    match event:
        case BellPressed(t_ns, seat):
            phone = {} if event.way is None else {"phone": {"back_ms": event.way.back_ms, "most_ms": event.way.most_ms}}
            return Seen((Event(t_ns, "bell", {"seat": seat, "unseen": list(range(players)), **phone}),))
        case SandFlipped(t_ns):
            return Seen((Event(t_ns, "timer_flipped", {}),))
        case SandRanOut(t_ns):
            return Seen((Event(t_ns, "timer_ran_out", {}),))
        case _:
            return Seen()


def _moved(data: RulingData, by_ns: int) -> dict[str, object]:
    return {key: value + by_ns if key in _TIMES and isinstance(value, int) else value for key, value in data.items()}


def _view_moved(view: GameView, by_ns: int) -> GameView:
    """Give how a game stands by another clock; only plain data holds times."""
    if not is_dataclass(view) or isinstance(view, type):
        return view
    times = {one.name: getattr(view, one.name) for one in fields(view) if one.name in _TIMES}
    return replace(view, **_moved(times, by_ns))
