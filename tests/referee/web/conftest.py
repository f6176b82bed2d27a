"""A page for each test, and one browser at a time."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, ViewportSize, expect, sync_playwright

from tests.referee.web.window import WAIT_MS, Window, Windows
from tests.support.browser import CHROMIUM, FLAGS
from tests.support.page_tools import PageUnderTest, Phone, served


@pytest.fixture
def page(tmp_path: Path) -> Iterator[PageUnderTest]:
    with served(tmp_path) as page:
        yield page


@pytest.fixture
def phone(page: PageUnderTest) -> Phone:
    return page.phone()


@pytest.fixture
def paired(page: PageUnderTest) -> Phone:
    return page.paired_phone()


FLOWS = (
    "test_a_game_is_started_followed_corrected_and_undone",
    "test_the_first_phone_is_let_in_by_the_bell_without_any_loudspeaker",
    "test_who_rang_is_answered_with_one_tap",
    "test_everything_can_be_reached_and_done_by_keyboard",
    "test_a_name_is_shown_as_it_is_and_never_run",
    "test_a_phone_rings_for_its_owner_at_the_time_of_the_thumb",
    "test_a_new_machine_is_set_up_step_by_step",
    "test_of_seven_tabs_only_the_one_that_is_looked_at_holds_a_line",
    "test_the_photo_finish_shows_the_deciding_frame_outlined_and_every_face_on_its_line",
    "test_figures_show_what_was_played_evening_by_evening",
    "test_coloretto_begins_with_the_cards_that_everybody_starts_with",
    "test_hands_that_the_camera_has_not_seen_are_entered_card_by_card_or_as_none",
)
"""What people do on the page, from end to end; what else a browser is needed for is looked at each night."""
NEEDS_CHROMIUM = pytest.mark.skipif(
    shutil.which(CHROMIUM) is None, reason="Chromium is not installed: sudo apt-get install chromium"
)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Let one worker begin with all tests in a browser, and leave those that are no flows for the night."""
    items.sort(key=lambda item: "browser" not in getattr(item, "fixturenames", ()))
    for item in items:
        if "browser" in getattr(item, "fixturenames", ()):
            item.add_marker(pytest.mark.xdist_group("browser"))
            item.add_marker(NEEDS_CHROMIUM)
            if item.name.partition("[")[0] not in FLOWS:
                item.add_marker(pytest.mark.nightly)


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """A browser that asks nobody on the internet; while it runs, no other event loop may in its thread."""
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=shutil.which(CHROMIUM), args=list(FLAGS))
        yield browser
        browser.close()


@pytest.fixture
def windows(browser: Browser, page: PageUnderTest) -> Iterator[Windows]:
    """Open windows at the page; at the end, none has found a fault."""
    expect.set_options(timeout=WAIT_MS)
    opened: list[Window] = []

    def open_window(size: ViewportSize, paired: bool = False, address: str = "") -> Window:
        opened.append(Window(browser, page, size, paired, address))
        return opened[-1]

    yield open_window
    for window in opened:
        window.close()
