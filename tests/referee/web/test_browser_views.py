"""What the page draws, in a real browser: the photo-finish, the settings of the devices, figures over evenings."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import cv2
import numpy as np
import pytest
from playwright.sync_api import Browser, Route, ViewportSize, expect

from hardware.camera.frames import Frame
from referee.engine.recorded_game import RecordedGame
from referee.engine.session import Outline
from referee.language import Language
from referee.service.set_aside import report_set_aside
from referee.setup.finding import load_kept
from referee.watchers.by_hand import ByHandWatcher
from referee.watchers.table_finder import WatchSetup
from tests.referee.web.test_browser import (
    LONGEST,
    PHONE,
    SCREEN,
    WAIT_MS,
    Window,
    needs_chromium,
    turn_two_reds,
)
from tests.support.page_tools import PageUnderTest

pytestmark = needs_chromium
JPEG = cv2.imencode(".jpg", np.full((480, 640, 3), 90, np.uint8))[1].tobytes()
SIGHT = {
    "t_ms": -7.0,
    "width": 640,
    "height": 480,
    "outlines": [
        {"corners": [[10, 10], [90, 10], [90, 120], [10, 120]], "seat": 0, "label": "red happy", "certain": True},
        {"corners": [[300, 10], [390, 10], [390, 120], [300, 120]], "seat": 1, "label": "turning", "certain": False},
    ],
}
START = {"do": "start", "game": "piccolino", "players": ["Ann", "Ben", "Cem"], "options": {}}


def a_ring_with_pictures(page: PageUnderTest, players: Sequence[str] = ("Ann", "Ben", "Cem")) -> str:
    page.table.desk.do({**START, "players": list(players)})
    turn_two_reds(page)
    page.table.tell("bell", seat=2)
    ring = next(one["id"] for one in page.table.desk.state()["rulings"] if one["ruling"]["ruling"] == "ring")
    play = page.table.controller.playing()
    event = play.log.about_id(ring)
    page.table.evidence.add(play.log.row.game, event, [(-40.0, JPEG), (-7.0, JPEG), (26.0, JPEG)], SIGHT)
    return str(ring)


@pytest.mark.parametrize("size", [PHONE, SCREEN], ids=["phone", "screen"])
def test_the_photo_finish_shows_the_deciding_frame_outlined_and_every_face_on_its_line(
    page: PageUnderTest, browser: Browser, size: dict[str, int]
) -> None:
    ring = a_ring_with_pictures(page)
    window = Window(browser, page, {"width": size["width"], "height": size["height"]})
    expect.set_options(timeout=WAIT_MS)
    window.open(f"ruling/{ring}")
    outlines = window.page.locator(".seen-picture .outline")
    expect(outlines).to_have_count(2)
    expect(window.page.locator(".evidence figcaption")).to_contain_text("7 ms before the ring The picture that decides")
    expect(window.page.locator(".time-line .face-bar.of-red")).to_have_count(2)
    expect(window.page.locator(".marks")).to_contain_text("Ann: red, Happy")
    assert window.barriers() == []
    assert not window.is_too_wide()
    window.page.get_by_role("button", name="The picture after").click()
    expect(window.page.locator(".evidence figcaption")).to_contain_text("26 ms after the ring")
    expect(outlines).to_have_count(0)
    window.close()


def test_the_photo_finish_of_a_past_game_is_there_to_be_sent_and_nothing_in_it_can_be_changed(
    page: PageUnderTest, browser: Browser, tmp_path: Path
) -> None:
    ring = a_ring_with_pictures(page)
    page.table.desk.do(START)
    window = Window(browser, page, PHONE, paired=True)
    expect.set_options(timeout=WAIT_MS)
    window.open(f"history/{ring.split('-')[0]}")
    window.page.get_by_role("link", name="Valid ring, Cem").click()
    expect(window.page.locator(".verdict h1")).to_have_text("Valid ring, Cem")
    expect(window.page.locator(".seen-picture .outline")).to_have_count(2)
    expect(window.page.get_by_text("Is something not right?")).to_have_count(0)
    expect(window.page.get_by_role("button", name="Look again")).to_have_count(0)
    # One tap saves it as a file to send, which can be judged anywhere.
    assert window.box("a[href$='report.mcap']")["height"] >= 44
    with window.page.expect_download() as coming:
        window.page.get_by_role("link", name="Report this ruling").click()
    sent = tmp_path / coming.value.suggested_filename
    coming.value.save_as(sent)
    assert sent.name == f"ringmaster-{ring}.mcap"
    assert [one["valid"] for one in RecordedGame(sent, print).rulings if one["ruling"] == "ring"] == [True]
    assert any(one.rulings for one in RecordedGame(sent, print).judge(WatchSetup()))
    assert b"Cem" not in sent.read_bytes()
    window.page.locator("main").get_by_role("link", name="History").click()
    expect(window.page.locator("main h1")).to_contain_text("Piccolino")
    window.close()


@pytest.mark.parametrize("size", [PHONE, SCREEN], ids=["phone", "screen"])
def test_no_name_hides_the_card_that_it_names_nor_leaves_the_picture(
    page: PageUnderTest, browser: Browser, size: ViewportSize
) -> None:
    page.table.desk.do(START)
    grey = np.full((360, 640, 3), 90, np.uint8)
    page.table.show(grey)
    page.table.controller.look(Frame(1, 1, grey, 0))
    watcher = page.table.controller.playing().watcher
    assert isinstance(watcher, ByHandWatcher)
    watcher.outlines = tuple(
        Outline(((x, y), (x + 40, y), (x + 40, y + 60), (x, y + 60)), seat, "orange happy", True)
        for seat, (x, y) in enumerate([(300, 295), (2, 150), (598, 150)])
    )
    page.table.desk.refresh()
    window = Window(browser, page, size)
    names = window.page.locator(".seen .name")
    expect(names).to_have_count(3, timeout=WAIT_MS)
    # All at one instant: the page may still move while it fills.
    seen = window.page.locator(".live .picture").evaluate(
        """(picture) => {
          const box = (part) => part.getBoundingClientRect().toJSON();
          const names = [...picture.querySelectorAll(".seen .name")];
          return { picture: box(picture), names: names.map((name) => [box(name), box(name.parentElement)]) };
        }"""
    )
    picture = seen["picture"]
    assert len(seen["names"]) == 3
    for words, card in seen["names"]:
        assert words["top"] >= card["bottom"] or words["bottom"] <= card["top"]
        assert words["left"] >= picture["left"] and words["right"] <= picture["right"] + 1
        assert words["bottom"] <= picture["bottom"] + 1
    assert window.barriers() == []
    page.table.desk.do({"do": "settings", "language": "de"})
    expect(names.first).to_have_text("orange, fröhlich", timeout=WAIT_MS)
    window.close()


def test_the_bells_pins_are_chosen_in_words_and_a_wrong_one_is_told_and_goes_back(
    page: PageUnderTest, browser: Browser
) -> None:
    window = Window(browser, page, PHONE, paired=True)
    expect.set_options(timeout=WAIT_MS)
    window.open("settings")
    window.page.get_by_label("Bell", exact=True).select_option(label="A button at each seat")
    third = window.page.get_by_label("Button of seat 3")
    third.select_option(label="pin 40 (GPIO21)")
    window.page.wait_for_function("() => !document.querySelector('fieldset[disabled]')")
    assert page.table.desk.state()["settings"]["bell_pins"][:3] == [17, 27, 21]
    third.select_option(label="pin 16 (GPIO23)")
    expect(window.page.get_by_role("alert").filter(has_text="GPIO23 is in use already")).to_be_visible()
    expect(third).to_have_value("21")
    assert page.table.desk.state()["settings"]["bell_pins"][:3] == [17, 27, 21]
    assert window.barriers() == []
    # The browser tells the refusal on its console.
    window.close("400")


def test_files_that_were_set_aside_are_listed_until_somebody_has_read_it(page: PageUnderTest, browser: Browser) -> None:
    (page.folder / "setup.json").write_text("{", encoding="utf-8")
    load_kept(page.folder)
    report_set_aside(page.folder, page.table.journal, page.table.health, Language("en"))
    page.table.desk.refresh()
    window = Window(browser, page, PHONE, paired=True)
    expect.set_options(timeout=WAIT_MS)
    window.open("table")
    alert = window.page.locator(".alert").filter(has_text="A part of setting up could not be read")
    expect(alert).to_be_visible()
    assert window.barriers() == []
    alert.get_by_role("button", name="I have read it").click()
    expect(alert).to_have_count(0)
    assert len(list((page.folder / "set-aside").iterdir())) == 1
    window.close()


def test_figures_show_what_was_played_evening_by_evening(page: PageUnderTest, browser: Browser) -> None:
    for evening in range(3):
        page.table.desk.do(START)
        turn_two_reds(page)
        page.table.tell("bell", seat=1 if evening == 1 else 2)
        page.table.tell("card_shown", seat=0, colour="green", mood="happy")
        page.table.tell("bell", seat=0)
        page.table.desk.do({"do": "stop"})
        day_ms = 86_400_000 * (3 - evening)
        page.table.journal.read(f"UPDATE games SET started_ms = started_ms - {day_ms} WHERE game = {evening + 1}")
    window = Window(browser, page, SCREEN)
    expect.set_options(timeout=WAIT_MS)
    window.open("figures")
    wins, false = (window.page.locator("figure").filter(has_text=title) for title in ("Games won", "False rings"))
    expect(wins.locator(".plot-value")).to_have_text(["2/3", "1/3", "0/3"])
    expect(false.locator(".plot-value")).to_have_text(["0/2", "0/1", "3/3"])
    assert {"Cem", "Ben"} <= set(
        window.page.locator("figure").filter(has_text="How fast").locator(".plot-name").all_text_contents()
    )
    expect(window.page.locator("figure").filter(has_text="evening to evening").locator("polyline")).to_have_count(3)
    assert window.barriers() == []
    window.close()


def test_coloretto_begins_with_the_cards_that_everybody_starts_with(page: PageUnderTest, browser: Browser) -> None:
    # They come to no row: nobody was asked for them, and each player's points were a card short at the end.
    window = Window(browser, page, PHONE, paired=True)
    expect.set_options(timeout=WAIT_MS)
    window.open("start")
    window.page.get_by_role("radio", name="Coloretto").check()
    window.page.get_by_label("Name of the player at seat 1").fill("Ann")
    cards = window.page.get_by_role("combobox", name="start card")
    expect(cards).to_have_count(3)
    begin = window.page.get_by_role("button", name="Start", exact=True)
    begin.click()
    expect(window.page.get_by_role("alert")).to_contain_text("say which cards everybody starts with")
    for at, card in enumerate(("red", "blue", "none")):
        cards.nth(at).select_option(card)
    assert window.barriers() == []
    begin.click()
    expect(window.page.locator(".turn")).to_have_text("Ann’s turn")
    assert page.table.desk.state()["game"]["options"]["start_cards"] == [["red"], ["blue"], []]
    # With two players, everybody starts with two cards; with the Everdeck they are of suits.
    window.open("start")
    window.page.get_by_role("button", name="One player less").click()
    expect(cards).to_have_count(4)
    window.page.get_by_role("button", name="The Everdeck").click()
    expect(window.page.get_by_text("leave a hand’s breadth between one row and the next")).to_be_visible()
    for at, card in enumerate(("spade", "moon", "star", "coin")):
        cards.nth(at).select_option(card)
    assert window.barriers() == []
    begin.click()
    expect(window.page.locator(".turn")).to_have_text("Ann’s turn")
    options = page.table.desk.state()["game"]["options"]
    assert (options["deck"], options["start_cards"]) == ("everdeck", [["spade", "moon"], ["star", "coin"]])
    window.close()


def test_a_game_told_by_hand_shows_what_was_told_and_takes_it_back(page: PageUnderTest, browser: Browser) -> None:
    page.table.desk.do({"do": "start", "game": "coloretto", "players": ["Ann", "Ben"], "options": {}})
    window = Window(browser, page, PHONE, paired=True)
    expect.set_options(timeout=WAIT_MS)
    tab = window.page

    def rows() -> list[list[str]]:
        return [
            [str(card.get_attribute("aria-label")) for card in line.locator(".col-card[role=img]").all()]
            for line in tab.locator(".col-line").all()
        ]

    expect(tab.get_by_role("button", name="Take row 1")).to_be_disabled()
    # Nothing is chosen that nobody chose.
    expect(tab.locator(".palette [aria-pressed=true]")).to_have_count(0)
    tab.get_by_role("button", name="Joker").click()
    tab.get_by_role("button", name="Into row 1").click()
    expect(tab.locator(".col-line").first.locator(".col-card[role=img]")).to_have_count(1)
    assert rows() == [["Joker"], [], []]
    window.look()
    tab.get_by_role("button", name="green").click()
    # Two players' first row has room for one card.
    expect(tab.get_by_role("button", name="Into row 1")).to_be_disabled()
    # The second tap of a double one would take the row for the next player.
    tab.get_by_role("button", name="Into row 2").dblclick()
    expect(tab.get_by_role("alert")).to_contain_text("this tap has changed nothing")
    expect(tab.locator(".col-line").nth(1).locator(".col-card[role=img]")).to_have_count(1)
    window.look()
    tab.get_by_role("button", name="Take back the last step").click()
    expect(tab.locator(".turn")).to_have_text("Ben’s turn")
    window.look()
    # A row is taken by one tap.
    tab.get_by_role("button", name="Take row 1").click()
    expect(tab.locator(".col-row.gone")).to_have_text("taken")
    assert window.barriers() == []
    assert not window.is_too_wide()
    window.look()
    tab.get_by_role("button", name="Take back the last step").click()
    expect(tab.locator(".col-row.gone")).to_have_count(0)
    window.close("409")


def test_the_end_of_coloretto_alone_is_counted_as_a_score_sheet(page: PageUnderTest, browser: Browser) -> None:
    expect.set_options(timeout=WAIT_MS)
    window = Window(browser, page, PHONE, paired=True)
    window.open("sheet")
    tab = window.page
    for card, times in (("green", 6), ("yellow", 4), ("red", 3), ("blue", 2), ("+2", 1), ("Joker", 1)):
        for _ in range(times):
            tab.get_by_role("button", name=f"One more: {card}").click()
    # The rules' own example: the joker becomes yellow.
    expect(tab.locator(".sheet-name strong")).to_have_text("41")
    expect(tab.locator(".sheet-line .note").last).to_contain_text("the joker is yellow")
    expect(tab.locator(".sheet-cards .minus")).to_have_count(1)
    assert window.barriers() == [] and not window.is_too_wide()
    tab.get_by_role("button", name="The Everdeck’s suits").click()
    expect(tab.locator(".sheet-name strong")).to_have_text("3")  # the +2 and the joker alone
    for card, times in (("crown", 3), ("moon", 1)):
        for _ in range(times):
            tab.get_by_role("button", name=f"One more: {card}").click()
    expect(tab.locator(".sheet-name strong")).to_have_text("13")
    expect(tab.locator(".sheet-line .note").last).to_contain_text("the joker is crown")
    assert window.barriers() == [] and not window.is_too_wide()
    # What was counted is there still when the phone comes back.
    window.open("sheet")
    expect(tab.locator(".sheet-name strong")).to_have_text("13")
    tab.get_by_role("button", name="Seven colours").click()
    expect(tab.locator(".sheet-name strong")).to_have_text("41")
    window.close()


def test_an_answer_that_comes_late_does_not_stand_for_what_was_counted_since(
    page: PageUnderTest, browser: Browser
) -> None:
    expect.set_options(timeout=WAIT_MS)
    window = Window(browser, page, PHONE, paired=True)
    window.open("sheet")
    tab = window.page
    held: list[Route] = []

    def hold_the_first(route: Route) -> None:
        if held:
            route.continue_()
        else:
            held.append(route)

    tab.route("**/api/do", hold_the_first)
    tab.get_by_role("button", name="One more: green").click()
    tab.get_by_role("button", name="One more: green").click()
    expect(tab.locator(".sheet-name strong")).to_have_text("3")
    with tab.expect_response("**/api/do"):
        held[0].continue_()
    tab.wait_for_timeout(100)  # the page has it, and draws
    expect(tab.locator(".sheet-name strong")).to_have_text("3")
    window.close()


def test_hands_that_the_camera_has_not_seen_are_told_card_by_card_or_that_there_is_none(
    page: PageUnderTest, browser: Browser
) -> None:
    page.table.desk.do({"do": "start", "game": "confetti", "players": ["Ann", "Ben"], "options": {}})
    page.table.desk.do({"do": "flip"})
    page.table.desk.do({"do": "time"})
    window = Window(browser, page, PHONE, paired=True)
    expect.set_options(timeout=WAIT_MS)
    window.page.get_by_role("button", name="Count now").click()
    of_ann, of_ben = (window.page.get_by_role("group", name=name, exact=True) for name in ("Ann", "Ben"))
    of_ann.get_by_role("button", name="One more card").click()
    for size, name in (("Small circle", "red"), ("Medium circle", "blue"), ("Big circle", "green")):
        of_ann.get_by_role("group", name=size).get_by_role("button", name=name).click()
    of_ann.get_by_role("button", name="Enter this card").click()
    expect(of_ann.get_by_role("button", name="That is my hand")).to_be_visible()
    assert window.barriers() == []
    assert not window.is_too_wide()
    window.look()
    of_ann.get_by_role("button", name="That is my hand").click()
    expect(of_ann).to_have_count(0)
    window.look()
    of_ben.get_by_role("button", name="I have none").click()
    expect(window.page.locator(".verdict")).to_contain_text("The hands are counted")
    window.close()


def test_letters_of_twice_the_size_leave_nothing_beside_a_phones_screen(page: PageUnderTest, browser: Browser) -> None:
    window = Window(browser, page, {"width": 360, "height": 740}, paired=True)
    page.table.desk.do({"do": "settings", "language": LONGEST})
    players = ["Grandmother Anneliese", "Ben", "Maximilian-Alexander"]

    def is_whole(view: str) -> None:
        window.open(view)
        window.wait_until_filled()
        window.page.evaluate("document.documentElement.style.fontSize = '200%'")
        assert (view, window.is_too_wide()) == (view, False)
        cut = "spans => spans.filter(span => span.scrollWidth > span.clientWidth + 1).map(span => span.textContent)"
        assert window.page.locator("nav a span").evaluate_all(cut) == []

    page.table.desk.do({**START, "game": "coloretto", "players": players})
    page.table.desk.do({"do": "event", "event": {"event": "card_placed", "seat": 0, "row": 1, "card": "joker"}})
    is_whole("table")
    page.table.desk.do({**START, "players": players})
    turn_two_reds(page)
    page.table.tell("bell", seat=2)
    is_whole("table")
    ring = next(one["id"] for one in page.table.desk.state()["rulings"] if one["ruling"]["ruling"] == "ring")
    for view in (f"ruling/{ring}", "start", "settings", "figures", "history/2"):
        is_whole(view)
    page.table.tell("card_shown", seat=0, colour="blue", mood="sad")
    page.table.tell("bell", seat=None)
    is_whole("table")
    window.close()


def test_a_long_caption_stands_whole_on_the_score_board_for_a_screen_across_the_room(
    page: PageUnderTest, browser: Browser
) -> None:
    page.table.desk.do(START)
    page.table.controller.voice.tell(
        "Something lies over Ann’s cards: take it away, please, and spread the two beside it."
    )
    page.table.desk.refresh()
    window = Window(browser, page, PHONE)
    window.open("tv")
    caption = window.page.locator(".tv-caption")
    expect(caption).to_contain_text("spread the two beside it.", timeout=WAIT_MS)
    assert caption.evaluate("(one) => one.scrollWidth <= one.clientWidth")
    window.close()


def test_words_that_a_bad_connection_loses_are_asked_for_again(page: PageUnderTest, browser: Browser) -> None:
    window = Window(browser, page, PHONE)
    asked: list[str] = []

    def lost_once(route: Route) -> None:
        asked.append(route.request.url)
        if len(asked) == 1:
            route.abort()
        else:
            route.continue_()

    window.page.route("**/api/words/*", lost_once)
    window.open("table")
    expect(window.page.locator("main h1")).to_have_text("Ready when you are")
    assert len(asked) == 2
    window.close("ERR_FAILED")


def test_the_total_of_a_past_game_stands_on_a_phones_screen(page: PageUnderTest, browser: Browser) -> None:
    players = ["Grandmother Anneliese", "Ben", "Maximilian-Alexander", "Di", "Eva", "Fay", "Gus"]
    page.table.desk.do({**START, "game": "confetti", "players": players})
    for _ in range(2):
        for kind in ("timer_flipped", "timer_ran_out", "count"):
            page.table.desk.do({"do": "event", "event": {"event": kind}})
    window = Window(browser, page, {"width": 390, "height": 844})
    window.open("history/1")
    heads = window.page.locator("thead th")
    expect(heads).to_have_count(4, timeout=WAIT_MS)
    assert heads.nth(1).text_content() == "In all"
    box = window.page.locator("tbody tr").first.locator("td").first.bounding_box()
    assert box is not None and box["x"] + box["width"] <= 390
    assert not window.is_too_wide()
    window.close()
