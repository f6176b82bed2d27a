"""Contours bring a hypothetical card to where it lies, and tell the right face from another one in its place."""

from __future__ import annotations

import math
from dataclasses import replace

import cv2
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from tests.support.flat_cards import confetti, flat_table, lay, poses
from vision.deck import Deck
from vision.marked.colour import least_print
from vision.marked.contours import RIM, SIDE, refined
from vision.marked.evidence import gather
from vision.marked.layouts import Hypotheses
from vision.marked.marks import work_image
from vision.marked.sampler import Sampler
from vision.marked.side_model import side_models
from vision.marked.traces import CardColours, Traces, traces
from vision.render_face import bgr

Image = NDArray[np.uint8]
Floats = NDArray[np.float64]
PX_PER_MM = 2.0
AT, TURN = (160.0, 120.0), 0.3
NOTHING_KNOWN = np.zeros((0, 4, 2))


def picture_of(deck: Deck, side: str, face: int, cover: tuple[int, int, int, int] | None = None) -> Sampler:
    """One card on brown wood, and a black thing over a part of the picture (left, top, right, bottom in px)."""
    image = np.full((400, 480, 3), (60, 90, 120), np.uint8)
    lay(image, deck, deck.side(side)[face], AT, TURN, PX_PER_MM)
    if cover is not None:
        left, top, right, bottom = cover
        cv2.rectangle(image, (left, top), (right, bottom), (20, 20, 20), -1)
    return Sampler(work_image(image, PX_PER_MM), flat_table((480, 400), PX_PER_MM))


def lying(face: int, off_mm: tuple[float, float] = (0.0, 0.0), off_rad: float = 0.0) -> Hypotheses:
    return poses([face], [TURN + off_rad], [(AT[0] / PX_PER_MM + off_mm[0], AT[1] / PX_PER_MM + off_mm[1])])


def look(
    deck: Deck,
    sampler: Sampler,
    side: str,
    card: Hypotheses,
    known_mm: Floats = NOTHING_KNOWN,
    rings: Floats | None = None,
) -> Traces:
    model = side_models(deck)[side]
    ground = np.array([bgr(deck.background[side])[::-1]], np.float64)
    hues = model.palette.hues_deg[model.colours[card.faces]]
    rings = np.repeat(ground[:, None], 3, axis=1) if rings is None else rings
    whole = replace(card, marks=np.array([[0, 1, 2]], np.intp))
    chroma = gather(sampler, whole, model.points_mm, side, known_mm).chroma
    lit = CardColours(ground, rings, hues, least_print(chroma, whole.marks, side))
    return traces(sampler, card, deck, model.contours, side, lit, known_mm)


@pytest.mark.parametrize("side", ["white", "black"])
def test_contours_run_round_the_card_and_its_marks(deck: Deck, side: str) -> None:
    model = side_models(deck)[side]
    layouts, contours = model.layouts, model.contours
    assert contours.points_mm.shape == contours.normals.shape == (84, 4 * SIDE + 3 * RIM, 2)
    np.testing.assert_allclose(np.linalg.norm(contours.normals, axis=2), 1)
    sides, outward = contours.points_mm[:, : 4 * SIDE], contours.normals[:, : 4 * SIDE]
    beyond = sides + 0.1 * outward
    assert ((beyond < 0) | (beyond > np.array(deck.card_mm))).any(-1).all()
    # Most of a star's outline turns away from its middle, and all of a circle's.
    rims = contours.points_mm[:, 4 * SIDE :].reshape(84, 3, RIM, 2) - layouts.centres_mm[:, :, None]
    away = (rims * contours.normals[:, 4 * SIDE :].reshape(84, 3, RIM, 2)).sum(-1)
    assert (away > 0).mean() > (0.999 if side == "white" else 0.8)


def bloomed(px_per_mm: float, deck: Deck, face: int) -> Sampler:
    """A black card through a lens that spreads light over 1.2 mm, a little overexposed."""
    image = np.full((400, 480, 3), (60, 90, 120), np.uint8)
    lay(image, deck, deck.side("black")[face], AT, TURN, px_per_mm)
    light = cv2.GaussianBlur((image / 255.0) ** 2.2, (0, 0), 0.6 * px_per_mm)
    image = np.asarray(np.rint(255 * np.minimum(1.5 * light, 1.0) ** (1 / 2.2)), np.uint8)
    return Sampler(work_image(image, px_per_mm), flat_table((480, 400), px_per_mm))


@pytest.mark.parametrize("face", [0, 17, 50, 83])
def test_light_that_blooms_over_black_leaves_the_ground_and_the_rims(deck: Deck, face: int) -> None:
    sampler, card = bloomed(PX_PER_MM, deck, face), lying(face)
    card = replace(card, marks=np.array([[0, 1, 2]], np.intp))
    seen = gather(sampler, card, side_models(deck)["black"].points_mm, "black", NOTHING_KNOWN)
    assert seen.open_plain[0] > 0.95
    assert look(deck, sampler, "black", card).rim_seen.mean() > 0.8


@pytest.mark.parametrize("side", ["white", "black"])
def test_contours_are_exact_where_the_card_lies_and_not_a_millimetre_beside(deck: Deck, side: str) -> None:
    sampler = picture_of(deck, side, 40)
    there, beside = look(deck, sampler, side, lying(40)), look(deck, sampler, side, lying(40, (0.8, 0.8)))
    assert there.edge_exact.min() > 0.9
    assert there.rim_exact.min() > 0.8
    assert beside.edge_exact.max() < 0.3
    assert not there.edge_void.any()


