"""The page in the hand, in a real browser: it speaks, rings, is corrected, and keeps in sight what is due."""

from __future__ import annotations

import re
import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from playwright.sync_api import Browser, Page, Request, ViewportSize, expect

from hardware.camera.frames import Frame
from hardware.problems import DeviceHealth, Health
from referee.decks.finding import find_print_deck
from referee.decks.store import DeckStore
from referee.engine.events import Event
from referee.engine.session import Answer, Doubt, Outline, Seen, Shown
from referee.games.coloretto.demo import Plan, write_coloretto
from referee.watchers.by_hand import ByHandWatcher
from simulation.live import LiveTable, Shots
from tests.referee.web.test_browser import PHONE, SCREEN, WAIT_MS, Window, needs_chromium, turn_two_reds
from tests.support.page_tools import START, PageUnderTest
from vision.prints.print_deck import Print, PrintDeck

pytestmark = needs_chromium
# A browser that is driven counts as touched.
LISTEN = """window.spoken = [];
Object.defineProperty(navigator, "userActivation", { value: undefined });
Object.defineProperty(window, "speechSynthesis", {
  value: { speak: (words) => window.spoken.push([words.lang, words.text]), cancel: () => window.spoken.push("cancel") },
});"""
SMALL: ViewportSize = {"width": 360, "height": 640}
TALL: ViewportSize = {"width": 390, "height": 844}
FLAT: ViewportSize = {"width": 740, "height": 360}
LONG_NAMES = [
    "Grandmother Anneliese",
    "Ben",
    "Maximilian-Alexander",
    "Dorothea",
    "Christoph-Emanuel",
    "Fi",
    "Gwendolyn",
]
# What a finger would hit in the middle of a thing that is shown, and whether all of it is in the window.
IN_SIGHT = """(node) => {
  const box = node.getBoundingClientRect();
  const hit = document.elementFromPoint(box.x + box.width / 2, box.y + box.height / 2);
  return node.contains(hit) && box.top >= 0 && box.bottom <= innerHeight && box.height >= 40;
}"""
# Whether the last of the page ends above what stands at the foot of the window, once it is scrolled there.
ENDS_ABOVE = """() => {
  scrollTo(0, document.body.scrollHeight);
  const last = document.querySelector("main").lastElementChild.getBoundingClientRect();
  return last.bottom <= document.querySelector(".dock").getBoundingClientRect().top + 1;
}"""
BOXES = """(nodes) => nodes.map((node) => node.getBoundingClientRect())
  .map((box) => [box.left, box.top, box.right, box.bottom])"""
APART = """(nodes) => nodes.map((node) => node.getBoundingClientRect())
  .sort((one, other) => one.top - other.top)
  .every((box, at, all) => at === 0 || all[at - 1].bottom <= box.top + 1)"""


def spoken(tab: Page) -> list[list[str]]:
    heard = tab.evaluate("window.spoken")
    return [one for one in heard if one != "cancel" and one[1]]


def test_the_one_device_that_was_chosen_says_each_ruling_once(page: PageUnderTest, browser: Browser) -> None:
    expect.set_options(timeout=WAIT_MS)
    page.table.desk.do({"do": "settings", "language": "de"})
    page.table.desk.do(START)
    chosen, other = Window(browser, page, PHONE, paired=True), Window(browser, page, SCREEN, paired=True)
    for window in (chosen, other):
        window.context.add_init_script(LISTEN)
        window.open("settings")
    chosen.page.get_by_label("Dieses Gerät soll sprechen").check()
    expect(other.page.get_by_text("Ein anderes Gerät soll sprechen.")).to_be_visible()
    turn_two_reds(page)
    page.table.tell("bell", seat=2)
    chosen.page.wait_for_function("() => window.spoken.some((one) => one[1].includes('Cem'))")
    # A page that is loaded anew does not say what was said before; a second tab does not say what the first one does.
    second = chosen.context.new_page()
    second.goto(chosen.home)
    expect(second.get_by_text("Irgendwohin tippen")).to_be_visible()
    for tab in (chosen.page, second, other.page):
        tab.evaluate("location.hash = 'table'")
        expect(tab.locator(".verdict h1")).to_contain_text("Cem")
    page.table.tell("card_shown", seat=0, colour="blue", mood="sad")
    page.table.tell("bell", seat=1)
    for tab in (chosen.page, second, other.page):
        expect(tab.locator(".verdict h1")).to_contain_text("Ben")
    chosen.page.wait_for_timeout(500)
    heard = spoken(chosen.page) + spoken(second)
    assert [lang for lang, text in heard if "Ben" in text] == ["de-DE"]
    assert len([text for _, text in heard if text.startswith("Richtig geklingelt, Cem")]) == 1
    assert spoken(other.page) == []
    second.locator("h1").click()
    expect(second.get_by_text("Irgendwohin tippen")).to_have_count(0)
    chosen.close()
    other.close()


