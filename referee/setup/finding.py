"""What the steps of setting up are told, and what they give: plain values, without devices, files or clocks."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum
from pathlib import Path
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from hardware.events import Event
from hardware.lamp import Signal
from referee.language import Language
from referee.service.settings import TableSettings
from vision.profile import TableProfile

Image = NDArray[np.uint8]
Points = NDArray[np.float64]


class State(Enum):
    """GOOD: may be kept. MEND: can be kept, but could be better. WAIT: not told yet. MISSING: there is no device."""

    GOOD = "good"
    MEND = "mend"
    WAIT = "wait"
    MISSING = "missing"


@dataclass(frozen=True)
class Choice:
    """Something that can be tapped beside the main button: `answer` goes to the step, `href` leads elsewhere.

    chosen: whether this is how it is now; None: it is no state but something to do.
    """

    text: str
    answer: Mapping[str, object] = field(default_factory=dict)
    href: str = ""
    chosen: bool | None = None


@dataclass(frozen=True)
class Shape:
    """What is drawn over the live picture: corners in shares of its size; kind "good", "bad" or "seat"."""

    corners: tuple[tuple[float, float], ...]
    kind: str = "good"
    label: str = ""


@dataclass(frozen=True)
class Handle:
    """Something that can be dragged on the picture: it stands `at` (shares of its size), and answers as `seat`.

    round: how far round the table it is, 0 to 1, clockwise.
    """

    seat: int
    at: tuple[float, float]
    label: str
    round: float


@dataclass(frozen=True)
class Finding:
    """What a step finds now.

    text: one sentence. more: further ones. bar: how far it has come or how strong it is, 0 to 1; None: no bar.
    """

    state: State
    text: str
    more: tuple[str, ...] = ()
    bar: float | None = None
    shapes: tuple[Shape, ...] = ()
    choices: tuple[Choice, ...] = ()
    handles: tuple[Handle, ...] = ()


@dataclass(frozen=True)
class Heard:
    """An event of bell or sandtimer, and when it arrived, ns: later than its own time by what it took."""

    event: Event
    arrived_ns: int


@dataclass(frozen=True)
class Kept:
    """What is remembered of a step. state: of `State`, or "skipped". data: what later steps, and the page, may want.

    text: what was found, a `referee.phrases.Phrase` where it is to be said in the language of another day.
    """

    state: str
    text: str = ""
    data: Mapping[str, object] = field(default_factory=dict)


@dataclass(frozen=True, eq=False)
class Seen:
    """What a step is told.

    since_ns: when the step was opened. image (h, w, 3) BGR: the newest picture, None if none comes; its t_ns. heard:
    since the step was opened. troubles: a sentence a device that does not work, by its kind. notes: what the camera
    could not do, in words. settling: whether the camera sets itself up. level: of the microphone, 0 to 1; None: it is
    not listened to. kept: of the steps. cameras: gives those that are plugged in, what each is set by and is called.
    """

    now_ns: int
    since_ns: int
    language: Language
    settings: TableSettings
    folder: Path
    image: Image | None = None
    image_t_ns: int = 0
    heard: Sequence[Heard] = ()
    profile: TableProfile | None = None
    troubles: Mapping[str, str] = field(default_factory=dict)
    notes: Sequence[str] = ()
    settling: bool = False
    level: float | None = None
    kept: Mapping[str, Kept] = field(default_factory=dict)
    cameras: Callable[[], Sequence[tuple[str, str]]] = tuple

    @property
    def size_px(self) -> tuple[int, int]:
        """Width and height of the picture."""
        return (0, 0) if self.image is None else (self.image.shape[1], self.image.shape[0])


@dataclass(frozen=True, eq=False)
class Wish:
    """What a step wants done.

    settings: changes of them. cameras: the first of these that gives a picture is taken. settle: the camera set up
    again. signal: what the lamp shows.
    """

    settings: Mapping[str, object] = field(default_factory=dict)
    profile: TableProfile | None = None
    settle: bool = False
    signal: Signal | None = None
    say: str = ""
    data: Mapping[str, object] = field(default_factory=dict)
    cameras: Sequence[str] = ()


class Step(Protocol):
    """One step. A new one is made each time it is opened; `look` is called some times a second."""

    name: str

    def title(self, language: Language) -> str:
        """What it is called."""

    def ask(self, language: Language) -> str:
        """What to do, in one sentence; it is said aloud."""

    def begin(self, seen: Seen) -> Wish:
        """What is to be done when it is opened."""

    def look(self, seen: Seen) -> Finding:
        """What is found now."""

    def answer(self, seen: Seen, answer: Mapping[str, object]) -> Wish:
        """Take a choice. Raises BadInputError if it is none of those."""

    def keep(self, seen: Seen) -> Wish:
        """What is to be kept of what was found."""


def shares(corners_px: Points, size_px: tuple[int, int]) -> tuple[tuple[float, float], ...]:
    """Give points (n, 2) in px in shares of the picture's size."""
    return tuple((round(float(x) / size_px[0], 4), round(float(y) / size_px[1], 4)) for x, y in corners_px)


def camera_missing(seen: Seen) -> Finding:
    """Give what is found where no picture comes."""
    why = seen.troubles.get("camera", "")
    if not why:
        return Finding(State.WAIT, seen.language.text("One moment: the camera is being started."))
    ask = seen.language.text("No picture comes from the camera: check its cable, or choose another one in Settings.")
    return Finding(State.MISSING, ask, (why,))
