"""Setting up in a real browser: begun by itself, step by step, in three languages; and clowns that a family teaches."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import ParamSpec, TypeVar

import cv2
import numpy as np
import pytest
from playwright.sync_api import Browser, expect

from calibration.survey import survey
from hardware.events import BellPressed
from hardware.problems import Health, Problem
from referee.decks.store import DeckStore
from referee.language import Language
from referee.lessons.lessons import Lessons
from referee.lessons.workbench import Workbench
from referee.setup.camera import CameraStep
from referee.setup.measured_table import profile_of
from referee.web.words import words_in
from simulation.still import table_picture
from tests.referee.web.window import PHONE, SCREEN, WAIT_MS, Window, Windows
from tests.support.drawn_clowns import CARD_MM, INKS, clown
from tests.support.lesson_picture import lesson_picture
from tests.support.page_tools import GameClock, PageUnderTest, served
from tests.support.quiet_table import quiet_table
from tests.support.waiting import wait_for
from vision.deck import Deck, load_deck
from vision.markers import find_markers

# A picture counts as the newest for so long, as if the camera went on filming while the checks between take their time.
FILMING_NS = 600 * 1_000_000_000
T = TypeVar("T")
P = ParamSpec("P")


@pytest.fixture
def page(tmp_path: Path) -> Iterator[PageUnderTest]:
    with served(tmp_path, table=quiet_table(tmp_path, can_be_set_up=True)) as page:
        yield page


def test_a_new_machine_is_set_up_step_by_step(page: PageUnderTest, windows: Windows) -> None:
    table = page.table
    picture, _ = table_picture(load_deck("confetti"), 10, 4, (1280, 720))
    window = windows(PHONE, paired=True)
    tab = window.page

    def heading(name: str) -> None:
        expect(tab.get_by_role("heading", name=name)).to_be_visible()

    # It begins by itself where nothing was set up and nobody has played.
    tab.goto("about:blank")
    tab.goto(window.home)
    window.tap("Begin")
    expect(tab.locator(".setup-found.wait")).to_contain_text("the camera is being started")
    table.show(picture, time.monotonic_ns() + FILMING_NS)
    expect(tab.locator(".setup-found.good")).to_contain_text("sees the table well")
    window.check()
    assert window.box(".setup-go")["height"] >= 44
    window.tap("Keep it and go on")
    # What is skipped is remembered; one may go back at any time.
    heading("Table")
    window.tap("Back")
    heading("Camera")
    window.tap("All steps")
    expect(tab.locator(".setup-step")).to_have_count(9)
    tab.get_by_role("button", name="Bell").click()
    expect(tab.locator(".setup-found")).to_contain_text("0 of 3")
    for _ in range(3):
        table.referee.setup_kit.hearing.note(BellPressed(time.monotonic_ns(), None), time.monotonic_ns())
    expect(tab.locator(".setup-found.good")).to_contain_text("The bell works.")
    window.tap("Keep it and go on")
    heading("Sandtimer")
    window.tap("60 seconds")
    window.tap("Keep it and go on")
    heading("Lamp and voice")
    tab.locator(".setup-go").click()
    heading("Cards")
    window.tap("All steps")
    walked = table.referee.walk.progress(look=False)
    assert walked["left"] == ["table", "seats", "light", "deck", "check"]
    kept = {one["step"]: one["state"] for one in walked["steps"]}
    assert (kept["camera"], kept["bell"], kept["sandtimer"], kept["lamp"]) == ("good", "good", "good", "skipped")
    assert table.referee.settings.sand is not None and table.referee.settings.sand[0] == 60_000_000_000
    # The first page offers what is left, in the language of the table.
    tab.get_by_role("link", name="Table").first.click()
    expect(tab.get_by_role("link", name="6 steps of setting up are still open.")).to_be_visible()
    table.referee.change_settings({"language": "de"})
    tab.get_by_role("link", name="6 Schritte der Einrichtung sind noch offen.").click()
    heading("Den Tisch einrichten")
    tab.set_viewport_size(SCREEN)
    assert window.barriers() == []
    table.referee.change_settings({"language": "fr"})
    heading("Installer la table")
    tab.set_viewport_size(PHONE)
    assert not window.is_too_wide()


def test_a_seat_is_dragged_on_the_picture_and_moved_by_keys(page: PageUnderTest, windows: Windows) -> None:
    table = page.table
    picture, _ = table_picture(load_deck("confetti"), 0, 4, (1280, 720))
    table.show(picture, time.monotonic_ns() + FILMING_NS)
    table.referee.keep_profile(profile_of(survey([("table", picture)]), 180.0))
    window = windows(PHONE, paired=True)
    table.referee.walk.open("seats")
    window.open("setup")
    tab = window.page
    seats = tab.get_by_role("slider")
    expect(seats).to_have_count(3)
    expect(tab.locator(".setup-picture img")).to_be_visible()
    assert window.barriers() == []
    whole = window.box(".setup-picture")
    boxes = [box for n in range(3) if (box := seats.nth(n).bounding_box())]
    assert len(boxes) == 3
    for box in boxes:
        assert min(box["width"], box["height"]) >= 44
        assert whole["x"] <= box["x"] and box["x"] + box["width"] <= whole["x"] + whole["width"]

    def placed() -> tuple[float, ...] | None:
        profile = table.referee.area.profile
        assert profile is not None
        return profile.seats.get(3)

    # A finger drags seat 2 down along the left edge.
    second, box = seats.nth(1), boxes[1]
    before = int(second.get_attribute("aria-valuenow") or "-1")
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    tab.mouse.move(x, y)
    tab.mouse.down()
    tab.mouse.move(x, y + whole["height"] / 4, steps=4)
    tab.mouse.up()
    expect(second).not_to_have_attribute("aria-valuenow", str(before))
    now = placed()
    assert now is not None and now[1] < before / 100
    # The arrow keys move it back by 5 cm each.
    second.press("ArrowRight")
    wait_for(lambda: (placed() or now)[1] > now[1])
    window.tap("Spread the seats evenly")
    wait_for(lambda: placed() is None)


def test_a_phone_measured_by_a_bank_card_shows_markers_true_to_size(page: PageUnderTest, windows: Windows) -> None:
    table, walk = page.table, page.table.referee.walk
    window = windows({"width": 420, "height": 800}, paired=True)
    walk.open("table")
    walk.answer({"reference": "phone"})
    table.show(table_picture(load_deck("confetti"), 0, 4, (1280, 720), markers=())[0], time.monotonic_ns() + FILMING_NS)
    window.open("setup")
    tab = window.page
    tab.get_by_role("link", name="Show one on this phone").click()
    card = window.box(".bank-card")
    assert abs(card["height"] / card["width"] - 85.6 / 53.98) < 0.01
    tab.mouse.move(card["x"] + card["width"] - 5, card["y"] + 100)
    tab.mouse.down()
    tab.mouse.move(card["x"] + 53.98 * 6.5, card["y"] + 120, steps=4)
    tab.mouse.up()
    expect(tab.get_by_role("slider")).to_have_value("6.5")
    # By the keyboard, too.
    tab.get_by_role("slider").press("ArrowRight")
    expect(tab.get_by_role("slider")).to_have_value("6.52")
    assert window.barriers() == []
    window.tap("It fits")
    expect(tab.locator(".setup-ask")).to_have_text("Lay the phone near the top left corner, showing number 0.")
    window.check()
    shot = np.frombuffer(tab.screenshot(), np.uint8)
    (marker,) = find_markers(np.asarray(cv2.imdecode(shot, cv2.IMREAD_COLOR), np.uint8))
    sides = np.linalg.norm(np.roll(marker.corners_px, -1, axis=0) - marker.corners_px, axis=1)
    assert marker.id == 0 and np.abs(sides - 50 * 6.52).max() < 1.5
    # Seen at the first corner, it goes on to the next number by itself.
    picture, _ = table_picture(load_deck("confetti"), 0, 4, (1280, 720), markers=(0,))
    begin_ns = time.monotonic_ns() + FILMING_NS
    for later_ns in (0, 600_000_000):
        table.show(picture, begin_ns + later_ns)
        walk.look()
    expect(tab.locator(".marker-shown img")).to_have_attribute("src", "/marker/1.svg")


def test_who_is_not_paired_sees_no_whole_picture_and_may_print_cards(page: PageUnderTest) -> None:
    phone = page.phone()
    assert phone.get("/setup.jpg").status == 401
    page.paired_phone().do(do="setup", act="open", step="camera")
    data = phone.get("/api/setup").data
    assert (data["open"], data["finding"]) == ("camera", None)
    assert phone.do(do="setup", act="keep").status == 401
    answer = phone.get("/print/markers.pdf?paper=letter")
    assert (answer.status, answer.headers["content-type"], answer.body[:5]) == (200, "application/pdf", b"%PDF-")
    assert phone.get("/print/passwd.pdf").status in (400, 404)


def test_the_first_page_offers_every_language(page: PageUnderTest, windows: Windows) -> None:
    window = windows(PHONE)
    tab = window.page
    window.open("setup")
    tab.get_by_role("button", name="Deutsch").click()
    expect(tab.get_by_role("heading", name="Den Tisch einrichten")).to_be_visible()
    window.check()
    # A phone that was not let in has changed nothing for the others …
    assert page.table.referee.state()["settings"]["language"] == "en"
    window.tap(words_in("de")["setup_begin"])
    expect(tab.get_by_role("heading", name="Dieses Telefon mitmachen lassen")).to_be_visible()
    expect(tab.locator(".code-here")).to_be_visible()
    tab.locator("#code").fill(page.said[-1])
    # … and once it is, the table speaks what was chosen.
    expect(tab.locator(".setup-ask")).to_have_text(Language("de").text(CameraStep.ask_key))
    assert page.table.referee.state()["settings"]["language"] == "de"


def test_the_part_that_must_be_there_is_not_left_out_by_the_big_button(page: PageUnderTest, windows: Windows) -> None:
    table = page.table
    table.plugged[:] = [("picamera2", "imx708"), ("usb:0", "HD Pro Webcam C920")]
    table.referee.health.report(Problem("camera", Health.MISSING, "picamera2 is not there", t_ns=1))
    window = windows(PHONE, paired=True)
    tab = window.page
    window.open("setup")
    window.tap("Begin")
    expect(tab.locator(".setup-found.missing")).to_contain_text("Tap the one to use")
    expect(tab.get_by_role("button", name="HD Pro Webcam C920")).to_be_visible()
    expect(tab.locator(".setup-go")).to_have_count(0)
    tab.locator("button.quiet", has_text="Go on without it").click()
    # Whatever else is missing may be: there it is the big one.
    table.referee.health.report(Problem("bell", Health.MISSING, "no pins", t_ns=1))
    window.tap("All steps")
    tab.get_by_role("button", name="Bell").click()
    expect(tab.locator(".setup-go.main")).to_have_text("Go on without it")


COLOURS = list(INKS)[:2]
CLOWNS = {(colour, mood): clown(colour, happy=mood == "happy") for colour in COLOURS for mood in ("happy", "sad")}


class InPlace(Workbench):
    """Works in the test's own process, which has loaded all that it needs."""

    def run(self, work: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        return work(*args, **kwargs)


def test_a_deck_of_clowns_is_taught_checked_and_saved(tmp_path: Path, browser: Browser) -> None:
    expect.set_options(timeout=WAIT_MS)
    art = list(CLOWNS.values())
    table = [lesson_picture(art, CARD_MM, 1, (800, 450))]
    referee_table = quiet_table(tmp_path, clock=GameClock())
    lessons = Lessons(tmp_path, lambda: table[0], InPlace(), referee_table.referee.notify)
    with served(tmp_path, table=referee_table, lessons=lessons) as page:
        window = Window(browser, page, PHONE, paired=True)
        window.open("settings")
        tab = window.page
        main, tiles = tab.locator("main"), tab.locator(".faces button")
        tab.get_by_role("link", name="Teach a deck").click()
        tab.get_by_label("Name of the deck").fill("Our clowns")
        window.tap("Begin")
        window.tap("Take the picture")
        expect(tiles).to_have_count(4)
        expect(tab.locator(".outlines .outline")).to_have_count(4)
        expect(tiles.nth(0).locator(".name")).to_contain_text("?")
        window.check()
        # The mood of one clown, and all others are proposed: hats are on the happy ones.
        colour, mood = first_group(lessons)
        tiles.nth(0).click()
        tab.get_by_role("button", name=mood.title(), exact=True).first.click()
        expect(tab.locator(".faces .name").nth(0)).to_have_text(f"{colour}, {mood}")
        window.tap("All as proposed is right")
        expect(tab.locator(".face-tile.open")).to_have_count(0)
        expect(main).to_contain_text("You said 8 colours. I have seen 2 happy and 2 sad clowns.")
        tab.reload()
        expect(tiles).to_have_count(4)
        table[0] = lesson_picture(art[::-1], CARD_MM, 5, (800, 450))
        window.tap("Read these cards")
        expect(main).to_contain_text("4 cards of 4 were read.")
        expect(main).to_contain_text("Hardest to tell apart are")
        read = tab.locator(".seen .name").all_text_contents()
        assert sorted(read) == ["blue, happy", "blue, sad", "red, happy", "red, sad"]
        assert window.barriers() == []
        window.tap("Save the deck")
        expect(main).to_contain_text("“Our clowns” is saved")
        window.open("settings")
        line = tab.locator(".deck-line").filter(has_text="Our clowns")
        expect(line).to_contain_text("4 faces")
        line.click()
        expect(tab.locator(".inside .face-tile")).to_have_count(4)
        assert window.barriers() == []
        window.close()
    lessons.close()
    deck = DeckStore(tmp_path).load("Our clowns")
    assert isinstance(deck, Deck)
    assert {face.id for face in deck.fronts} == {"-".join(names) for names in CLOWNS}
    for names, drawn in CLOWNS.items():
        face = deck.face("-".join(names)).art
        # A card may be upside down.
        paint, turned = (face[round(face.shape[0] * at), face.shape[1] // 2].astype(int) for at in (0.85, 0.15))
        assert min(abs(one - drawn[148, 56]).max() for one in (paint, turned)) < 40


def first_group(lessons: Lessons) -> tuple[str, str]:
    """Return which clown the first group shows, by the order of the row of cards."""
    draft = lessons.view()["draft"]
    row = sorted(draft["shot"]["outlines"], key=lambda outline: outline["corners"][0][0])
    return list(CLOWNS)[[outline["group"] for outline in row].index(draft["groups"][0]["id"])]
