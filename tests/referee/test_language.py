"""The catalogues: whole, alike in all languages, and used by the code; errors and commands in each language."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

import referee.language
from hardware.problems import DeviceMissingError, Said
from hardware.voice import ESPEAK_VOICES
from referee.commands import main
from referee.commands.doctor import WITHOUT_PINS
from referee.errors import BadInputError
from referee.language import LANGUAGES, Language, catalogue
from referee.phrases import from_data, in_language, phrase
from referee.scoring.seats import markers_missing
from tools.words import complaints
from vision.errors import DoubledMarkerError

CODE = Path(referee.language.__file__).parent
ROOT = CODE.parent
TRANSLATED = [code for code in LANGUAGES if code != "en"]


def test_every_text_is_used_and_there_in_every_language_with_its_places() -> None:
    assert list(complaints()) == []
    assert all(len(catalogue(code)) == len(catalogue("en")) > 1500 for code in LANGUAGES)


def test_french_says_vous_to_everybody() -> None:
    for key, text in catalogue("fr").items():
        for form in [text] if isinstance(text, str) else text.values():
            assert not re.search(r"\b(tu|toi|ton|ta|tes|t’(?=[aeéhiou]))\b", form, re.IGNORECASE), key


def test_numbers_are_words_up_to_twelve_and_lists_have_an_and() -> None:
    assert [[Language(code).number(n) for n in (-2, 0, 1, 12, 13)] for code in LANGUAGES] == [
        ["minus two", "zero", "one", "twelve", "13"],
        ["minus zwei", "null", "eins", "zwölf", "13"],
        ["moins deux", "zéro", "un", "douze", "13"],
    ]
    names = ("Ann", "Ben", "Cem")
    assert [Language("en").list_of(names[:n]) for n in range(4)] == ["", "Ann", "Ann and Ben", "Ann, Ben and Cem"]
    assert [Language(code).list_of(names) for code in TRANSLATED] == ["Ann, Ben und Cem", "Ann, Ben et Cem"]


def test_one_and_many_in_each_language() -> None:
    assert [[Language(code).cards(n) for n in (0, 1, 2, 55)] for code in LANGUAGES] == [
        ["no cards", "one card", "two cards", "55 cards"],
        ["keine Karten", "eine Karte", "zwei Karten", "55 Karten"],
        ["aucune carte", "une carte", "deux cartes", "55 cartes"],
    ]
    assert [[Language(code).points(n) for n in (-2, -1, 0, 1)] for code in LANGUAGES] == [
        ["minus two points", "minus one point", "no points", "one point"],
        ["minus zwei Punkte", "minus ein Punkt", "keine Punkte", "ein Punkt"],
        ["moins deux points", "moins un point", "aucun point", "un point"],
    ]


def test_voices_and_pages_know_every_language() -> None:
    page, club = (CODE / where for where in ("web/page/parts.js", "club/page/club.js"))
    offered = re.search(r"const LANGUAGES = \{(.*)\}", page.read_text(encoding="utf-8"))
    chosen = re.search(r"const language = (\[.*?\])", club.read_text(encoding="utf-8"))
    assert offered is not None and chosen is not None
    assert set(re.findall(r"(\w+):", offered[1])) == set(json.loads(chosen[1])) == set(ESPEAK_VOICES) == set(LANGUAGES)


DATA = ROOT / "tests" / "data"
Capture = pytest.CaptureFixture[str]


@pytest.mark.parametrize(
    ("text", "german"),
    [
        (BadInputError("error.file.no_picture", path="a b.jpg"), "es gibt kein Bild a b.jpg"),
        (DoubledMarkerError((3,)), "Markerkarte 3 ist zweimal zu sehen (das Bild): nehmt die weg, die nicht"),
        (DoubledMarkerError((1, 2), "a.jpg"), "die Markerkarten 1 und 2 sind zweimal zu sehen (a.jpg)"),
        (markers_missing([0, 1]), "nur die Markerkarten 0 und 1 sind zu sehen, 2 und 3 fehlen, darum weiß niemand"),
        (markers_missing([0, 1, 3]), "nur die Markerkarten 0, 1 und 3 sind zu sehen, 2 fehlt"),
        (markers_missing([]), "keine Markerkarte ist zu sehen, darum weiß niemand"),
        (WITHOUT_PINS["bell"], "Bringt die Pins in Ordnung, oder lasst ein Mikrofon eine Tischklingel hören"),
        (BadInputError("error.line", number=3, why=markers_missing([])), "Zeile 3: keine Markerkarte ist zu sehen"),
        (DeviceMissingError("error.hardware.microphone_is_not_open", "…"), "Das Mikrofon ist nicht offen."),
        (
            DeviceMissingError("doctor.program_that_reads_pins_is", "…", advice=Said("doctor.install_lgpio", "…")),
            "Das Programm, das die Pins liest, fehlt. Installiert es",
        ),
        ("nobody has ever said this", "nobody has ever said this"),
    ],
)
def test_a_text_with_a_key_is_given_in_each_language(text: object, german: str) -> None:
    assert in_language(text, Language("de")).startswith(german)
    if not isinstance(text, DeviceMissingError):
        assert in_language(text, Language("en")) == str(text)


def test_a_text_says_its_number_in_the_form_of_each_language() -> None:
    one, none = phrase("terminal.pictures", n=1), phrase("terminal.pictures", n=0)
    assert [in_language(one, Language(code)) for code in LANGUAGES] == ["1 picture", "1 Bild", "1 image"]
    assert [in_language(none, Language(code)) for code in LANGUAGES] == ["0 pictures", "0 Bildern", "0 image"]


def test_braces_in_values_and_texts_stay() -> None:
    assert str(BadInputError("error.at", where="{why}", why="{x}")) == "{why}: {x}"
    assert '{"game": …' in str(BadInputError("error.engine.first_line_must_say_which"))


def test_what_the_first_version_kept_by_its_english_sentence_is_still_translated() -> None:
    kept = {"message": "It runs for {seconds} seconds.", "context": "", "values": {"seconds": 92}}
    assert from_data(kept, Language("de")) == Language("de").text("setup.device.it_runs_for_seconds", seconds=92)


SEAT_ONE = {
    "en": "Seat 1: five sets on six cards, two cards over the limit: three points",
    "de": "Platz 1: fünf Sätze auf sechs Karten, zwei Karten zu viel: drei Punkte",
    "fr": "Place 1 : cinq séries sur six cartes, deux cartes de trop : trois points",
}


@pytest.mark.parametrize("code", LANGUAGES)
def test_commands_speak_the_language_that_is_asked_for_and_no_other_afterwards(code: str, capfd: Capture) -> None:
    language = Language(code)
    missing = str(ROOT / "no-such-picture.jpg")
    table = str(DATA / "tables" / "confetti-three-seats.jpg")
    assert main(["score", "confetti", "--image", missing, "--players", "3", "--language", code]) == 2
    assert main(["score", "confetti", "--image", table, "--players", "3", "--limit", "4", "--language", code]) == 0
    out, err = capfd.readouterr()
    assert err == f"ringmaster score: {language.text('error.file.no_picture', path=missing)}\n"
    assert out.splitlines()[0] == SEAT_ONE[code]
    assert main(["score", "confetti", "--image", missing, "--players", "3"]) == 2
    assert "there is no picture" in capfd.readouterr().err
