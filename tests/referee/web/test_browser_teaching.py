"""A family teaches its clowns on the page, in a real browser: what a simulated table shows is learned and saved."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import ParamSpec, TypeVar

from playwright.sync_api import Browser, expect

from referee.decks.store import DeckStore
from referee.lessons.lessons import Lessons
from referee.lessons.workbench import Workbench
from simulation.lesson import lesson_picture
from tests.referee.web.test_browser import PHONE, SCREEN, WAIT_MS, Window, needs_chromium
from tests.support.drawn_clowns import CARD_MM, INKS, clown
from tests.support.page_tools import served
from vision.prints.print_deck import PrintDeck

pytestmark = needs_chromium
T = TypeVar("T")
P = ParamSpec("P")
SIZE = (800, 450)
COLOURS = list(INKS)[:2]
CLOWNS = {(colour, happy): clown(colour, happy=happy) for colour in COLOURS for happy in (True, False)}


class InPlace(Workbench):
    """Works in the test's own process, which has loaded all that it needs."""

    def run(self, work: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        return work(*args, **kwargs)


class Taps:
    """Taps on the page, counted: each is a moment of a family's evening."""

    def __init__(self, window: Window) -> None:
        self.window, self.count = window, 0

    def button(self, name: str) -> None:
        self.window.page.get_by_role("button", name=name, exact=True).first.click()
        self.count += 1

    def tile(self, at: int) -> None:
        self.window.page.locator(".faces button").nth(at).click()
        self.count += 1


def test_a_deck_of_clowns_is_taught_checked_and_saved(tmp_path: Path, browser: Browser) -> None:
    art = list(CLOWNS.values())
    table = [lesson_picture(art, CARD_MM, 1, SIZE)]
    lessons = Lessons(tmp_path, lambda: table[0], InPlace())
    with served(tmp_path, lessons=lessons) as page:
        expect.set_options(timeout=WAIT_MS)
        window = Window(browser, page, PHONE, paired=True)
        window.open("settings")
        window.page.get_by_role("link", name="Teach a deck").click()
        taps = Taps(window)
        window.page.get_by_label("Name of the deck").fill("Our clowns")
        taps.button("Begin")
        taps.button("These lie there")
        tiles = window.page.locator(".faces button")
        expect(tiles).to_have_count(4)
        expect(window.page.locator(".outlines .outline")).to_have_count(4)
        expect(tiles.nth(0).locator(".name")).to_contain_text("?")
        assert window.barriers() == []
        assert not window.is_too_wide()
        named_by_few_taps(taps, *lying_first(lessons))
        expect(window.page.locator("main")).to_contain_text("You said 8 colours. I have seen 2 happy and 2 sad clowns.")
        window.page.reload()
        expect(tiles).to_have_count(4)
        table[0] = lesson_picture(art[::-1], CARD_MM, 5, SIZE)
        taps.button("Read these cards")
        expect(window.page.locator("main")).to_contain_text("4 cards of 4 were read.")
        expect(window.page.locator("main")).to_contain_text("Hardest to tell apart are")
        labels = window.page.locator(".seen .name")
        assert sorted(labels.all_text_contents()) == ["blue, happy", "blue, sad", "red, happy", "red, sad"]
        assert window.barriers() == []
        taps.button("Save the deck")
        expect(window.page.locator("main")).to_contain_text("“Our clowns” is saved")
        window.close()
        # Ten pictures and sixty cards are as many taps more as pictures: a family is done in five minutes.
        assert taps.count <= 8
        listed(browser, page_of=Window(browser, page, SCREEN, paired=True))
    lessons.close()
    deck = DeckStore(tmp_path).load("Our clowns")
    assert isinstance(deck, PrintDeck)
    assert {face.id for face in deck.fronts} == {f"{colour}-{mood}" for colour in COLOURS for mood in ("happy", "sad")}
    drawn_as_named(deck)


def lying_first(lessons: Lessons) -> tuple[str, bool]:
    """Which clown the first group shows, as whoever laid the row of them sees."""
    draft = lessons.view()["draft"]
    first = draft["groups"][0]["id"]
    row = sorted(draft["shot"]["outlines"], key=lambda outline: outline["corners"][0][0])
    return list(CLOWNS)[[outline["group"] for outline in row].index(first)]


def named_by_few_taps(taps: Taps, colour: str, happy: bool) -> None:
    """The mood of one clown, and all others are proposed: hats are on the happy ones."""
    page = taps.window.page
    taps.tile(0)
    taps.button("Happy" if happy else "Sad")
    expect(page.locator(".faces .name").nth(0)).to_have_text(f"{colour}, {'happy' if happy else 'sad'}")
    taps.button("All as proposed is right")
    expect(page.locator(".face-tile.open")).to_have_count(0)


def listed(browser: Browser, page_of: Window) -> None:
    page_of.open("settings")
    line = page_of.page.locator(".deck-line").filter(has_text="Our clowns")
    expect(line).to_contain_text("4 faces")
    line.click()
    expect(page_of.page.locator(".inside .face-tile")).to_have_count(4)
    assert page_of.barriers() == []
    page_of.close()


def drawn_as_named(deck: PrintDeck) -> None:
    for (colour, happy), art in CLOWNS.items():
        face = deck.by_id[f"{colour}-{'happy' if happy else 'sad'}"].art
        paint = face[round(face.shape[0] * 0.85), face.shape[1] // 2]
        upside_down = face[round(face.shape[0] * 0.15), face.shape[1] // 2]
        ink = art[148, 56]
        assert min(abs(paint.astype(int) - ink).max(), abs(upside_down.astype(int) - ink).max()) < 40
