"""Nothing is too small, cut, covered or out of sight in any view: in every language on a phone and on a computer.

In German, which has the longest words, on a larger phone, on one held across and on a TV, too.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from playwright.sync_api import Browser, ViewportSize, expect

from referee.language import LANGUAGES
from referee.lessons.lessons import Lessons
from tests.referee.web.test_browser import (
    LONGEST,
    PHONE,
    SCREEN,
    WAIT_MS,
    Window,
    needs_chromium,
    turn_two_reds,
)
from tests.referee.web.test_browser_views import a_ring_with_pictures
from tests.support.page_tools import START, GameClock, PageUnderTest, served
from tests.support.quiet_table import quiet_table

pytestmark = needs_chromium
FAULTS = Path(__file__).with_name("whole_page.js").read_text()
COMPUTER: ViewportSize = {"width": 1366, "height": 768}
SIZES: tuple[ViewportSize, ...] = (
    PHONE,
    {"width": 390, "height": 844},
    {"width": 740, "height": 360},
    COMPUTER,
    SCREEN,
)
# The page follows both in its own time.
GO = """(view) => new Promise((done) => {
  const drawn = () => requestAnimationFrame(() => requestAnimationFrame(done));
  if (location.hash === `#${view}`) return drawn();
  addEventListener("hashchange", drawn, { once: true });
  location.hash = view;
})"""
SCROLL = """(to) => new Promise((done) => {
  scrollTo(0, to);
  requestAnimationFrame(() => requestAnimationFrame(done));
})"""
SPOIL = """() => {
  const main = document.querySelector("main");
  const made = (tag) => main.appendChild(document.createElement(tag));
  const add = (tag, text, style) => Object.assign(made(tag), { textContent: text, style });
  add("button", "x", "width: 30px; padding: 0");
  add("p", "this is cut", "width: 30px; overflow: hidden; white-space: nowrap");
  add("p", "this is broken", "width: 20px; overflow-wrap: anywhere");
  add("p", "this lies beside", "position: absolute; left: 5000px; top: 0");
  for (const one of ["one", "another"]) add("p", one, "position: absolute; left: 0; top: 300px");
}"""
LONG_NAMES = ["Grandmother Anneliese", "Ben", "Maximilian-Alexander", "Di", "Eva", "Fay", "Gus"]
VERDICT = ".verdict h1, .dock .verdict-again, .dock .caption"
DUE = {"table": [VERDICT, ".dock .main"]}


@pytest.fixture
def page(tmp_path: Path) -> Iterator[PageUnderTest]:
    table = quiet_table(tmp_path, clock=GameClock(), can_be_set_up=True)
    lessons = Lessons(tmp_path, lambda: None)
    with served(tmp_path, table=table, lessons=lessons) as page:
        yield page
    lessons.close()


def looked_at(window: Window, page: PageUnderTest, language: str, views: dict[str, list[str]]) -> list[str]:
    """Give what is wrong with some views in a language; views: what has to be in sight in each."""
    page.table.desk.do({"do": "settings", "language": language})
    expect(window.page.locator("html")).to_have_attribute("lang", language)
    found: list[str] = []
    for view, due in views.items():
        window.page.evaluate(GO, view)
        window.page.wait_for_selector("main h1", state="attached")
        window.wait_until_filled()
        for size in SIZES if language == LONGEST else (PHONE, COMPUTER):
            window.page.set_viewport_size(size)
            for scrolled in (0, 100_000) if due else (0,):
                window.page.evaluate(SCROLL, scrolled)
                found += [
                    f"{language} {view} {size['width']}×{size['height']}: {fault}"
                    for fault in window.page.evaluate(FAULTS, due)
                ]
    return found


def test_nothing_is_too_small_cut_covered_or_out_of_sight(page: PageUnderTest, browser: Browser) -> None:
    expect.set_options(timeout=WAIT_MS)
    ring = a_ring_with_pictures(page, LONG_NAMES[:5])
    page.table.desk.do({"do": "stop"})
    page.table.desk.do({**START, "game": "confetti", "players": LONG_NAMES})
    for kind in ("timer_flipped", "timer_ran_out"):
        page.table.tell(kind)
    for seat in range(7):
        page.table.tell("hand", seat=seat, cards=[["red", "blue", "green"], ["blue", "green", "red"]][: seat % 3])
    hand = next(one["id"] for one in page.table.desk.state()["rulings"] if one["ruling"]["ruling"] == "hand")
    page.table.tell("timer_flipped")
    page.table.show(np.full((360, 640, 3), 90, np.uint8))
    window = Window(browser, page, PHONE, paired=True)
    views = ["table", "tv", "start", f"ruling/{hand}", f"ruling/{ring}", "history", "history/1", "history/2", "figures"]
    views += ["settings", "system", "picture", "setup", "marker", "teach", "bell"]
    found = [
        fault
        for language in LANGUAGES
        for fault in looked_at(window, page, language, {view: DUE.get(view, []) for view in views})
    ]
    # Who rang is asked, and this phone may be a bell.
    page.table.desk.do({**START, "players": LONG_NAMES[:5]})
    turn_two_reds(page)
    page.table.tell("bell", seat=2)
    page.table.tell("card_shown", seat=0, colour="blue", mood="sad")
    page.table.tell("bell", seat=None)
    for language in LANGUAGES:
        found += looked_at(window, page, language, {"table": [VERDICT], "tv": [".tv-first"], "bell": []})
    assert found == []
    # It would be noticed. At once: the page may be drawn anew at any time.
    spoilt = window.page.evaluate(f"(due) => {{ ({SPOIL})(); return ({FAULTS})(due); }}", [".nowhere"])
    for fault in ("small", "cut", "over each other", "beside the screen", "broken inside", "out of sight"):
        assert any(one.startswith(fault) for one in spoilt), (fault, spoilt)
    window.close()
