"""A browser window at the page of a table, and what tests do at both."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

import axe_playwright_python
import cv2
import numpy as np
from playwright.sync_api import Browser, FloatRect, Page, ViewportSize

from referee.web.auth import COOKIE
from tests.support.commands import sent
from tests.support.page_tools import START, PageUnderTest

PHONE: ViewportSize = {"width": 360, "height": 640}
SCREEN: ViewportSize = {"width": 1920, "height": 1080}
WAIT_MS = 120_000.0
LONGEST = "de"  # the language with the longest words
LONG_NAMES = [
    "Grandmother Anneliese",
    "Ben",
    "Maximilian-Alexander",
    "Dorothea",
    "Christoph-Emanuel",
    "Fi",
    "Gwendolyn",
]
AXE = Path(axe_playwright_python.__file__).with_name("axe.min.js").read_text()
JPEG = cv2.imencode(".jpg", np.full((480, 640, 3), 90, np.uint8))[1].tobytes()
OUTLINED = [
    {"corners": [[10, 10], [90, 10], [90, 120], [10, 120]], "seat": 0, "label": "red happy", "certain": True},
    {"corners": [[300, 10], [390, 10], [390, 120], [300, 120]], "seat": 1, "label": "turning", "certain": False},
]
SIGHT = {"t_ms": -7.0, "width": 640, "height": 480, "outlines": OUTLINED}


class Window:
    """A browser window at the page of a table; it collects what goes wrong in it."""

    def __init__(
        self, browser: Browser, under_test: PageUnderTest, size: ViewportSize, paired: bool = False, address: str = ""
    ) -> None:
        self.home = f"http://127.0.0.1:{under_test.port}/"
        headers = {"X-Forwarded-For": address or "127.0.0.1"}
        self.context = browser.new_context(viewport=size, reduced_motion="reduce", extra_http_headers=headers)
        self.context.set_default_timeout(WAIT_MS)
        if paired:
            token = (under_test.paired_phone().cookie or "").partition("=")[2]
            self.context.add_cookies([{"name": COOKIE, "value": token, "url": self.home, "sameSite": "Strict"}])
        self.page: Page = self.context.new_page()
        self.faults: list[str] = []
        # A picture that no camera gives is no fault of the page.
        self.expected = ["404"]
        self.page.on("pageerror", lambda fault: self.faults.append(str(fault)))
        self.page.on("console", lambda line: self.faults.append(line.text) if line.type == "error" else None)
        self.open("")

    def open(self, view: str) -> None:
        self.page.goto("about:blank")
        self.page.goto(f"{self.home}#{view}")
        self.page.wait_for_selector("main h1", state="attached")

    def tap(self, name: str) -> None:
        self.page.get_by_role("button", name=name, exact=True).click()

    def compose(self, *names: str) -> None:
        """Choose the circles of a card, from the small one to the big one."""
        for size, name in zip(("Small", "Medium", "Big"), names, strict=False):
            self.page.get_by_role("group", name=f"{size} circle").get_by_role("button", name=name).click()

    def wait_until_filled(self) -> None:
        """Wait until nothing is still to come ("One moment …"); an idle line may mean only that a worker fetches."""
        self.page.wait_for_function(
            "() => ![...document.querySelectorAll('p')].some((p) => p.textContent.endsWith(' …'))"
        )

    def look(self) -> None:
        """Look before the next tap, as people do: what changed just before it cannot be meant by it."""
        self.page.wait_for_timeout(500)

    def barriers(self) -> list[str]:
        """Return what axe finds serious or worse."""
        self.page.evaluate(AXE)
        found = self.page.evaluate("async () => (await axe.run()).violations")
        return [
            f"{one['id']}: {node['target']} {node['html'][:120]}"
            for one in found
            if one["impact"] in ("serious", "critical")
            for node in one["nodes"]
        ]

    def is_too_wide(self) -> bool:
        return bool(self.page.evaluate("document.documentElement.scrollWidth > innerWidth"))

    def check(self) -> None:
        assert self.barriers() == []
        assert not self.is_too_wide()

    def box(self, selector: str) -> FloatRect:
        box = self.page.locator(selector).bounding_box()
        assert box is not None
        return box

    def close(self) -> None:
        self.context.close()
        assert [fault for fault in self.faults if not any(one in fault for one in self.expected)] == []


Windows = Callable[..., Window]


def begin(page: PageUnderTest, game: str, players: Sequence[str]) -> None:
    page.table.referee.do(sent({"do": "start", "game": game, "players": list(players), "options": {}}))


def turn_two_reds(page: PageUnderTest) -> None:
    for seat in (0, 1):
        page.table.report("card_shown", seat=seat, colour="red", mood="happy")


def ruling_of(page: PageUnderTest, kind: str = "ring") -> str:
    """Return the newest ruling of a kind."""
    return str(next(one["id"] for one in page.table.referee.state()["rulings"] if one["ruling"]["ruling"] == kind))


def a_ring_with_pictures(page: PageUnderTest, players: Sequence[str] = ("Ann", "Ben", "Cem")) -> str:
    page.table.referee.do(sent({**START, "players": list(players)}))
    turn_two_reds(page)
    page.table.report("bell", seat=2)
    ring = ruling_of(page)
    log = page.table.referee.match.playing().log
    page.table.referee.evidence.add(
        log.game, log.about(log.ruling(ring)), [(-40.0, JPEG), (-7.0, JPEG), (26.0, JPEG)], SIGHT
    )
    return ring
