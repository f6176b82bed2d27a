"""Which edges beside cards are those of the cards: it is darker outside all four sides, or brighter outside all."""

import numpy as np
import pytest

from vision.unknown.edge_pairs import EdgePairs, edge_pairs, outward

OFFSETS = np.arange(-12.0, 12.5, 0.5)
CARDS = 5


def seen(edges: dict[float, tuple[float, float]]) -> EdgePairs:
    """What is seen beside two sides of cards: at offsets, how sure an edge is and how much brighter it is outside."""
    sure, change = np.zeros((CARDS, 2, len(OFFSETS)), np.float32), np.zeros((CARDS, 2, len(OFFSETS), 3), np.float32)
    for offset, (how_sure, brighter) in edges.items():
        at = int(np.flatnonzero(offset == OFFSETS)[0])
        sure[:, :, at], change[:, :, at, 0] = how_sure, brighter
    return edge_pairs(OFFSETS, sure, change, 20.0, 1.5)


@pytest.mark.parametrize("faint", [1.0, 0.65])
def test_edges_that_are_faint_beside_two_sides_are_told_by_the_other_two(faint: float) -> None:
    # Outward of a printed line it is brighter, outward of the card darker.
    across, along = (seen({-3.0: (1.0, 9.0), 1.0: (how_sure, -5.0)}) for how_sure in (1.0, faint))
    found = outward([across, along])
    assert found == (0, [2.0, 2.0])


def test_the_end_of_a_shadow_beyond_white_cards_is_no_edge_of_theirs() -> None:
    found = outward([seen({0.0: (1.0, -9.0), 3.0: (1.0, 6.0)})] * 2)
    assert found == (0, [0.0, 0.0])


def test_sides_that_change_differently_tell_no_size() -> None:
    assert outward([seen({0.0: (1.0, -9.0)}), seen({0.0: (1.0, 9.0)})]) is None


def test_what_is_nowhere_darker_outside_tells_no_size() -> None:
    assert outward([seen({-3.0: (1.0, 9.0)})] * 2) is None


def test_a_dark_border_round_a_bright_face_is_part_of_the_card() -> None:
    assert outward([seen({-8.0: (1.0, -9.0), 0.0: (1.0, 9.0)})] * 2) == (1, [0.0, 0.0])
