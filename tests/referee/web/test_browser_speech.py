"""The page's voice, and what it asks about devices that are missing, in a real browser."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from page_tools import START, PageUnderTest
from playwright.sync_api import Browser, Page, expect, sync_playwright
from test_browser import PHONE, SCREEN, WAIT_MS, Window, launched, needs_chromium, turn_two_reds

from hardware.health import DeviceHealth, Health

pytestmark = needs_chromium
# A browser that is driven counts as touched.
LISTEN = """window.spoken = [];
Object.defineProperty(navigator, "userActivation", { value: undefined });
Object.defineProperty(window, "speechSynthesis", {
  value: { speak: (words) => window.spoken.push([words.lang, words.text]), cancel: () => window.spoken.push("cancel") },
});"""


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with sync_playwright() as playwright:
        browser = launched(playwright)
        yield browser
        browser.close()


def spoken(tab: Page) -> list[list[str]]:
    heard = tab.evaluate("window.spoken")
    return [one for one in heard if one != "cancel" and one[1]]


def test_the_one_device_that_was_chosen_says_each_ruling_once(page: PageUnderTest, browser: Browser) -> None:
    expect.set_options(timeout=WAIT_MS)
    page.table.desk.do({"do": "settings", "language": "de"})
    page.table.desk.do(START)
    chosen, other = Window(browser, page, PHONE, paired=True), Window(browser, page, SCREEN, paired=True)
    for window in (chosen, other):
        window.context.add_init_script(LISTEN)
        window.open("settings")
    chosen.page.get_by_label("Dieses Gerät soll sprechen").check()
    expect(other.page.get_by_text("Ein anderes Gerät soll sprechen.")).to_be_visible()
    turn_two_reds(page)
    page.table.tell("bell", seat=2)
    chosen.page.wait_for_function("() => window.spoken.some((one) => one[1].includes('Cem'))")
    # A page that is loaded anew does not say what was said before; a second tab does not say what the first one does.
    second = chosen.context.new_page()
    second.goto(chosen.home)
    expect(second.get_by_text("Irgendwohin tippen")).to_be_visible()
    for tab in (chosen.page, second, other.page):
        tab.evaluate("location.hash = 'table'")
        expect(tab.locator(".verdict h1")).to_contain_text("Cem")
    page.table.tell("card_shown", seat=0, colour="blue", mood="sad")
    page.table.tell("bell", seat=1)
    for tab in (chosen.page, second, other.page):
        expect(tab.locator(".verdict h1")).to_contain_text("Ben")
    chosen.page.wait_for_timeout(500)
    heard = spoken(chosen.page) + spoken(second)
    assert [lang for lang, text in heard if "Ben" in text] == ["de-DE"]
    assert len([text for _, text in heard if text.startswith("Richtig geklingelt, Cem")]) == 1
    assert spoken(other.page) == []
    second.locator("h1").click()
    expect(second.get_by_text("Irgendwohin tippen")).to_have_count(0)
    chosen.close()
    other.close()


def test_what_a_table_does_not_have_is_asked_about_once_and_all_in_one(page: PageUnderTest, browser: Browser) -> None:
    expect.set_options(timeout=WAIT_MS)
    for device in ("speaker", "lamp", "bell", "sandtimer"):
        page.table.health.report(DeviceHealth(1, device, Health.MISSING, "none"))
    page.table.health.report(DeviceHealth(1, "camera", Health.STALLED, "dark"))
    page.table.desk.refresh()
    window = Window(browser, page, PHONE, paired=True)
    expect(window.page.locator(".alert")).to_have_count(2)
    asked = window.page.locator(".alert.asking")
    expect(asked).to_contain_text("Not found: bell, lamp, sensors of the sandtimer, loudspeaker")
    assert window.barriers() == [] and not window.is_too_wide()
    asked.get_by_role("button", name="Not now").click()
    expect(asked).to_have_count(0)
    window.open("settings")
    expect(window.page.locator(".alert")).to_have_count(1)
    # Others than these are asked about again.
    page.table.health.forget("bell")
    page.table.desk.refresh()
    asked.get_by_role("button", name="It has none").click()
    expect(window.page.get_by_text("Saved.")).to_be_visible()
    settings = page.table.desk.state()["settings"]
    assert (settings["lamp"], settings["sandtimer"], settings["loudspeaker"]) == (False, False, False)
    assert settings["bell"] == "one"
    window.close()
