"""A phone as a bell, in a real browser."""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import Any

import pytest
from page_tools import START, PageUnderTest
from playwright.sync_api import Browser, Request, expect, sync_playwright
from test_browser import WAIT_MS, Window, launched, needs_chromium, turn_two_reds

pytestmark = needs_chromium


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with sync_playwright() as playwright:
        browser = launched(playwright)
        yield browser
        browser.close()


def test_a_phone_rings_for_its_owner_at_the_time_of_the_thumb(page: PageUnderTest, browser: Browser) -> None:
    expect.set_options(timeout=WAIT_MS)
    page.table.desk.do(START)
    turn_two_reds(page)
    window = Window(browser, page, {"width": 390, "height": 844}, paired=True)
    told: list[dict[str, Any]] = []

    def note(request: Request) -> None:
        if request.url.endswith("/api/do"):
            told.append(dict(request.post_data_json or {}))

    window.page.on("request", note)
    window.page.get_by_role("link", name="This phone as a bell").click()
    window.page.get_by_role("button", name="Ben").click()
    button = window.page.get_by_role("button", name="Ring")
    expect(window.page.get_by_text("is right to ± ")).to_be_visible()
    assert window.barriers() == [] and not window.is_too_wide()
    box = button.bounding_box()
    assert box is not None and box["height"] > 0.6 * 844 and box["width"] > 0.9 * 390
    before_ns = time.monotonic_ns()
    button.dispatch_event("pointerdown")
    expect(window.page.get_by_text("Rung, right to ± ")).to_be_visible()
    after_ns = time.monotonic_ns()
    rung = next(one for one in told if one["do"] == "ring")
    within_ns = rung["within_ms"] * 1_000_000
    assert rung["seat"] == 1
    assert before_ns - within_ns <= rung["t_ns"] <= after_ns + within_ns
    assert page.table.desk.state()["rulings"][-1]["ruling"]["seat"] == 1
    assert any(one["do"] == "bell_here" for one in told)
    window.close()
