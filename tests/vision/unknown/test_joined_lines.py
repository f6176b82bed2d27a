"""An edge that was seen in pieces is one line; edges side by side, or of things far apart, stay what they are."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from vision.unknown.joined_lines import joined_lines


def pieces(turn: float, start: tuple[float, float], lengths: list[float], gap: float) -> NDArray[np.float32]:
    """Segments (n, 4) one behind the other on a line."""
    way, at, found = np.array([np.cos(turn), np.sin(turn)]), np.array(start), []
    for length in lengths:
        found.append(np.concatenate([at, at + length * way]))
        at = at + (length + gap) * way
    return np.array(found, np.float32)


@given(
    st.floats(0, 2 * np.pi),
    st.tuples(st.floats(100, 900), st.floats(100, 900)),
    st.lists(st.floats(25, 200), min_size=2, max_size=8),
    st.floats(0, 7),
)
def test_pieces_of_an_edge_make_one_line_from_end_to_end(
    turn: float, start: tuple[float, float], lengths: list[float], gap: float
) -> None:
    found = pieces(turn, start, lengths, gap)
    lines = joined_lines(found[np.random.default_rng(1).permutation(len(found))])
    assert lines.shape == (1, 4)
    ends = sorted([found[0, :2].tolist(), found[-1, 2:].tolist()])
    assert np.allclose(sorted(lines[0].reshape(2, 2).tolist()), ends, atol=0.1)


def test_whole_edges_are_not_told_again() -> None:
    square = np.array([[0, 0, 200, 0], [200, 0, 200, 200], [200, 200, 0, 200], [0, 200, 0, 0]], np.float32)
    assert len(joined_lines(square)) == 0
    assert len(joined_lines(np.zeros((0, 4), np.float32))) == 0


def test_an_edge_and_a_frame_beside_it_stay_apart() -> None:
    edge, frame = pieces(0, (100, 100), [150, 160], 3), pieces(0, (110, 106), [140, 150], 3)
    lines = joined_lines(np.concatenate([edge, frame]))
    assert sorted(np.rint(lines[:, 1]).tolist()) == [100, 106]


def test_edges_of_cards_far_from_one_another_stay_apart() -> None:
    assert len(joined_lines(pieces(0.3, (100, 100), [150, 150], 60))) == 0


def test_an_edge_that_bends_a_little_is_one_line() -> None:
    bent = np.array([[0, 0, 300, 0], [304, 0, 600, 2.0]], np.float32)
    assert len(joined_lines(bent)) == 1
