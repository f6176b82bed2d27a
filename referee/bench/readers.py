"""The reader as the bench measures it: what `ringmaster read` does with a picture and no table profile."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from vision.deck import Deck
from vision.marked import reader
from vision.reading import Reading


def read_picture(image: NDArray[np.uint8], deck: Deck) -> Reading:
    """Read a picture, (h, w, 3) uint8 BGR, by its markers or, without any, by its cards."""
    return reader.read_picture(image, deck)[0]
