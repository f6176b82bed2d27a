"""The page in the hand, in a real browser: it speaks, rings, is corrected, and keeps in sight what is due."""

from __future__ import annotations

import re
import time
from dataclasses import dataclass
from typing import Any

import pytest
from playwright.sync_api import Page, Request, ViewportSize, expect

from hardware.camera.frames import Frame
from hardware.problems import Health, Problem
from hardware.voice import NOTES, Chime
from referee.engine.events import Event
from referee.engine.session import Answer, Doubt, Observation, Outline, Shown, Watcher
from referee.games.coloretto.demo import ColorettoPlan, write_coloretto
from referee.match import queries
from referee.store.history import history, one_game
from simulation.live import LiveTable, Shots
from tests.referee.web.window import LONG_NAMES, PHONE, SCREEN, Windows, begin, ruling_of, turn_two_reds
from tests.support.commands import sent
from tests.support.page_tools import START, PageUnderTest
from vision.deck import load_deck

# A browser that is driven counts as touched.
LISTEN = """window.spoken = [];
Object.defineProperty(navigator, "userActivation", { value: undefined });
Object.defineProperty(window, "speechSynthesis", {
  value: { speak: (words) => window.spoken.push([words.lang, words.text]), cancel: () => window.spoken.push("cancel") },
});
window.OscillatorNode = class extends OscillatorNode {
  constructor(audio, tone) {
    super(audio, tone);
    window.spoken.push(["Hz", String(tone.frequency)]);
  }
};"""
TALL: ViewportSize = {"width": 390, "height": 844}
FLAT: ViewportSize = {"width": 740, "height": 360}
# What a finger would hit in the middle of a thing that is shown, and whether all of it is in the window.
IN_SIGHT = """(node) => {
  const box = node.getBoundingClientRect();
  const hit = document.elementFromPoint(box.x + box.width / 2, box.y + box.height / 2);
  return node.contains(hit) && box.top >= 0 && box.bottom <= innerHeight && box.height >= 40;
}"""
NOTE_COUNTED = """() => {
  window.counted = [];
  new MutationObserver(() => {
    const one = document.querySelector(".counting");
    if (one) window.counted.push([one.querySelector("h1").textContent, one.querySelectorAll(".card").length]);
  }).observe(document.body, { childList: true, subtree: true, characterData: true });
}"""
TWO_CARDS = [["red", "blue", "green"], ["blue", "green", "red"]]
THREE_CARDS = [*TWO_CARDS, ["green", "red", "blue"]]


def spoken(tab: Page) -> list[list[str]]:
    return [one for one in tab.evaluate("window.spoken") if one != "cancel" and one[1] and one[0] != "Hz"]


def test_the_one_device_that_was_chosen_says_each_ruling_once(page: PageUnderTest, windows: Windows) -> None:
    page.table.referee.do(sent({"do": "settings", "language": "de"}))
    page.table.referee.do(sent(START))
    chosen, other = windows(PHONE, paired=True), windows(SCREEN, paired=True)
    for window in (chosen, other):
        window.context.add_init_script(LISTEN)
        window.open("settings")
    chosen.page.get_by_label("Dieses Gerät soll sprechen").check()
    expect(other.page.get_by_text("Ein anderes Gerät soll sprechen.")).to_be_visible()
    turn_two_reds(page)
    page.table.report("bell", seat=2)
    chosen.page.wait_for_function("() => window.spoken.some((one) => one[1].includes('Cem'))")
    # The loudspeaker's chime comes first.
    chime = [["Hz", str(hz)] for hz, _ in NOTES[Chime.VALID]]
    said = chosen.page.evaluate("window.spoken")
    assert [one for one in said if one[0] == "Hz"] == chime
    assert said.index(chime[-1]) < next(at for at, one in enumerate(said) if "Cem" in one[1] and "geklingelt" in one[1])
    # A page that is loaded again does not say what was said before; a second tab does not say what the first one does.
    second = chosen.context.new_page()
    second.goto(chosen.home)
    expect(second.get_by_text("Irgendwohin tippen")).to_be_visible()
    tabs = (chosen.page, second, other.page)
    for tab in tabs:
        tab.evaluate("location.hash = 'table'")
        expect(tab.locator(".verdict h1")).to_contain_text("Cem")
    page.table.report("card_shown", seat=0, colour="blue", mood="sad")
    page.table.report("bell", seat=1)
    for tab in tabs:
        expect(tab.locator(".verdict h1")).to_contain_text("Ben")
    chosen.page.wait_for_timeout(500)
    heard = spoken(chosen.page) + spoken(second)
    assert [lang for lang, text in heard if "Ben" in text] == ["de-DE"]
    assert len([text for _, text in heard if text.startswith("Richtig geklingelt, Cem")]) == 1
    assert spoken(other.page) == []
    second.locator("h1").click()
    expect(second.get_by_text("Irgendwohin tippen")).to_have_count(0)


