"""The walk through the set-up steps."""

from __future__ import annotations

import threading
from collections.abc import Mapping
from typing import Any, Protocol

import cv2

from hardware.problems import one_line
from referee.errors import BadInputError
from referee.log import LOG
from referee.phrases import in_language
from referee.setup.camera import CameraStep
from referee.setup.check import CheckStep
from referee.setup.devices import BellStep, LampStep, SandtimerStep
from referee.setup.light import LightStep
from referee.setup.seats import DeckStep, SeatsStep
from referee.setup.step import SKIPPED, KeptStep, State, Step, StepFinding, StepInput, Wish, load_kept, save_kept
from referee.setup.table import TableStep
from vision.errors import VisionError

FAULTS = (cv2.error, VisionError, ArithmeticError, LookupError, OSError, RuntimeError, TypeError, ValueError)
_IN_ORDER: tuple[type[Step], ...] = (
    CameraStep,
    TableStep,
    SeatsStep,
    LightStep,
    BellStep,
    SandtimerStep,
    LampStep,
    DeckStep,
    CheckStep,
)
_MAKERS = {step.name: step for step in _IN_ORDER}
NAMES = tuple(_MAKERS)


def new_step(name: str) -> Step:
    """Return a new step.

    Raises:
        BadInputError: there is no step of this name.
    """
    if name not in _MAKERS:
        raise BadInputError("error.setup.there_is_no_such_step", list=", ".join(NAMES))
    return _MAKERS[name]()


class Kit(Protocol):
    """Devices of the walk: the running referee's, or the terminal's own."""

    def seen(self, since_ns: int, kept: Mapping[str, KeptStep]) -> StepInput:
        """Return the present input of a step, with the events since a time of the monotonic clock."""

    def carry_out(self, wish: Wish) -> None:
        """Apply a step's wish.

        Raises:
            BadInputError: a setting is invalid.
            WorkFailedError: the disk does not take it.
        """

    def now_ns(self) -> int:
        """Return the time of the monotonic clock."""


class Walk:
    """Opens steps, one at a time, and stores their results, `kept` by step, in the state folder. Thread-safe."""

    def __init__(self, kit: Kit) -> None:
        self._kit = kit
        self._lock = threading.RLock()
        self._step: Step | None = None
        self._since_ns = 0
        self.kept = load_kept(kit.seen(kit.now_ns(), {}).folder)

    @property
    def left(self) -> list[str]:
        """The steps that were neither stored nor skipped, in order."""
        return [name for name in NAMES if name not in self.kept]

    def open(self, name: str) -> None:
        """Begin a step, and say its instruction.

        Raises:
            BadInputError: there is no such step.
        """
        with self._lock:
            step = new_step(name)
            self._step, self._since_ns = step, self._kit.now_ns()
            seen = self._seen()
            self._kit.carry_out(step.begin(seen))
            self._kit.carry_out(Wish(say=seen.language.text(step.ask_key)))

    def look(self) -> tuple[str, StepFinding]:
        """Return the open step's name and its present finding.

        Raises:
            BadInputError: no step is open.
        """
        with self._lock:
            step = self._opened()
            return step.name, _found(step, self._seen())

    def answer(self, answer: Mapping[str, object]) -> None:
        """Take a choice.

        Raises:
            BadInputError: it is unknown.
        """
        with self._lock:
            step = self._opened()
            wish = step.answer(self._seen(), answer)
            self._kit.carry_out(wish)
            if wish.data:
                before = self.kept.get(step.name, KeptStep(SKIPPED))
                self._keep(step.name, KeptStep(before.state, before.text, {**before.data, **wish.data}))

    def keep(self) -> StepFinding:
        """Store the open step's finding, and close the step.

        Raises:
            BadInputError: there is nothing to store yet.
            WorkFailedError: the disk does not take it.
        """
        with self._lock:
            step = self._opened()
            seen = self._seen()
            found = _found(step, seen)
            if found.state is not State.MISSING:
                wish = step.keep(seen)
                self._kit.carry_out(wish)
                self._keep(step.name, KeptStep(found.state.value, found.text, dict(wish.data)))
            else:
                self._keep(step.name, KeptStep(found.state.value, found.text))
            self._step = None
            return found

    def skip(self) -> None:
        """Close the open step without a result; an earlier one stays."""
        with self._lock:
            step = self._opened()
            self.kept.setdefault(step.name, KeptStep(SKIPPED))
            save_kept(self._seen().folder, self.kept)
            self._step = None

    def close(self) -> None:
        """Close the open step; setting up can go on later."""
        with self._lock:
            self._step = None

    def progress(self, *, look: bool) -> dict[str, Any]:
        """Return the progress, and, to `look`, the open step's finding now.

        `{"steps": […], "open": a step's name or null, "finding": null or …, "left": the steps that are not done}`.
        Steps: `{"step", "title", "ask", "state": null where nothing is kept, "good", "mend", "wait", "missing" or
        "skipped", "text"}`. A finding: `{"step", "state", "text", "more": sentences, "bar": 0 to 1 or null, "shapes":
        [{"corners": shares of the picture, "kind", "label"}], "choices": [{"text", "answer", "href", "chosen"}]}`.
        """
        with self._lock:
            seen, step = self._seen(), self._step
            language = seen.language
            steps = [
                {
                    "step": name,
                    "title": language.text(made.title_key),
                    "ask": language.text(made.ask_key),
                    "state": self.kept[name].state if name in self.kept else None,
                    "text": in_language(self.kept[name].text, language) if name in self.kept else "",
                }
                for name, made in _MAKERS.items()
            ]
            return {
                "steps": steps,
                "open": None if step is None else step.name,
                "finding": None if step is None or not look else _as_data(step.name, _found(step, seen)),
                "left": self.left,
            }

    def _keep(self, name: str, kept: KeptStep) -> None:
        self.kept[name] = kept
        save_kept(self._seen().folder, self.kept)

    def _seen(self) -> StepInput:
        return self._kit.seen(self._since_ns, self.kept)

    def _opened(self) -> Step:
        if self._step is None:
            raise BadInputError("error.setup.no_step_of_setting_up")
        return self._step


def _found(step: Step, seen: StepInput) -> StepFinding:
    """Return a step's finding; a picture that makes it fail does not stop the walk."""
    try:
        return step.look(seen)
    except FAULTS as error:
        LOG.warning("the step %s failed: %s: %s", step.name, type(error).__name__, one_line(error))
        text = seen.language.text("setup.what_camera_shows_now_tells")
        return StepFinding(State.MISSING, text)


def _as_data(name: str, finding: StepFinding) -> dict[str, Any]:
    """Return a finding as data for the page."""
    return {
        "step": name,
        "state": finding.state.value,
        "text": finding.text,
        "more": list(finding.more),
        "bar": None if finding.bar is None else round(finding.bar, 3),
        "shapes": [{"corners": shape.corners, "kind": shape.kind, "label": shape.label} for shape in finding.shapes],
        "choices": [
            {"text": one.text, "answer": dict(one.answer), "href": one.href, "chosen": one.chosen}
            for one in finding.choices
        ],
        "handles": [
            {"seat": one.seat, "at": one.at, "label": one.label, "round": round(one.round, 3)}
            for one in finding.handles
        ],
    }
