"""Errors of the reader: each is one sentence for people, with a key for its translations."""

from __future__ import annotations

import re
from collections.abc import Mapping


class Sentence:
    """A sentence or a part of one. key: for its translations; text: in English, with {places} for the values."""

    def __init__(self, key: str, text: str, /, **values: object) -> None:
        self.key, self.text, self.values = key, text, values

    def __str__(self) -> str:
        """Return the English text."""
        return _filled(self.text, self.values)


class Listed(tuple[object, ...]):
    """Values that are listed in a sentence: "1, 2 and 3"."""

    __slots__ = ()

    def __str__(self) -> str:
        """Return the list in English."""
        return " and ".join(filter(None, [", ".join(map(str, self[:-1])), *map(str, self[-1:])]))


THE_PICTURE = Sentence("error.picture", "the picture")
"""Name of a picture without a name."""


class VisionError(Exception):
    """Any error of the reader; see `Sentence`."""

    def __init__(self, key: str, text: str, /, **values: object) -> None:
        super().__init__(key, text)
        self.key, self.text, self.values = key, text, values

    def __str__(self) -> str:
        """Return the English text."""
        return _filled(self.text, self.values)


class BadImageError(VisionError, ValueError):
    """A file that is not a picture, is torn, or is too large."""


class BadDeckError(VisionError, ValueError):
    """A deck that does not exist or whose description contradicts itself."""


class BadTableError(VisionError, ValueError):
    """Markers or a table profile that define no table."""


class MirroredError(BadTableError):
    """A picture with left and right swapped, by its markers."""


class DoubledMarkerError(BadTableError):
    """A picture with several marker cards of one number; `ids` are those numbers."""

    def __init__(self, ids: tuple[int, ...], name: str | Sentence = THE_PICTURE) -> None:
        self.ids = ids
        if len(ids) == 1:
            super().__init__(
                "error.marker_card_is_in_twice",
                "marker card {number} is in {picture} twice: take away the one that does not belong there",
                number=ids[0],
                picture=name,
            )
        else:
            super().__init__(
                "error.marker_cards_are_in_twice",
                "marker cards {list} are in {picture} twice: take away the ones that do not belong there",
                list=Listed(ids),
                picture=name,
            )


class MovedCameraError(BadTableError):
    """A picture that does not show the camera at its surveyed place."""


class BadLessonError(VisionError, ValueError):
    """Pictures, names or sizes from which no deck can be learned."""


def _filled(text: str, values: Mapping[str, object]) -> str:
    return re.sub(r"\{(\w+)\}", lambda place: str(values.get(place[1], place[0])), text)
