"""Small things made large enough for a finger and an eye: hands on the live picture, evidence, the photo-finish."""

from __future__ import annotations

from typing import Any

import numpy as np
from playwright.sync_api import Browser, Locator, expect

from hardware.camera.frames import Frame
from referee.engine.session import Outline
from referee.watchers.by_hand import ByHandWatcher
from tests.referee.web.test_browser import WAIT_MS, Window, needs_chromium
from tests.referee.web.test_browser_views import a_ring_with_pictures
from tests.support.page_tools import START, PageUnderTest

pytestmark = needs_chromium
SMALL = """(parts) => parts.map((part) => part.getBoundingClientRect())
  .filter((box) => box.width < 43.9 || box.height < 43.9).length"""
LARGER = "(one) => new DOMMatrix(getComputedStyle(one.querySelector('.zoomed')).transform).a"


def three_hands_of_four(page: PageUnderTest) -> None:
    page.table.desk.do({**START, "game": "confetti"})
    for kind in ("timer_flipped", "timer_ran_out"):
        page.table.tell(kind)
    grey = np.full((1080, 1920, 3), 90, np.uint8)
    page.table.show(grey)
    page.table.controller.look(Frame(1, 1, grey, 0))
    watcher = page.table.controller.playing().watcher
    assert isinstance(watcher, ByHandWatcher)
    places = [
        (seat, x + 90 * at, y) for seat, (x, y) in enumerate([(700, 950), (10, 300), (1500, 300)]) for at in range(4)
    ]
    watcher.outlines = tuple(
        Outline(((x, y), (x + 80, y), (x + 80, y + 120), (x, y + 120)), seat, "red blue green", True)
        for seat, x, y in places
    )
    for seat in range(3):
        page.table.tell("hand", seat=seat, cards=[["red", "blue", "green"]] * 4)
    page.table.desk.refresh()


def test_a_tap_on_the_live_picture_opens_that_hand_with_targets_for_a_finger(
    page: PageUnderTest, browser: Browser
) -> None:
    expect.set_options(timeout=WAIT_MS)
    three_hands_of_four(page)
    window = Window(browser, page, {"width": 360, "height": 640}, paired=True)
    targets = window.page.locator(".live .picture button")
    expect(targets).to_have_count(3)
    assert targets.evaluate_all(SMALL) == 0
    window.page.get_by_role("button", name="Look closer: Ben").click()
    expect(targets).to_have_count(4)
    assert targets.evaluate_all(SMALL) == 0
    assert window.barriers() == [] and not window.is_too_wide()
    targets.nth(2).click()
    right = window.page.get_by_role("group", name="What is it really?")
    expect(right.locator(".card")).to_have_count(4)
    right.get_by_role("group", name="Big circle").get_by_role("button", name="purple").click()
    right.get_by_role("button", name="Enter this card").click()
    expect(window.page.get_by_text("Corrected, and judged again.")).to_be_visible()
    hands = [one["data"]["cards"] for one in corrected(page) if one["seat"] == 1]
    assert [hand.count(["red", "blue", "purple"]) for hand in hands] == [1]
    window.page.get_by_role("button", name="Show the whole table").click()
    expect(targets).to_have_count(3)
    window.close()


def corrected(page: PageUnderTest) -> list[dict[str, Any]]:
    ruled = [one["id"] for one in page.table.desk.state()["rulings"] if one["ruling"]["ruling"] == "hand"]
    return [reading for one in ruled for reading in page.table.desk.explain(one)["readings"]]


def test_evidence_is_made_larger_by_fingers_taps_wheel_and_keys(page: PageUnderTest, browser: Browser) -> None:
    expect.set_options(timeout=WAIT_MS)
    ring = a_ring_with_pictures(page)
    window = Window(browser, page, {"width": 360, "height": 640})
    window.open(f"ruling/{ring}")
    picture = window.page.locator(".zoomable")
    expect(picture).to_be_visible()
    larger: list[float] = [picture.evaluate(LARGER)]

    def grew(what: str) -> None:
        wanted = "([one, before]) => new DOMMatrix(getComputedStyle(one).transform).a > before"
        window.page.wait_for_function(wanted, arg=[picture.locator(".zoomed").element_handle(), larger[-1]])
        larger.append(picture.evaluate(LARGER))

    window.page.get_by_role("button", name="Larger").click()
    grew("button")
    picture.focus()
    window.page.keyboard.press("+")
    grew("key")
    # To be focused it was scrolled into sight.
    box = picture.bounding_box()
    assert box is not None
    middle = (box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    window.page.mouse.move(*middle)
    window.page.mouse.wheel(0, -100)
    grew("wheel")
    window.page.keyboard.press("0")
    assert picture.evaluate(LARGER) == 1
    larger.append(1)
    window.page.mouse.dblclick(*middle)
    grew("two taps")
    window.page.mouse.dblclick(*middle)
    assert picture.evaluate(LARGER) == 1
    larger.append(1)
    pinched(window, middle)
    grew("fingers")
    # The same place of the table stays in sight in the next picture.
    before = picture.evaluate(LARGER)
    window.page.get_by_role("button", name="The picture after").click()
    expect(window.page.locator(".evidence figcaption")).to_contain_text("after the ring")
    assert window.page.locator(".zoomable").evaluate(LARGER) == before
    window.close()


def pinched(window: Window, middle: tuple[float, float]) -> None:
    """Spread two fingers round a place."""
    session = window.context.new_cdp_session(window.page)

    def fingers(kind: str, apart: float) -> None:
        points: list[dict[str, Any]] = [{"x": middle[0] + side * apart, "y": middle[1], "id": side} for side in (-1, 1)]
        session.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": [] if kind == "touchEnd" else points})

    fingers("touchStart", 20)
    for apart in (30, 45, 60):
        fingers("touchMove", apart)
    fingers("touchEnd", 0)


def test_a_phone_shows_the_cards_of_the_photo_finish_large(page: PageUnderTest, browser: Browser) -> None:
    expect.set_options(timeout=WAIT_MS)
    ring = a_ring_with_pictures(page)
    window = Window(browser, page, {"width": 360, "height": 640})
    window.open(f"ruling/{ring}")
    shown: Locator = window.page.locator(".close-up")
    expect(shown).to_have_count(2)
    expect(window.page.locator(".close-ups")).to_contain_text("Ann")
    # An outlined card of 80 by 110 px in a picture of 640 by 480 was 45 px wide on this screen.
    sizes = shown.locator(".outline").evaluate_all(
        "(cards) => cards.map((card) => card.getBoundingClientRect().height)"
    )
    assert min(sizes) > 60, sizes
    # In the next picture the same places are shown, without what was seen in another.
    window.page.get_by_role("button", name="The picture after").click()
    expect(shown.locator(".outline")).to_have_count(0)
    assert "-2" in str(shown.first.locator("image").get_attribute("href"))
    assert window.barriers() == [] and not window.is_too_wide()
    window.close()
