"""Cards seen from near, on grained wood whose lines meet their edges everywhere; a sheet with sharp corners is none."""

import cv2
import numpy as np
import pytest
from numpy.typing import NDArray

from vision.unknown.card_edges import fit_sides
from vision.unknown.card_plane import CardPlane
from vision.unknown.near_cards import near_cards
from vision.unknown.view import view_of

SIZE_WH = (900, 1200)
CARD = (230, 330, 470, 730)  # left, top, width, height
LINES = 1500
NONE = np.zeros((0, 4, 2), np.float32)
FRAME = np.array([[[300, 420], [630, 420], [630, 970], [300, 970]]], np.float32)
Picture = NDArray[np.uint8]


def grained(random: np.random.Generator) -> NDArray[np.float32]:
    """Pale wood with lines across, (h, w, 3) BGR."""
    wood = np.full((SIZE_WH[1], SIZE_WH[0], 3), (188, 205, 214), np.float32)
    for _ in range(LINES):
        x, y = (random.uniform(0, 1, 2) * SIZE_WH).astype(int).tolist()
        end = (x + int(random.uniform(40, 220)), y + int(random.uniform(-3, 4)))
        tint = (np.array([188, 205, 214]) - random.uniform(4, 16)).tolist()
        cv2.line(wood, (x, y), end, tint, 1, cv2.LINE_AA)
    return np.asarray(wood, np.float32)


def shape_of_card(radius: int) -> Picture:
    """Where the card with so rounded corners lies, (h, w), 255."""
    x, y, wide, high = CARD
    shape: Picture = np.zeros(SIZE_WH[::-1], np.uint8)
    cv2.rectangle(shape, (x + radius, y + radius), (x + wide - radius, y + high - radius), 255, -1)
    disc = cv2.getStructuringElement(cv2.MORPH_ELLIPSE, (2 * radius + 1, 2 * radius + 1))
    return np.asarray(cv2.dilate(shape, disc), np.uint8)


def picture(radius: int, printed: bool, seed: int = 1) -> Picture:
    """A white card with so rounded corners on wood, with marks or bare, (h, w, 3) BGR."""
    random = np.random.default_rng(seed)
    scene, (x, y, wide, high) = grained(random), CARD
    scene[shape_of_card(radius) > 0] = (232, 230, 229)
    for row in range(4 * printed):
        for column in (0.3, 0.7):
            middle = (x + int(column * wide), y + int((0.2 + 0.2 * row) * high))
            cv2.ellipse(scene, middle, (38, 55), 0, 0, 360, (50, 40, 200), -1)
    seen = cv2.GaussianBlur(scene, (0, 0), 0.8) + random.normal(0, 1.2, scene.shape)
    return np.asarray(np.clip(np.rint(seen), 0, 255), np.uint8)


def outlines(image: Picture, found: NDArray[np.float32]) -> NDArray[np.float32]:
    """What is told (n, 4, 2) where straight edges have found (m, 4, 2)."""
    view = view_of(image)
    cards, plane = near_cards(view, (fit_sides(view.lab, found, 2.0), None))
    assert len(found) or (plane is None) == (len(cards.quads) == 0)
    return cards.quads


def off_px(quad: NDArray[np.float32]) -> float:
    """How far the corners of an outline (4, 2) that begins with a shorter side are from the card's."""
    x, y, wide, high = CARD
    true = np.array([[x, y], [x + wide, y], [x + wide, y + high], [x, y + high]], np.float32)
    return min(float(np.linalg.norm(np.roll(quad, k, axis=0) - true, axis=1).max()) for k in (0, 2))


@pytest.mark.parametrize("seed", [1, 3])
def test_a_card_alone_on_grained_wood_is_told_by_its_light_area(seed: int) -> None:
    cards = outlines(picture(24, printed=True, seed=seed), NONE)
    assert len(cards) == 1
    assert off_px(cards[0]) < 0.01 * CARD[2]


