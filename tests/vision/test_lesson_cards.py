"""A lesson learns no card of which another one covers a part, however small the finder's doubt."""

import numpy as np

from simulation.art import Piece, marker_piece, marker_places, piece_patch
from simulation.drawing import finish, surface
from simulation.view import Look, corners_mm, view_of
from tests.support.drawn_clowns import INKS, clown
from vision.teaching.lesson_cards import CUT_OR_COVERED, lay_out

AREA_MM, SIZE, CARD_MM = (560.0, 315.0), (1280, 720), (63.0, 88.0)


def test_neither_of_two_cards_that_overlap_by_a_quarter_is_learned() -> None:
    random, look = np.random.default_rng(2), Look()
    view = view_of(AREA_MM, SIZE, look)
    pieces = [marker_piece(number, at) for number, at in marker_places(random, (0, 1, 2, 3), AREA_MM).items()]
    inks = list(INKS)
    places = [(150.0, 150.0, 3.0), (197.0, 154.0, -2.0), (380.0, 150.0, 2.0)]
    pieces += [
        Piece(clown(inks[k], happy=k % 2 == 0), corners_mm(CARD_MM, place), 3.0) for k, place in enumerate(places)
    ]
    image = surface(random, look.table, view.homography, AREA_MM, SIZE)
    for piece in pieces:
        patch = piece_patch(piece, view.to_px(piece.corners_mm), SIZE)
        assert patch is not None
        patch.blend(image)
    found = lay_out(finish(random, image, look))
    alone = view.to_px(np.array([places[2][:2]]))[0]
    (quad,) = found.quads_px
    assert np.linalg.norm(quad.mean(axis=0) - alone) < 10
    assert [card.reason in CUT_OR_COVERED for card in found.unclear] == [True, True]
