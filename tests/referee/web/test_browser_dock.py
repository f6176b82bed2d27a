"""What is due is always in sight, in a real browser: the button, the verdict, and what was just done."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from page_tools import PageUnderTest
from playwright.sync_api import Browser, ViewportSize, expect, sync_playwright
from test_browser import PHONE, WAIT_MS, Window, launched, needs_chromium

pytestmark = needs_chromium
TALL: ViewportSize = {"width": 390, "height": 844}
FLAT: ViewportSize = {"width": 740, "height": 360}
LONG_NAMES = [
    "Grandmother Anneliese",
    "Ben",
    "Maximilian-Alexander",
    "Dorothea",
    "Christoph-Emanuel",
    "Fi",
    "Gwendolyn",
]
# What a finger would hit in the middle of a thing that is shown, and whether all of it is in the window.
IN_SIGHT = """(node) => {
  const box = node.getBoundingClientRect();
  const hit = document.elementFromPoint(box.x + box.width / 2, box.y + box.height / 2);
  return node.contains(hit) && box.top >= 0 && box.bottom <= innerHeight && box.height >= 40;
}"""
# Whether the last of the page ends above what stands at the foot of the window, once it is scrolled there.
ENDS_ABOVE = """() => {
  scrollTo(0, document.body.scrollHeight);
  const last = document.querySelector("main").lastElementChild.getBoundingClientRect();
  return last.bottom <= document.querySelector(".dock").getBoundingClientRect().top + 1;
}"""
APART = """(nodes) => nodes.map((node) => node.getBoundingClientRect())
  .sort((one, other) => one.top - other.top)
  .every((box, at, all) => at === 0 || all[at - 1].bottom <= box.top + 1)"""


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with sync_playwright() as playwright:
        browser = launched(playwright)
        yield browser
        browser.close()


def test_the_button_that_is_due_and_the_verdict_are_in_sight_wherever_the_page_is_scrolled(
    page: PageUnderTest, browser: Browser
) -> None:
    expect.set_options(timeout=WAIT_MS)
    page.table.desk.do({"do": "start", "game": "confetti", "players": LONG_NAMES, "options": {}})
    page.table.tell("timer_flipped")
    window = Window(browser, page, PHONE, paired=True)
    due = window.page.locator(".dock .main")
    for size in (PHONE, TALL, FLAT):
        window.page.set_viewport_size(size)
        window.page.evaluate("scrollTo(0, 0)")
        expect(due).to_have_text("Time is up")
        assert (size, due.evaluate(IN_SIGHT)) == (size, True)
        assert (size, window.page.evaluate(ENDS_ABOVE)) == (size, True)
        again = window.page.locator(".dock .verdict-again, .dock .caption")
        expect(again).to_be_visible()
        assert (size, window.is_too_wide()) == (size, False)
    window.look()
    due.click()
    expect(due).to_have_text("Count now")
    page.table.tell("hand", seat=0, cards=[["red", "blue", "green"]])
    page.table.desk.do({"do": "pause"})
    expect(due).to_have_text("Go on")
    # What was done, what is said and what is due stand one above the other.
    window.open("settings")
    window.page.get_by_role("button", name="English").click()
    expect(window.page.locator(".toast")).to_be_visible()
    window.page.evaluate("location.hash = 'table'")
    expect(due).to_be_visible()
    assert window.page.locator(".dock > *:visible").evaluate_all(APART)
    assert window.barriers() == []
    window.close()


def test_a_move_of_coloretto_needs_no_scrolling(page: PageUnderTest, browser: Browser) -> None:
    expect.set_options(timeout=WAIT_MS)
    page.table.desk.do({"do": "start", "game": "coloretto", "players": ["Ann", "Ben", "Cem"], "options": {}})
    page.table.stage.voice.clear_caption(page.table.stage.voice.caption)
    window = Window(browser, page, TALL, paired=True)
    for name in ("red", "Into row 1", "Into row 3"):
        assert window.page.get_by_role("button", name=name, exact=True).evaluate(IN_SIGHT)
    window.close()
