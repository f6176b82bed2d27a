"""The page in a real browser, on a small phone and a large screen: played, corrected, undone, and free of barriers."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Literal

import axe_playwright_python
import pytest
from playwright.sync_api import (
    Browser,
    BrowserContext,
    FloatRect,
    Page,
    ViewportSize,
    expect,
)

from hardware.problems import DeviceHealth, Health
from referee.web.who import COOKIE
from tests.support.browser import CHROMIUM
from tests.support.page_tools import PageUnderTest

PHONE: ViewportSize = {"width": 360, "height": 640}
SCREEN: ViewportSize = {"width": 1920, "height": 1080}
WAIT_MS = 120_000.0
LONGEST = "de"  # the language with the longest words
AXE = Path(axe_playwright_python.__file__).with_name("axe.min.js").read_text()
SERIOUS = ("serious", "critical")

needs_chromium = pytest.mark.skipif(
    shutil.which(CHROMIUM) is None, reason="Chromium is not installed: sudo apt-get install chromium"
)
pytestmark = needs_chromium


class Window:
    """A browser window at the page of a table; it collects what goes wrong in it."""

    def __init__(
        self,
        browser: Browser,
        under_test: PageUnderTest,
        size: ViewportSize,
        paired: bool = False,
        address: str = "127.0.0.1",
    ) -> None:
        self.home = f"http://127.0.0.1:{under_test.port}/"
        self.context: BrowserContext = browser.new_context(
            viewport=size, reduced_motion="reduce", extra_http_headers={"X-Forwarded-For": address}
        )
        self.context.set_default_timeout(WAIT_MS)
        if paired:
            token = (under_test.paired_phone().cookie or "").partition("=")[2]
            self.context.add_cookies([{"name": COOKIE, "value": token, "url": self.home, "sameSite": "Strict"}])
        self.page: Page = self.context.new_page()
        self.faults: list[str] = []
        self.page.on("pageerror", lambda fault: self.faults.append(str(fault)))
        self.page.on("console", lambda line: self.faults.append(line.text) if line.type == "error" else None)
        self.open("")

    def open(self, view: str) -> None:
        self.page.goto("about:blank")
        self.page.goto(f"{self.home}#{view}")
        self.page.wait_for_selector("main h1", state="attached")

    def wait_until_filled(self) -> None:
        """Wait until nothing is still to come ("One moment …"); idle lines say nothing: of a worker's none is told."""
        self.page.wait_for_function(
            "() => ![...document.querySelectorAll('p')].some((p) => p.textContent.endsWith(' …'))"
        )

    def look(self) -> None:
        """Look before the next tap, as people do: what changed just before it cannot be meant by it."""
        self.page.wait_for_timeout(500)

    def barriers(self) -> list[str]:
        """Give what axe finds serious or worse."""
        self.page.evaluate(AXE)
        found = self.page.evaluate("async () => (await axe.run()).violations")
        return [
            f"{one['id']}: {node['target']} {node['html'][:120]}"
            for one in found
            if one["impact"] in SERIOUS
            for node in one["nodes"]
        ]

    def is_too_wide(self) -> bool:
        return bool(self.page.evaluate("document.documentElement.scrollWidth > innerWidth"))

    def box(self, selector: str) -> FloatRect:
        box = self.page.locator(selector).bounding_box()
        assert box is not None
        return box

    def close(self, *expected: str) -> None:
        self.context.close()
        # A picture that no camera gives is no fault of the page.
        assert [fault for fault in self.faults if not any(one in fault for one in ("404", *expected))] == []


def turn_two_reds(page: PageUnderTest) -> None:
    page.table.tell("card_shown", seat=0, colour="red", mood="happy")
    page.table.tell("card_shown", seat=1, colour="red", mood="happy")


def test_a_game_is_started_followed_corrected_and_undone(page: PageUnderTest, browser: Browser) -> None:
    mine, other = Window(browser, page, PHONE), Window(browser, page, SCREEN)
    expect.set_options(timeout=WAIT_MS)
    mine.page.get_by_role("link", name="Start a game").click()
    mine.page.get_by_text("Piccolino", exact=True).click()
    for seat, name in enumerate(["Ann", "Ben", "Cem"]):
        mine.page.get_by_role("button", name=f"Seat {seat + 1}").click()
        mine.page.keyboard.type(name)
    mine.page.get_by_role("button", name="Start", exact=True).click()
    mine.page.get_by_label("Code").wait_for()
    # The code is said when the server has been asked for it, a moment after the field is there.
    expect(mine.page.locator(".code-here")).to_be_visible()
    mine.page.get_by_label("Code").fill(page.said[-1])
    expect(mine.page.locator(".board li")).to_have_count(3)
    assert page.table.desk.state()["game"]["players"] == ["Ann", "Ben", "Cem"]

    turn_two_reds(page)
    page.table.tell("bell", seat=2)
    for window in (mine, other):
        expect(window.page.locator(".verdict h1")).to_have_text("Valid ring, Cem")
        expect(window.page.locator(".verdict .reason")).to_have_text("Two happy reds.")
        expect(window.page.locator("[data-seat='2'] .points")).to_have_text("20")

    mine.page.locator(".verdict").get_by_role("link", name="Look or correct").click()
    mine.page.get_by_role("group", name="Ben’s card").get_by_role("button", name="Sad").click()
    for window in (mine, other):
        expect(window.page.locator(".verdict h1")).to_have_text("False ring, Cem")
    expect(other.page.locator("[data-seat='2'] .points")).to_have_text("16")
    mine.look()
    mine.page.get_by_role("button", name="Undo", exact=True).click()
    expect(other.page.locator(".verdict h1")).to_have_text("Valid ring, Cem")
    expect(other.page.locator("[data-seat='2'] .points")).to_have_text("20")
    mine.close()
    other.close()


