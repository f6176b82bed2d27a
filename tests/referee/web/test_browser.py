"""The page in a real browser: a game is played, corrected and undone, and devices are let in; guests see no picture."""

from __future__ import annotations

import pytest
from playwright.sync_api import ViewportSize, expect

from hardware.problems import Health, Problem
from referee.web.words import words_in
from tests.referee.web.window import JPEG, LONGEST, PHONE, SCREEN, Windows, begin, turn_two_reds
from tests.support.commands import sent
from tests.support.page_tools import START, PageUnderTest

HOME = "192.168.1.20"
BROKEN = "() => [...document.images].filter((one) => one.complete && !one.naturalWidth).map((one) => one.src)"


def test_a_game_is_started_followed_corrected_and_undone(page: PageUnderTest, windows: Windows) -> None:
    mine, other = windows(PHONE), windows(SCREEN)
    mine.page.get_by_role("link", name="Start a game").click()
    mine.page.get_by_role("radio", name="Piccolino").check()
    mine.page.get_by_text("Who sits where?").click()
    for seat, name in enumerate(["Ann", "Ben", "Cem"]):
        mine.page.get_by_role("button", name=f"Seat {seat + 1}").click()
        mine.page.keyboard.type(name)
    mine.tap("Start")
    mine.page.get_by_label("Code").wait_for()
    # The code is said when the server has been asked for it, a moment after the field is there.
    expect(mine.page.locator(".code-here")).to_be_visible()
    mine.page.get_by_label("Code").fill(page.said[-1])
    expect(mine.page.locator(".board li")).to_have_count(3)
    assert page.table.referee.state()["game"]["players"] == ["Ann", "Ben", "Cem"]

    turn_two_reds(page)
    page.table.report("bell", seat=2)
    for window in (mine, other):
        expect(window.page.locator(".verdict h1")).to_have_text("Valid ring, Cem")
        expect(window.page.locator(".verdict .reason")).to_have_text("Two happy reds.")
        expect(window.page.locator("[data-seat='2'] .points")).to_have_text("18 → 20")
        # Screen readers are given it, too.
        expect(window.page.locator("[aria-live='assertive']")).to_contain_text("Cem")

    mine.page.locator(".verdict").get_by_role("link", name="Look or correct").click()
    mine.page.get_by_role("group", name="Ben’s card").get_by_role("button", name="Sad").click()
    for window in (mine, other):
        expect(window.page.locator(".verdict h1")).to_have_text("False ring, Cem")
    expect(other.page.locator("[data-seat='2'] .points")).to_contain_text("16")
    mine.look()
    mine.tap("Undo")
    expect(other.page.locator(".verdict h1")).to_have_text("Valid ring, Cem")
    expect(other.page.locator("[data-seat='2'] .points")).to_contain_text("20")


def test_who_rang_is_answered_with_one_tap(page: PageUnderTest, windows: Windows) -> None:
    window = windows(PHONE, paired=True)
    verdict = window.page.locator(".verdict")
    begin(page, "piccolino", ["Ann", "Ben"])
    turn_two_reds(page)
    page.table.report("bell", seat=0)
    expect(verdict.locator("h1")).to_have_text("Valid ring, Ann")
    page.table.report("card_shown", seat=0, colour="blue", mood="sad")
    page.table.report("bell", seat=None)
    # What was said aloud stands there while nobody knows yet whose ring it was, and not the ring before.
    expect(verdict.locator("h1")).to_have_text("False ring")
    expect(verdict.locator(".reason")).to_have_text("No two happy clowns of one colour.")
    expect(verdict.locator("a")).to_have_count(0)
    assert window.barriers() == []
    window.look()
    window.page.locator(".question").get_by_role("button", name="Ben").click()
    expect(verdict.locator("h1")).to_have_text("False ring, Ben")


def test_everything_can_be_reached_and_done_by_keyboard(page: PageUnderTest, windows: Windows) -> None:
    window = windows(SCREEN, paired=True)
    begin(page, "piccolino", ["Ann", "Ben"])
    expect(window.page.get_by_role("button", name="Pause")).to_be_visible()
    reached: list[str] = []
    while len(reached) < 60 and "Pause" not in reached:
        window.page.keyboard.press("Tab")
        reached.append(window.page.evaluate("(document.activeElement.textContent || '').trim()"))
    assert {"Table", "History", "Settings", "Pause"} <= set(reached)
    window.look()
    window.page.keyboard.press("Enter")
    expect(window.page.get_by_role("button", name="Go on")).to_be_visible()
    assert page.table.referee.state()["mode"] == "paused"


