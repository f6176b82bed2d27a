"""The networks, run by LiteRT on one core."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from vision.errors import VisionError
from vision.find.scale import ASPECT_ZERO, CHANNELS, CROP_PX
from vision.library_output import caught_from_libraries

if TYPE_CHECKING:
    from ai_edge_litert.interpreter import Interpreter

Cells = NDArray[np.float32]
_MODELS = Path(__file__).parent.parent / "models"
_CROPS = 2  # that the crop network takes at once: a pile has one or two hypotheses


class NoNetworkError(VisionError, RuntimeError):
    """The network's file or its runtime is missing or unusable."""


def _interpreter(path: Path) -> Interpreter:
    if not path.is_file():
        raise NoNetworkError(
            "error.finder.card_finders_file_is_missing",
            "the card finder's file {path} is missing: install Ringmaster again",
            path=path.name,
        )
    try:
        from ai_edge_litert.interpreter import Interpreter
    except ImportError as error:
        raise NoNetworkError(
            "error.finder.package_ai_edge_litert_is", "the package ai-edge-litert is missing: install Ringmaster again"
        ) from error
    try:
        with caught_from_libraries():  # it reports its delegates
            return Interpreter(str(path), num_threads=1)
    except (ValueError, RuntimeError) as error:
        raise NoNetworkError(
            "error.finder.card_finders_file_is_damaged",
            "the card finder's file {path} is damaged: install Ringmaster again",
            path=path.name,
        ) from error


class Network:
    """Answers for each cell of a view from above: which card is there, and where its centre is. For any thread."""

    def __init__(self, path: Path = _MODELS / "card_finder.tflite") -> None:
        self._interpreter, self._in_use = _interpreter(path), Lock()
        inputs = {entry["name"].split(":")[0].removeprefix("serving_default_"): entry["index"]
                  for entry in self._interpreter.get_input_details()}  # fmt: skip
        self._view, self._aspect = inputs["view"], inputs["aspect"]
        self._answer = self._interpreter.get_output_details()[0]["index"]
        self._size = (0, 0)

    def run(self, image: NDArray[np.uint8], marks: NDArray[np.uint8], aspect: float) -> Cells:
        """(h / 2, w / 2, CHANNELS) answers for a view (h, w, 3) BGR; `marks` (h, w) is 1 on known cards.

        `aspect` is a card's long side by its short side, which is SHORT_PX in the view; h and w are multiples of
        STRIDE_PX.
        """
        h, w = marks.shape
        view = np.empty((1, h, w, 4), np.float32)
        np.multiply(image, np.float32(1 / 255), out=view[0, ..., :3])
        view[0, ..., 3] = marks
        with self._in_use:
            if self._size != (h, w):
                self._interpreter.resize_tensor_input(self._view, (1, h, w, 4))
                with caught_from_libraries():
                    self._interpreter.allocate_tensors()
                self._size = (h, w)
            self._interpreter.set_tensor(self._view, view)
            self._interpreter.set_tensor(self._aspect, np.array([[aspect - ASPECT_ZERO]], np.float32))
            self._interpreter.invoke()
            return _unfolded(np.asarray(self._interpreter.get_tensor(self._answer)[0], np.float32))


class CropNetwork:
    """Answers for each cell of a crop: whether its card is there, and where that card's sides are. For any thread."""

    def __init__(self, path: Path = _MODELS / "card_crops.tflite") -> None:
        self._interpreter, self._in_use = _interpreter(path), Lock()
        self._crops = self._interpreter.get_input_details()[0]["index"]
        self._answer = self._interpreter.get_output_details()[0]["index"]
        self._interpreter.resize_tensor_input(self._crops, (_CROPS, CROP_PX, CROP_PX, 4))
        with caught_from_libraries():
            self._interpreter.allocate_tensors()

    def run(self, crops: NDArray[np.float32]) -> Cells:
        """(n, CROP_PX / 2, CROP_PX / 2, CROP_CHANNELS) answers for crops (n, CROP_PX, CROP_PX, 4), 0..1."""
        answers = []
        for start in range(0, len(crops), _CROPS):
            some = crops[start : start + _CROPS]
            full = np.zeros((_CROPS, *crops.shape[1:]), np.float32)
            full[: len(some)] = some
            with self._in_use:
                self._interpreter.set_tensor(self._crops, full)
                self._interpreter.invoke()
                answers.append(self._interpreter.get_tensor(self._answer)[: len(some)])
        return np.concatenate(answers)


def _unfolded(answer: Cells) -> Cells:
    """(2h, 2w, CHANNELS) cells of an answer (h, w, 4 CHANNELS) with four cells a place."""
    h, w = answer.shape[:2]
    cells = answer.reshape(h, w, 2, 2, CHANNELS).transpose(0, 2, 1, 3, 4)
    return np.ascontiguousarray(cells).reshape(2 * h, 2 * w, CHANNELS)


@cache
def shipped_networks() -> tuple[Network, CropNetwork]:
    """The networks that the package ships, loaded once."""
    return Network(), CropNetwork()