def test_the_first_phone_is_let_in_by_the_bell_without_any_loudspeaker(page: PageUnderTest, browser: Browser) -> None:
    expect.set_options(timeout=WAIT_MS)
    page.table.health.report(DeviceHealth(1, "speaker", Health.MISSING, "none"))
    page.table.desk.refresh()
    window = Window(browser, page, PHONE)
    window.open("settings")
    window.page.get_by_role("button", name="Pair this device").click()
    wanted = window.page.locator(".acts strong")
    expect(wanted).to_contain_text("Press the bell")
    assert window.box(".acts .mark svg")["width"] > 200
    assert window.barriers() == [] and not window.is_too_wide()
    presses = int(wanted.inner_text().split(" times")[0].rpartition(" ")[2])
    for _ in range(presses):
        page.clock.now_s += 0.5
        page.app.state.bell_pressed(int(page.clock.now_s * 1e9))
    expect(window.page.locator(".acts")).to_contain_text(f"Pressed {presses} times so far.")
    page.clock.now_s += 5
    expect(window.page.get_by_text("This device may start games")).to_be_visible()
    window.close()


LISTEN, SCREEN_ELSEWHERE, BELL = "Ringmaster is saying a code", "Another phone that is let in", "Press the bell"


@pytest.mark.parametrize(
    ("loudspeaker", "bell", "others", "offered"),
    [
        (True, "one", False, [LISTEN, BELL]),
        (True, "none", False, [LISTEN]),
        (False, "none", False, []),
        (False, "none", True, [SCREEN_ELSEWHERE]),
        (True, "one", True, [LISTEN, SCREEN_ELSEWHERE]),
    ],
)
def test_each_way_to_be_let_in_is_offered_only_where_it_works(
    page: PageUnderTest,
    browser: Browser,
    monkeypatch: pytest.MonkeyPatch,
    loudspeaker: bool,
    bell: str,
    others: bool,
    offered: list[str],
) -> None:
    # At home, and not at a screen of this machine.
    monkeypatch.setattr(page.app.state.who, "code_for", lambda request: None)
    page.table.desk.do({"do": "settings", "bell": bell, "loudspeaker": loudspeaker})
    if others:
        page.paired_phone()
    window = Window(browser, page, PHONE)
    window.open("settings")
    window.page.get_by_role("button", name="Pair this device").click()
    expect(window.page.locator("code")).to_contain_text(f"ringmaster code --state {page.folder}", timeout=WAIT_MS)
    text = window.page.locator("main").inner_text()
    assert [way for way in (LISTEN, SCREEN_ELSEWHERE, BELL) if way in text] == offered
    window.close()


def test_a_phone_that_is_let_in_shows_a_code_to_scan(page: PageUnderTest, browser: Browser) -> None:
    page.app.state.who.address = f"http://ringmaster.local:{page.port}/"
    window, other = Window(browser, page, PHONE, paired=True), Window(browser, page, PHONE)
    window.open("settings")
    window.page.get_by_role("button", name="Let another device in").click()
    window.page.get_by_alt_text("QR code that lets a phone join in").wait_for()
    assert window.barriers() == [] and not window.is_too_wide()
    other.page.goto("about:blank")
    other.page.goto(f"{other.home}#pair={page.said[-1]}")
    other.page.get_by_text("This device is paired.").wait_for()
    window.close()
    other.close()


def test_who_rang_is_answered_with_one_tap(page: PageUnderTest, browser: Browser) -> None:
    window = Window(browser, page, PHONE, paired=True)
    page.table.desk.do({"do": "start", "game": "piccolino", "players": ["Ann", "Ben"], "options": {}})
    turn_two_reds(page)
    page.table.tell("bell", seat=0)
    expect(window.page.locator(".verdict h1")).to_have_text("Valid ring, Ann", timeout=WAIT_MS)
    page.table.tell("card_shown", seat=0, colour="blue", mood="sad")
    page.table.tell("bell", seat=None)
    # What was said aloud stands there while nobody knows yet whose ring it was, and not the ring before.
    expect(window.page.locator(".verdict h1")).to_have_text("False ring", timeout=WAIT_MS)
    expect(window.page.locator(".verdict .reason")).to_have_text("No two happy clowns of one colour.")
    expect(window.page.locator(".verdict a")).to_have_count(0)
    assert window.barriers() == []
    window.look()
    window.page.locator(".question").get_by_role("button", name="Ben").click()
    expect(window.page.locator(".verdict h1")).to_have_text("False ring, Ben", timeout=WAIT_MS)
    window.close()