def test_what_a_table_does_not_have_is_asked_about_once_and_all_in_one(page: PageUnderTest, browser: Browser) -> None:
    expect.set_options(timeout=WAIT_MS)
    for device in ("speaker", "lamp", "bell", "sandtimer"):
        page.table.health.report(DeviceHealth(1, device, Health.MISSING, "none"))
    page.table.health.report(DeviceHealth(1, "camera", Health.STALLED, "dark"))
    page.table.desk.refresh()
    window = Window(browser, page, PHONE, paired=True)
    expect(window.page.locator(".alert")).to_have_count(2)
    asked = window.page.locator(".alert.asking")
    expect(asked).to_contain_text("Not found: bell, lamp, sensors of the sandtimer, loudspeaker")
    assert window.barriers() == [] and not window.is_too_wide()
    asked.get_by_role("button", name="Not now").click()
    expect(asked).to_have_count(0)
    window.open("settings")
    expect(window.page.locator(".alert")).to_have_count(1)
    # Others than these are asked about again.
    page.table.health.forget("bell")
    page.table.desk.refresh()
    asked.get_by_role("button", name="It has none").click()
    expect(window.page.get_by_text("Saved.")).to_be_visible()
    settings = page.table.desk.state()["settings"]
    assert (settings["lamp"], settings["sandtimer"], settings["loudspeaker"]) == (False, False, False)
    assert settings["bell"] == "one"
    window.close()


def test_a_phone_rings_for_its_owner_at_the_time_of_the_thumb(page: PageUnderTest, browser: Browser) -> None:
    expect.set_options(timeout=WAIT_MS)
    page.table.desk.do(START)
    turn_two_reds(page)
    window = Window(browser, page, {"width": 390, "height": 844}, paired=True)
    told: list[dict[str, Any]] = []

    def note(request: Request) -> None:
        if request.url.endswith("/api/do"):
            told.append(dict(request.post_data_json or {}))

    window.page.on("request", note)
    window.page.get_by_role("link", name="This phone as a bell").click()
    window.page.get_by_role("button", name="Ben").click()
    button = window.page.get_by_role("button", name="Ring")
    expect(window.page.get_by_text("is right to ± ")).to_be_visible()
    assert window.barriers() == [] and not window.is_too_wide()
    box = button.bounding_box()
    assert box is not None and box["height"] > 0.6 * 844 and box["width"] > 0.9 * 390
    before_ns = time.monotonic_ns()
    button.dispatch_event("pointerdown")
    expect(window.page.get_by_text("Rung, right to ± ")).to_be_visible()
    after_ns = time.monotonic_ns()
    rung = next(one for one in told if one["do"] == "ring")
    within_ns = rung["within_ms"] * 1_000_000
    assert rung["seat"] == 1
    assert before_ns - within_ns <= rung["t_ns"] <= after_ns + within_ns
    assert page.table.desk.state()["rulings"][-1]["ruling"]["seat"] == 1
    assert any(one["do"] == "bell_here" for one in told)
    window.close()


