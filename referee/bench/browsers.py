"""How long a ruling takes to stand on the pages of real browsers (Chromium, driven by the development tools)."""

from __future__ import annotations

import shutil
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING

from referee.bench.measurement import Measurement
from referee.bench.quiet_table import QuietTable, quiet_table
from referee.errors import WorkFailedError
from referee.web.app import create_app
from referee.web.server import PageServer

if TYPE_CHECKING:
    from playwright.sync_api import Page

CHROMIUM = "chromium"
FLAGS = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)
"""Chromium alone, asking nobody on the internet."""

_LATE_MS = 200.0
_WAIT_MS = 60_000.0
_NOTE_CHANGES = """() => {
  window.seen = {};
  const look = () => {
    const verdict = document.querySelector("[data-ruling]");
    const id = verdict && verdict.dataset.ruling;
    if (id && !(id in window.seen)) window.seen[id] = Date.now();
  };
  new MutationObserver(look).observe(document.body, { subtree: true, childList: true, attributes: true });
}"""


def measure_browsers(rings: int) -> Iterator[Measurement]:
    """Measure from the ruling to the words on two pages, a phone's and a large screen's.

    Raises:
        WorkFailedError: there is no Chromium, or not what drives it.
    """
    program = shutil.which(CHROMIUM)
    try:
        from playwright.sync_api import sync_playwright
    except ImportError as error:
        raise WorkFailedError("the development tools are missing: pip install playwright") from error
    if program is None:
        raise WorkFailedError("Chromium is missing: sudo apt-get install chromium")
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        table = quiet_table(Path(folder))
        server = PageServer(create_app(table.desk), "127.0.0.1", 0)
        server.start()
        browser = playwright.chromium.launch(executable_path=program, args=list(FLAGS))
        try:
            pages = [
                browser.new_context(viewport={"width": width, "height": height}).new_page()
                for width, height in ((360, 640), (1920, 1080))
            ]
            for page in pages:
                page.goto(f"http://127.0.0.1:{server.port}/")
                page.wait_for_selector("main h1")
                page.evaluate(_NOTE_CHANGES)
            table.desk.do({"do": "start", "game": "piccolino", "players": ["Ann", "Ben"], "options": {"lockout_ms": 0}})
            took_ms = [ms for number in range(rings) for ms in _ring(table, pages, number % 2)]
        finally:
            browser.close()
            server.stop()
            table.close()
    note = f"longest {max(took_ms):.0f} ms"
    yield Measurement("from the ruling to the words in a browser: median", median(took_ms), "ms", _LATE_MS, note=note)


def _ring(table: QuietTable, pages: list[Page], winner: int) -> list[float]:
    """Have a ring ruled, and give how long its words took to each page, ms.

    `winner` is the seat that rings: if it were always the same, the other would soon have no cards, and the game end.
    """
    for seat in (0, 1):
        table.tell("card_shown", seat=seat, colour="red", mood="happy")
    table.tell("bell", seat=winner)
    # Browsers and this process look at the same clock of day, for a moment.
    ruled_ms = time.time() * 1000
    ring = next(one["id"] for one in table.desk.state()["rulings"] if one["ruling"]["ruling"] == "ring")
    took_ms = []
    for page in pages:
        page.wait_for_function("id => id in window.seen", arg=ring, timeout=_WAIT_MS)
        took_ms.append(float(page.evaluate("id => window.seen[id]", ring)) - ruled_ms)
    return took_ms