@pytest.mark.parametrize(("size", "scheme"), [(PHONE, "light"), (SCREEN, "dark")], ids=["phone", "dark screen"])
def test_no_view_has_a_serious_barrier_or_is_too_wide(
    page: PageUnderTest, browser: Browser, size: ViewportSize, scheme: Literal["light", "dark"]
) -> None:
    window = Window(browser, page, size, paired=True)
    window.page.emulate_media(color_scheme=scheme)
    page.table.desk.do({"do": "start", "game": "piccolino", "players": ["Ann", "Ben", "Cem"], "options": {}})
    turn_two_reds(page)
    page.table.tell("bell", seat=2)
    page.table.desk.do({"do": "stop"})
    page.table.desk.do({"do": "start", "game": "piccolino", "players": ["Ann", "Ben", "Cem"], "options": {}})
    turn_two_reds(page)
    page.table.tell("bell", seat=1)
    ring = next(one["id"] for one in page.table.desk.state()["rulings"] if one["ruling"]["ruling"] == "ring")
    turn_two_reds(page)
    page.table.tell("bell", seat=None)
    views = ["table", "start", f"ruling/{ring}", "tv", "history", "history/1", "figures", "settings", "picture"]
    for view in views:
        window.open(view)
        window.wait_until_filled()
        assert (view, window.barriers()) == (view, [])
        assert (view, window.is_too_wide()) == (view, False)
    # It would be noticed: a field without a name is a barrier.
    window.page.evaluate("document.body.appendChild(document.createElement('input'))")
    assert any("label" in barrier for barrier in window.barriers())
    window.close()


def test_no_width_of_screen_nor_zoom_hides_a_part_of_the_page(page: PageUnderTest, browser: Browser) -> None:
    window = Window(browser, page, PHONE)
    page.table.desk.do({"do": "settings", "language": LONGEST})
    page.table.desk.do({"do": "start", "game": "piccolino", "players": ["Ann", "Ben", "Cem"], "options": {}})
    turn_two_reds(page)
    page.table.tell("bell", seat=2)
    expect(window.page.locator("html")).to_have_attribute("lang", LONGEST, timeout=WAIT_MS)
    for view in ("table", "settings"):
        window.open(view)
        # Zoomed to 200 or 400 %, a screen of 1280 is 640 or 320 wide.
        for width in (320, 390, 600, 640, 759, 760, 768, 820, 912, 1024, 1280):
            window.page.set_viewport_size({"width": width, "height": 844})
            assert (view, width, window.is_too_wide()) == (view, width, False)
            brand, ways = window.box(".brand span"), window.box("nav")
            apart = brand["x"] + brand["width"] <= ways["x"] or brand["y"] + brand["height"] <= ways["y"]
            assert (view, width, apart) == (view, width, True)
    window.close()


def test_everything_can_be_reached_and_done_by_keyboard(page: PageUnderTest, browser: Browser) -> None:
    window = Window(browser, page, SCREEN, paired=True)
    page.table.desk.do({"do": "start", "game": "piccolino", "players": ["Ann", "Ben"], "options": {}})
    expect(window.page.get_by_role("button", name="Pause")).to_be_visible(timeout=WAIT_MS)
    reached: list[str] = []
    for _ in range(60):
        window.page.keyboard.press("Tab")
        reached.append(window.page.evaluate("(document.activeElement.textContent || '').trim()"))
        if reached[-1] == "Pause":
            break
    assert {"Table", "History", "Settings"} <= set(reached)
    window.look()
    window.page.keyboard.press("Enter")
    expect(window.page.get_by_role("button", name="Go on")).to_be_visible(timeout=WAIT_MS)
    assert page.table.desk.state()["mode"] == "paused"
    window.close()


def test_a_ruling_is_told_to_screen_readers(page: PageUnderTest, browser: Browser) -> None:
    window = Window(browser, page, PHONE)
    page.table.desk.do({"do": "start", "game": "piccolino", "players": ["Ann", "Ben"], "options": {}})
    turn_two_reds(page)
    page.table.tell("bell", seat=1)
    told = window.page.locator("[aria-live='assertive']")
    expect(told).to_contain_text("Ben", timeout=WAIT_MS)
    window.close()


def test_the_page_follows_the_language_of_the_table(page: PageUnderTest, browser: Browser) -> None:
    window = Window(browser, page, PHONE)
    page.table.desk.do({"do": "settings", "language": "fr"})
    expect(window.page.get_by_role("link", name="Lancer une partie")).to_be_visible(timeout=WAIT_MS)
    assert window.page.evaluate("document.documentElement.lang") == "fr"
    window.close()


def test_a_name_is_shown_as_it_is_and_never_run(page: PageUnderTest, browser: Browser) -> None:
    window = Window(browser, page, PHONE)
    nasty = "<img src=x onerror=z()>"
    page.table.desk.do({"do": "start", "game": "piccolino", "players": [nasty, "Ben"], "options": {}})
    expect(window.page.locator(".board .name").first).to_have_text(nasty, timeout=WAIT_MS)
    window.close()