def test_a_card_is_composed_first_and_entered_once(page: PageUnderTest, browser: Browser) -> None:
    expect.set_options(timeout=WAIT_MS)
    page.table.desk.do({"do": "start", "game": "confetti", "players": ["Ann"], "options": {}})
    page.table.tell("timer_flipped")
    page.table.tell("timer_ran_out")
    page.table.tell("hand", seat=0, cards=[["red", "blue", "green"], ["blue", "green", "red"]])
    ruled = next(one["id"] for one in page.table.desk.state()["rulings"] if one["ruling"]["ruling"] == "hand")
    window = Window(browser, page, PHONE, paired=True)
    window.open(f"ruling/{ruled}")
    before = page.table.desk.state()["version"]
    window.page.get_by_role("button", name="One more card").click()
    enter = window.page.get_by_role("button", name="Enter this card")
    for size, name in (("Small", "green"), ("Medium", "red")):
        window.page.get_by_role("group", name=f"{size} circle").get_by_role("button", name=name).click()
        expect(enter).to_be_disabled()
    window.page.get_by_role("group", name="Big circle").get_by_role("button", name="blue").click()
    assert page.table.desk.state()["version"] == before
    assert window.barriers() == [] and not window.is_too_wide()
    window.look()
    enter.click()
    expect(window.page.locator(".reading .cards .card")).to_have_count(3)
    (hand,) = page.table.desk.explain(ruled)["readings"]
    assert hand["data"]["cards"][2] == ["green", "red", "blue"]
    corrections = page.table.desk.game(page.table.desk.state()["game"]["id"])["corrections"]
    assert [one["change"] for one in corrections] == ["Ann: – → green, red, blue"]
    window.close()


def test_what_was_taken_back_is_not_sent_along_with_the_next_correction(page: PageUnderTest, browser: Browser) -> None:
    expect.set_options(timeout=WAIT_MS)
    page.table.desk.do(START)
    turn_two_reds(page)
    page.table.tell("card_shown", seat=2, colour="blue", mood="happy")
    page.table.tell("bell", seat=2)
    ring = next(one["id"] for one in page.table.desk.state()["rulings"] if one["ruling"]["ruling"] == "ring")
    window = Window(browser, page, PHONE, paired=True)
    window.open(f"ruling/{ring}")
    mine = window.page.get_by_role("group", name="Cem’s card")
    # The sentence stays as it was: two reds are happy all the same.
    mine.get_by_role("button", name="Sad").click()
    expect(mine.get_by_role("button", name="Sad")).to_have_attribute("aria-pressed", "true")
    window.look()
    window.page.get_by_role("button", name="Undo", exact=True).click()
    expect(mine.get_by_role("button", name="Happy")).to_have_attribute("aria-pressed", "true")
    window.look()
    mine.get_by_role("button", name="green").click()
    expect(mine.get_by_role("button", name="green")).to_have_attribute("aria-pressed", "true")
    data = next(one["data"] for one in page.table.desk.explain(ring)["readings"] if one["seat"] == 2)
    assert (data["colour"], data["mood"]) == ("green", "happy")
    window.close()


def test_the_button_that_is_due_and_the_verdict_are_in_sight_wherever_the_page_is_scrolled(
    page: PageUnderTest, browser: Browser
) -> None:
    expect.set_options(timeout=WAIT_MS)
    page.table.desk.do({"do": "start", "game": "confetti", "players": LONG_NAMES, "options": {}})
    page.table.tell("timer_flipped")
    window = Window(browser, page, PHONE, paired=True)
    due = window.page.locator(".dock .main")
    for size in (PHONE, TALL, FLAT):
        window.page.set_viewport_size(size)
        window.page.evaluate("scrollTo(0, 0)")
        expect(due).to_have_text("Time is up")
        assert (size, due.evaluate(IN_SIGHT)) == (size, True)
        assert (size, window.page.evaluate(ENDS_ABOVE)) == (size, True)
        again = window.page.locator(".dock .verdict-again, .dock .caption")
        expect(again).to_be_visible()
        assert (size, window.is_too_wide()) == (size, False)
    window.look()
    due.click()
    expect(due).to_have_text("Count now")
    page.table.tell("hand", seat=0, cards=[["red", "blue", "green"]])
    page.table.desk.do({"do": "pause"})
    expect(due).to_have_text("Go on")
    # What was done, what is said and what is due stand one above the other.
    window.open("settings")
    window.page.get_by_role("button", name="English").click()
    expect(window.page.locator(".toast")).to_be_visible()
    window.page.evaluate("location.hash = 'table'")
    expect(due).to_be_visible()
    assert window.page.locator(".dock > *:visible").evaluate_all(APART)
    assert window.barriers() == []
    window.close()


