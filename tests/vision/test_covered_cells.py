"""What lies on a card is told from a picture that only looks otherwise."""

from __future__ import annotations

import numpy as np

from tests.support.flat_piles import piccolino
from vision.arrays import Flags
from vision.pictured.pile_faces import FaceReader
from vision.prints.covered_cells import cover_of

FACES = FaceReader(piccolino())
USED = FACES.frame | FACES.margin


def covered(*boxes: tuple[slice, slice]) -> tuple[Flags, Flags, Flags]:
    """Cells that look otherwise, which of them are covered, and which cannot be; the boxes are rows and columns."""
    odd = np.zeros(USED.shape, bool)
    for box in boxes:
        odd[box] = True
    odd &= USED
    return odd, *cover_of(odd, FACES.margin, USED)


def test_a_finger_over_the_edge_covers_what_it_touches_and_no_more() -> None:
    odd, cover, strange = covered((slice(20, 30), slice(0, 25)))
    assert cover[odd].all()
    assert not strange.any()
    assert not cover[35:, :].any()
    assert not cover[:, 30:].any()


def test_what_lies_within_the_print_alone_covers_nothing() -> None:
    odd, cover, strange = covered((slice(20, 30), slice(12, 25)))
    assert not cover.any()
    assert (strange == odd).all()


def test_a_gap_in_a_finger_is_finger() -> None:
    # A fit has taken a part of its skin for the art in some odd light.
    odd, cover, strange = covered((slice(20, 30), slice(0, 12)), (slice(20, 30), slice(18, 25)))
    assert cover[odd].all()
    assert cover[21:29, 12:18].all()
    assert not strange.any()


def test_a_spot_far_from_a_finger_is_no_part_of_it() -> None:
    odd, cover, strange = covered((slice(20, 30), slice(0, 12)), (slice(20, 30), slice(22, 29)))
    assert not cover[:, 16:].any()
    assert strange[20:30, 22:29].sum() == odd[20:30, 22:29].sum() > 0


def test_a_line_of_the_art_that_lies_a_little_off_covers_nothing() -> None:
    _, cover, strange = covered((slice(30, 32), slice(0, 42)))
    assert not cover.any()
    assert strange.any()


def test_a_picture_of_another_colour_is_not_explained_by_a_finger_on_it() -> None:
    odd = FACES.frame.copy()
    odd[:30, :] = True  # an arm over half of the card
    _, strange = cover_of(odd & USED, FACES.margin, USED)
    # Beside the half of the margin that is white nothing can lie.
    assert strange[FACES.frame].mean() > 0.1
    assert not strange[:25].any()


def test_a_thumb_on_the_margin_does_not_hide_the_whole_print() -> None:
    odd = FACES.frame.copy()
    odd[26:31, 0:10] = True
    cover, strange = cover_of(odd & USED, FACES.margin, USED)
    assert not cover.any()
    assert strange[FACES.frame].all()
