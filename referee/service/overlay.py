"""What the watcher saw in the picture that something was judged on: kept with the evidence, and drawn over it. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from hardware.camera.frames import Frame
from referee.engine.session import Outline


@dataclass(frozen=True)
class Overlay:
    """Outlines in a frame of `size_px` (width, height) whose exposure ended at `exposure_end_ns`, monotonic."""

    exposure_end_ns: int
    size_px: tuple[int, int]
    outlines: tuple[Outline, ...]

    def in_cut(self, corner_px: tuple[int, int], cut_px: tuple[int, int], t_ms: float) -> dict[str, Any]:
        """Give it for a part of the frame: its top left corner, its width and height; t_ms: from the event.

        `{"t_ms", "width", "height", "outlines": [{"corners": [[x, y], …] px of the part, "seat", "label", "certain"}]}`
        """
        left, top = corner_px
        return {
            "t_ms": round(t_ms, 1),
            "width": cut_px[0],
            "height": cut_px[1],
            "outlines": [
                {
                    "corners": [[round(x - left, 1), round(y - top, 1)] for x, y in outline.corners_px],
                    "seat": outline.seat,
                    "label": outline.label,
                    "certain": outline.certain,
                }
                for outline in drawn(self.outlines)
            ],
        }


def overlay_in(frame: Frame | None, outlines: Sequence[Outline]) -> Overlay | None:
    """Give what was seen in the last frame; None if there was none, or nothing in it."""
    if frame is None or not outlines:
        return None
    return Overlay(frame.exposure_end_ns, frame.size_px, tuple(outlines))


def drawn(outlines: Sequence[Outline]) -> list[Outline]:
    """Give those that have a place in the picture."""
    return [outline for outline in outlines if outline.corners_px]