def test_what_a_table_does_not_have_is_asked_about_once_and_all_in_one(page: PageUnderTest, windows: Windows) -> None:
    for device in ("speaker", "lamp", "bell", "sandtimer"):
        page.table.referee.health.report(Problem(device, Health.MISSING, "none", t_ns=1))
    page.table.referee.health.report(Problem("camera", Health.STALLED, "dark", t_ns=1))
    page.table.referee.changed()
    window = windows(PHONE, paired=True)
    expect(window.page.locator(".alert")).to_have_count(0)
    window.tap("2 notices")
    expect(window.page.locator(".alert")).to_have_count(2)
    asked = window.page.locator(".alert.asking")
    expect(asked).to_contain_text("Not found: bell, lamp, sensors of the sandtimer, loudspeaker")
    window.check()
    asked.get_by_role("button", name="Not now").click()
    expect(asked).to_have_count(0)
    window.open("settings")
    window.tap("One notice")
    expect(window.page.locator(".alert")).to_have_count(1)
    # Others than these are asked about again.
    page.table.referee.health.forget("bell")
    page.table.referee.changed()
    asked.get_by_role("button", name="It has none").click()
    expect(window.page.get_by_text("Saved.")).to_be_visible()
    settings = page.table.referee.state()["settings"]
    wanted = {"lamp": False, "sandtimer": False, "loudspeaker": False, "bell": "one"}
    assert wanted.items() <= settings.items()


def test_a_phone_rings_for_its_owner_at_the_time_of_the_thumb(page: PageUnderTest, windows: Windows) -> None:
    page.table.referee.do(sent(START))
    turn_two_reds(page)
    window = windows(TALL, paired=True)
    commands: list[dict[str, Any]] = []

    def note(request: Request) -> None:
        if request.url.endswith("/api/do"):
            commands.append(dict(request.post_data_json or {}))

    window.page.on("request", note)
    window.page.get_by_role("link", name="This phone as a bell").click()
    window.page.get_by_role("button", name="Ben").click()
    button = window.page.get_by_role("button", name="Ring")
    expect(window.page.get_by_text("is right to ± ")).to_be_visible()
    window.check()
    box = button.bounding_box()
    assert box is not None and box["height"] > 0.6 * 844 and box["width"] > 0.9 * 390
    before_ns = time.monotonic_ns()
    button.dispatch_event("pointerdown")
    expect(window.page.get_by_text("Rung, right to ± ")).to_be_visible()
    after_ns = time.monotonic_ns()
    rung = next(one for one in commands if one["do"] == "ring")
    within_ns = rung["within_ms"] * 1_000_000
    assert rung["seat"] == 1
    assert before_ns - within_ns <= rung["t_ns"] <= after_ns + within_ns
    assert any(one["do"] == "bell_here" for one in commands)


