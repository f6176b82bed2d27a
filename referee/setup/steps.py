"""All steps of setting up, in their order."""

from __future__ import annotations

from collections.abc import Callable

from referee.errors import BadInputError
from referee.setup.bell import BellStep
from referee.setup.camera import CameraStep
from referee.setup.check import CheckStep
from referee.setup.deck import DeckStep
from referee.setup.finding import Step
from referee.setup.lamp import LampStep
from referee.setup.light import LightStep
from referee.setup.sandtimer import SandtimerStep
from referee.setup.seats import SeatsStep
from referee.setup.table import TableStep

_MAKERS: dict[str, Callable[[], Step]] = {
    "camera": CameraStep,
    "table": TableStep,
    "seats": SeatsStep,
    "light": LightStep,
    "bell": BellStep,
    "sandtimer": SandtimerStep,
    "lamp": LampStep,
    "deck": DeckStep,
    "check": CheckStep,
}
NAMES = tuple(_MAKERS)


def new_step(name: str) -> Step:
    """Give a step that is begun.

    Raises:
        BadInputError: there is none of this name.
    """
    if name not in _MAKERS:
        raise BadInputError(f"there is no such step, there is {', '.join(NAMES)}")
    return _MAKERS[name]()
