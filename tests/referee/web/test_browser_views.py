"""What the page draws, in a real browser: pictures and what is seen in them, settings of devices, hands, figures."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from playwright.sync_api import Route, ViewportSize, expect

from hardware.camera.frames import Frame
from referee.engine.session import Outline, Watcher
from referee.games.recorded_game import RecordedGame
from referee.match import queries
from referee.setup.step import load_kept
from referee.store.recovery import report_set_aside
from referee.watchers.table_finder import WatchSetup
from referee.web.words import words_in
from tests.referee.web.window import (
    PHONE,
    SCREEN,
    Window,
    Windows,
    a_ring_with_pictures,
    begin,
    turn_two_reds,
)
from tests.support.commands import sent
from tests.support.page_tools import START, PageUnderTest
from tests.support.waiting import wait_for

SIZES = pytest.mark.parametrize("size", [PHONE, SCREEN], ids=["phone", "screen"])
SMALL = """(parts) => parts.map((part) => part.getBoundingClientRect())
  .filter((box) => box.width < 43.9 || box.height < 43.9).length"""
LARGER = "(one) => new DOMMatrix(getComputedStyle(one.querySelector('.zoomed')).transform).a"


@SIZES
def test_the_photo_finish_shows_the_deciding_frame_outlined_and_every_face_on_its_line(
    page: PageUnderTest, windows: Windows, size: ViewportSize
) -> None:
    ring = a_ring_with_pictures(page)
    window = windows(size)
    window.open(f"ruling/{ring}")
    outlines = window.page.locator(".stage .outline")
    expect(outlines).to_have_count(2)
    expect(window.page.locator(".evidence figcaption")).to_contain_text("7 ms before the ring The picture that decides")
    expect(window.page.locator(".time-line .face-bar.of-red")).to_have_count(2)
    expect(window.page.locator(".marks")).to_contain_text("Ann: red, happy")
    close_ups = window.page.locator(".close-up")
    if size is PHONE:
        # An outlined card of 80 by 110 px in a picture of 640 by 480 was 45 px wide on this screen.
        expect(close_ups).to_have_count(2)
        expect(window.page.locator(".close-ups")).to_contain_text("Ann")
        cards = close_ups.locator(".outline")
        heights = cards.evaluate_all("(cards) => cards.map((card) => card.getBoundingClientRect().height)")
        assert min(heights) > 60, heights
    window.check()
    # In the next picture the same places are shown, without what was seen in another.
    window.tap("The picture after")
    expect(window.page.locator(".evidence figcaption")).to_contain_text("26 ms after the ring")
    expect(outlines).to_have_count(0)
    if size is PHONE:
        expect(close_ups.locator(".outline")).to_have_count(0)
        assert "-2" in str(close_ups.first.locator("img").get_attribute("src"))
        window.check()


def test_the_photo_finish_of_a_past_game_is_there_to_be_sent_and_cannot_be_looked_at_again(
    page: PageUnderTest, windows: Windows, tmp_path: Path
) -> None:
    ring = a_ring_with_pictures(page)
    page.table.referee.do(sent(START))
    window = windows(PHONE, paired=True)
    window.open(f"history/{ring.split('-')[0]}")
    window.page.get_by_role("link", name="Valid ring, Cem").click()
    expect(window.page.locator(".verdict h1")).to_have_text("Valid ring, Cem")
    expect(window.page.locator(".stage .outline")).to_have_count(2)
    expect(window.page.get_by_role("button", name="Read it to me")).to_have_count(0)
    # One tap saves it as a file to send, which can be judged anywhere.
    with window.page.expect_download() as coming:
        window.page.get_by_role("link", name="Report this ruling").click()
    report = tmp_path / coming.value.suggested_filename
    coming.value.save_as(report)
    assert report.name == f"ringmaster-{ring}.mcap"
    assert [one["valid"] for one in RecordedGame(report, print).rulings if one["ruling"] == "ring"] == [True]
    assert any(one.rulings for one in RecordedGame(report, print).judge(WatchSetup()))
    assert b"Cem" not in report.read_bytes()
    window.page.locator("main").get_by_role("link", name="History").click()
    expect(window.page.locator("main h1")).to_contain_text("Piccolino")


def test_evidence_is_made_larger_by_fingers_taps_wheel_and_keys(page: PageUnderTest, windows: Windows) -> None:
    ring = a_ring_with_pictures(page)
    window = windows(PHONE)
    window.open(f"ruling/{ring}")
    picture, tab = window.page.locator(".zoomable"), window.page
    expect(picture).to_be_visible()

    def middle() -> tuple[float, float]:
        box = window.box(".zoomable")
        return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2

    def wheel() -> None:
        tab.mouse.move(*middle())
        tab.mouse.wheel(0, -100)

    ways: tuple[Callable[[], None], ...] = (
        lambda: window.tap("Larger"),
        lambda: picture.press("+"),
        wheel,
        lambda: tab.mouse.dblclick(*middle()),
        lambda: pinched(window, middle()),
    )
    for larger in ways:
        picture.scroll_into_view_if_needed()
        picture.press("0")
        assert picture.evaluate(LARGER) == 1
        larger()
        wanted = "(one) => new DOMMatrix(getComputedStyle(one).transform).a > 1"
        tab.wait_for_function(wanted, arg=picture.locator(".zoomed").element_handle())
    # The same place of the table stays in sight in the next picture.
    before = picture.evaluate(LARGER)
    window.tap("The picture after")
    expect(tab.locator(".evidence figcaption")).to_contain_text("after the ring")
    assert picture.evaluate(LARGER) == before


def pinched(window: Window, middle: tuple[float, float]) -> None:
    """Spread two fingers round a place."""
    session = window.context.new_cdp_session(window.page)
    for kind, apart in (("touchStart", 20), ("touchMove", 30), ("touchMove", 45), ("touchMove", 60), ("touchEnd", 0)):
        points: list[dict[str, Any]] = [{"x": middle[0] + side * apart, "y": middle[1], "id": side} for side in (-1, 1)]
        session.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": points if apart else []})


def test_a_tap_on_the_live_picture_opens_a_hand_large_enough_for_fingers(page: PageUnderTest, windows: Windows) -> None:
    page.table.referee.do(sent({**START, "game": "confetti"}))
    for kind in ("timer_flipped", "timer_ran_out"):
        page.table.report(kind)
    grey = np.full((1080, 1920, 3), 90, np.uint8)
    page.table.show(grey)
    page.table.referee.look(Frame(1, 1, grey, 0))
    watcher = page.table.referee.match.playing().watcher
    assert isinstance(watcher, Watcher)
    corners = [
        (seat, x + 90 * at, y) for seat, x, y in ((0, 700, 950), (1, 10, 300), (2, 1500, 300)) for at in range(4)
    ]
    watcher.outlines = tuple(
        Outline(((x, y), (x + 80, y), (x + 80, y + 120), (x, y + 120)), seat, "red blue green", True)
        for seat, x, y in corners
    )
    for seat in range(3):
        page.table.report("hand", seat=seat, cards=[["red", "blue", "green"]] * 4)
    page.table.referee.changed()
    window = windows(PHONE, paired=True)
    targets = window.page.locator(".live button.seen")
    expect(targets).to_have_count(3)
    assert targets.evaluate_all(SMALL) == 0
    window.page.get_by_role("button", name="Look closer: Ben").click()
    expect(targets).to_have_count(4)
    assert targets.evaluate_all(SMALL) == 0
    window.check()
    # That tap has opened the card that was tapped: a second one on the right colour puts it right.
    right = window.page.get_by_role("group", name="What is it really?")
    expect(right.locator(".card")).to_have_count(4)
    purple = right.get_by_role("group", name="Big circle").get_by_role("button", name="purple")
    purple.click()
    expect(window.page.get_by_text("Corrected, and judged again.")).to_be_visible()
    ruled = [one["id"] for one in page.table.referee.state()["rulings"] if one["ruling"]["ruling"] == "hand"]
    readings = [reading for one in ruled for reading in queries.explain(page.table.referee, one)["readings"]]
    hands = [one["data"]["cards"] for one in readings if one["seat"] == 1]
    assert [hand.count(["red", "blue", "purple"]) for hand in hands] == [1]
    window.page.get_by_role("button", name="Show the whole table").click()
    expect(targets).to_have_count(3)


def test_files_that_were_set_aside_are_listed_until_somebody_has_read_it(page: PageUnderTest, windows: Windows) -> None:
    (page.folder / "setup.json").write_text("{", encoding="utf-8")
    load_kept(page.folder)
    report_set_aside(page.folder, page.table.referee.store, page.table.referee.health)
    page.table.referee.changed()
    window = windows(PHONE, paired=True)
    window.open("table")
    window.tap("One notice")
    alert = window.page.locator(".alert").filter(has_text="A part of setting up could not be read")
    expect(alert).to_be_visible()
    assert window.barriers() == []
    alert.get_by_role("button", name="I have read it").click()
    expect(alert).to_have_count(0)
    assert len(list((page.folder / "set-aside").iterdir())) == 1


def test_the_form_of_settings_changes_what_is_fitted_and_when_it_is_quiet(
    page: PageUnderTest, windows: Windows
) -> None:
    window, words = windows(PHONE, paired=True), words_in("en")
    window.open("settings")
    tab = window.page
    tab.locator("#bell").select_option("seats")
    expect(tab.locator("#bell-pin-2")).to_have_value("22")
    tab.locator("#bell-pin-2").select_option("18")
    expect(tab.locator("#bell-pin-2")).to_have_value("18")
    for name in ("lamp_fitted", "quiet_hours"):
        tab.get_by_label(words[name]).click()
    expect(tab.locator("input[type=time]")).to_have_count(2)
    tab.locator("#volume").fill("40")
    expect(tab.get_by_label(words["lamp_fitted"])).not_to_be_checked()
    window.check()
    wanted = {"bell": "seats", "bell_pins": [17, 27, 18, 4, 25, 12, 16], "lamp": False, "volume": 0.4}
    wait_for(lambda: wanted.items() <= page.table.referee.state()["settings"].items())
    assert page.table.referee.state()["settings"]["quiet_hours"] == ["22:00", "07:00"]


def test_figures_show_what_was_played_evening_by_evening(page: PageUnderTest, windows: Windows) -> None:
    for evening in range(3):
        page.table.referee.do(sent(START))
        turn_two_reds(page)
        page.table.report("bell", seat=1 if evening == 1 else 2)
        page.table.report("card_shown", seat=0, colour="green", mood="happy")
        page.table.report("bell", seat=0)
        page.table.referee.do(sent({"do": "stop"}))
        day_ms = 86_400_000 * (3 - evening)
        page.table.referee.store.read(f"UPDATE games SET started_ms = started_ms - {day_ms} WHERE game = {evening + 1}")
    window = windows(SCREEN)
    window.open("figures")
    titles = ("Games won", "False rings", "How fast", "evening to evening")
    wins, false, fast, evenings = (window.page.locator("figure").filter(has_text=title) for title in titles)
    expect(wins.locator(".plot-value")).to_have_text(["2/3", "1/3", "0/3"])
    expect(false.locator(".plot-value")).to_have_text(["0/2", "0/1", "3/3"])
    assert {"Cem", "Ben"} <= set(fast.locator(".plot-name").all_text_contents())
    expect(evenings.locator("polyline")).to_have_count(3)
    assert window.barriers() == []


def test_coloretto_begins_with_the_cards_that_everybody_starts_with(page: PageUnderTest, windows: Windows) -> None:
    # They come to no row: nobody was asked for them, and each player's points were a card short at the end.
    window = windows(PHONE, paired=True)
    window.open("start")
    window.page.get_by_role("radio", name="Coloretto").check()
    window.page.get_by_label("Name of the player at seat 1").fill("Ann")
    cards = window.page.get_by_role("combobox", name="start card")
    expect(cards).to_have_count(3)
    window.tap("Start")
    expect(window.page.get_by_role("alert")).to_contain_text("say which cards everybody starts with")

    def begun_with(*chosen: str) -> dict[str, Any]:
        for at, card in enumerate(chosen):
            cards.nth(at).select_option(card)
        assert window.barriers() == []
        window.tap("Start")
        expect(window.page.locator(".turn")).to_have_text("Ann’s turn")
        return dict(page.table.referee.state()["game"]["options"])

    assert begun_with("red", "blue", "none")["start_cards"] == [["red"], ["blue"], []]
    # With two players, everybody starts with two cards; with the Everdeck they are of suits.
    window.open("start")
    window.tap("One player less")
    expect(cards).to_have_count(4)
    window.page.get_by_text("Usual rules").click()
    window.page.get_by_role("button", name="The Everdeck").click()
    expect(window.page.get_by_text("leave a hand’s breadth between one row and the next")).to_be_visible()
    options = begun_with("spade", "moon", "star", "coin")
    assert (options["deck"], options["start_cards"]) == ("everdeck", [["spade", "moon"], ["star", "coin"]])


def test_a_game_entered_by_hand_shows_what_was_entered_and_takes_it_back(page: PageUnderTest, windows: Windows) -> None:
    begin(page, "coloretto", ["Ann", "Ben"])
    window = windows(PHONE, paired=True)
    # A refused tap stands on the browser's console, too.
    window.expected.append("409")
    tab = window.page
    first, second = (tab.locator(".col-line").nth(row).locator(".col-card[role=img]") for row in (0, 1))
    # Nothing is chosen that nobody chose.
    expect(tab.locator(".palette [aria-pressed=true]")).to_have_count(0)
    window.tap("Joker")
    tab.get_by_role("button", name="Into row 1").click()
    expect(first).to_have_attribute("aria-label", "Joker")
    window.look()
    window.tap("green")
    # The second tap of a double one would take the row for the next player.
    tab.get_by_role("button", name="Into row 2").dblclick()
    expect(tab.get_by_role("alert")).to_contain_text("this tap has changed nothing")
    expect(second).to_have_count(1)
    window.check()
    window.look()
    window.tap("Take back the last step")
    expect(tab.locator(".turn")).to_have_text("Ben’s turn")
    expect(second).to_have_count(0)


def test_the_end_of_coloretto_alone_is_counted_as_a_score_sheet(windows: Windows) -> None:
    window = windows(PHONE, paired=True)
    window.open("sheet")
    tab = window.page
    points, why = tab.locator(".sheet-name strong"), tab.locator(".sheet-line .note").last

    def count(**cards: int) -> None:
        for card, times in cards.items():
            for _ in range(times):
                window.tap(f"One more: {card}")

    count(**{"green": 6, "yellow": 4, "red": 3, "blue": 2, "+2": 1, "Joker": 1})
    # The rules' own example: the joker becomes yellow.
    expect(points).to_have_text("41")
    expect(why).to_contain_text("the joker is yellow")
    expect(tab.locator(".sheet-cards .minus")).to_have_count(1)
    window.check()
    window.tap("The Everdeck’s suits")
    expect(points).to_have_text("3")  # the +2 and the joker alone
    count(crown=3, moon=1)
    expect(points).to_have_text("13")
    expect(why).to_contain_text("the joker is crown")
    window.check()
    # What was counted is there still when the phone comes back.
    window.open("sheet")
    expect(points).to_have_text("13")
    window.tap("Seven colours")
    expect(points).to_have_text("41")


def test_an_answer_that_comes_late_does_not_stand_for_what_was_counted_since(windows: Windows) -> None:
    window = windows(PHONE, paired=True)
    window.open("sheet")
    tab, held = window.page, list[Route]()
    points = tab.locator(".sheet-name strong")
    tab.route("**/api/do", lambda route: held.append(route), times=1)
    window.tap("One more: green")
    window.tap("One more: green")
    expect(points).to_have_text("3")
    with tab.expect_response("**/api/do"):
        held[0].continue_()
    tab.wait_for_timeout(100)  # the page has it, and draws
    expect(points).to_have_text("3")


def test_hands_that_the_camera_has_not_seen_are_entered_card_by_card_or_as_none(
    page: PageUnderTest, windows: Windows
) -> None:
    begin(page, "confetti", ["Ann", "Ben"])
    page.table.referee.do(sent({"do": "flip"}))
    page.table.referee.do(sent({"do": "time"}))
    window = windows(PHONE, paired=True)
    window.tap("Count now")
    of_ann, of_ben = (window.page.get_by_role("group", name=name, exact=True) for name in ("Ann", "Ben"))
    of_ann.get_by_role("button", name="One more card").click()
    window.compose("red", "blue", "green")
    of_ann.get_by_role("button", name="Enter this card").click()
    expect(of_ann.get_by_role("button", name="That is my hand")).to_be_visible()
    window.check()
    window.look()
    of_ann.get_by_role("button", name="That is my hand").click()
    expect(of_ann).to_have_count(0)
    window.look()
    of_ben.get_by_role("button", name="I have none").click()
    expect(window.page.locator(".verdict")).to_contain_text("The hands are counted")