def test_a_hand_of_the_last_game_is_put_right_while_the_next_is_played(page: PageUnderTest, windows: Windows) -> None:
    desk = page.table.referee
    begin(page, "confetti", ["Zoe"])
    page.table.report("timer_flipped")
    page.table.report("timer_ran_out")
    page.table.report("hand", seat=0, cards=TWO_CARDS)
    ruled = ruling_of(page, "hand")
    desk.do(sent({"do": "stop"}))
    desk.do(sent(START))
    window = windows(PHONE, paired=True)
    window.open(f"ruling/{ruled}")
    before = desk.state()["version"]
    window.page.get_by_role("group", name="Zoe").get_by_role("button", name="One more card").click()
    enter = window.page.get_by_role("button", name="Enter this card")
    # A card is composed first, and entered once.
    window.compose("green", "red")
    expect(enter).to_be_disabled()
    window.compose("green", "red", "blue")
    assert desk.state()["version"] == before
    window.check()
    window.look()
    enter.click()
    expect(window.page.get_by_text("three sets on three cards").first).to_be_visible()
    (game,) = (one for one in history(desk.store.read, desk.language)["games"] if one["game"] == "confetti")
    assert game["points"] == [3]
    assert [one["change"] for one in one_game(desk.store.read, game["id"], desk.language, {})["corrections"]] == [
        "Zoe: – → green, red, blue"
    ]
    assert desk.state()["game"]["game"] == "piccolino"
    assert not desk.state()["can_undo"] or desk.state()["undoes"] == "start"


def test_what_was_taken_back_is_not_sent_along_with_the_next_correction(page: PageUnderTest, windows: Windows) -> None:
    page.table.referee.do(sent(START))
    turn_two_reds(page)
    page.table.report("card_shown", seat=2, colour="blue", mood="happy")
    page.table.report("bell", seat=2)
    ring = ruling_of(page)
    window = windows(PHONE, paired=True)
    window.open(f"ruling/{ring}")
    mine = window.page.get_by_role("group", name="Cem’s card")

    def pressed(name: str) -> None:
        expect(mine.get_by_role("button", name=name)).to_have_attribute("aria-pressed", "true")
        window.look()

    # The sentence stays as it was: two reds are happy all the same.
    mine.get_by_role("button", name="Sad").click()
    pressed("Sad")
    window.tap("Undo")
    pressed("Happy")
    mine.get_by_role("button", name="green").click()
    pressed("green")
    data = next(one["data"] for one in queries.explain(page.table.referee, ring)["readings"] if one["seat"] == 2)
    assert (data["colour"], data["mood"]) == ("green", "happy")


@pytest.mark.parametrize("size", [PHONE, FLAT], ids=["upright", "across"])
def test_the_verdict_stays_in_sight_on_a_scrolled_page_drawn_again(
    page: PageUnderTest, windows: Windows, size: ViewportSize
) -> None:
    begin(page, "confetti", LONG_NAMES)
    for kind in ("timer_flipped", "timer_ran_out"):
        page.table.report(kind)
    for seat in range(6):
        page.table.report("hand", seat=seat, cards=TWO_CARDS[:1])
    window = windows(size, paired=True)
    window.page.evaluate("scrollTo(0, 600)")
    verdict = window.page.locator(".verdict")
    assert verdict.evaluate(IN_SIGHT)
    # The page is drawn again.
    page.table.report("hand", seat=6, cards=TWO_CARDS[:1])
    expect(window.page.get_by_text("Gwendolyn: no sets, one card unused").first).to_be_attached()
    assert window.page.evaluate("scrollY") > 0
    assert verdict.evaluate(IN_SIGHT)


