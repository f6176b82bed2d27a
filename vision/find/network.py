"""The networks, run by LiteRT on one core."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.errors import VisionError
from vision.find.scale import ASPECT_ZERO, CHANNELS
from vision.library_output import caught_from_libraries

if TYPE_CHECKING:
    from ai_edge_litert.interpreter import Interpreter

Cells = NDArray[np.float32]
_MODELS = Path(__file__).parent.parent / "models"
_UPSIDE_DOWN = np.array([0.5, -0.5, -0.5] + [0.5] * (CHANNELS - 3), np.float32)  # centres are opposite


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


class _Runner:
    """A network whose `image` input may have any size; for any thread."""

    def __init__(self, path: Path, image: str) -> None:
        self._interpreter, self._in_use = _interpreter(path), Lock()
        self._inputs = {entry["name"].split(":")[0].removeprefix("serving_default_"): entry["index"]
                        for entry in self._interpreter.get_input_details()}  # fmt: skip
        self._answer = self._interpreter.get_output_details()[0]["index"]
        self._image, self._size = image, (0,)

    def _answers(self, **inputs: NDArray[np.float32]) -> Cells:
        size = inputs[self._image].shape
        with self._in_use:
            if self._size != size:
                self._interpreter.resize_tensor_input(self._inputs[self._image], size)
                with caught_from_libraries():
                    self._interpreter.allocate_tensors()
                self._size = size
            for name, values in inputs.items():
                self._interpreter.set_tensor(self._inputs[name], values)
            self._interpreter.invoke()
            return np.asarray(self._interpreter.get_tensor(self._answer), np.float32)


class Network(_Runner):
    """Answers for each cell of a view from above: which card is there, and where its centre is."""

    def __init__(self, path: Path = _MODELS / "card_finder.tflite") -> None:
        super().__init__(path, "view")

    def run(self, image: NDArray[np.uint8], marks: NDArray[np.uint8], aspect: float) -> Cells:
        """(h / 2, w / 2, CHANNELS) answers for a view (h, w, 3) BGR; `marks` (h, w) is 1 on known cards.

        `aspect` is a card's long side by its short side, which is SHORT_PX in the view; h and w are multiples of
        STRIDE_PX.
        """
        view = np.empty((2, *marks.shape, 4), np.float32)
        np.multiply(cv2.merge([image, 255 * marks]), np.float32(1 / 255), out=view[0])
        cv2.flip(view[0], -1, view[1])
        answer = self._answers(view=view, aspect=np.array([[aspect - ASPECT_ZERO]], np.float32))
        h, w = answer.shape[1:3]
        # The mean of two looks, one upside down: of half covered cards 6 % more get votes within 8 mm.
        one, other = answer.reshape(2, -1, CHANNELS)
        mean = one * np.float32(0.5) + other[::-1] * _UPSIDE_DOWN
        cells = mean.reshape(h, w, 2, 2, CHANNELS).transpose(0, 2, 1, 3, 4)  # each place of an answer has four cells
        return np.ascontiguousarray(cells).reshape(2 * h, 2 * w, CHANNELS)


class CropNetwork(_Runner):
    """Answers for each cell of a crop: whether its card is there, and where that card's sides are."""

    def __init__(self, path: Path = _MODELS / "card_crops.tflite") -> None:
        super().__init__(path, "crop")

    def run(self, crops: NDArray[np.float32]) -> Cells:
        """(n, CROP_PX / 2, CROP_PX / 2, CROP_CHANNELS) answers for crops (n, CROP_PX, CROP_PX, 4), 0..1."""
        # Sixteen at once take as long as one after the other.
        return np.concatenate([self._answers(crop=crop[None]) for crop in crops])


@cache
def shipped_networks() -> tuple[Network, CropNetwork]:
    """The networks that the package ships, loaded once."""
    return Network(), CropNetwork()