def test_the_verdict_stays_at_the_foot_of_a_scrolled_page_whatever_else_changes(
    page: PageUnderTest, browser: Browser
) -> None:
    expect.set_options(timeout=WAIT_MS)
    page.table.desk.do({"do": "start", "game": "confetti", "players": LONG_NAMES, "options": {}})
    for kind in ("timer_flipped", "timer_ran_out"):
        page.table.tell(kind)
    for seat in range(6):
        page.table.tell("hand", seat=seat, cards=[["red", "blue", "green"]])
    window = Window(browser, page, FLAT, paired=True)
    window.page.evaluate("scrollTo(0, 600)")
    again = window.page.locator(".dock .verdict-again, .dock .caption")
    expect(again).to_be_visible()
    # The page is drawn anew.
    page.table.tell("hand", seat=6, cards=[["red", "blue", "green"]])
    expect(window.page.get_by_text("Gwendolyn: no sets, one card unused").first).to_be_attached()
    assert window.page.evaluate("scrollY") > 0
    expect(again).to_be_visible()
    window.close()


def test_seven_long_names_lie_round_the_table_apart_and_each_with_its_sign(
    page: PageUnderTest, browser: Browser
) -> None:
    window = Window(browser, page, PHONE)
    plan = {"game": "confetti", "players": LONG_NAMES, "options": {}}
    window.page.evaluate("(plan) => localStorage.setItem('ringmaster-start', JSON.stringify(plan))", plan)
    window.open("start")
    expect(window.page.locator(".seats .seat")).to_have_count(7, timeout=WAIT_MS)
    boxes = window.page.locator(".seats .seat").evaluate_all(BOXES)
    table = window.page.locator(".seats").evaluate_all(BOXES)[0]
    for at, (left, top, right, bottom) in enumerate(boxes):
        assert left >= table[0] and right <= table[2]
        for other in boxes[at + 1 :]:
            assert right <= other[0] + 1 or other[2] <= left + 1 or bottom <= other[1] + 1 or other[3] <= top + 1
    signs = window.page.locator(".seats .seat .sign").evaluate_all(BOXES)
    assert all(sign[0] >= box[0] and sign[2] <= box[2] for sign, box in zip(signs, boxes, strict=True))
    window.close()


def test_a_move_of_coloretto_needs_no_scrolling(page: PageUnderTest, browser: Browser) -> None:
    expect.set_options(timeout=WAIT_MS)
    players = ["Ann", "Ben", "Cem", "Dora", "Eva"]
    page.table.desk.do({"do": "start", "game": "coloretto", "players": players, "options": {}})
    page.table.controller.voice.clear_caption(page.table.controller.voice.caption)
    window = Window(browser, page, SMALL, paired=True)
    palette = window.page.locator(".palette button")
    expect(palette).to_have_count(9)
    for name in ("red", "joker", "Take row 1", "Take row 5", "Eva"):
        assert (name, window.page.get_by_role("button", name=name).first.evaluate(IN_SIGHT)) == (name, True)
    window.page.get_by_role("button", name="red", exact=True).click()
    for row in range(1, 6):
        assert window.page.get_by_role("button", name=f"Into row {row}").evaluate(IN_SIGHT)
    window.page.get_by_role("button", name="Into row 5").click()
    expect(window.page.locator(".col-line").last.locator(".col-card[role=img]")).to_have_count(1)
    window.close()


@dataclass
class AskingWatcher(ByHandWatcher):
    """One that saw a row go, and not who took it; seen: what it asks from its second look on."""

    doubts: tuple[Doubt, ...] = ()
    seen: tuple[Doubt, ...] = ()
    looks: int = 0

    def look(self, frame: Frame) -> Seen:
        self.looks += 1
        if self.looks == 2:
            self.doubts = self.seen
        return Seen()

    def answered(self, doubt: Doubt) -> None:
        self.doubts = ()

    def follow(self, events: Sequence[Event]) -> None:
        pass


