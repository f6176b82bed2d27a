"""Many tabs of one browser: they share its line to the server, and what is hidden holds none."""

from __future__ import annotations

import time
from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, expect

from tests.referee.web.test_browser import PHONE, WAIT_MS, needs_chromium
from tests.support.page_tools import START, PageUnderTest

pytestmark = needs_chromium
TABS = 7
"""More than the six lines that a browser has to a server."""
NO_WORKER = "delete window.SharedWorker"
HIDE = """(hidden) => {
  Object.defineProperty(document, "visibilityState", { value: hidden ? "hidden" : "visible", configurable: true });
  document.dispatchEvent(new Event("visibilitychange"));
}"""


@pytest.fixture
def context(browser: Browser) -> Iterator[BrowserContext]:
    expect.set_options(timeout=WAIT_MS)
    context = browser.new_context(viewport=PHONE)
    context.set_default_timeout(WAIT_MS)
    yield context
    context.close()


def opened(context: BrowserContext, page: PageUnderTest) -> Page:
    tab = context.new_page()
    tab.goto(f"http://ringmaster.local:{page.port}/")
    tab.wait_for_selector("main h1")
    return tab


def wait_for_lines(page: PageUnderTest, lines: int) -> None:
    deadline = time.monotonic() + WAIT_MS / 1000
    while page.app.state.feed.watchers != lines:
        assert time.monotonic() < deadline, page.app.state.feed.watchers
        time.sleep(0.01)


def test_seven_tabs_share_one_line_and_all_of_them_follow(page: PageUnderTest, context: BrowserContext) -> None:
    tabs = [opened(context, page) for _ in range(TABS)]
    assert not tabs[0].evaluate("isSecureContext")
    wait_for_lines(page, 1)
    page.table.desk.do(START)
    for tab in tabs:
        expect(tab.locator(".board li")).to_have_count(3)
    page.table.tell("card_shown", seat=0, colour="red", mood="happy")
    page.table.tell("card_shown", seat=1, colour="red", mood="happy")
    page.table.tell("bell", seat=2)
    for tab in tabs[:-1]:
        expect(tab.locator(".verdict h1")).to_have_text("Valid ring, Cem")
        tab.close()
    # The last one goes on when the others have gone, and gives its line back when it is hidden.
    page.table.tell("card_shown", seat=0, colour="blue", mood="sad")
    page.table.tell("bell", seat=1)
    expect(tabs[-1].locator(".verdict h1")).to_have_text("False ring, Ben")
    tabs[-1].evaluate(HIDE, True)
    wait_for_lines(page, 0)
    page.table.desk.do({"do": "pause"})
    tabs[-1].evaluate(HIDE, False)
    expect(tabs[-1].get_by_role("button", name="Go on")).to_be_visible()
    wait_for_lines(page, 1)


def test_a_browser_without_shared_workers_holds_lines_for_what_is_looked_at_alone(
    page: PageUnderTest, context: BrowserContext
) -> None:
    context.add_init_script(NO_WORKER)
    tabs: list[Page] = []
    for _ in range(TABS):
        for tab in tabs:
            tab.evaluate(HIDE, True)
        tabs.append(opened(context, page))
    wait_for_lines(page, 1)
    page.table.desk.do(START)
    expect(tabs[-1].locator(".board li")).to_have_count(3)
    tabs[-1].evaluate(HIDE, True)
    tabs[0].evaluate(HIDE, False)
    expect(tabs[0].locator(".board li")).to_have_count(3)


def test_a_server_that_does_not_answer_is_told_of_and_the_page_goes_on(
    page: PageUnderTest, context: BrowserContext
) -> None:
    context.clock.install()
    tab = opened(context, page)
    tab.route("**/api/history", lambda route: None)
    tab.goto(f"http://ringmaster.local:{page.port}/#history")
    expect(tab.locator("main")).to_contain_text("One moment")
    tab.clock.run_for(11_000)
    expect(tab.locator("main")).to_contain_text("has not answered for 10 seconds")
