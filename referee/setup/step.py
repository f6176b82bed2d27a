"""Values of the set-up steps: observations in, findings and wishes out; no devices, files or clocks."""

from __future__ import annotations

import json
import threading
from collections import deque
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from enum import Enum
from pathlib import Path
from typing import Protocol

from hardware.events import BellEdge, BellPressed, SandEdge, TimedEvent
from hardware.lamp import Signal
from hardware.problems import Problem
from referee.errors import BadInputError, WorkFailedError
from referee.files import kept_data, set_aside, write_whole
from referee.language import Language
from referee.match.settings import TableSettings
from referee.phrases import as_data, from_data
from referee.sayings.service import GUARD, problem
from vision.arrays import Image, Points
from vision.profile import TableProfile, seats_fit


class State(Enum):
    """GOOD: may be stored. MEND: may be stored, but could be better. WAIT: unknown yet. MISSING: there is no device."""

    GOOD = "good"
    MEND = "mend"
    WAIT = "wait"
    MISSING = "missing"


@dataclass(frozen=True)
class Choice:
    """A button beside the main one: `answer` goes to the step, `href` leads to another page.

    chosen: whether this is the present state; None: the choice is an action.
    """

    text: str
    answer: Mapping[str, object] = field(default_factory=dict)
    href: str = ""
    chosen: bool | None = None


@dataclass(frozen=True)
class Shape:
    """Outline over the live picture: corners as fractions of its size; kind "good", "bad" or "seat"."""

    corners: tuple[tuple[float, float], ...]
    kind: str = "good"
    label: str = ""


@dataclass(frozen=True)
class Handle:
    """A handle on the picture: `at` as fractions of its size; a drag answers as `seat`.

    round: its place round the table, 0 to 1, clockwise.
    """

    seat: int
    at: tuple[float, float]
    label: str
    round: float


@dataclass(frozen=True)
class StepFinding:
    """Present finding of a step.

    text: one sentence. more: further ones. bar: progress or strength, 0 to 1; None: no bar.
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
    """An event of bell or sandtimer, and its arrival, ns, which is later than its own time."""

    event: TimedEvent
    arrived_ns: int


@dataclass(frozen=True)
class KeptStep:
    """Stored result of a step. state: of `State`, or "skipped". data: values for later steps and the page.

    text: the finding, a `referee.phrases.Phrase` where it has translations.
    """

    state: str
    text: str = ""
    data: Mapping[str, object] = field(default_factory=dict)


@dataclass(frozen=True, eq=False)
class StepInput:
    """Input of a step.

    since_ns: beginning of the step. image (h, w, 3) BGR: the newest picture, None without one; image_t_ns: its time.
    heard: events since the beginning. troubles: a sentence for each kind of device that does not work. notes: sentences
    about settings that the camera could not apply. settling: whether the camera is being set up. level: of the
    microphone, 0 to 1; None: off. kept: stored results of the steps. cameras: returns name in settings and name for
    people of each camera.
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
    kept: Mapping[str, KeptStep] = field(default_factory=dict)
    cameras: Callable[[], Sequence[tuple[str, str]]] = tuple

    @property
    def size_px(self) -> tuple[int, int]:
        """Width and height of the picture."""
        return (0, 0) if self.image is None else (self.image.shape[1], self.image.shape[0])


@dataclass(frozen=True, eq=False)
class Wish:
    """Requested effect of a step.

    settings: changes. settle: set the camera up again. signal: for the lamp.
    """

    settings: Mapping[str, object] = field(default_factory=dict)
    profile: TableProfile | None = None
    settle: bool = False
    signal: Signal | None = None
    say: str = ""
    data: Mapping[str, object] = field(default_factory=dict)


class Step(Protocol):
    """One step, a new object each time it is opened; `look` is called several times a second.

    ask_key: of the instruction, one sentence, which is spoken.
    """

    name: str
    title_key: str
    ask_key: str

    def begin(self, seen: StepInput) -> Wish:
        """Return the wish at the beginning of the step."""
        return Wish()

    def look(self, seen: StepInput) -> StepFinding:
        """Return the present finding."""

    def answer(self, seen: StepInput, answer: Mapping[str, object]) -> Wish:
        """Take a choice. Raises BadInputError for an unknown one."""

    def keep(self, seen: StepInput) -> Wish:
        """Return what the step stores besides its finding."""
        return Wish()


def shares(corners_px: Points, size_px: tuple[int, int]) -> tuple[tuple[float, float], ...]:
    """Return points (n, 2) in px as fractions of the picture's size."""
    return tuple((round(float(x) / size_px[0], 4), round(float(y) / size_px[1], 4)) for x, y in corners_px)


def camera_missing(seen: StepInput) -> StepFinding:
    """Return the finding without a picture."""
    why = seen.troubles.get("camera", "")
    if not why:
        return StepFinding(State.WAIT, seen.language.text("setup.one_moment_camera_is_being"))
    ask = seen.language.text("setup.no_picture_comes_from_camera")
    return StepFinding(State.MISSING, ask, (why,))


