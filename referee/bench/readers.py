"""The reader as the commands use it: the table from the markers in the picture, then the cards."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from vision.deck import Deck
from vision.errors import BadTableError
from vision.reader import read, table_in
from vision.reading import Reading


def read_picture(image: NDArray[np.uint8], deck: Deck) -> Reading:
    """Read a picture, (h, w, 3) uint8 BGR; one without a table gives no cards, so all in it count as missed."""
    try:
        table, _ = table_in(image)
    except BadTableError:
        return Reading((), ())
    return read(image, deck, table)
