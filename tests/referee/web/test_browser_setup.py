"""Setting up in a real browser: begun by itself, step by step, on a small phone, in three languages."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from pathlib import Path

import cv2
import numpy as np
import pytest
from playwright.sync_api import Browser, expect

from calibration.survey import survey
from hardware.events import BellPressed
from hardware.problems import DeviceHealth, Health
from referee.language import Language
from referee.measured_table import profile_of
from referee.setup.camera import CameraStep
from referee.web.words import words_in
from simulation.still import table_picture
from tests.referee.web.test_browser import PHONE, SCREEN, WAIT_MS, Window, needs_chromium
from tests.support.page_tools import PageUnderTest, served
from tests.support.quiet_table import quiet_table
from vision.deck import load_deck
from vision.markers import find_markers

# A picture counts as the newest for so long, as if the camera went on filming while the checks between take their time.
FILMING_NS = 600 * 1_000_000_000

pytestmark = needs_chromium

STEPS = 9


@pytest.fixture
def new_machine(tmp_path: Path) -> Iterator[PageUnderTest]:
    with served(tmp_path, table=quiet_table(tmp_path, can_be_set_up=True)) as page:
        yield page


def test_a_new_machine_is_set_up_step_by_step(new_machine: PageUnderTest, browser: Browser) -> None:
    expect.set_options(timeout=WAIT_MS)
    table = new_machine.table
    picture, _ = table_picture(load_deck("confetti"), 10, 4, (1280, 720))
    window = Window(browser, new_machine, PHONE, paired=True)
    page = window.page
    # It begins by itself where nothing was set up and nobody has played.
    page.goto("about:blank")
    page.goto(window.home)
    page.get_by_role("button", name="Begin").click()
    expect(page.locator(".setup-found.wait")).to_contain_text("the camera is being started")
    table.show(picture, time.monotonic_ns() + FILMING_NS)
    expect(page.locator(".setup-found.good")).to_contain_text("sees the table well")
    assert window.barriers() == []
    assert not window.is_too_wide()
    assert window.box(".setup-go")["height"] >= 44
    page.get_by_role("button", name="Keep it and go on").click()
    # What is skipped is remembered; one may go back at any time.
    expect(page.get_by_role("heading", name="Table")).to_be_visible()
    page.get_by_role("button", name="Back", exact=True).click()
    expect(page.get_by_role("heading", name="Camera")).to_be_visible()
    page.get_by_role("button", name="All steps").click()
    expect(page.locator(".setup-step")).to_have_count(STEPS)
    page.get_by_role("button", name="Bell").click()
    expect(page.locator(".setup-found")).to_contain_text("0 of 3")
    for _ in range(3):
        table.kit.heard(BellPressed(time.monotonic_ns(), None))
    expect(page.locator(".setup-found.good")).to_contain_text("The bell works.")
    page.get_by_role("button", name="Keep it and go on").click()
    expect(page.get_by_role("heading", name="Sandtimer")).to_be_visible()
    page.get_by_role("button", name="60 seconds").click()
    page.get_by_role("button", name="Keep it and go on").click()
    expect(page.get_by_role("heading", name="Lamp and voice")).to_be_visible()
    page.locator(".setup-go").click()
    expect(page.get_by_role("heading", name="Cards")).to_be_visible()
    page.get_by_role("button", name="All steps").click()
    assert table.desk.setup(look=False)["left"] == ["table", "seats", "light", "deck", "check"]
    kept = {one["step"]: one["state"] for one in table.desk.setup(look=False)["steps"]}
    assert (kept["camera"], kept["bell"], kept["sandtimer"], kept["lamp"]) == ("good", "good", "good", "skipped")
    assert table.controller.settings.sand is not None and table.controller.settings.sand[0] == 60_000_000_000
    # The first page offers what is left, in the language of the table.
    page.get_by_role("link", name="Table").first.click()
    expect(page.get_by_role("link", name="6 steps of setting up are still open.")).to_be_visible()
    table.desk.change_settings({"language": "de"})
    page.get_by_role("link", name="6 Schritte der Einrichtung sind noch offen.").click()
    expect(page.get_by_role("heading", name="Den Tisch einrichten")).to_be_visible()
    page.set_viewport_size(SCREEN)
    assert window.barriers() == []
    table.desk.change_settings({"language": "fr"})
    expect(page.get_by_role("heading", name="Installer la table")).to_be_visible()
    page.set_viewport_size(PHONE)
    assert not window.is_too_wide()
    window.close()


def test_a_seat_is_dragged_on_the_picture_and_moved_by_keys(new_machine: PageUnderTest, browser: Browser) -> None:
    expect.set_options(timeout=WAIT_MS)
    table = new_machine.table
    picture, _ = table_picture(load_deck("confetti"), 0, 4, (1280, 720))
    table.show(picture, time.monotonic_ns() + FILMING_NS)
    table.kit.keep_profile(profile_of(survey([("table", picture)]), 180.0))
    window = Window(browser, new_machine, PHONE, paired=True)
    table.desk.opened_walk().open("seats")
    window.open("setup")
    page = window.page
    seats = page.get_by_role("slider")
    expect(seats).to_have_count(3)
    expect(page.locator(".setup-picture img")).to_be_visible()
    assert window.barriers() == []
    boxes = [seats.nth(n).bounding_box() for n in range(3)]
    whole = window.box(".setup-picture")
    for box in boxes:
        assert box is not None and min(box["width"], box["height"]) >= 44
        assert whole["x"] <= box["x"] and box["x"] + box["width"] <= whole["x"] + whole["width"]

    def placed() -> tuple[float, ...] | None:
        profile = table.kit.profile()
        assert profile is not None
        return profile.seats.get(3)

    # A finger drags seat 2 down along the left edge.
    second = seats.nth(1)
    before = int(second.get_attribute("aria-valuenow") or "-1")
    box = second.bounding_box()
    assert box is not None
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move(x, y + whole["height"] / 4, steps=4)
    page.mouse.up()
    expect(second).not_to_have_attribute("aria-valuenow", str(before))
    now = placed()
    assert now is not None and now[1] < before / 100
    # The arrow keys move it back by 5 cm each.
    second.press("ArrowRight")
    expect(page.get_by_role("button", name="Spread the seats evenly")).to_be_visible()
    assert until(lambda: (placed() or now)[1] > now[1])
    page.get_by_role("button", name="Spread the seats evenly").click()
    assert until(lambda: placed() is None)
    window.close()


def test_a_phone_measures_its_screen_by_a_bank_card_and_shows_markers_true_to_size(
    new_machine: PageUnderTest, browser: Browser
) -> None:
    expect.set_options(timeout=WAIT_MS)
    table, walk = new_machine.table, new_machine.table.desk.opened_walk()
    window = Window(browser, new_machine, {"width": 420, "height": 800}, paired=True)
    walk.open("table")
    walk.answer({"reference": "phone"})
    table.show(table_picture(load_deck("confetti"), 0, 4, (1280, 720), markers=())[0], time.monotonic_ns() + FILMING_NS)
    window.open("setup")
    page = window.page
    page.get_by_role("link", name="Show one on this phone").click()
    card = window.box(".bank-card")
    assert abs(card["height"] / card["width"] - 85.6 / 53.98) < 0.01
    page.mouse.move(card["x"] + card["width"] - 5, card["y"] + 100)
    page.mouse.down()
    page.mouse.move(card["x"] + 53.98 * 6.5, card["y"] + 120, steps=4)
    page.mouse.up()
    expect(page.get_by_role("slider")).to_have_value("6.5")
    # By the keyboard, too.
    page.get_by_role("slider").press("ArrowRight")
    expect(page.get_by_role("slider")).to_have_value("6.52")
    assert window.barriers() == []
    page.get_by_role("button", name="It fits").click()
    expect(page.locator(".setup-ask")).to_have_text("Lay the phone near the top left corner, showing number 0.")
    assert window.barriers() == []
    assert not window.is_too_wide()
    shot = np.frombuffer(page.screenshot(), np.uint8)
    (marker,) = find_markers(np.asarray(cv2.imdecode(shot, cv2.IMREAD_COLOR), np.uint8))
    sides = np.linalg.norm(np.roll(marker.corners_px, -1, axis=0) - marker.corners_px, axis=1)
    assert marker.id == 0 and np.abs(sides - 50 * 6.52).max() < 1.5
    # Seen at the first corner, it goes on to the next number by itself.
    picture, _ = table_picture(load_deck("confetti"), 0, 4, (1280, 720), markers=(0,))
    begin_ns = time.monotonic_ns() + FILMING_NS
    for later_ns in (0, 600_000_000):
        table.show(picture, begin_ns + later_ns)
        walk.look()
    expect(page.locator(".marker-shown img")).to_have_attribute("src", "/marker/1.svg")
    page.get_by_role("button", name="Next number").click()
    window.close()


def until(condition: Callable[[], bool]) -> bool:
    end = time.monotonic() + WAIT_MS / 1000
    while not condition() and time.monotonic() < end:
        time.sleep(0.02)
    return condition()


def test_who_is_not_paired_sees_no_whole_picture(new_machine: PageUnderTest) -> None:
    phone = new_machine.phone()
    assert phone.get("/setup.jpg").status == 401
    new_machine.paired_phone().do(do="setup", act="open", step="camera")
    data = phone.get("/api/setup").data
    assert (data["open"], data["finding"]) == ("camera", None)
    assert phone.do(do="setup", act="keep").status == 401


def test_cards_and_marker_cards_are_printed_from_the_page(new_machine: PageUnderTest) -> None:
    phone = new_machine.phone()
    answer = phone.get("/print/markers.pdf?paper=letter")
    assert (answer.status, answer.headers["content-type"], answer.body[:5]) == (200, "application/pdf", b"%PDF-")
    assert phone.get("/print/passwd.pdf").status in (400, 404)


def test_whoever_cannot_read_the_first_page_finds_a_language_on_it(
    new_machine: PageUnderTest, browser: Browser
) -> None:
    expect.set_options(timeout=WAIT_MS)
    window = Window(browser, new_machine, PHONE)
    page = window.page
    window.open("setup")
    page.get_by_role("button", name="Deutsch").click()
    expect(page.get_by_role("heading", name="Den Tisch einrichten")).to_be_visible()
    assert window.barriers() == [] and not window.is_too_wide()
    # A phone that was not let in has changed nothing for the others …
    assert new_machine.table.desk.state()["settings"]["language"] == "en"
    page.get_by_role("button", name=words_in("de")["setup_begin"]).click()
    expect(page.get_by_role("heading", name="Dieses Telefon mitmachen lassen")).to_be_visible()
    page.locator("#code").wait_for()
    expect(page.locator(".code-here")).to_be_visible()
    page.locator("#code").fill(new_machine.said[-1])
    # … and once it is, the table speaks what was chosen.
    expect(page.locator(".setup-ask")).to_have_text(CameraStep().ask(Language("de")))
    assert new_machine.table.desk.state()["settings"]["language"] == "de"
    window.close()


def test_the_one_part_that_must_be_there_is_not_left_out_by_the_big_button(
    new_machine: PageUnderTest, browser: Browser
) -> None:
    expect.set_options(timeout=WAIT_MS)
    table = new_machine.table
    table.kit.cameras = lambda: [("picamera2", "imx708"), ("usb:0", "HD Pro Webcam C920")]
    table.health.report(DeviceHealth(1, "camera", Health.MISSING, "picamera2 is not there"))
    window = Window(browser, new_machine, PHONE, paired=True)
    page = window.page
    window.open("setup")
    page.get_by_role("button", name="Begin").click()
    expect(page.locator(".setup-found.missing")).to_contain_text("Tap the one to use")
    expect(page.get_by_role("button", name="HD Pro Webcam C920")).to_be_visible()
    expect(page.locator(".setup-go")).to_have_count(0)
    expect(page.locator("button.quiet", has_text="Go on without it")).to_be_visible()
    page.get_by_role("button", name="Go on without it").click()
    # Whatever else is missing may be: there it is the big one.
    table.health.report(DeviceHealth(1, "bell", Health.MISSING, "no pins"))
    page.get_by_role("button", name="All steps").click()
    page.get_by_role("button", name="Bell").click()
    expect(page.locator(".setup-go.main")).to_have_text("Go on without it")
    window.close()
