"""A line on which nothing comes any more: every view says so within ten seconds, in grey, until it is heard again."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from playwright.sync_api import Browser, BrowserContext, Page, ViewportSize, expect

from referee.lessons.lessons import Lessons
from referee.web import feed as module
from referee.web.who import COOKIE
from tests.referee.web.test_browser import PHONE, SCREEN, WAIT_MS, needs_chromium
from tests.referee.web.test_browser_everywhere import GO
from tests.referee.web.test_browser_tabs import NO_WORKER
from tests.referee.web.test_browser_views import a_ring_with_pictures
from tests.support.frozen_line import FrozenLine, frozen_line
from tests.support.page_tools import GameClock, PageUnderTest, served
from tests.support.quiet_table import quiet_table

pytestmark = needs_chromium
BANNER = ".no-line"
SECONDS = re.compile(r"No connection for \d+ seconds\.")
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
    lessons = Lessons(tmp_path, lambda: None)
    with served(tmp_path, table=quiet_table(tmp_path, clock=GameClock(), can_be_set_up=True), lessons=lessons) as page:
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
    context.add_cookies([{"name": COOKIE, "value": token, "url": home(line), "sameSite": "Strict"}])
    yield context
    context.close()


def home(line: FrozenLine) -> str:
    return f"http://127.0.0.1:{line.port}/"


def opened(context: BrowserContext, line: FrozenLine, view: str = "table") -> Page:
    tab = context.new_page()
    tab.goto(f"{home(line)}#{view}")
    tab.wait_for_selector("main h1", state="attached")
    return tab


@pytest.mark.parametrize("size", [PHONE, SCREEN], ids=["phone", "screen"])
def test_every_view_says_that_nothing_is_heard_and_greys_what_it_shows(
    page: PageUnderTest, line: FrozenLine, context: BrowserContext, size: ViewportSize
) -> None:
    ring = a_ring_with_pictures(page, ["Ann", "Ben", "Cem"])
    page.table.show(np.full((360, 640, 3), 90, np.uint8))
    context.clock.install()
    tab = opened(context, line, f"ruling/{ring}")
    tab.set_viewport_size(size)
    expect(tab.locator(".verdict h1")).to_have_text("Valid ring, Cem")
    line.freeze()
    tab.clock.run_for(8_000)
    for view in [f"ruling/{ring}", *VIEWS]:
        tab.evaluate(GO, view)
        expect(tab.locator(BANNER)).to_contain_text(SECONDS)
        assert (view, tab.evaluate(LOOK)) == (view, {"inSight": True, "covered": False, "grey": True})
        tab.evaluate("scrollTo(0, 0)")
    tab.clock.run_for(125_000)
    expect(tab.locator(BANNER)).to_contain_text("No connection for 2 minutes.")
    line.thaw()
    expect(tab.locator(BANNER)).to_have_count(0)
    assert not tab.evaluate("document.body.classList.contains('old')")


def test_whatever_is_heard_begins_the_wait_again(
    page: PageUnderTest, line: FrozenLine, context: BrowserContext
) -> None:
    context.clock.install()
    tab = opened(context, line)
    for language in ("de", "fr", "en"):
        tab.clock.run_for(4_000)
        page.table.desk.do({"do": "settings", "language": language})
        expect(tab.locator("html")).to_have_attribute("lang", language)
        assert tab.locator(BANNER).count() == 0


def test_a_line_that_died_is_left_for_a_new_one(page: PageUnderTest, line: FrozenLine, context: BrowserContext) -> None:
    context.add_init_script(NO_WORKER)
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


def test_a_page_that_never_heard_the_table_says_so_in_three_languages(
    page: PageUnderTest, line: FrozenLine, context: BrowserContext
) -> None:
    context.clock.install()
    tab = context.new_page()
    tab.route("**/api/words/*", lambda route: None)
    tab.goto(home(line))
    expect(tab.locator(".waiting")).to_have_text("Ringmaster…")
    line.freeze()
    tab.clock.run_for(8_000)
    expect(tab.locator(".waiting")).to_contain_text("no connection · keine Verbindung · pas de connexion")


@pytest.mark.nightly
def test_all_tabs_of_a_browser_learn_of_it_and_their_worker_opens_another_line(
    page: PageUnderTest, line: FrozenLine, context: BrowserContext
) -> None:
    tabs = [opened(context, line, view) for view in ("table", "tv", "start")]
    line.freeze()
    for tab in tabs:
        expect(tab.locator(BANNER)).to_contain_text("No connection for")
    line.thaw(old_ones_too=False)
    for tab in tabs:
        expect(tab.locator(BANNER)).to_have_count(0)
