"""The page of a guest, without pictures; and what a family does: a TV let in, a game and a player forgotten."""

from __future__ import annotations

import cv2
import numpy as np
import pytest
from playwright.sync_api import Browser, ViewportSize, expect

from referee.web.words import words_in
from tests.referee.web.test_browser import (
    LONGEST,
    SCREEN,
    WAIT_MS,
    Window,
    needs_chromium,
    turn_two_reds,
)
from tests.support.page_tools import START, PageUnderTest

pytestmark = needs_chromium
PHONE: ViewportSize = {"width": 390, "height": 844}
HOME = "192.168.1.20"
BROKEN = "() => [...document.images].filter((one) => one.complete && !one.naturalWidth).map((one) => one.src)"


def play(page: PageUnderTest) -> None:
    jpeg = cv2.imencode(".jpg", np.full((90, 160, 3), 90, np.uint8))[1].tobytes()
    page.table.desk.do(START)
    turn_two_reds(page)
    page.table.tell("bell", seat=1)
    for event in (1, 2, 3):
        page.table.evidence.add(1, event, [(-5.0, jpeg)])


@pytest.mark.parametrize("size", [PHONE, SCREEN])
def test_a_guest_reads_why_no_picture_stands_there_and_sees_it_once_it_may(
    page: PageUnderTest, browser: Browser, size: ViewportSize
) -> None:
    page.table.desk.do({"do": "settings", "language": LONGEST})
    play(page)
    expect.set_options(timeout=WAIT_MS)
    guest = Window(browser, page, size, address=HOME)
    ruling = page.table.desk.state()["rulings"][0]["id"]
    words = words_in(LONGEST)
    for view in ("table", "start", f"ruling/{ruling}", "history/1", "settings"):
        guest.open(view)
        guest.wait_until_filled()
        assert guest.page.evaluate(BROKEN) == [] and not guest.is_too_wide()
        if view not in ("start", "history/1", "settings"):
            expect(guest.page.get_by_text(words["pictures_paired"])).to_have_count(1)
    assert guest.barriers() == []
    for key in ("privacy_what", "privacy_long", "privacy_who"):
        expect(guest.page.get_by_text(words[key])).to_be_visible()
    guest.open(f"ruling/{ruling}")
    expect(guest.page.locator(".evidence .zoom")).to_have_count(0)
    page.table.desk.do({"do": "settings", "open_pictures": True})
    expect(guest.page.locator(".evidence .zoom").first).to_be_visible()
    guest.close()


def test_a_tv_is_let_in_by_a_paired_phone(page: PageUnderTest, browser: Browser) -> None:
    expect.set_options(timeout=WAIT_MS)
    phone = Window(browser, page, PHONE, paired=True, address="192.168.1.21")
    tv = Window(browser, page, SCREEN, address=HOME)
    tv.page.goto(f"{tv.home}tv")
    shown = tv.page.locator(".tv-screen")
    expect(shown).to_be_visible()
    code = (shown.text_content() or "")[-4:]
    phone.open("settings")
    phone.page.get_by_label("Let a screen in").fill(code)
    phone.page.get_by_role("button", name="Let it in").click()
    expect(phone.page.get_by_text("The screen is let in.")).to_be_visible()
    expect(shown).to_have_count(0)
    assert phone.barriers() == [] and tv.barriers() == []
    for window in (tv, phone):
        window.close()


def test_a_finished_game_goes_with_two_taps_and_a_player_is_forgotten(
    page: PageUnderTest, browser: Browser, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CACHE_DIRECTORY", str(page.folder / "cache"))
    expect.set_options(timeout=WAIT_MS)
    play(page)
    page.table.desk.do({"do": "stop"})
    phone = Window(browser, page, PHONE, paired=True, address=HOME)
    phone.open("system")
    phone.page.get_by_role("button", name="Forget Ben").click()
    phone.page.get_by_role("button", name="Yes, forget").click()
    expect(phone.page.locator(".tidy")).to_contain_text("Somebody")
    expect(phone.page.locator(".tidy")).not_to_contain_text("Ben")
    phone.open("history/1")
    phone.page.get_by_role("button", name="Delete this game").click()
    assert phone.barriers() == []
    phone.page.get_by_role("button", name="Cancel").click()
    phone.page.get_by_role("button", name="Delete this game").click()
    phone.page.get_by_role("button", name="Yes, delete").click()
    expect(phone.page.get_by_text(words_in("en")["no_games_yet"])).to_be_visible()
    phone.close()
