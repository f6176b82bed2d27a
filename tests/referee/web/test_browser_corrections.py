"""Corrections in a real browser: whole before they are entered, and never with what was taken back."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from page_tools import START, PageUnderTest
from playwright.sync_api import Browser, expect, sync_playwright
from test_browser import PHONE, WAIT_MS, Window, launched, needs_chromium, turn_two_reds

pytestmark = needs_chromium


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with sync_playwright() as playwright:
        browser = launched(playwright)
        yield browser
        browser.close()


def test_a_card_is_composed_first_and_entered_once(page: PageUnderTest, browser: Browser) -> None:
    expect.set_options(timeout=WAIT_MS)
    page.table.desk.do({"do": "start", "game": "confetti", "players": ["Ann"], "options": {}})
    page.table.tell("timer_flipped")
    page.table.tell("timer_ran_out")
    page.table.tell("hand", seat=0, cards=[["red", "blue", "green"], ["blue", "green", "red"]])
    ruled = next(one["id"] for one in page.table.desk.state()["rulings"] if one["ruling"]["ruling"] == "hand")
    window = Window(browser, page, PHONE, paired=True)
    window.open(f"ruling/{ruled}")
    before = page.table.desk.state()["version"]
    window.page.get_by_role("button", name="One more card").click()
    enter = window.page.get_by_role("button", name="Enter this card")
    for size, name in (("Small", "green"), ("Medium", "red")):
        window.page.get_by_role("group", name=f"{size} circle").get_by_role("button", name=name).click()
        expect(enter).to_be_disabled()
    window.page.get_by_role("group", name="Big circle").get_by_role("button", name="blue").click()
    assert page.table.desk.state()["version"] == before
    assert window.barriers() == [] and not window.is_too_wide()
    window.look()
    enter.click()
    expect(window.page.locator(".reading .cards .card")).to_have_count(3)
    (hand,) = page.table.desk.explain(ruled)["readings"]
    assert hand["data"]["cards"][2] == ["green", "red", "blue"]
    corrections = page.table.desk.game(page.table.desk.state()["game"]["id"])["corrections"]
    assert [one["change"] for one in corrections] == ["Ann: – → green, red, blue"]
    window.close()


def test_what_was_taken_back_is_not_sent_along_with_the_next_correction(page: PageUnderTest, browser: Browser) -> None:
    expect.set_options(timeout=WAIT_MS)
    page.table.desk.do(START)
    turn_two_reds(page)
    page.table.tell("card_shown", seat=2, colour="blue", mood="happy")
    page.table.tell("bell", seat=2)
    ring = next(one["id"] for one in page.table.desk.state()["rulings"] if one["ruling"]["ruling"] == "ring")
    window = Window(browser, page, PHONE, paired=True)
    window.open(f"ruling/{ring}")
    mine = window.page.get_by_role("group", name="Cem’s card")
    # The sentence stays as it was: two reds are happy all the same.
    mine.get_by_role("button", name="Sad").click()
    expect(mine.get_by_role("button", name="Sad")).to_have_attribute("aria-pressed", "true")
    window.look()
    window.page.get_by_role("button", name="Undo", exact=True).click()
    expect(mine.get_by_role("button", name="Happy")).to_have_attribute("aria-pressed", "true")
    window.look()
    mine.get_by_role("button", name="green").click()
    expect(mine.get_by_role("button", name="green")).to_have_attribute("aria-pressed", "true")
    data = next(one["data"] for one in page.table.desk.explain(ring)["readings"] if one["seat"] == 2)
    assert (data["colour"], data["mood"]) == ("green", "happy")
    window.close()