def test_who_took_a_row_is_asked_and_answered_by_one_tap(page: PageUnderTest, browser: Browser) -> None:
    expect.set_options(timeout=WAIT_MS)
    page.table.desk.do({"do": "start", "game": "coloretto", "players": ["Ann", "Ben", "Cem"], "options": {}})
    page.table.tell("card_placed", seat=0, row=1, card="green")
    took = [Event(1, "row_taken", {"event": "row_taken", "seat": seat, "row": 1}) for seat in (1, 2)]
    placed = Event(1, "card_placed", {"event": "card_placed", "seat": 1, "row": 0, "card": "red"})
    answers = (Answer((took[0],), {"seat": 1}), Answer((placed, took[1]), {"seat": 2}))
    watcher = AskingWatcher((Doubt(1, "who_took", {"row": 1, "seats": [1, 2]}, answers),))
    page.table.controller.playing().look_anew(watcher)
    page.table.desk.refresh()
    window = Window(browser, page, SMALL, paired=True)
    asked = window.page.locator(".question")
    expect(asked).to_contain_text("Who took row 2: Ben or Cem?")
    assert asked.get_by_role("button", name="Cem").evaluate(IN_SIGHT)
    asked.get_by_role("button", name="Cem").click()
    expect(asked).to_have_count(0)
    expect(window.page.locator(".col-row.gone")).to_have_count(1)
    assert page.table.desk.state()["phase"]["sheet"][2]["lines"][0]["colour"] == "green"
    window.close()


@dataclass
class CountingWatcher(AskingWatcher):
    """One that counts the areas when the game is over."""

    looks_on: bool = True


def test_cards_that_the_picture_shows_otherwise_when_the_game_is_over_are_outlined_and_put_right_by_one_tap(
    page: PageUnderTest, browser: Browser
) -> None:
    expect.set_options(timeout=WAIT_MS)
    deck = find_print_deck("coloretto")
    live = LiveTable(write_coloretto(deck, 7, Plan(rounds=1)).script, deck, 7, Shots(frames_per_s=1.0))
    page.table.desk.do({"do": "start", "game": "coloretto", "players": ["Ann", "Ben", "Cem"], "options": {}})
    page.table.tell("card_placed", seat=0, row=1, card="green")
    page.table.tell("row_taken", seat=1, row=1)
    page.table.tell("stop")
    mended = Event(1, "card_was", {"event": "card_was", "seat": 1, "was": "green", "card": "red"})
    place = ((600.0, 300.0), (680.0, 300.0), (680.0, 410.0), (600.0, 410.0))
    doubt = Doubt(
        1,
        "area_differs",
        {"seat": 1, "missing": ["green"], "extra": ["red"]},
        (Answer((), {"none": True}), Answer((mended,), {"card": "red", "was": "green"})),
        shown=Shown(live.frame(8), (Outline(place, 1, "red", certain=False),)),
    )
    page.table.controller.playing().look_anew(CountingWatcher(seen=(doubt,)))
    for second in (7, 8):
        page.table.controller.look(live.frame(second))
    window = Window(browser, page, SMALL, paired=True)
    asked = window.page.locator(".question")
    expect(asked).to_contain_text("Ben: I see one red, and not one green.")
    expect(window.page.locator(".asked-pictures img")).to_have_count(1)
    assert asked.get_by_role("button", name="red").evaluate(IN_SIGHT)
    asked.get_by_role("button", name="red").click()
    expect(asked).to_have_count(0)
    assert page.table.desk.state()["phase"]["sheet"][1]["lines"][0]["colour"] == "red"
    window.close()


def test_a_question_shows_the_table_before_and_now_above_its_answers(page: PageUnderTest, browser: Browser) -> None:
    expect.set_options(timeout=WAIT_MS)
    deck = find_print_deck("coloretto")
    live = LiveTable(write_coloretto(deck, 7, Plan(rounds=1)).script, deck, 7, Shots(frames_per_s=1.0))
    page.table.desk.do({"do": "start", "game": "coloretto", "players": ["Ann", "Ben", "Cem", "Dora"], "options": {}})
    placed = [Event(1, "card_placed", {"event": "card_placed", "seat": 0, "row": row, "card": "red"}) for row in (2, 3)]
    answers = tuple(Answer((event,), {"moves": [event.data]}) for event in placed)
    watcher = AskingWatcher(seen=(Doubt(1, "not_understood", {}, answers),))
    page.table.controller.playing().look_anew(watcher)
    for second in (1, 8):
        page.table.controller.look(live.frame(second))
    window = Window(browser, page, SMALL, paired=True)
    shown = window.page.locator(".asked-pictures img")
    expect(shown).to_have_count(2)
    expect(window.page.locator(".asked-pictures figcaption")).to_have_text(["When I last understood", "Now"])
    wide = "(node) => node.complete ? node.naturalWidth : 0"
    window.page.wait_for_function(
        "() => [...document.querySelectorAll('.asked-pictures img')].every((one) => one.complete)"
    )
    # A card was laid in one row: that is what is shown of the table.
    before, now = (shown.nth(at).evaluate(wide) for at in (0, 1))
    assert 0 < before == now < 700
    asked = window.page.locator(".question")
    assert asked.get_by_role("button").first.evaluate(IN_SIGHT)
    asked.get_by_role("button").last.click()
    expect(asked).to_have_count(0)
    window.close()


