"""What a lamp's reflection has changed of a print is told from what is printed white, and from another print."""

from __future__ import annotations

import numpy as np

from tests.support.flat_piles import piccolino
from vision.pictured.pile_faces import FaceReader
from vision.prints.covered_cells import Flags
from vision.prints.reflections import glare_of

FACES = FaceReader(piccolino())
USED = FACES.frame | FACES.margin
SPOT = (slice(20, 30), slice(15, 25))


def box(rows: slice, columns: slice) -> Flags:
    """Cells of the card (h, w) in a box."""
    cells = np.zeros(USED.shape, bool)
    cells[rows, columns] = True
    return cells


def glare(shines: Flags, odd: Flags, lit: Flags, level: float = 0.2, white: Flags | None = None) -> Flags:
    """Cells of the card (h, w) that a reflection has changed, on a print of one level, but for what is `white`."""
    levels = np.full((3, int(USED.sum())), level, np.float32)
    if white is not None:
        levels[:, white[USED]] = 0.95
    found = np.zeros(USED.shape, bool)
    found[USED] = glare_of(shines[USED], levels, odd[USED], lit[USED], USED)
    return found


def test_the_steep_edge_of_a_reflection_is_changed_and_a_strange_patch_elsewhere_is_not() -> None:
    edge, patch = box(slice(17, 33), slice(12, 28)) & ~box(*SPOT), box(slice(45, 52), slice(15, 25))
    found = glare(box(*SPOT), edge | patch, np.zeros_like(edge))
    assert (found & edge).sum() > 0.8 * edge.sum()
    assert not (found & patch).any()


def test_what_fits_beside_a_reflection_is_in_sight() -> None:
    nothing = np.zeros(USED.shape, bool)
    assert not glare(box(*SPOT), nothing, nothing).any()


def test_light_reaches_further_than_the_edge_and_darkness_does_not() -> None:
    around = box(slice(15, 35), slice(10, 30)) & ~box(slice(16, 34), slice(11, 29))
    assert not glare(box(*SPOT), around, np.zeros_like(around)).any()
    assert glare(box(*SPOT), around, around).any()


def test_white_print_is_no_reflection_and_neither_is_a_line_that_lies_a_little_off() -> None:
    edge = box(slice(17, 33), slice(12, 28))
    assert not glare(box(*SPOT), edge, edge, level=0.9).any()
    line = box(slice(20, 30), slice(15, 17))
    assert not glare(line, line, line).any()


def test_a_reflection_goes_on_over_white_print_and_white_print_elsewhere_is_none() -> None:
    hat, ruff = box(slice(20, 30), slice(20, 32)), box(slice(44, 50), slice(15, 25))
    beside, below = box(slice(20, 30), slice(32, 34)), box(slice(50, 52), slice(15, 25))
    found = glare(box(*SPOT) | hat | ruff, beside | below, np.zeros_like(hat), white=hat | ruff)
    assert found[beside].all()
    assert not found[below].any()


def test_a_reflection_shines_out_of_pale_paint_as_out_of_dark_print() -> None:
    edge = box(slice(17, 33), slice(12, 28)) & ~box(*SPOT)
    found = glare(box(*SPOT), edge, np.zeros_like(edge), level=0.68)
    assert (found & edge).sum() > 0.8 * edge.sum()