def test_the_card_about_a_frame_is_told_instead_of_the_frame() -> None:
    cards = outlines(picture(24, printed=True), FRAME)
    assert len(cards) == 1
    assert off_px(cards[0]) < 0.01 * CARD[2]


def test_a_card_that_lies_elsewhere_is_kept() -> None:
    elsewhere = FRAME - 200
    kept = outlines(picture(24, printed=True), elsewhere)
    assert np.allclose(kept.mean(axis=1), elsewhere.mean(axis=1), atol=3)


def test_a_blank_card_and_a_printed_sheet_with_sharp_corners_are_not_told() -> None:
    assert len(outlines(picture(24, printed=False), NONE)) == 0
    assert len(outlines(picture(0, printed=True), NONE)) == 0


def small(places: list[tuple[int, int]], wide: int, high: int) -> NDArray[np.float32]:
    """Outlines (n, 4, 2) of small things at places."""
    corners = np.array([[0, 0], [wide, 0], [wide, high], [0, high]])
    return np.array([corners + place for place in places], np.float32)


def told_instead(image: Picture, found: NDArray[np.float32]) -> NDArray[np.float32]:
    """What is told (n, 4, 2) where small things (m, 4, 2) were found that agree on a size."""
    view = view_of(image)
    size = float(found[0, 1, 0] - found[0, 0, 0]), float(found[0, 2, 1] - found[0, 1, 1])
    plane = CardPlane(np.eye(3), size, np.array([0, 0, *np.log(size), 0]), view.size_wh)
    return near_cards(view, (fit_sides(view.lab, found, 2.0), plane))[0].quads


def test_a_card_is_told_instead_of_what_agrees_by_chance_in_the_grain_beside_it() -> None:
    grain = small([(40, 60), (60, 900), (760, 200), (780, 1000), (740, 700)], 40, 62)
    cards = told_instead(picture(24, printed=True), grain)
    assert len(cards) == 1
    assert off_px(cards[0]) < 0.01 * CARD[2]


def test_a_card_is_told_instead_of_large_blocks_of_keys_beside_it() -> None:
    image = picture(24, printed=True)
    image[:240] = 40
    for top in range(10, 220, 40):
        for left in range(10, 880, 44):
            cv2.rectangle(image, (left, top), (left + 36, top + 32), (58, 56, 56), -1)
            cv2.line(image, (left, top), (left + 36, top), (96, 94, 94), 2)
    # The outlines of several keys together, between which there is no edge.
    blocks = small([(22, 8), (330, 12), (640, 8)], 168, 192)
    cards = told_instead(image, blocks)
    assert len(cards) == 1
    assert off_px(cards[0]) < 0.01 * CARD[2]


def test_a_card_is_told_instead_of_marks_on_it() -> None:
    x, y, wide, high = CARD
    marks = [(int(x + c * wide) - 33, int(y + (0.2 + 0.2 * r) * high) - 48) for r in range(4) for c in (0.3, 0.7)]
    cards = told_instead(picture(24, printed=True), small(marks, 66, 96))
    assert len(cards) == 1
    assert off_px(cards[0]) < 0.01 * CARD[2]


def test_a_card_is_told_instead_of_coloured_marks_with_black_outlines() -> None:
    image = picture(24, printed=False)
    boxes = small([(300, 420), (470, 520), (330, 640), (520, 760)], 110, 160)
    for x, y in boxes[:, 0].astype(int).tolist():
        cv2.rectangle(image, (x - 12, y - 12), (x + 130, y + 180), (20, 20, 20), -1)
        cv2.rectangle(image, (x, y), (x + 110, y + 160), (40, 60, 200), -1)
    cards = told_instead(image, boxes)
    assert len(cards) == 1
    assert off_px(cards[0]) < 0.01 * CARD[2]


