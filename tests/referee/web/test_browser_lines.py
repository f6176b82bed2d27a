"""Lines of a browser to the table: the tab that is looked at holds one; every view says in grey if nothing comes."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from playwright.sync_api import Browser, BrowserContext, Page, ViewportSize, expect

from referee.lessons.lessons import Lessons
from referee.web import feed as module
from referee.web.auth import COOKIE
from tests.referee.web.test_browser_everywhere import GO
from tests.referee.web.window import PHONE, SCREEN, WAIT_MS, a_ring_with_pictures, turn_two_reds
from tests.support.commands import sent
from tests.support.frozen_line import FrozenLine, frozen_line
from tests.support.page_tools import START, GameClock, PageUnderTest, served
from tests.support.quiet_table import quiet_table
from tests.support.waiting import wait_for

TABS = 7
"""More than the six lines that a browser has to a server."""
HIDE = """(hidden) => {
  Object.defineProperty(document, "visibilityState", { value: hidden ? "hidden" : "visible", configurable: true });
  document.dispatchEvent(new Event("visibilitychange"));
}"""
BANNER = ".no-line"
VIEWS = ["table", "tv", "start", "history", "history/1", "figures", "settings", "system", "picture", "sheet"]
VIEWS += ["setup", "marker", "teach", "bell"]
# What is drawn behind a grey veil, and a banner that is in the window however far that was scrolled.
LOOK = """() => {
  scrollTo(0, document.documentElement.scrollHeight);
  const box = document.querySelector(".no-line p").getBoundingClientRect();
  const above = document.elementFromPoint(box.left + box.width / 2, box.top + box.height / 2);
  const main = getComputedStyle(document.querySelector("main"));
  return {
    inSight: box.top >= 0 && box.bottom <= innerHeight && box.left >= 0 && box.right <= innerWidth,
    covered: !above.closest(".no-line"),
    grey: main.filter.includes("grayscale") && Number(main.opacity) < 0.6,
  };
}"""


@pytest.fixture
def page(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[PageUnderTest]:
    # The page's own clock is turned forward: signs of life come as fast as that.
    monkeypatch.setattr(module, "HEARTBEAT_S", 0.1)
    table = quiet_table(tmp_path, clock=GameClock(), can_be_set_up=True)
    lessons = Lessons(tmp_path, lambda: None, on_change=table.referee.notify)
    with served(tmp_path, table=table, lessons=lessons) as page:
        yield page
    lessons.close()


@pytest.fixture
def line(page: PageUnderTest) -> Iterator[FrozenLine]:
    with frozen_line(page.port) as line:
        yield line


@pytest.fixture
def context(browser: Browser, page: PageUnderTest, line: FrozenLine) -> Iterator[BrowserContext]:
    expect.set_options(timeout=WAIT_MS)
    context = browser.new_context(viewport=PHONE)
    context.set_default_timeout(WAIT_MS)
    token = (page.paired_phone().cookie or "").partition("=")[2]
    context.add_cookies([{"name": COOKIE, "value": token, "url": f"http://127.0.0.1:{line.port}/"}])
    yield context
    context.close()


def opened(context: BrowserContext, to: PageUnderTest | FrozenLine, view: str = "table") -> Page:
    """Open a tab: at the page by the name that it has at home, or by way of a line that can be frozen."""
    tab = context.new_page()
    host = "ringmaster.local" if isinstance(to, PageUnderTest) else "127.0.0.1"
    tab.goto(f"http://{host}:{to.port}/#{view}")
    tab.wait_for_selector("main h1", state="attached")
    return tab


def wait_for_lines(page: PageUnderTest, lines: int) -> None:
    wait_for(lambda: page.app.state.feed.watchers == lines, f"there are never {lines} lines")


def test_of_seven_tabs_only_the_one_that_is_looked_at_holds_a_line(
    page: PageUnderTest, context: BrowserContext
) -> None:
    tabs: list[Page] = []
    for _ in range(TABS):
        for tab in tabs:
            tab.evaluate(HIDE, True)
        tabs.append(opened(context, page))
    assert not tabs[0].evaluate("isSecureContext")
    wait_for_lines(page, 1)
    page.table.referee.do(sent(START))
    expect(tabs[-1].locator(".board li")).to_have_count(3)
    turn_two_reds(page)
    page.table.report("bell", seat=2)
    expect(tabs[-1].locator(".verdict h1")).to_have_text("Valid ring, Cem")
    # One that is looked at again has what it missed.
    tabs[-1].evaluate(HIDE, True)
    wait_for_lines(page, 0)
    tabs[0].evaluate(HIDE, False)
    expect(tabs[0].locator(".verdict h1")).to_have_text("Valid ring, Cem")
    wait_for_lines(page, 1)


def test_a_server_that_does_not_answer_is_reported_on_the_page(page: PageUnderTest, context: BrowserContext) -> None:
    context.clock.install()
    tab = opened(context, page)
    tab.route("**/api/history", lambda route: None)
    tab.evaluate("location.hash = 'history'")
    expect(tab.locator("main")).to_contain_text("One moment")
    tab.clock.run_for(11_000)
    expect(tab.locator("main")).to_contain_text("has not answered for 10 seconds")


@pytest.mark.parametrize("size", [PHONE, SCREEN], ids=["phone", "screen"])
def test_every_view_says_that_nothing_is_heard_and_greys_what_it_shows(
    page: PageUnderTest, line: FrozenLine, context: BrowserContext, size: ViewportSize
) -> None:
    ring = a_ring_with_pictures(page)
    page.table.show(np.full((360, 640, 3), 90, np.uint8))
    context.clock.install()
    tab = opened(context, line, f"ruling/{ring}")
    tab.set_viewport_size(size)
    expect(tab.locator(".verdict h1")).to_have_text("Valid ring, Cem")
    line.freeze()
    tab.clock.run_for(8_000)
    for view in [f"ruling/{ring}", *VIEWS]:
        tab.evaluate(GO, view)
        expect(tab.locator(BANNER)).to_contain_text(re.compile(r"No connection for \d+ seconds\."))
        assert (view, tab.evaluate(LOOK)) == (view, {"inSight": True, "covered": False, "grey": True})
        tab.evaluate("scrollTo(0, 0)")
    tab.clock.run_for(125_000)
    expect(tab.locator(BANNER)).to_contain_text("No connection for 2 minutes.")
    line.thaw()
    expect(tab.locator(BANNER)).to_have_count(0)
    assert not tab.evaluate("document.body.classList.contains('old')")


def test_what_is_heard_begins_the_wait_again(page: PageUnderTest, line: FrozenLine, context: BrowserContext) -> None:
    context.clock.install()
    tab = opened(context, line)
    for language in ("de", "fr", "en"):
        tab.clock.run_for(4_000)
        page.table.referee.do(sent({"do": "settings", "language": language}))
        expect(tab.locator("html")).to_have_attribute("lang", language)
        assert tab.locator(BANNER).count() == 0


def test_a_line_that_died_is_left_for_a_new_one(line: FrozenLine, context: BrowserContext) -> None:
    context.clock.install()
    tab = opened(context, line)
    line.freeze()
    tab.clock.run_for(8_000)
    expect(tab.locator(BANNER)).to_be_attached()
    line.thaw(old_ones_too=False)
    # The browser may first try connections again that it has kept.
    while tab.locator(BANNER).count():
        tab.clock.run_for(7_500)
        tab.wait_for_timeout(200)


def test_a_page_that_heard_nothing_at_all_says_so_in_three_languages(line: FrozenLine, context: BrowserContext) -> None:
    context.clock.install()
    tab = context.new_page()
    tab.route("**/api/words/*", lambda route: None)
    tab.goto(f"http://127.0.0.1:{line.port}/")
    expect(tab.locator(".waiting")).to_have_text("Ringmaster…")
    line.freeze()
    tab.clock.run_for(8_000)
    expect(tab.locator(".waiting")).to_contain_text("no connection · keine Verbindung · pas de connexion")


def test_all_tabs_of_a_browser_learn_of_it_and_get_another_line(line: FrozenLine, context: BrowserContext) -> None:
    tabs = [opened(context, line, view) for view in ("table", "tv", "start")]
    line.freeze()
    for tab in tabs:
        expect(tab.locator(BANNER)).to_contain_text("No connection for")
    line.thaw(old_ones_too=False)
    for tab in tabs:
        expect(tab.locator(BANNER)).to_have_count(0)