def test_a_name_is_shown_as_it_is_and_never_run(page: PageUnderTest, windows: Windows) -> None:
    window = windows(PHONE)
    nasty = "<img src=x onerror=z()>"
    begin(page, "piccolino", [nasty, "Ben"])
    expect(window.page.locator(".board .name").first).to_have_text(nasty)


def test_words_that_a_bad_connection_loses_are_asked_for_again(windows: Windows) -> None:
    window = windows(PHONE)
    window.expected.append("ERR_FAILED")
    window.page.route("**/api/words/*", lambda route: route.abort(), times=1)
    window.open("table")
    expect(window.page.locator("main h1")).to_have_text("Ready when you are")
    assert any("ERR_FAILED" in fault for fault in window.faults)


def test_the_first_phone_is_let_in_by_the_bell_without_any_loudspeaker(page: PageUnderTest, windows: Windows) -> None:
    page.table.referee.health.report(Problem("speaker", Health.MISSING, "none", t_ns=1))
    page.table.referee.changed()
    window = windows(PHONE)
    window.open("settings")
    window.tap("Pair this device")
    wanted = window.page.locator(".acts strong")
    expect(wanted).to_contain_text("Press the bell")
    assert window.box(".acts .mark svg")["width"] > 200
    window.check()
    presses = int(wanted.inner_text().split(" times")[0].rpartition(" ")[2])
    for _ in range(presses):
        page.clock.now_s += 0.5
        page.app.state.bell_pressed(int(page.clock.now_s * 1e9))
    expect(window.page.locator(".acts")).to_contain_text(f"Pressed {presses} times so far.")
    page.clock.now_s += 5
    expect(window.page.get_by_text("This device may start games")).to_be_visible()


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
    page: PageUnderTest, windows: Windows, loudspeaker: bool, bell: str, others: bool, offered: list[str]
) -> None:
    page.table.referee.do(sent({"do": "settings", "bell": bell, "loudspeaker": loudspeaker}))
    if others:
        page.paired_phone()
    # At home, and not at a screen of this machine.
    window = windows(PHONE, address=HOME)
    window.open("settings")
    window.tap("Pair this device")
    expect(window.page.locator("code")).to_contain_text(f"ringmaster code --state {page.folder}")
    text = window.page.locator("main").inner_text()
    assert [way for way in (LISTEN, SCREEN_ELSEWHERE, BELL) if way in text] == offered


def test_a_phone_that_is_let_in_shows_a_code_to_scan(page: PageUnderTest, windows: Windows) -> None:
    page.app.state.auth.address = f"http://ringmaster.local:{page.port}/"
    window, other = windows(PHONE, paired=True), windows(PHONE)
    window.open("settings")
    window.tap("Let another device in")
    window.page.get_by_alt_text("QR code that lets a phone join in").wait_for()
    window.check()
    other.page.goto("about:blank")
    other.page.goto(f"{other.home}#pair={page.said[-1]}")
    other.page.get_by_text("This device is paired.").wait_for()


def play(page: PageUnderTest) -> None:
    page.table.referee.do(sent(START))
    turn_two_reds(page)
    page.table.report("bell", seat=1)
    for event in (1, 2, 3):
        page.table.referee.evidence.add(1, event, [(-5.0, JPEG)])


@pytest.mark.parametrize("size", [PHONE, SCREEN], ids=["phone", "screen"])
def test_a_guest_reads_why_it_sees_no_picture_until_it_may(
    page: PageUnderTest, windows: Windows, size: ViewportSize
) -> None:
    page.table.referee.do(sent({"do": "settings", "language": LONGEST}))
    play(page)
    guest, words = windows(size, address=HOME), words_in(LONGEST)
    ruling = f"ruling/{page.table.referee.state()['rulings'][0]['id']}"
    for view in ("table", "start", ruling, "history/1", "settings"):
        guest.open(view)
        guest.wait_until_filled()
        assert guest.page.evaluate(BROKEN) == [] and not guest.is_too_wide()
        if view in ("table", ruling):
            expect(guest.page.get_by_text(words["pictures_paired"])).to_have_count(1)
    assert guest.barriers() == []
    for key in ("privacy_what", "privacy_long", "privacy_who"):
        expect(guest.page.get_by_text(words[key])).to_be_visible()
    guest.open(ruling)
    expect(guest.page.locator(".evidence .zoom")).to_have_count(0)
    page.table.referee.do(sent({"do": "settings", "open_pictures": True}))
    expect(guest.page.locator(".evidence .zoom").first).to_be_visible()