def test_a_home_made_card_with_sharp_corners_is_told_instead_of_the_letters_on_it() -> None:
    image = picture(0, printed=False)
    letters = [(300, 500), (400, 500), (500, 500), (350, 700), (450, 700)]
    for x, y in letters:
        cv2.putText(image, "H", (x - 4, y + 116), cv2.FONT_HERSHEY_DUPLEX, 5, (40, 60, 200), 26)
    cards = told_instead(image, small(letters, 90, 116))
    assert len(cards) == 1
    assert off_px(cards[0]) < 0.01 * CARD[2]


@pytest.mark.parametrize("radius", [0, 24])
def test_dark_cards_with_round_corners_on_a_pale_sheet_or_tray_are_kept(radius: int) -> None:
    image = picture(radius, printed=False)
    places = [(x, y) for x in (270, 430, 590) for y in (380, 560, 740, 900)]
    disc = cv2.getStructuringElement(cv2.MORPH_ELLIPSE, (15, 15))
    shape: Picture = np.zeros(image.shape[:2], np.uint8)
    for x, y in places:
        cv2.rectangle(shape, (x + 7, y + 7), (x + 83, y + 123), 255, -1)
    image[cv2.dilate(shape, disc) > 0] = (120, 40, 30)
    for x, y in places:
        cv2.circle(image, (x + 45, y + 65), 18, (60, 200, 220), -1)
    assert len(told_instead(image, small(places, 90, 130))) == len(places)


def test_small_cards_on_a_tray_with_round_corners_are_kept() -> None:
    image = picture(24, printed=False)
    image[CARD[1] : CARD[1] + CARD[3], CARD[0] : CARD[0] + CARD[2]] //= 2
    image[CARD[1] : CARD[1] + CARD[3], CARD[0] : CARD[0] + CARD[2]] += 60
    places = [(x, y) for x in (270, 430, 590) for y in (380, 560, 740, 900)]
    cards = small(places, 90, 130)
    for x, y in places:
        cv2.rectangle(image, (x, y), (x + 90, y + 130), (233, 231, 230), -1)
        cv2.circle(image, (x + 45, y + 65), 18, (60, 150, 40), -1)
    assert len(told_instead(image, cards)) == len(cards)


def test_two_cards_that_stand_out_are_not_given_up_for_one_larger_thing_among_fainter_ones() -> None:
    image = picture(24, printed=True)
    cards = [(60, 60), (760, 1020)]
    for x, y in cards:
        shape = np.zeros(image.shape[:2], np.uint8)
        cv2.rectangle(shape, (x + 8, y + 8), (x + 82, y + 122), 255, -1)
        image[cv2.dilate(shape, cv2.getStructuringElement(cv2.MORPH_ELLIPSE, (17, 17))) > 0] = (233, 231, 230)
        cv2.circle(image, (x + 45, y + 65), 18, (60, 150, 40), -1)
    faint = [(60, 800), (760, 200), (400, 60), (400, 1070), (60, 400)]
    told = told_instead(image, small(cards + faint, 90, 130))
    assert np.ptp(told[0, :, 0]) == pytest.approx(90, abs=3)


def test_a_card_that_all_but_fills_the_picture_is_told() -> None:
    (x, y, wide, high), margin = CARD, 8
    near = picture(24, printed=True)[y - margin : y + high + margin, x - margin : x + wide + margin]
    cards = outlines(np.ascontiguousarray(near), NONE)
    assert len(cards) == 1
    assert off_px(cards[0] + (x - margin, y - margin)) < 0.01 * wide


def on_white(tint: float, printed: bool) -> Picture:
    """The same card on a table as light as it, which is yellower by so many grey levels, (h, w, 3) BGR."""
    random = np.random.default_rng(6)
    scene = picture(24, printed).astype(np.float32)
    card = np.zeros(scene.shape[:2], np.uint8)
    card[CARD[1] : CARD[1] + CARD[3], CARD[0] : CARD[0] + CARD[2]] = 1
    scene[card == 0] = (232 - tint, 230, 229)
    seen = cv2.GaussianBlur(scene, (0, 0), 0.8) + random.normal(0, 1.2, scene.shape)
    return np.asarray(np.clip(np.rint(seen), 0, 255), np.uint8)


