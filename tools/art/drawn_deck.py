"""A deck of prints that Ringmaster draws itself: SVG, pictures for the reader, and a deck file."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from io import BytesIO
from typing import Literal

import cv2
import numpy as np
import pypdfium2
from numpy.typing import NDArray
from reportlab.graphics import renderPDF
from reportlab.graphics.shapes import Drawing
from svglib.svglib import svg2rlg

from vision.deck import Deck, Face

ART_PX_PER_MM = 3.0
_FINER = 4


@dataclass(frozen=True)
class DrawnFace:
    """A face: attributes, number of cards, SVG, and the face on the other side of these cards."""

    id: str
    attributes: Mapping[str, str]
    count: int
    svg: Callable[[], str]
    behind: str = "back"
    side: Literal["front", "back"] = "front"

    def drawing(self) -> Drawing:
        """Return the drawing for the printer.

        Raises:
            ValueError: its SVG is broken.
        """
        drawn = svg2rlg(BytesIO(self.svg().encode()))
        if drawn is None:
            raise ValueError(f"{self.id} is not drawn as SVG")
        return drawn


@dataclass(frozen=True)
class DrawnDeck:
    """A deck of drawn faces; see `Deck`."""

    name: str
    game: str | None
    card_mm: tuple[float, float]
    corner_radius_mm: float
    faces: tuple[DrawnFace, ...]

    def art(self, face: DrawnFace) -> NDArray[np.uint8]:
        """Return a face as it is printed, (h, w, 3) uint8 BGR."""
        return rendered(face.drawing(), self.card_mm, ART_PX_PER_MM)

    def as_prints(self) -> Deck:
        """Return the deck as the reader needs it."""
        prints = [Face(face.id, face.side, face.attributes, self.art(face), face.count) for face in self.faces]
        return Deck(self.name, self.card_mm, tuple(prints), self.game, self.corner_radius_mm)


def rendered(
    drawing: Drawing, card_mm: tuple[float, float], px_per_mm: float, finer: int = _FINER
) -> NDArray[np.uint8]:
    """Return a card's drawing as it is printed, (h, w, 3) uint8 BGR."""
    document = pypdfium2.PdfDocument(renderPDF.drawToString(drawing))
    size = (round(card_mm[0] * px_per_mm), round(card_mm[1] * px_per_mm))
    try:
        fine = np.array(document[0].render(scale=finer * size[0] / drawing.width).to_numpy()[:, :, :3])
    finally:
        document.close()
    # Rendered pages are a pixel larger than the card; shrinking moves the edges to the picture's edges.
    return np.asarray(cv2.resize(fine, size, interpolation=cv2.INTER_AREA), np.uint8)
