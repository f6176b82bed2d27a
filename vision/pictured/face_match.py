"""What a look at a framed card tells: which picture it shows, and how sure that is."""

from __future__ import annotations

from dataclasses import dataclass

from vision.prints.print_deck import Print


@dataclass(frozen=True, eq=False)
class FaceMatch:
    """What a framed card shows.

    `face` is None for the back; `turn` counts quarter turns from the frame's first corner to the face's top-left one;
    `log_odds` is by how much it beats the best other picture; `error` the mean capped error, 0 for the art itself;
    `hidden` the share of the frame unlike it; `told`, of the cells in which the two best pictures differ, the share
    like it; `white` the share of the margin that is white. A closer look tells this of what is in sight: `seen` is the
    share that nothing covers or bleaches, `stray` the share that looks otherwise where nothing lies over the margin,
    `bleached` the share that is clipped, `bent` by how many standard deviations a camera would have to mix colours, and
    `printed` by how much the picture beats smooth colours of nothing; `overexposed` whether white is clipped.
    """

    face: Print | None
    turn: int
    log_odds: float
    error: float
    hidden: float
    told: float
    white: float
    seen: float = 1.0
    stray: float = 0.0
    bleached: float = 0.0
    bent: float = 0.0
    printed: float = 0.0
    overexposed: bool = False

    @property
    def open_error(self) -> float:
        """The mean error of what is not hidden."""
        return max(0.0, self.error - self.hidden) / max(1e-6, 1 - self.hidden)