@pytest.mark.parametrize("size", [PHONE, TALL, FLAT], ids=["phone", "tall", "across"])
def test_what_a_tap_opens_or_changes_is_in_sight(page: PageUnderTest, windows: Windows, size: ViewportSize) -> None:
    begin(page, "confetti", LONG_NAMES[:4])
    for kind in ("timer_flipped", "timer_ran_out"):
        page.table.report(kind)
    for seat in range(4):
        page.table.report("hand", seat=seat, cards=TWO_CARDS)
    window = windows(size, paired=True)
    tab = window.page
    # The count, who got how much, and the button that is due stand there without a scroll.
    for part in (".verdict h1", "[data-seat='3'] .points", ".due button"):
        expect(tab.locator(part)).to_be_in_viewport(ratio=1)
    tab.locator("[data-seat='1'] a").click()
    card = tab.locator(".reading .cards button").first
    expect(card).to_be_in_viewport(ratio=0.9)
    card.click()
    colour = tab.get_by_role("group", name="Small circle").get_by_role("button", name="yellow")
    expect(colour).to_be_in_viewport(ratio=0.9)
    colour.click()
    # The card changes in its place at once, and is entered by itself.
    expect(card).to_have_attribute("aria-label", re.compile("yellow"))
    expect(tab.get_by_text("Corrected, and judged again.")).to_be_in_viewport(ratio=1)
    expect(tab.locator(".verdict h1")).to_be_in_viewport(ratio=1)


@pytest.mark.parametrize("size", [PHONE, TALL, SCREEN], ids=["phone", "tall", "screen"])
def test_a_card_of_a_counted_hand_is_put_right_by_two_taps(
    page: PageUnderTest, windows: Windows, size: ViewportSize
) -> None:
    begin(page, "confetti", LONG_NAMES[:2])
    for kind in ("timer_flipped", "timer_ran_out"):
        page.table.report(kind)
    for seat in range(2):
        page.table.report("hand", seat=seat, cards=THREE_CARDS)
    window = windows(size, paired=True)
    tab = window.page
    cards = tab.locator(".rulings li").filter(has_text="Ben").locator(".cards a")
    expect(cards).to_have_count(3)
    window.check()
    cards.nth(1).click()
    orange = tab.get_by_role("group", name="Small circle").get_by_role("button", name="orange")
    expect(orange).to_be_in_viewport(ratio=0.9)
    before = page.table.referee.state()["version"]
    window.look()
    assert page.table.referee.state()["version"] == before
    orange.click()
    expect(tab.get_by_text("Corrected, and judged again.")).to_be_visible()
    hands = {one["seat"]: one["cards"] for one in page.table.referee.state()["readings"].values()}
    assert hands == {0: THREE_CARDS, 1: [THREE_CARDS[0], ["orange", "green", "red"], THREE_CARDS[2]]}
    window.tap("Undo the correction")
    expect(tab.get_by_role("button", name="Correct: blue, green, red")).to_be_visible()


@dataclass
class AskingWatcher(Watcher):
    """One that asks something from its second look on."""

    looks_on: bool = True
    asks: tuple[Doubt, ...] = ()
    doubts: tuple[Doubt, ...] = ()
    looks: int = 0

    def look(self, frame: Frame) -> Observation:
        self.looks += 1
        if self.looks == 2:
            self.doubts = self.asks
        return Observation()

    def answered(self, doubt: Doubt) -> None:
        self.doubts = ()

    def follow(self, view: object) -> bool:
        return True


