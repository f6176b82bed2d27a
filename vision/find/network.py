"""The card network, run by LiteRT on one core."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from vision.errors import VisionError
from vision.find.scale import ASPECT_ZERO, CHANNELS
from vision.library_output import caught_from_libraries

if TYPE_CHECKING:
    from ai_edge_litert.interpreter import Interpreter

Cells = NDArray[np.float32]
WEIGHTS = Path(__file__).parent.parent / "models" / "card_finder.tflite"


class NoNetworkError(VisionError, RuntimeError):
    """The network's file or its runtime is missing or unusable."""


class Network:
    """Answers for each cell of a view from above: which card is there, and where its centre is.

    One thread at a time: others wait.
    """

    def __init__(self, path: Path = WEIGHTS) -> None:
        if not path.is_file():
            raise NoNetworkError(f"the card finder's file {path.name} is missing: install Ringmaster again")
        try:
            from ai_edge_litert.interpreter import Interpreter
        except ImportError as error:
            raise NoNetworkError("the package ai-edge-litert is missing: install Ringmaster again") from error
        try:
            with caught_from_libraries():  # it reports its delegates
                self._interpreter: Interpreter = Interpreter(str(path), num_threads=1)
        except (ValueError, RuntimeError) as error:
            raise NoNetworkError(f"the card finder's file {path.name} is damaged: install Ringmaster again") from error
        inputs = {entry["name"].split(":")[0].removeprefix("serving_default_"): entry["index"]
                  for entry in self._interpreter.get_input_details()}  # fmt: skip
        self._view, self._aspect = inputs["view"], inputs["aspect"]
        self._answer = self._interpreter.get_output_details()[0]["index"]
        self._size = (0, 0)
        self._lock = Lock()

    def run(self, image: NDArray[np.uint8], marks: NDArray[np.uint8], aspect: float) -> Cells:
        """(h / 2, w / 2, CHANNELS) answers for a view (h, w, 3) BGR; `marks` (h, w) is 1 on known cards.

        `aspect` is a card's long side by its short side, which is SHORT_PX in the view; h and w are multiples of
        STRIDE_PX.
        """
        with self._lock:
            return self._run(image, marks, aspect)

    def _run(self, image: NDArray[np.uint8], marks: NDArray[np.uint8], aspect: float) -> Cells:
        h, w = marks.shape
        if self._size != (h, w):
            self._interpreter.resize_tensor_input(self._view, (1, h, w, 4))
            with caught_from_libraries():
                self._interpreter.allocate_tensors()
            self._size = (h, w)
        view = np.empty((1, h, w, 4), np.float32)
        np.multiply(image, np.float32(1 / 255), out=view[0, ..., :3])
        view[0, ..., 3] = marks
        self._interpreter.set_tensor(self._view, view)
        self._interpreter.set_tensor(self._aspect, np.array([[aspect - ASPECT_ZERO]], np.float32))
        self._interpreter.invoke()
        answer = self._interpreter.get_tensor(self._answer)[0]
        return unfolded(np.asarray(answer, np.float32))


def unfolded(answer: Cells) -> Cells:
    """(2h, 2w, CHANNELS) cells of an answer (h, w, 4 CHANNELS) with four cells a place."""
    h, w = answer.shape[:2]
    cells = answer.reshape(h, w, 2, 2, CHANNELS).transpose(0, 2, 1, 3, 4)
    return np.ascontiguousarray(cells).reshape(2 * h, 2 * w, CHANNELS)


@cache
def shipped_network() -> Network:
    """The network that the package ships, loaded once."""
    return Network()
