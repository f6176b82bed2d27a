"""Plain white cards in rows on a dark, grained table: what every phone photographs, with grain, shadows and halos."""

import cv2
import numpy as np
import pytest
from numpy.typing import NDArray

from tests.support.turned_card import turned_card
from vision.unknown.find_cards import find_cards

WIDTH, LENGTH = 84.0, 130.0
SIZE_WH = (1000, 800)


def places(gap: float) -> NDArray[np.float32]:
    """Corners (15, 4, 2), clockwise, of cards in three rows, each turned a little."""
    quads = []
    for k in range(15):
        centre = np.array([160 + (k % 5) * (WIDTH + gap), 170 + (k // 5) * (LENGTH + gap)])
        angle = np.radians([1.5, -1.0, 0.5, -2.0, 1.0][(3 * k + k // 5) % 5])
        turn = np.array([[np.cos(angle), np.sin(angle)], [-np.sin(angle), np.cos(angle)]])
        corners = np.array([[-WIDTH, -LENGTH], [WIDTH, -LENGTH], [WIDTH, LENGTH], [-WIDTH, LENGTH]]) / 2
        quads.append(corners @ turn + centre)
    return np.asarray(quads, np.float32)


def photograph(quads: NDArray[np.float32], seed: int) -> NDArray[np.uint8]:
    """Draw the cards on dark wood, with soft shadows, a lamp on one side, a camera's sharpening and JPEG."""
    random = np.random.default_rng(seed)
    grain = cv2.GaussianBlur(random.normal(0, 1, SIZE_WH[::-1]), (0, 0), sigmaX=60, sigmaY=1.6)
    table = np.clip(34 + 9 * grain / grain.std(), 4, None)[..., None] * np.array([0.75, 0.95, 1.2])
    shadow, cards = np.zeros(SIZE_WH[::-1], np.float32), np.zeros(SIZE_WH[::-1], np.uint8)
    for quad in quads:
        cv2.fillPoly(shadow, [np.rint(quad + (7, 5)).astype(np.int32)], 1.0)
        cv2.fillPoly(cards, [np.rint(quad * 16).astype(np.int32)], 255, cv2.LINE_AA, 4)
    light = 1 - 0.5 * cv2.GaussianBlur(shadow, (0, 0), 6)
    cover = cv2.GaussianBlur(cards, (0, 0), 0.8)[..., None] / 255.0
    picture = table * light[..., None] * (1 - cover) + np.array([205.0, 222.0, 230.0]) * cover
    for k, quad in enumerate(quads):
        colour = [(60, 40, 200), (60, 150, 40), (130, 30, 90)][k % 3]
        cv2.ellipse(picture, (tuple(quad.mean(axis=0).tolist()), (22, 60), 5.0 * k), colour, -1)
    picture = picture * np.linspace(0.7, 1.1, SIZE_WH[0])[:, None]
    picture += 0.6 * (picture - cv2.GaussianBlur(picture, (0, 0), 1.5))
    picture += random.normal(0, 2.5, picture.shape)
    coded = cv2.imencode(".jpg", np.clip(picture, 0, 255).astype(np.uint8), [cv2.IMWRITE_JPEG_QUALITY, 80])[1]
    return np.asarray(cv2.imdecode(coded, cv2.IMREAD_COLOR), np.uint8)


def off_px(found: NDArray[np.float32], true: NDArray[np.float32]) -> NDArray[np.float32]:
    """How far the nearest of the found cards (n, 4, 2) is off each true one (m, 4, 2), by its worst corner: (m,)."""
    turned = np.stack([np.roll(found, k, axis=1) for k in range(4)])
    return np.asarray(np.linalg.norm(turned[:, None] - true[None, :, None], axis=4).max(axis=3).min(axis=(0, 2)))


@pytest.mark.parametrize(("gap", "seed"), [(14.0, 1), (40.0, 3)])
def test_plain_cards_in_rows_are_found_at_their_own_edges(gap: float, seed: int) -> None:
    true = places(gap)
    found = find_cards(photograph(true, seed)).corners_px
    assert len(found) == len(true)
    off = off_px(found, true)
    assert off.max() < 0.03 * WIDTH


def patterned_backs(quads: NDArray[np.float32], seed: int) -> NDArray[np.uint8]:
    """Draw white cards on red cloth, all but some with a pattern of frames within frames on their backs."""
    picture = np.full((SIZE_WH[1], SIZE_WH[0], 3), (34, 30, 160), np.uint8)
    for k, quad in enumerate(quads):
        cv2.fillPoly(picture, [np.rint(quad * 16).astype(np.int32)], (215, 228, 232), cv2.LINE_AA, 4)
        if k % 5 == 0:
            cv2.ellipse(picture, (tuple(quad.mean(axis=0).tolist()), (22, 60), 0.0), (30, 30, 30), -1)
            continue
        for ring, shade in enumerate([(170, 170, 222), (205, 205, 228)] * 4):
            inner = quad.mean(axis=0) + (quad - quad.mean(axis=0)) * (1 - np.array([6 + 3.5 * ring]) / (WIDTH / 2))
            cv2.fillPoly(picture, [np.rint(inner * 16).astype(np.int32)], shade, cv2.LINE_AA, 4)
    noise = np.random.default_rng(seed).normal(0, 2.0, picture.shape)
    return np.asarray(np.clip(cv2.GaussianBlur(picture, (0, 0), 0.8) + noise, 0, 255), np.uint8)


def test_cards_with_frames_within_frames_on_their_backs_are_found_beside_faces() -> None:
    true = places(30.0)
    found = find_cards(patterned_backs(true, 1)).corners_px
    assert len(found) == len(true)
    assert off_px(found, true).max() < 0.03 * WIDTH


def in_blocks(across: int, down: int, gap: float) -> NDArray[np.float32]:
    """Corners (n, 4, 2) of cards in close blocks of some columns and rows, with more room between the blocks."""
    middles = np.array([(180 + 290 * k, 180 + 320 * row) for row in range(2) for k in range(3)], np.float32)
    steps = [(k - (across - 1) / 2, j - (down - 1) / 2) for k in range(across) for j in range(down)]
    centres = middles[:, None] + np.array(steps, np.float32) * (WIDTH + gap, LENGTH + gap)
    return np.stack([turned_card((WIDTH, LENGTH), x, y, 0.3) for x, y in centres.reshape(-1, 2).tolist()])


@pytest.mark.parametrize(("across", "down", "seed"), [(3, 1, 2), (2, 2, 1)])
def test_cards_in_close_blocks_are_not_taken_for_larger_cards(across: int, down: int, seed: int) -> None:
    true = in_blocks(across, down, 8.0)
    found = find_cards(photograph(true, seed)).corners_px
    assert len(found) == len(true)
    assert off_px(found, true).max() < 0.03 * WIDTH


def half_in_shadow(table: tuple[int, int, int], dim: float) -> tuple[NDArray[np.uint8], NDArray[np.float32]]:
    """White cards on a plain table, of which something dims a third to so much, and where they are."""
    places = [(150 + (k % 4) * 230 + 10 * (k // 4), 200 + (k // 4) * 300 + 15 * (k % 3), 25 * k - 40) for k in range(8)]
    quads = np.stack([turned_card((WIDTH, LENGTH), *place) for place in places])
    shadow, cards = np.zeros(SIZE_WH[::-1], np.float32), np.zeros(SIZE_WH[::-1], np.uint8)
    for quad in quads:
        cv2.fillPoly(shadow, [np.rint(quad + (4, 3)).astype(np.int32)], 1.0)
        cv2.fillPoly(cards, [np.rint(quad * 16).astype(np.int32)], 255, cv2.LINE_AA, 4)
    picture = np.array(table) * (1 - 0.35 * cv2.GaussianBlur(shadow, (0, 0), 3))[..., None]
    cover = cv2.GaussianBlur(cards, (0, 0), 0.8)[..., None] / 255.0
    picture = picture * (1 - cover) + np.array([228.0, 232.0, 235.0]) * cover
    for k, quad in enumerate(quads):
        cv2.ellipse(picture, (tuple(quad.mean(axis=0).tolist()), (20, 50), 25.0 * k), (60, 40, 200), -1)
    light = np.where(np.arange(SIZE_WH[0]) < 700, 1.0, dim)[None]
    picture *= cv2.GaussianBlur(np.repeat(light, SIZE_WH[1], axis=0), (0, 0), 6)[..., None]
    picture += np.random.default_rng(1).normal(0, 1.5, picture.shape)
    return np.clip(picture, 0, 255).astype(np.uint8), quads


@pytest.mark.parametrize(
    ("table", "dim"), [((190, 205, 212), 0.3), ((120, 150, 170), 0.6), ((120, 150, 170), 0.3), ((60, 90, 120), 0.3)]
)
def test_cards_in_a_hard_shadow_are_found_beside_those_in_the_light(table: tuple[int, int, int], dim: float) -> None:
    picture, true = half_in_shadow(table, dim)
    found = find_cards(picture).corners_px
    assert len(found) == len(true)
    assert off_px(found, true).max() < 0.03 * WIDTH


def turned_all_ways(height: int) -> NDArray[np.float32]:
    """Corners (n, 4, 2) of cards in a picture so high, no two lying the same way."""
    middles = [(x, y) for y in range(130, height - 100, 190) for x in (150, 390, 630, 870)]
    return np.stack([turned_card((WIDTH, LENGTH), x, y, 37 * k) for k, (x, y) in enumerate(middles)])


def test_cards_in_a_picture_that_was_cut_to_a_square_keep_their_shape() -> None:
    true = turned_all_ways(800)
    true = true[(true[..., 0] < 790).all(axis=1)]
    found = find_cards(np.ascontiguousarray(photograph(true, 1)[:, :800])).corners_px
    assert len(found) == len(true)
    assert off_px(found, true).max() < 0.03 * WIDTH


def test_square_tiles_side_by_side_are_no_cards() -> None:
    degrees = 31.0
    tiles = [turned_card((40, 40), 54.0 * x, 54.0 * y, 0) for x in range(-9, 10) for y in range(-9, 10)]
    turn = cv2.getRotationMatrix2D((0, 0), degrees, 1) + [[0, 0, 320], [0, 0, 320]]
    floor = np.full((640, 640, 3), (44, 50, 54), np.uint8)
    for tile in cv2.transform(np.concatenate(tiles)[None], turn).reshape(-1, 4, 2):
        cv2.fillPoly(floor, [np.rint(tile * 16).astype(np.int32)], (196, 204, 208), cv2.LINE_AA, 4)
    seen = cv2.GaussianBlur(floor, (0, 0), 0.8) + np.random.default_rng(2).normal(0, 3, floor.shape)
    found = find_cards(np.asarray(np.clip(np.rint(seen), 0, 255), np.uint8))
    assert "" not in found.reasons


def seen_at(degrees: float, away: float) -> NDArray[np.float64]:
    """The map (3, 3) from a picture from above to one from the side, by the angle from above and the distance."""
    focal, tilt = 0.85 * SIZE_WH[0], np.radians(degrees)
    plane = np.array([[1, 0, -SIZE_WH[0] / 2], [0, np.cos(tilt), -np.cos(tilt) * 340], [0, -np.sin(tilt), 0]])
    plane[2] += np.array([0, 0, away + np.sin(tilt) * 340])
    return np.asarray(np.array([[focal, 0, SIZE_WH[0] / 2], [0, focal, SIZE_WH[1] / 2], [0, 0, 1]]) @ plane)


def from_the_side(seed: int) -> tuple[NDArray[np.uint8], NDArray[np.float32]]:
    """The cards seen at 50 degrees from above, as a laptop does, and where they are; each a little bent."""
    flat = places(40.0)
    random = np.random.default_rng(seed)
    bent = flat + random.uniform(-0.04, 0.04, flat.shape).astype(np.float32) * WIDTH
    camera = seen_at(50, 1000)
    picture = cv2.warpPerspective(photograph(bent, seed), camera, SIZE_WH, borderValue=(30, 40, 50))
    seen = cv2.perspectiveTransform(bent.reshape(1, -1, 2).astype(np.float64), camera)
    return np.asarray(picture, np.uint8), np.asarray(seen.reshape(-1, 4, 2), np.float32)


@pytest.mark.parametrize("seed", [1, 4])
def test_bent_cards_seen_from_the_side_are_found(seed: int) -> None:
    picture, true = from_the_side(seed)
    found = find_cards(picture).corners_px
    off = off_px(found, true)
    assert len(found) <= len(true)
    assert (off < 0.03 * WIDTH).mean() >= 0.85


def dark_from_the_side(seed: int) -> tuple[NDArray[np.uint8], NDArray[np.float32]]:
    """Dark cards on a pale table, large in front and small far off, and where they are."""
    flat = places(60.0)[[0, 2, 4, 6, 8, 10, 12, 14]]
    random = np.random.default_rng(seed)
    seen = cv2.perspectiveTransform(flat.reshape(1, -1, 2).astype(np.float64), seen_at(66, 850)).reshape(-1, 4, 2)
    picture = np.full((*SIZE_WH[::-1], 3), (150, 190, 215), np.float64)
    for k, quad in enumerate(seen):
        cv2.fillPoly(picture, [np.rint(quad * 16).astype(np.int32)], (34, 33, 36), cv2.LINE_AA, 4)
        mark = quad.mean(axis=0) + 0.25 * (quad - quad.mean(axis=0))
        colour = [(60, 40, 200), (60, 150, 40), (190, 90, 160)][k % 3]
        cv2.fillPoly(picture, [np.rint(mark * 16).astype(np.int32)], colour, cv2.LINE_AA, 4)
    picture = cv2.GaussianBlur(picture, (0, 0), 0.8) + random.normal(0, 2, picture.shape)
    return np.clip(picture, 0, 255).astype(np.uint8), np.asarray(seen, np.float32)


def test_small_dark_cards_far_off_are_found_beside_large_ones() -> None:
    seed = 1
    picture, true = dark_from_the_side(seed)
    found = find_cards(picture).corners_px
    off = off_px(found, true)
    assert len(found) <= len(true)
    assert (off < 0.03 * np.linalg.norm(true[:, 0] - true[:, 1], axis=1)).sum() >= len(true) - 1


def on_corduroy(quads: NDArray[np.float32], seed: int) -> NDArray[np.uint8]:
    """Draw white cards on a ribbed cloth, each of whose ribs is longer than a card's side."""
    random = np.random.default_rng(seed)
    table = np.full(SIZE_WH[::-1], 60, np.float64)
    for x in range(2, SIZE_WH[0], 6):
        y = -int(random.integers(0, 150))
        while y < SIZE_WH[1]:
            long = int(random.integers(140, 180))
            cv2.rectangle(table, (x, y), (x + 2, y + long - 12), float(random.uniform(100, 125)), -1)
            y += long
    cards = np.zeros(SIZE_WH[::-1], np.uint8)
    for quad in quads:
        cv2.fillPoly(cards, [np.rint(quad * 16).astype(np.int32)], 255, cv2.LINE_AA, 4)
    cover = cv2.GaussianBlur(cards, (0, 0), 0.8)[..., None] / 255.0
    picture = table[..., None] * (1 - cover) + np.array([236.0, 236.0, 236.0]) * cover
    for quad in quads:
        cv2.ellipse(picture, (tuple(quad.mean(axis=0).tolist()), (16, 40), 30), (60, 40, 200), -1)
    noisy = cv2.GaussianBlur(picture + random.normal(0, 2, picture.shape), (0, 0), 0.6)
    return np.asarray(np.clip(noisy, 0, 255), np.uint8)


def test_cards_are_found_among_ribs_longer_than_their_sides() -> None:
    spread = [(150 + 175 * (k % 5), 150 + 230 * (k // 5), (6, -9, 11, -7, 8)[k % 5]) for k in range(15)]
    true = np.stack([turned_card((WIDTH, LENGTH), *place) for place in spread])
    found = find_cards(on_corduroy(true, 1)).corners_px
    assert len(found) == len(true)
    assert off_px(found, true).max() < 0.03 * WIDTH


@pytest.mark.parametrize(("beyond", "reason"), [(0.02, ""), (0.06, "edge of picture")])
def test_a_card_is_cut_off_if_more_than_its_rounding_is_out_of_the_picture(beyond: float, reason: str) -> None:
    spread = [(200 + 280 * (k % 3), 200 + 340 * (k // 3), (40, -5, 8)[k % 3]) for k in range(6)]
    true = np.stack([turned_card((150, 232), *place) for place in spread])
    left = round(float(true[0, :, 0].min()) + beyond * 150)
    found = find_cards(np.ascontiguousarray(photograph(true, 1)[:, left:]))
    of_first = off_px(true[:1] - (left, 0), found.corners_px)
    assert of_first.min() < 0.03 * 150
    assert found.reasons[int(of_first.argmin())] == reason


def test_a_card_that_nearly_fills_the_picture_is_found() -> None:
    true = turned_card((530, 830), 500, 400, 87)[None]
    found = find_cards(photograph(true, 1)).corners_px
    assert len(found) == 1
    assert off_px(found, true).max() < 0.03 * 530


def test_a_frame_on_a_card_whose_edges_are_out_of_the_picture_is_none() -> None:
    card, frame = turned_card((1200, 1800), 500, 400, 87)[None], turned_card((530, 830), 500, 400, 87)
    picture = photograph(card, 1)
    cv2.polylines(picture, [np.rint(frame).astype(np.int32)], True, (40, 30, 30), 3, cv2.LINE_AA)
    assert len(find_cards(picture).corners_px) == 0


@pytest.mark.parametrize("level", [0, 128, 255])
def test_a_picture_of_one_colour_shows_no_card(level: int) -> None:
    assert len(find_cards(np.full((600, 800, 3), level, np.uint8)).corners_px) == 0