@pytest.mark.parametrize("over", [True, False], ids=["the game is over", "a move was not understood"])
def test_a_question_shows_the_table_and_is_answered_by_one_tap(
    page: PageUnderTest, windows: Windows, over: bool
) -> None:
    deck = load_deck("coloretto")
    live = LiveTable(write_coloretto(deck, 7, ColorettoPlan(rounds=1)).script, deck, 7, Shots(frames_per_s=1.0))
    begin(page, "coloretto", ["Ann", "Ben", "Cem", "Dora"])
    if over:
        page.table.report("card_placed", seat=0, row=1, card="green")
        page.table.report("row_taken", seat=1, row=1)
        page.table.report("stop")
        mended = Event(1, "card_was", {"event": "card_was", "seat": 1, "was": "green", "card": "red"})
        place = ((600.0, 300.0), (680.0, 300.0), (680.0, 410.0), (600.0, 410.0))
        answers: tuple[Answer, ...] = (Answer((), {"none": True}), Answer((mended,), {"card": "red", "was": "green"}))
        shown = Shown(live.frame(8), (Outline(place, 1, "red", certain=False),))
        about = {"seat": 1, "missing": ["green"], "extra": ["red"]}
        doubt = Doubt(1, "area_differs", about, answers, shown=shown)
    else:
        placed = [{"event": "card_placed", "seat": 0, "row": row, "card": "red"} for row in (2, 3)]
        answers = tuple(Answer((Event(1, "card_placed", data),), {"moves": [data]}) for data in placed)
        doubt = Doubt(1, "not_understood", {}, answers)
    page.table.referee.match.playing().look_again(AskingWatcher(asks=(doubt,)))
    for second in (1, 8):
        page.table.referee.look(live.frame(second))
    window = windows(PHONE, paired=True)
    asked, pictures = window.page.locator(".question"), window.page.locator(".asked-pictures img")
    if over:
        expect(asked).to_contain_text("Ben: I see one red, and not one green.")
        expect(pictures).to_have_count(1)
    else:
        captions = ["When I last understood", "Now"]
        expect(window.page.locator(".asked-pictures figcaption")).to_have_text(captions)
        loaded = "() => [...document.querySelectorAll('.asked-pictures img')].every((one) => one.complete)"
        window.page.wait_for_function(loaded)
        # A card was laid in one row: that is what is shown of the table.
        before, now = (pictures.nth(at).evaluate("(one) => one.naturalWidth") for at in (0, 1))
        assert 0 < before == now < 700
    answer = asked.get_by_role("button", name="red") if over else asked.get_by_role("button").last
    assert answer.evaluate(IN_SIGHT)
    answer.click()
    expect(asked).to_have_count(0)
    if over:
        assert page.table.referee.state()["phase"]["sheet"][1]["lines"][0]["colour"] == "red"


def test_at_a_games_end_points_are_counted_up_with_their_cards_unless_it_is_quiet(
    page: PageUnderTest, windows: Windows
) -> None:
    window, screen = windows(PHONE), windows(SCREEN)
    counted, shown = window.page.locator(".counting"), window.page.locator(".verdict h1")
    screen.open("tv")
    for one in (window, screen):
        one.page.emulate_media(reduced_motion="no-preference")
        one.page.evaluate(NOTE_COUNTED)

    def play() -> None:
        begin(page, "confetti", ["Ann", "Ben", "Cem", "Di", "Eva"])
        # The pages have seen it begin.
        expect(shown).to_have_text("Waiting for the first ruling")
        expect(screen.page.locator(".tv-foot")).to_contain_text("Flip the sandtimer to begin")
        for number in range(2):
            for kind in ("timer_flipped", "timer_ran_out"):
                page.table.report(kind)
            for seat in range(5):
                page.table.report("hand", seat=seat, cards=THREE_CARDS if seat == number else [])
        page.table.referee.changed()
        assert page.table.referee.state()["mode"] == "over"

    play()
    expect(shown).to_contain_text("share the win")
    expect(window.page.locator(".paper i").first).to_be_attached()
    expect(screen.page.locator(".tv-first")).to_contain_text("share the win")
    # Ben has three cards in the last round, and nobody else any.
    for one in (window, screen):
        seen = one.page.evaluate("window.counted")
        assert {(cards, "Ben" in text) for text, cards in seen} == {(3, True)}
        assert seen[0][0].endswith("0")
    # At night nothing moves.
    page.table.referee.do(sent({"do": "settings", "quiet": True}))
    play()
    expect(shown).to_contain_text("share the win")
    expect(counted).to_have_count(0)
    expect(window.page.locator(".paper")).to_have_count(0)