def test_a_family_chooses_the_cards_that_lie_on_its_table_and_corrects_in_their_colours(
    page: PageUnderTest, browser: Browser
) -> None:
    expect.set_options(timeout=WAIT_MS)
    grey = np.full((24, 16, 3), 99, np.uint8)
    faces = [
        Print(f"{colour}-{mood}", "front", {"colour": colour, "mood": mood}, grey)
        for colour in ("white", "brown")
        for mood in ("happy", "sad")
    ]
    DeckStore(page.folder).add(PrintDeck("Granny's clowns", (56.0, 87.0), tuple(faces), "piccolino"))
    window = Window(browser, page, PHONE, paired=True)
    tab = window.page
    window.open("start")
    tab.get_by_text("Piccolino", exact=True).click()
    cards = tab.get_by_role("group", name="Which cards lie on the table?")
    own, granny = (
        cards.get_by_role("button", name="Printed with Ringmaster"),
        cards.get_by_role("button", name="Granny's"),
    )
    expect(own).to_have_attribute("aria-pressed", "true")
    granny.click()
    tab.get_by_role("button", name="Start", exact=True).click()
    expect(tab.get_by_text("Piccolino", exact=False).first).to_be_visible()
    expect(tab).to_have_url(re.compile("#table$"))
    assert page.table.controller.playing().header.options["deck"] == "Granny's clowns"
    for seat, colour in enumerate(("white", "brown")):
        page.table.tell("card_shown", seat=seat, colour=colour, mood="happy")
    page.table.tell("bell", seat=2)
    ring = next(one["id"] for one in page.table.desk.state()["rulings"] if one["ruling"]["ruling"] == "ring")
    window.open(f"ruling/{ring}")
    choices = tab.locator(".choices button", has=tab.locator(".swatch"))
    tab.get_by_role("button", name=re.compile("^white", re.IGNORECASE)).or_(choices.first).first.click()
    assert {text.strip() for text in choices.all_inner_texts()} == {"white", "brown"}
    # The last deck comes first the next time.
    window.open("start")
    expect(cards.get_by_role("button").first).to_have_text("Granny's clowns")
    window.close()


def test_a_hand_of_the_last_game_is_put_right_while_the_next_one_is_played(
    page: PageUnderTest, browser: Browser
) -> None:
    expect.set_options(timeout=WAIT_MS)
    desk = page.table.desk
    desk.do({"do": "start", "game": "confetti", "players": ["Zoe"], "options": {}})
    page.table.tell("timer_flipped")
    page.table.tell("timer_ran_out")
    page.table.tell("hand", seat=0, cards=[["red", "blue", "green"], ["blue", "green", "red"]])
    ruled = next(one["id"] for one in desk.state()["rulings"] if one["ruling"]["ruling"] == "hand")
    desk.do({"do": "stop"})
    desk.do(START)
    window = Window(browser, page, PHONE, paired=True)
    window.open(f"ruling/{ruled}")
    group = window.page.get_by_role("group", name="Zoe")
    group.get_by_role("button", name="One more card").click()
    for size, name in (("Small", "green"), ("Medium", "red"), ("Big", "blue")):
        window.page.get_by_role("group", name=f"{size} circle").get_by_role("button", name=name).click()
    window.page.get_by_role("button", name="Enter this card").click()
    expect(window.page.get_by_text("three sets on three cards").first).to_be_visible()
    (game,) = (one for one in desk.history()["games"] if one["game"] == "confetti")
    assert game["points"] == [3]
    assert desk.state()["game"]["game"] == "piccolino"
    assert not desk.state()["can_undo"] or desk.state()["undoes"] == "start"
    window.close()