def test_a_white_card_on_white_is_told_by_its_tint() -> None:
    cards = outlines(on_white(5, printed=True), NONE)
    assert len(cards) == 1
    assert off_px(cards[0]) < 0.02 * CARD[2]
    assert len(outlines(on_white(5, printed=False), NONE)) == 0
    assert len(outlines(on_white(0, printed=True), NONE)) == 0


def test_of_two_cards_on_grained_wood_both_are_told() -> None:
    image = picture(24, printed=True)
    x, wide = CARD[0], CARD[2]
    both = np.concatenate([image[:, : x + wide + 60], image[:, x - 60 :]], axis=1)
    cards = outlines(np.ascontiguousarray(both), NONE)
    assert len(cards) == 2


@pytest.mark.parametrize("seed", [4, 5])
def test_a_card_half_in_shadow_is_told_whole(seed: int) -> None:
    image = picture(24, printed=True, seed=seed)
    shadow = np.ones(image.shape, np.float32)
    cv2.rectangle(shadow, (0, 700), (620, SIZE_WH[1]), (0.78, 0.70, 0.66), -1)
    shaded = np.asarray(np.rint(image * cv2.GaussianBlur(shadow, (0, 0), 4)), np.uint8)
    cards = outlines(shaded, NONE)
    assert len(cards) == 1
    assert off_px(cards[0]) < 0.015 * CARD[2]


def on_lighter_table(radius: int, seed: int = 6) -> Picture:
    """A worn grey card with marks on a table that is lighter than it, but for a shadow along its right side."""
    image = picture(radius, printed=True, seed=seed).astype(np.float32)
    x, y, wide, high = CARD
    card = cv2.GaussianBlur(shape_of_card(radius), (0, 0), 0.8)[:, :, None] / np.float32(255)
    shadow = np.ones(image.shape, np.float32)
    cv2.rectangle(shadow, (x + wide // 2, y + 20), (x + wide + 40, y + high - 20), (0.45, 0.45, 0.45), -1)
    table = np.array((232, 230, 229), np.float32) * cv2.GaussianBlur(shadow, (0, 0), 12)
    random = np.random.default_rng(seed)
    seen = table * (1 - card) + 0.9 * image * card + random.normal(0, 1.2, image.shape)
    return np.asarray(np.clip(np.rint(seen), 0, 255), np.uint8)


def test_a_card_darker_than_its_table_is_told_by_corners_cut_alike_and_a_sheet_is_not() -> None:
    cards = outlines(on_lighter_table(24), NONE)
    assert len(cards) == 1
    assert off_px(cards[0]) < 0.01 * CARD[2]
    assert len(outlines(on_lighter_table(0), NONE)) == 0


def under_a_shadow(end: int) -> Picture:
    """A card with marks and a soft-edged shadow across it from its far side to `end` px from there."""
    image, (x, y, wide, _) = picture(24, printed=True, seed=7), CARD
    shadow = np.ones(image.shape, np.float32)
    cv2.rectangle(shadow, (0, 0), (x + wide * 6 // 5, y + end), (0.6, 0.6, 0.63), -1)
    return np.asarray(np.rint(image * cv2.GaussianBlur(shadow, (0, 0), 25)), np.uint8)


def test_a_card_with_a_deep_shadow_across_one_end_is_told_whole() -> None:
    """The corners there are dark, those at the other end light: along a side neither is usual."""
    cards = outlines(under_a_shadow(CARD[3] // 2), NONE)
    assert len(cards) == 1
    assert off_px(cards[0]) < 0.015 * CARD[2]


def test_the_soft_edge_of_a_shadow_across_a_card_is_not_told_as_its_end() -> None:
    assert all(off_px(card) < 0.015 * CARD[2] for card in outlines(under_a_shadow(CARD[3] // 7), NONE))
