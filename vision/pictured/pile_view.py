"""What a framed card shows, cell by cell, by the white of its own margin, in whatever shadow that lies."""

from __future__ import annotations

from dataclasses import dataclass, replace

import cv2
import numpy as np

from vision.arrays import Floats, Image, Singles
from vision.channels import largest
from vision.pictured.pile_faces import CLIPPED, LIKE_WHITE, WHOLE, FaceReader
from vision.pictured.pile_shadow import Shadow, shade_of, shadow_on
from vision.prints.light_model import ArtFields, Light, Seen

_CAMERA, _CAMERA_LEVELS = 0.03, 3.0  # the camera's noise, of white and in grey levels
_BLEACHED = 0.3  # of a card's white that is as bright as the camera can tell


@dataclass(frozen=True, eq=False)
class View:
    """A framed card: what it shows, its white at every cell, (3, cells), and the share of the margin that is white.

    Where a `shadow` is taken into account, `shade` (3, cells) is how much of the light reaches each cell.
    """

    seen: Seen
    ground: Singles
    white: float
    shadow: Shadow | None = None
    shade: Singles | None = None

    def turned(self) -> View:
        """The same the other way up, if that has its margins in the same cells."""
        shade = None if self.shade is None else self.shade[:, ::-1]
        return replace(self, seen=self.seen.turned(), ground=self.ground[:, ::-1], shade=shade)


class Viewer:
    """Views framed cards of one deck."""

    def __init__(self, faces: FaceReader) -> None:
        self.faces = faces
        self.used = faces.frame | faces.margin
        self.framed = faces.frame[self.used]

    def flat(self, cells: cv2.typing.MatLike) -> Singles:
        """The used cells of a card, (3, cells), channel after channel."""
        return np.ascontiguousarray(cells[self.used].T, np.float32)

    def view(self, image_bgr: Image, frame_px: Floats, before: View | None = None) -> View:
        """What a frame that begins at a picture's top-left shows; one that has moved little keeps its white."""
        card = self.faces.levels(image_bgr, frame_px)
        levels = self.flat(card)
        if before is not None:
            seen = replace(before.seen, levels=levels / before.ground, clipped=levels >= CLIPPED)
            return replace(before, seen=seen)
        return self._seen(levels, *self.faces.ground(card))

    def in_shadow(self, image_bgr: Image, frame_px: Floats) -> View | None:
        """The same with the shadow that lies across the margin taken into account; None if none does."""
        card = self.faces.levels(image_bgr, frame_px)
        shadow = shadow_on(card, self.faces.margin)
        if shadow is None:
            return None
        ground = (shadow.lit_levels * np.sqrt(shadow.guess)).astype(np.float32)
        levels, shade = self.flat(card), self.flat(shadow.guess)
        view = self._seen(levels, ground, self._white(levels, self.flat(ground)))
        return replace(view, shadow=shadow, shade=shade)

    def shaded(self, view: View, art: ArtFields, light: Light) -> View:
        """The view with its shadow where a picture, fitted in some light, says that it lies."""
        if view.shadow is None or view.shade is None:
            return view
        levels = view.seen.levels * view.ground
        lit = np.asarray(view.ground / np.sqrt(view.shade), np.float32)
        noise = np.stack([art.noise, np.full_like(art.noise, view.seen.noise)])
        cells = (self.used, self.faces.margin)
        shade = shade_of(view.shadow, levels / lit, np.asarray(np.sqrt(light.light), np.float32), noise, cells)
        ground = np.asarray(lit * np.sqrt(shade), np.float32)
        white = self._white(levels, ground)
        seen = replace(view.seen, levels=levels / ground, whole=white > WHOLE)
        return replace(view, seen=seen, ground=ground, white=white, shade=shade)

    def _white(self, levels: Singles, ground: Singles) -> float:
        """The share of the margin that is as bright as its white, by levels and white of used cells (3, cells)."""
        as_bright = levels[:, ~self.framed] > (1 - LIKE_WHITE) * ground[:, ~self.framed]
        return float(as_bright.all(axis=0).mean())

    def _seen(self, levels: Singles, ground: Singles, white: float) -> View:
        """A view by grey levels (3, cells), their white (h, w, 3), and the share of the margin that is."""
        bleached = float((largest(ground) >= CLIPPED).mean()) > _BLEACHED
        noise = _CAMERA**2 + (_CAMERA_LEVELS / float(ground.mean())) ** 2
        flat = self.flat(np.minimum(ground, 255))
        return View(Seen(levels / flat, levels >= CLIPPED, bleached, white > WHOLE, noise), flat, white)
