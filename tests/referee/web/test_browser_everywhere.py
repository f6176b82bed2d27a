"""Nothing is too small, cut, covered or out of sight in any view, in every language, from a phone to a TV."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Literal

import numpy as np
import pytest
from playwright.sync_api import ViewportSize, expect

from hardware.problems import Health, Problem
from referee.language import LANGUAGES
from referee.lessons.lessons import Lessons
from tests.referee.web.window import (
    LONGEST,
    PHONE,
    SCREEN,
    Window,
    Windows,
    a_ring_with_pictures,
    begin,
    ruling_of,
    turn_two_reds,
)
from tests.support.commands import sent
from tests.support.page_tools import GameClock, PageUnderTest, served
from tests.support.quiet_table import quiet_table

FAULTS = Path(__file__).with_name("whole_page.js").read_text()
COMPUTER: ViewportSize = {"width": 1366, "height": 768}
SIZES: tuple[ViewportSize, ...] = (
    PHONE,
    {"width": 390, "height": 844},
    {"width": 740, "height": 360},
    {"width": 768, "height": 1024},
    COMPUTER,
    SCREEN,
)
# Zoomed to 200 or 400 %, a screen of 1280 is 640 or 320 wide.
WIDTHS = (320, 600, 640, 759, 760, 768, 820, 912, 1024, 1280)
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
NAMES = ["Grandmother Anneliese", "Ben", "Maximilian-Alexander", "Di", "Eva", "Fay", "Gus"]
CUT = "spans => spans.filter(span => span.scrollWidth > span.clientWidth + 1).map(span => span.textContent)"
VERDICT = ".verdict h1"


@pytest.fixture
def page(tmp_path: Path) -> Iterator[PageUnderTest]:
    table = quiet_table(tmp_path, clock=GameClock(), can_be_set_up=True)
    lessons = Lessons(tmp_path, lambda: None, on_change=table.referee.notify)
    with served(tmp_path, table=table, lessons=lessons) as page:
        yield page
    lessons.close()


def looked_at(window: Window, page: PageUnderTest, language: str, views: dict[str, list[str]]) -> list[str]:
    """Return what is wrong with some views in a language; views: what has to be in sight in each."""
    page.table.referee.do(sent({"do": "settings", "language": language}))
    expect(window.page.locator("html")).to_have_attribute("lang", language)
    found: list[str] = []
    for view, due in views.items():
        window.page.evaluate(GO, view)
        window.page.wait_for_selector("main h1", state="attached")
        window.wait_until_filled()
        sizes = SIZES
        if language == LONGEST and view in ("table", "settings"):
            sizes += tuple(ViewportSize(width=width, height=844) for width in WIDTHS)
        for size in sizes:
            window.page.set_viewport_size(size)
            for scrolled in (0, 100_000) if due else (0,):
                window.page.evaluate(SCROLL, scrolled)
                faults = window.page.evaluate(FAULTS, due)
                found += [f"{language} {view} {size['width']}×{size['height']}: {fault}" for fault in faults]
    return found


def test_nothing_is_too_small_cut_covered_or_out_of_sight(page: PageUnderTest, windows: Windows) -> None:
    ring = a_ring_with_pictures(page, NAMES[:5])
    page.table.referee.do(sent({"do": "stop"}))
    begin(page, "confetti", NAMES)
    for kind in ("timer_flipped", "timer_ran_out"):
        page.table.report(kind)
    for seat in range(7):
        page.table.report("hand", seat=seat, cards=[["red", "blue", "green"], ["blue", "green", "red"]][: seat % 3])
    hand = ruling_of(page, "hand")
    page.table.report("timer_flipped")
    page.table.show(np.full((360, 640, 3), 90, np.uint8))
    window = windows(PHONE, paired=True)
    views = ["table", "tv", "start", f"ruling/{hand}", f"ruling/{ring}", "history", "history/1", "history/2", "figures"]
    views += ["settings", "system", "picture", "setup", "marker", "teach", "bell", "sheet"]
    wanted = {view: [VERDICT, ".due .main"] if view == "table" else [] for view in views}
    found = [fault for language in LANGUAGES for fault in looked_at(window, page, language, wanted)]
    # What does not work is listed under the header, and asked for in one.
    page.table.referee.health.report(Problem("camera", Health.STALLED, "none", t_ns=1))
    page.table.referee.health.report(Problem("bell", Health.MISSING, "none", t_ns=1))
    page.table.referee.changed()
    window.page.locator(".bells").click()
    for language in LANGUAGES:
        found += looked_at(window, page, language, {"table": [], "settings": []})
    window.page.locator(".bells").click()
    # Who rang is asked, and this phone may be a bell.
    begin(page, "piccolino", NAMES[:5])
    turn_two_reds(page)
    page.table.report("bell", seat=2)
    page.table.report("card_shown", seat=0, colour="blue", mood="sad")
    page.table.report("bell", seat=None)
    for language in LANGUAGES:
        found += looked_at(window, page, language, {"table": [VERDICT], "tv": [".tv-first"], "bell": []})
    # A long caption stands whole on the score board for a screen across the room.
    caption = "Something lies over Ann’s cards: take it away, please, and spread the two beside it."
    page.table.referee.announcements.speak(caption)
    page.table.referee.changed()
    window.page.evaluate(GO, "tv")
    expect(window.page.locator(".tv-caption")).to_contain_text("spread the two beside it.")
    found += looked_at(window, page, LONGEST, {"tv": [".tv-caption"]})
    assert found == []
    # It would be noticed. At once: the page may be drawn again at any time.
    spoilt = window.page.evaluate(f"(due) => {{ ({SPOIL})(); return ({FAULTS})(due); }}", [".nowhere"])
    for fault in ("small", "cut", "over each other", "beside the screen", "broken inside", "out of sight"):
        assert any(one.startswith(fault) for one in spoilt), (fault, spoilt)


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("size", [PHONE, SCREEN], ids=["phone", "screen"])
def test_no_view_has_a_serious_barrier_nor_is_too_wide_in_letters_of_twice_the_size(
    page: PageUnderTest, windows: Windows, size: ViewportSize, scheme: Literal["light", "dark"]
) -> None:
    window = windows(size, paired=True)
    window.page.emulate_media(color_scheme=scheme)
    page.table.referee.do(sent({"do": "settings", "language": LONGEST}))
    pictured = a_ring_with_pictures(page, NAMES[:3])
    for seat in (2, 1):
        begin(page, "piccolino", NAMES[:3])
        turn_two_reds(page)
        page.table.report("bell", seat=seat)
    ring = ruling_of(page)
    turn_two_reds(page)
    page.table.report("bell", seat=None)
    views = ["table", "start", f"ruling/{ring}", f"ruling/{pictured}", "tv", "history", "history/1", "figures"]
    views += ["settings", "system", "picture", "setup", "marker", "teach", "bell", "sheet"]
    for view in views:
        window.open(view)
        window.wait_until_filled()
        assert (view, window.barriers()) == (view, [])
        assert (view, window.is_too_wide()) == (view, False)
        if size is PHONE and view not in ("tv", "picture", "marker"):
            window.page.evaluate("document.documentElement.style.fontSize = '200%'")
            assert (view, window.is_too_wide()) == (view, False)
            assert window.page.locator("nav a span").evaluate_all(CUT) == []
    # It would be noticed: a field without a name is a barrier.
    window.page.evaluate("document.body.appendChild(document.createElement('input'))")
    assert any("label" in barrier for barrier in window.barriers())