_CORNERS = (
    "setup.near_top_left_corner",
    "setup.near_top_right_corner",
    "setup.near_bottom_left_corner",
    "setup.near_bottom_right_corner",
)
_AREAS = (
    "setup.at_top_left",
    "setup.at_top",
    "setup.at_top_right",
    "setup.on_left",
    "setup.in_middle",
    "setup.on_right",
    "setup.at_bottom_left",
    "setup.at_bottom",
    "setup.at_bottom_right",
)
_SIDES = ("setup.left_edge", "setup.right_edge", "setup.top_edge", "setup.bottom_edge")


def corners_without(points: Points, size_px: tuple[int, int]) -> list[int]:
    """Return the picture's quarters, numbered as in `corner`, that contain none of the points (n, 2) px."""
    quarters = {int(x > size_px[0] / 2) + 2 * int(y > size_px[1] / 2) for x, y in points}
    return [quarter for quarter in range(4) if quarter not in quarters]


def corner(number: int, language: Language) -> str:
    """Return "near the top left corner" and so on."""
    return language.text(_CORNERS[number])


def area(x: float, y: float, language: Language) -> str:
    """Return "at the top left" and so on for a point in fractions of the picture's size."""
    column, row = (min(2, max(0, int(3 * share))) for share in (x, y))
    return language.text(_AREAS[3 * row + column])


_SLACK = 0.01  # of the picture's size


def sides_cut(corners: Points, size_px: tuple[int, int]) -> list[int]:
    """Return the picture's sides (left, right, top, bottom: 0 to 3) that some of the points (n, 2) px exceed."""
    width, height = size_px
    x, y = corners[:, 0] / width, corners[:, 1] / height
    beyond = (x.min() < -_SLACK, x.max() > 1 + _SLACK, y.min() < -_SLACK, y.max() > 1 + _SLACK)
    return [side for side, out in enumerate(beyond) if out]


def sides(numbers: Sequence[int], language: Language) -> str:
    """Return "left edge and top edge"."""
    return language.list_of([language.text(_SIDES[number]) for number in numbers])


_MOST = 40_000
"""Two whole runs of a three-minute sandtimer with 100 edges a second fit."""
_KINDS = (BellEdge, BellPressed, SandEdge)


class Hearing:
    """Collects the events of bell and sandtimer. Thread-safe."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._heard: deque[Heard] = deque(maxlen=_MOST)

    def note(self, event: TimedEvent, arrived_ns: int) -> None:
        """Take an event; those of other devices are ignored."""
        if isinstance(event, _KINDS):
            with self._lock:
                self._heard.append(Heard(event, arrived_ns))

    def since(self, t_ns: int) -> tuple[Heard, ...]:
        """Return the events after a time of the monotonic clock."""
        with self._lock:
            return tuple(one for one in self._heard if one.event.t_ns > t_ns)


def troubles_in_words(troubles: Iterable[Problem], language: Language) -> Mapping[str, str]:
    """Return a sentence for each kind of device ("camera", "bell", …) that does not work."""
    return {
        health.part.split()[0]: problem(health, language) for health in troubles if not health.part.startswith(GUARD)
    }


FILE = "setup.json"
SKIPPED = "skipped"
_STATES = frozenset({SKIPPED, *(state.value for state in State)})
_MOST_BYTES = 1 << 16


def load_kept(folder: Path) -> dict[str, KeptStep]:
    """Return the stored result of each step; an invalid file is set aside, and its valid steps stay."""
    data: dict[str, object] = kept_data(folder / FILE, _MOST_BYTES, _object, {})
    kept = kept_from(data)
    if len(kept) < len(data) and set_aside(folder / FILE) is not None:
        with suppress(WorkFailedError):
            save_kept(folder, kept)
    return kept


def _object(data: object) -> dict[str, object]:
    if not isinstance(data, dict):
        raise BadInputError("error.setup.it_is_no_list_of")
    return data


def kept_from(data: Mapping[str, object]) -> dict[str, KeptStep]:
    """Return the valid steps in the data of such a file."""
    kept = {}
    for name, one in data.items():
        if not isinstance(one, dict):
            continue
        state, said, more = one.get("state"), one.get("said", one.get("text", "")), one.get("data")
        if isinstance(state, str) and state in _STATES and isinstance(more, dict | None):
            kept[name] = KeptStep(state, from_data(said, Language("en")), more or {})
    return kept


def deck_of(kept: Mapping[str, KeptStep]) -> str | None:
    """Return the name of the chosen deck; None without one."""
    name = kept["deck"].data.get("deck") if "deck" in kept else None
    return name if isinstance(name, str) and name else None


def seats_of(kept: Mapping[str, KeptStep]) -> dict[int, tuple[float, ...]]:
    """Return the places of moved seats by number of players (`referee.scoring.seats.SeatRing.places`)."""
    places = kept["seats"].data.get("places") if "seats" in kept else None
    found = places.items() if isinstance(places, dict) else ()
    return {int(players): tuple(map(float, at)) for players, at in found if seats_fit(players, at)}


def save_kept(folder: Path, kept: Mapping[str, KeptStep]) -> None:
    """Store the steps atomically.

    Raises:
        WorkFailedError: the disk does not take them.
    """
    data = {name: {"state": one.state, "said": as_data(one.text), "data": dict(one.data)} for name, one in kept.items()}
    folder.mkdir(parents=True, exist_ok=True, mode=0o750)
    write_whole(folder / FILE, (json.dumps(data, indent=1, ensure_ascii=False) + "\n").encode())