@pytest.mark.parametrize("side", ["white", "black"])
def test_the_table_is_seen_where_a_card_would_have_to_go_on(deck: Deck, side: str) -> None:
    along = 20.0 * np.array([math.cos(TURN), math.sin(TURN)])
    seen = look(deck, picture_of(deck, side, 40), side, lying(40, (float(along[0]), float(along[1]))))
    top, right, bottom, left = seen.edge_void[0]
    assert right == 1
    assert left == 0
    assert 0.2 < top < 0.5
    assert 0.2 < bottom < 0.5


@settings(max_examples=25)
@given(
    side=st.sampled_from(["white", "black"]),
    face=st.integers(0, 83),
    off=st.tuples(st.floats(-1.5, 1.5), st.floats(-1.5, 1.5)),
    off_deg=st.floats(-2, 2),
)
def test_a_card_is_moved_to_where_it_lies(side: str, face: int, off: tuple[float, float], off_deg: float) -> None:
    deck = confetti()
    sampler, model = picture_of(deck, side, face), side_models(deck)[side]
    unseen = np.full((1, 3, 2), np.nan)
    card = lying(face, off, math.radians(off_deg))
    moved = refined(sampler, card, deck, model.contours, model.layouts, unseen)
    moved = refined(sampler, moved, deck, model.contours, model.layouts, unseen)
    middle = np.array([[31.5, 44.0]])
    np.testing.assert_allclose(moved.to_table(middle), lying(face).to_table(middle), atol=0.5)
    assert abs(float(moved.turn[0]) - TURN) < math.radians(0.8)


@pytest.mark.parametrize("side", ["white", "black"])
@pytest.mark.parametrize("face", [0, 17, 40, 83])
def test_the_right_face_shows_all_its_contours_and_no_bare_mark(deck: Deck, side: str, face: int) -> None:
    seen = look(deck, picture_of(deck, side, face), side, lying(face))
    assert seen.edge_open.min() > 0.9
    assert seen.edge_seen.min() > 0.9
    assert seen.rim_seen.min() > (0.85 if side == "white" else 0.6)
    assert seen.rim_bare.max() < 0.15


@pytest.mark.parametrize("side", ["white", "black"])
def test_every_other_face_shows_a_bare_mark_or_a_wrong_one(deck: Deck, side: str) -> None:
    sampler = picture_of(deck, side, 17)
    for face in [number for number in range(84) if number != 17]:
        seen = look(deck, sampler, side, lying(face))
        assert seen.rim_seen.min() < 0.6
        assert seen.rim_bare.max() > 0.2 or seen.rim_spilt.max() > 0.2


def test_what_is_covered_speaks_neither_for_nor_against(deck: Deck) -> None:
    everything = look(deck, picture_of(deck, "white", 17, (0, 0, 479, 399)), "white", lying(17))
    for shares in (everything.edge_open, everything.rim_seen, everything.rim_bare, everything.rim_spilt):
        assert shares.max() == 0


def test_what_known_cards_cover_is_not_looked_at(deck: Deck) -> None:
    sampler, wrong = picture_of(deck, "white", 17), lying(40)
    assert look(deck, sampler, "white", wrong).rim_bare.max() > 0.3
    known = np.array([[[0.0, 0.0], [240.0, 0.0], [240.0, 200.0], [0.0, 200.0]]])
    hidden = look(deck, sampler, "white", wrong, known)
    assert hidden.rim_bare.max() == hidden.edge_open.max() == hidden.rim_seen.max() == 0


def test_a_shadow_over_half_a_white_card_hides_neither_its_edges_nor_its_print(deck: Deck) -> None:
    image = np.full((400, 480, 3), (60, 90, 120), np.uint8)
    lay(image, deck, deck.side("white")[17], AT, TURN, PX_PER_MM)
    image[:, :200] = np.rint(image[:, :200] * 0.45)
    sampler = Sampler(work_image(image, PX_PER_MM), flat_table((480, 400), PX_PER_MM))
    seen = look(deck, sampler, "white", lying(17))
    assert seen.edge_seen.min() > 0.9
    assert (seen.rim_seen + seen.rim_cut).min() > 0.8


def hazy(deck: Deck, face: int) -> Sampler:
    """A white card under grey haze, as light as six tenths of its white, in half as much light as would clip it."""
    image = np.full((400, 480, 3), (60, 90, 120), np.uint8)
    lay(image, deck, deck.side("white")[face], AT, TURN, PX_PER_MM)
    light = 0.5 * ((image / 255.0) ** 2.2 + 0.6)
    image = np.asarray(np.rint(255 * light ** (1 / 2.2)), np.uint8)
    return Sampler(work_image(image, PX_PER_MM), flat_table((480, 400), PX_PER_MM))


@pytest.mark.parametrize("face", [0, 17, 40, 83])
def test_print_under_haze_is_pale_but_there(deck: Deck, face: int) -> None:
    sampler = hazy(deck, face)
    rings = np.broadcast_to(sampler.levels(lying(face).to_table(np.array([[31.5, 2.0]])))[0], (1, 3, 3))
    seen = look(deck, sampler, "white", lying(face), rings=rings.astype(np.float64))
    assert seen.rim_seen.min() > 0.8
    assert seen.rim_bare.max() == 0
    for other in range(84):
        if deck.side("white")[other].marks != deck.side("white")[face].marks:
            wrong = look(deck, sampler, "white", lying(other), rings=rings.astype(np.float64))
            assert wrong.rim_bare.max() > 0.2 or wrong.rim_spilt.max() > 0.2
