"""Of all faces that might lie in a place, the picture speaks for the one that does."""

from __future__ import annotations

import cv2
import numpy as np
import pytest
from numpy.typing import NDArray

from tests.support.flat_cards import Image, flat_table, lay, poses, seen_all, true_marks
from vision.deck import Deck
from vision.marked.evidence import gather
from vision.marked.layouts import Hypotheses, posed
from vision.marked.marks import WorkImage
from vision.marked.outline import corners_of, edge_steps, edge_support
from vision.marked.sample_points import sample_points
from vision.marked.sampler import Sampler
from vision.marked.scoring import SURE, Verdicts, judge
from vision.marked.side_model import side_models

PX_PER_MM = 0.9
SIZE = (200, 180)
PLACE = (60.0, 55.0)
TURN = 0.3
FACE = 17


def picture(deck: Deck, side: str) -> Image:
    drawn = np.empty((SIZE[1], SIZE[0], 3), np.uint8)
    drawn[:] = (70, 110, 160)
    lay(drawn, deck, deck.side(side)[FACE], (PLACE[0] * PX_PER_MM, PLACE[1] * PX_PER_MM), TURN, PX_PER_MM)
    return drawn


def judged(
    deck: Deck, side: str, drawn: Image, cards: Hypotheses, ground_rgb: NDArray[np.float64] | None = None
) -> Verdicts:
    model = side_models(deck)[side]
    sampler = Sampler(WorkImage(drawn, 1.0), flat_table(SIZE, PX_PER_MM))
    evidence = gather(sampler, cards, model.points_mm, side, np.zeros((0, 4, 2)))
    edges = edge_support(*edge_steps(sampler, cards, deck))
    strays = np.zeros(len(cards))
    return judge(cards, evidence, edges, model.palette, model.colours, model.layouts, strays, ground_rgb)


def all_faces(deck: Deck, side: str, lost: int | None = None) -> Hypotheses:
    """Every face of a side fitted to the marks of the one that lies there, as if each had been found by them."""
    layouts = side_models(deck)[side].layouts
    marks = true_marks(layouts, poses([FACE], [TURN], [PLACE]))
    faces = np.arange(len(layouts.faces))
    seen = np.repeat(np.arange(3, dtype=np.intp)[None], len(faces), axis=0)
    if lost is not None:
        seen[:, lost] = -1
    return posed(layouts, marks, faces, seen)


@pytest.mark.parametrize("side", ["white", "black"])
@pytest.mark.parametrize("lost", [None, 0, 2])
def test_the_true_face_is_the_likeliest(deck: Deck, side: str, lost: int | None) -> None:
    drawn = picture(deck, side)
    cards = all_faces(deck, side, lost)
    verdict = judged(deck, side, drawn, cards)
    assert verdict.log_odds.argmax() == FACE
    ranked = np.sort(verdict.log_odds)
    assert verdict.log_odds[FACE] > SURE
    assert ranked[-1] - ranked[-2] > 2
    assert verdict.log_odds == pytest.approx(sum(verdict.terms.values()))


@pytest.mark.parametrize("side", ["white", "black"])
@pytest.mark.parametrize("lost", [0, 1])
def test_bare_ground_where_a_mark_should_be_speaks_against_the_face(deck: Deck, side: str, lost: int) -> None:
    card = all_faces(deck, side, lost).take(np.array([FACE]))
    mark = deck.side(side)[FACE].marks[lost]
    x, y = card.to_table(np.array([[mark.x_mm, mark.y_mm]]))[0, 0] * PX_PER_MM
    ground = picture(deck, side)
    level = ground[8:-8, 8:-8].max() if side == "white" else 22
    odds = []
    for colour in ((level, level, level), (120, 150, 205)):
        drawn = picture(deck, side)
        cv2.circle(
            drawn, (round(x), round(y)), round(mark.diameter_mm * 0.55 * PX_PER_MM), [int(c) for c in colour], -1
        )
        odds.append(judged(deck, side, drawn, card).log_odds[0])
    bare, under_a_finger = odds
    assert bare < under_a_finger - 1.5


def test_counters_on_wood_are_no_marks_on_a_white_card_but_a_card_in_the_shade_is_one(deck: Deck) -> None:
    drawn, card = picture(deck, "white"), all_faces(deck, "white", 0).take(np.array([FACE]))
    odds = [
        judged(deck, "white", (drawn * light).astype(np.uint8), card, np.array([0.9, 0.9, 0.9])).log_odds[0]
        for light in (np.array([0.3, 0.3, 0.3]), np.array([0.35, 0.5, 0.75]))
    ]
    shade, wood = odds
    assert shade > SURE
    assert wood < shade - 2 * SURE


@pytest.mark.parametrize("side", ["white", "black"])
def test_brightness_changes_little(deck: Deck, side: str) -> None:
    drawn, card = picture(deck, side), all_faces(deck, side).take(np.array([FACE]))
    dim = (drawn * 0.5).astype(np.uint8)
    assert judged(deck, side, dim, card).log_odds == pytest.approx(judged(deck, side, drawn, card).log_odds, abs=3)


def edges_of(deck: Deck, drawn: Image, card: Hypotheses) -> NDArray[np.float64]:
    sampler = Sampler(WorkImage(drawn, 1.0), flat_table(SIZE, PX_PER_MM))
    support = edge_support(*edge_steps(sampler, card, deck))
    return np.asarray(support[0])


def test_edges_are_seen_where_they_are_and_missed_where_they_are_covered(deck: Deck) -> None:
    card = poses([FACE], [TURN], [PLACE])
    drawn = picture(deck, "white")
    assert (edges_of(deck, drawn, card) > 0.8).all()
    corners = np.rint(card.to_table(corners_of(deck))[0] * PX_PER_MM).astype(int)
    # A hand over the left side: skin as far as the picture goes.
    low, high = corners[[0, 3]].min(axis=0) - 12, corners[[0, 3]].max(axis=0) + 12
    drawn[max(low[1], 0) : high[1], max(low[0], 0) : high[0]] = (120, 150, 205)
    support = edges_of(deck, drawn, card)
    assert support[3] < 0.2
    assert support[1] > 0.8
    moved = poses([FACE], [TURN], [(PLACE[0] + 6, PLACE[1] + 6)])
    assert edges_of(deck, picture(deck, "white"), moved).max() < 0.4


def test_sample_points_keep_to_the_card_and_its_marks(deck: Deck) -> None:
    for side in ("white", "black"):
        layouts = side_models(deck)[side].layouts
        points = sample_points(deck, layouts)
        assert points.shape == (len(layouts.faces), 3 * 12 + 3 * 16 + 40, 2)
        assert (points[:, -40:] > 0).all() and (points[:, -40:] < deck.card_mm).all()
        for face, inner in zip(layouts.faces, points[:, :36].reshape(-1, 3, 12, 2), strict=True):
            for mark, own in zip(face.marks, inner, strict=True):
                assert (np.linalg.norm(own - (mark.x_mm, mark.y_mm), axis=1) < mark.diameter_mm / 2).all()


def test_no_hypotheses_give_no_verdicts(deck: Deck) -> None:
    none = seen_all(poses([], [], []))
    assert len(judged(deck, "white", picture(deck, "white"), none).log_odds) == 0
