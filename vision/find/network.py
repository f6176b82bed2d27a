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
from vision.find.scale import ASPECT_ZERO, CELL_PX, CHANNELS
from vision.library_output import caught_from_libraries

if TYPE_CHECKING:
    from ai_edge_litert.interpreter import Interpreter

Cells = NDArray[np.float32]
_MODELS = Path(__file__).parent.parent / "models"
LEAST_CARD = 0.2  # probability from which a cell votes
_LIGHT = np.float32(1 / 255)
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
        self._image, self._shape = self._inputs[image], (0,)

    def _answer_to(self, image: NDArray[np.uint8], **others: Cells) -> Cells:
        """The answer to an image (h, w, 4), BGR and 255 on known cards, while `_in_use` is held."""
        if self._shape != image.shape:
            self._interpreter.resize_tensor_input(self._image, (1, *image.shape))
            with caught_from_libraries():
                self._interpreter.allocate_tensors()
            self._shape = image.shape
        for name, values in others.items():
            self._interpreter.set_tensor(self._inputs[name], values)
        # Straight into the network's memory: each copy of a view takes half a millisecond.
        np.multiply(image, _LIGHT, out=self._interpreter.tensor(self._image)()[0])
        self._interpreter.invoke()
        return np.asarray(self._interpreter.get_tensor(self._answer)[0], np.float32)


class Network(_Runner):
    """Answers for each cell of a view from above: which card is there, and where its centre is."""

    def __init__(self, path: Path = _MODELS / "card_finder.tflite") -> None:
        super().__init__(path, "view")

    def run(
        self, image: NDArray[np.uint8], marks: NDArray[np.uint8], aspect: float, *, twice: bool = True
    ) -> tuple[NDArray[np.intp], Cells]:
        """Places (m, 2), x and y, of cells that may show a card, and answers (m, CHANNELS), for a view (h, w, 3) BGR.

        `marks` (h, w) is 255 on known cards, whose cells are left out; `aspect` is a card's long side by its short
        side, which is SHORT_PX in the view; h and w are multiples of STRIDE_PX. twice: look upside down as well.
        """
        view, shape = np.asarray(cv2.merge([image, marks]), np.uint8), np.array([[aspect - ASPECT_ZERO]], np.float32)
        with self._in_use:
            one = self._answer_to(view, aspect=shape).reshape(-1, CHANNELS)
            other = one[::-1] * (2 * _UPSIDE_DOWN)
            if twice:
                other = self._answer_to(view[::-1, ::-1], aspect=shape).reshape(-1, CHANNELS)
        # The mean of two looks, one upside down: of half covered cards 6 % more get votes within 8 mm.
        some = np.flatnonzero(one[:, 0] + other[::-1, 0] > 2 * np.log(LEAST_CARD / (1 - LEAST_CARD)))
        place, (row, column) = some // 4, np.divmod(some % 4, 2)  # each place of an answer has four cells
        y, x = np.divmod(place, marks.shape[1] // (2 * CELL_PX))
        at = np.stack([2 * x + column, 2 * y + row], -1)
        new = marks[CELL_PX * at[:, 1], CELL_PX * at[:, 0]] == 0
        some = some[new]
        return at[new], one[some] * np.float32(0.5) + other[-1 - some] * _UPSIDE_DOWN


class CropNetwork(_Runner):
    """Answers for each cell of a crop: whether its card is there, and where that card's sides are."""

    def __init__(self, path: Path = _MODELS / "card_crops.tflite") -> None:
        super().__init__(path, "crop")

    def run(self, crops: NDArray[np.uint8]) -> Cells:
        """(n, CROP_PX / 2, CROP_PX / 2, CROP_CHANNELS) answers for crops (n, CROP_PX, CROP_PX, 4), marks are 255."""
        with self._in_use:
            return np.stack([self._answer_to(crop) for crop in crops])  # sixteen at once take as long


@cache
def shipped_networks() -> tuple[Network, CropNetwork]:
    """The networks that the package ships, loaded once."""
    return Network(), CropNetwork()
