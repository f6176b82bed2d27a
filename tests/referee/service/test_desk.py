"""The desk: what a page is shown, and what its commands do."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest

from hardware.camera import notes as camera_notes
from hardware.camera.frames import Frame
from hardware.health import DeviceHealth, Health, HealthBoard
from referee.errors import BadInputError, OvertakenError
from referee.events import Event
from referee.journal.evidence import EvidenceFolder
from referee.service.ring_pictures import Pictures, Wanted
from referee.service.settings import TableSettings, load_settings
from referee.service.table_area import TableArea
from referee.service.table_desk import TableDesk
from referee.session import Answer, Doubt, Seen
from referee.watchers.by_hand import ByHandWatcher
from tests.support.table_fakes import FakeDevices, Table

SCENE = Path(__file__).parents[2] / "data" / "scenes" / "white-easy.jpg"
MS = 1_000_000


class Office:
    """A desk with all that it needs, and no threads."""

    def __init__(self, folder: Path) -> None:
        self.table = Table(folder)
        self.devices = FakeDevices()
        self.health = HealthBoard()
        self.evidence = EvidenceFolder(folder / "evidence", self.table.journal)
        self.pictures = Pictures(self.devices.buffer, self.evidence, TableArea(), self.table.clock, self.table.bus)
        stage = self.table.stage
        self.desk = TableDesk(stage, self.evidence, self.pictures, self.health, folder, self, self.table.clock)
        self.desk.listen(self.table.bus)
        self.fitted = self.table.settings
        self.plugged: list[tuple[str, str]] = []
        self.wanted: list[Wanted] = []
        self.table.bus.subscribe(Wanted, self.wanted.append)

    def flip(self) -> bool:
        return self.devices.flip()

    def cameras(self) -> list[tuple[str, str]]:
        return self.plugged

    def camera_notes(self) -> tuple[str, ...]:
        return self.devices.camera_notes

    def ring(self, seat: int, t_ns: int, within_ns: int) -> bool:
        return False

    def bell_here(self) -> None:
        pass

    def check(self, settings: TableSettings) -> None:
        self.devices.check(settings, self.table.stage.settings.other_devices(settings))

    def fit(self, settings: TableSettings) -> None:
        self.fitted = settings

    def state(self) -> dict[str, Any]:
        """Give the state as a page gets it."""
        state: dict[str, Any] = json.loads(json.dumps(self.desk.state()))
        return state


@pytest.fixture
def office(tmp_path: Path) -> Office:
    return Office(tmp_path)


def piccolino(office: Office, options: dict[str, object] | None = None) -> None:
    players = ["Ann", "Ben", "Cem"]
    office.desk.do({"do": "start", "game": "piccolino", "players": players, "options": options or {}})
    office.table.card(0, "red")
    office.table.card(1, "red")
    office.table.clock.now_ns += 1_000_000_000


def test_an_idle_table_is_shown_as_one(office: Office) -> None:
    state = office.state()
    assert (state["mode"], state["game"], state["phase"]["key"]) == ("idle", None, "idle")
    assert state["settings"]["volume"] == 1.0


def test_a_game_is_shown_with_board_rulings_and_words(office: Office) -> None:
    piccolino(office)
    office.table.hear("bell", seat=2)
    state = office.state()
    assert state["mode"] == "playing"
    assert [seat["points"] for seat in state["board"]] == [17, 18, 20]
    assert state["latest"]["text"].startswith("Cem wins the piles")
    ring = state["rulings"][1]
    assert (ring["text"], ring["corrected"]) == ("Valid ring, Cem: two happy reds.", False)
    assert state["phase"]["turn"] == 2


def test_each_change_has_a_version_and_is_told_to_all_who_listen(office: Office) -> None:
    versions: list[int] = []
    end = office.desk.subscribe(versions.append)
    piccolino(office)
    told = len(versions)
    assert versions == sorted(set(versions)) and told
    assert office.state()["version"] == versions[-1]
    end()
    office.table.hear("bell", seat=2)
    assert len(versions) == told


def test_a_ring_of_nobody_asks_who_it_was_and_takes_the_answer(office: Office) -> None:
    piccolino(office)
    office.table.hear("bell", seat=None)
    state = office.state()
    assert [(question["kind"], question["seats"]) for question in state["questions"]] == [("who_rang", [0, 1, 2])]
    assert (state["phase"]["key"], state["phase"]["turn"]) == ("who_rang", None)
    verdict = state["questions"][0]["verdict"]
    assert (verdict["text"], verdict["ruling"]["valid"]) == ("Valid ring: two happy reds.", True)
    office.desk.do({"do": "ringer", "seat": 1})
    state = office.state()
    assert state["questions"] == []
    assert state["rulings"][-1]["ruling"]["seat"] == 1


@dataclass
class _Guessing(ByHandWatcher):
    """One that took what was likeliest, as nobody said, and still asks."""

    doubts: tuple[Doubt, ...]

    def answered(self, doubt: Doubt) -> None:
        self.doubts = ()

    def follow(self, events: Sequence[Event]) -> None:
        pass


@pytest.mark.parametrize("gone_on", [False, True])
def test_an_answer_that_comes_late_changes_what_was_taken_instead_and_makes_nobody_do_wrong(
    office: Office, gone_on: bool
) -> None:
    office.desk.do({"do": "start", "game": "coloretto", "players": ["Ann", "Ben", "Cem"], "options": {}})
    game = office.table.stage.playing()
    for data in ({"seat": 0, "row": 0, "card": "green"}, {"seat": 1, "row": 0, "card": "red"}):
        office.table.stage.say("card_placed", data)
    guess = Event(2, "card_placed", {"event": "card_placed", "seat": 1, "row": 0, "card": "red"})
    in_truth = [
        replace(guess, data={**guess.data, "row": 1}),
        Event(2, "row_taken", {"event": "row_taken", "seat": 2, "row": 0}),
    ]
    answers = (Answer((in_truth[0],), {"moves": []}), Answer(tuple(in_truth), {"moves": []}))
    game.look_anew(_Guessing((Doubt(2, "not_understood", {}, answers, (guess,)),)))
    if gone_on:
        office.table.stage.say("card_placed", {"seat": 2, "row": 2, "card": "blue"})
    office.desk.refresh()
    question = next(one for one in office.state()["questions"] if one["kind"] == "doubt")
    answer = {"do": "answer", "question": question["id"], "answer": 1}
    if gone_on:
        with pytest.raises(BadInputError, match="play has gone on"):
            office.desk.do(answer)
    else:
        office.desk.do(answer)
    rulings = [ruling["ruling"]["ruling"] for ruling in office.state()["rulings"]]
    assert "foul" not in rulings
    assert ("row_taken" in [record.event.kind for record in game.log.records.values()]) is not gone_on


def test_an_unclear_ring_is_decided_by_the_players(office: Office) -> None:
    piccolino(office)
    office.table.hear("card_shown", seat=1, colour=None, mood=None)
    office.table.clock.now_ns += 1_000_000_000
    office.table.hear("bell", seat=2)
    (question,) = office.state()["questions"]
    assert question["kind"] == "decide"
    assert question["ruling"] == office.state()["rulings"][0]["id"]
    office.desk.do({"do": "decide", "valid": True})
    assert office.state()["questions"] == []


def test_a_ruling_is_corrected_in_two_taps_and_undone(office: Office) -> None:
    piccolino(office)
    office.table.hear("bell", seat=2)
    ring = office.state()["rulings"][-1]["id"]
    readings = office.desk.explain(ring)["readings"]
    assert [reading["data"]["event"] for reading in readings] == ["card_shown", "card_shown", "bell"]
    office.desk.do({"do": "correct", "event": readings[1]["event"], "with": {"mood": "sad"}})
    state = office.state()
    assert state["rulings"][-1]["ruling"]["valid"] is False
    assert [seat["points"] for seat in state["board"]] == [19, 20, 16]
    assert state["can_undo"]
    office.desk.do({"do": "undo"})
    assert office.state()["rulings"][-1]["ruling"]["valid"] is True
    office.desk.do({"do": "correct", "ruling": ring, "with": None})
    assert office.state()["rulings"] == []


def test_the_history_says_what_was_corrected_from_what_to_what(office: Office) -> None:
    piccolino(office)
    office.table.hear("bell", seat=2)
    ring = office.state()["rulings"][-1]["id"]
    _, card, bell = (reading["event"] for reading in office.desk.explain(ring)["readings"])
    for event, data in ((card, {"mood": "sad"}), (card, {"mood": "sad", "colour": "blue"}), (bell, {"seat": 0})):
        office.desk.do({"do": "correct", "event": event, "with": data})
    office.desk.do({"do": "correct", "event": bell, "with": None})
    changes = [one["change"] for one in office.desk.game(office.state()["game"]["id"])["corrections"]]
    assert changes[:2] == ["Ben: red, happy → red, sad", "Ben: red, sad → blue, sad"]
    assert changes[2:] == ["Cem rang. → Ann rang.", "Ann rang. → –"]


def test_every_ruling_that_a_correction_changed_is_marked_and_no_other_one(office: Office) -> None:
    piccolino(office)
    office.table.hear("bell", seat=2)
    office.table.clock.now_ns += 3_000_000_000
    office.table.card(0, "green")
    office.table.hear("bell", seat=0)
    ring = office.state()["rulings"][-1]["id"]
    card = office.desk.explain(ring)["readings"][1]["event"]
    office.desk.do({"do": "correct", "event": card, "with": {"mood": "sad"}})
    marked = [(one["ruling"]["ruling"], one["corrected"]) for one in office.state()["rulings"]]
    # The second ring was false and still is, with the same penalty; the first one won the piles and does not any more.
    assert marked == [("cards_move", False)] * 2 + [("ring", False)] + [("cards_move", True)] * 2 + [("ring", True)]
    game = office.state()["game"]["id"]
    assert [one["corrected"] for one in office.desk.game(game)["rulings"]] == [True] * 3 + [False] * 3
    office.desk.do({"do": "undo"})
    assert not any(one["corrected"] for one in office.state()["rulings"] + office.desk.game(game)["rulings"])


def test_a_rings_verdict_is_what_the_players_say_whatever_was_seen(office: Office) -> None:
    piccolino(office)
    office.table.hear("bell", seat=2)
    ring = office.state()["rulings"][-1]["id"]
    office.desk.do({"do": "correct", "ruling": ring, "with": {"valid": False}})
    state = office.state()
    assert state["rulings"][-1]["text"] == "False ring, Cem: so you decided."
    assert [seat["points"] for seat in state["board"]] == [19, 20, 16]
    office.desk.do({"do": "correct", "ruling": state["rulings"][-1]["id"], "with": {"valid": True}})
    assert office.state()["rulings"][-1]["text"] == "Valid ring, Cem: so you decided."
    with pytest.raises(BadInputError):
        office.desk.do({"do": "correct", "ruling": ring, "with": {"valid": "perhaps"}})


def test_a_game_is_paused_resumed_stopped_and_put_away(office: Office) -> None:
    piccolino(office)
    office.desk.do({"do": "pause"})
    assert office.state()["mode"] == "paused"
    office.desk.do({"do": "resume"})
    assert office.state()["mode"] == "playing"
    office.desk.do({"do": "stop"})
    assert office.state()["mode"] == "over"
    office.desk.do({"do": "stop"})
    assert office.state()["mode"] == "idle"
    with pytest.raises(BadInputError):
        office.desk.do({"do": "stop"})


def test_coloretto_shows_what_was_told_and_its_last_step_is_taken_back(office: Office) -> None:
    office.desk.do({"do": "start", "game": "coloretto", "players": ["Ann", "Ben", "Cem"], "options": {}})
    assert office.state()["phase"]["told"] is None
    for seat, card in enumerate(("red", "joker")):
        event = {"event": "card_placed", "seat": seat, "row": 1, "card": card}
        office.desk.do({"do": "event", "event": event})
    office.desk.do({"do": "event", "event": {"event": "row_taken", "seat": 2, "row": 1}})
    phase = office.state()["phase"]
    assert (phase["rows"], phase["rooms"], phase["last"]) == ([[], None, []], [3, 3, 3], False)
    for rows, turn in (([[], ["red", "joker"], []], 2), ([[], ["red"], []], 1), ([[], [], []], 0)):
        office.desk.do({"do": "correct", "event": office.state()["phase"]["told"], "with": None})
        phase = office.state()["phase"]
        assert (phase["rows"], phase["turn"]) == (rows, turn)
    assert phase["told"] is None
    office.desk.do({"do": "undo"})
    assert office.state()["phase"]["rows"] == [[], ["red"], []]
    office.desk.do({"do": "event", "event": {"event": "last_round"}})
    assert office.state()["phase"]["last"] is True


def test_of_two_phones_that_tap_at_once_one_is_told_that_it_came_too_late(office: Office) -> None:
    office.desk.do({"do": "start", "game": "coloretto", "players": ["Ann", "Ben", "Cem"], "options": {}})
    seen = office.state()["moment"]
    green = {"event": "card_placed", "row": 1, "card": "green"}
    office.desk.do({"do": "event", "event": {**green, "seat": 0}, "moment": seen})
    with pytest.raises(OvertakenError, match="look again"):
        office.desk.do({"do": "event", "event": {**green, "seat": 0}, "moment": seen})
    state = office.state()
    assert state["phase"]["rows"] == [[], ["green"], []] and state["phase"]["turn"] == 1
    # Both take the last step back: the one before it stays.
    office.desk.do({"do": "event", "event": {**green, "seat": 1}, "moment": state["moment"]})
    state = office.state()
    back = {"do": "correct", "event": state["phase"]["told"], "with": None, "moment": state["moment"]}
    office.desk.do(back)
    with pytest.raises(OvertakenError):
        office.desk.do({**back, "event": state["phase"]["told"]})
    assert office.state()["phase"]["rows"] == [[], ["green"], []]


def test_a_name_tapped_for_one_ring_is_not_taken_for_the_next(office: Office) -> None:
    piccolino(office)
    office.table.hear("bell", seat=None)
    seen = office.state()["moment"]
    office.table.hear("ringer", seat=1)
    office.table.card(1, "green")
    office.table.clock.now_ns += 2_000_000_000
    office.table.hear("bell", seat=None)
    with pytest.raises(OvertakenError):
        office.desk.do({"do": "ringer", "seat": 2, "moment": seen})
    assert [question["kind"] for question in office.state()["questions"]] == ["who_rang"]


def test_a_second_tap_in_the_same_place_does_not_end_the_round_that_the_first_began(office: Office) -> None:
    office.desk.do({"do": "start", "game": "confetti", "players": ["Ann", "Ben"], "options": {}})
    seen = office.state()["moment"]
    office.desk.do({"do": "flip", "moment": seen})
    with pytest.raises(OvertakenError):
        office.desk.do({"do": "time", "moment": seen})
    assert office.state()["phase"]["key"] == "running"


def test_confetti_is_played_by_hand_from_the_page(office: Office) -> None:
    office.desk.do({"do": "start", "game": "confetti", "players": ["Ann"], "options": {}})
    office.desk.do({"do": "flip"})
    assert (office.state()["phase"]["key"], office.devices.flipped) == ("running", 1)
    office.desk.do({"do": "time"})
    cards = [["red", "blue", "green"], ["blue", "green", "red"], ["green", "red", "blue"]]
    office.desk.do({"do": "event", "event": {"event": "hand", "seat": 0, "cards": cards}})
    state = office.state()
    assert state["board"][0]["points"] == 3
    explained = office.desk.explain(state["latest"]["id"])
    assert [step["kind"] for step in explained["steps"]] == ["set", "set", "set", "sum"]
    assert explained["steps"][0]["text"] == "Set 1, Red: a small one, a medium one and a big one."
    for step in explained["steps"][:3]:
        colour = next(name for name in ("red", "blue", "green") if name.capitalize() in step["text"])
        assert [card[size] for size, card in enumerate(step["cards"])] == [colour] * 3
    assert explained["steps"][-1]["text"] == "In all: three sets on three cards, three points."
    office.desk.do({"do": "look_again", "ruling": state["latest"]["id"]})
    shown = office.state()["rulings"][0]
    assert shown["ruling"]["ruling"] == "arrangement"
    again = office.desk.explain(shown["id"])
    assert [step["kind"] for step in again["steps"]] == ["set", "set", "set", "sum"]
    # It is shown on the pictures of the count.
    log = office.table.stage.playing().log
    assert log.about_id(shown["id"]) == log.about_id(state["latest"]["id"])


def test_a_count_asks_for_the_hands_that_nobody_has_seen(office: Office) -> None:
    office.desk.do({"do": "start", "game": "confetti", "players": ["Ann", "Ben"], "options": {}})
    for step in ("flip", "time", "count"):
        office.desk.do({"do": step})
    state = office.state()
    assert state["latest"]["text"].startswith("Unclear: no hand of Ann and Ben was seen.")
    assert [(one["kind"], one["seats"]) for one in state["questions"]] == [("no_hand", [0, 1])]
    for seat in (1, 0):
        office.desk.do({"do": "event", "event": {"event": "hand", "seat": seat, "cards": []}})
    state = office.state()
    assert (state["questions"], [one["points"] for one in state["board"]]) == ([], [0, 0])


@pytest.mark.parametrize(
    "command",
    [
        {},
        {"do": "dance"},
        {"do": "start", "game": "chess", "players": ["Ann"]},
        {"do": "start", "game": "confetti", "players": "Ann"},
        {"do": "start", "game": "confetti", "players": []},
        {"do": "ringer", "seat": 1},
        {"do": "correct", "ruling": "1-1-0", "with": None},
        {"do": "event", "event": 7},
        {"do": "undo"},
        {"do": "pause"},
        {"do": "settings", "volume": 7},
        {"do": "settings", "camera": "/etc/passwd"},
        {"do": "look_again", "ruling": "nothing"},
    ],
)
def test_commands_that_make_no_sense_are_refused_in_a_sentence(office: Office, command: dict[str, object]) -> None:
    with pytest.raises(BadInputError):
        office.desk.do(command)
    assert office.state()["mode"] == "idle"


@pytest.mark.parametrize("ident", ["", "1", "1-2", "1-2-9", "9-1-0", "1-x-0", "1-99-0", "²-1-0", "1-²-0"])
def test_rulings_that_are_not_there_are_told_so(office: Office, ident: str) -> None:
    piccolino(office)
    office.table.hear("bell", seat=2)
    for ask in (office.desk.timeline, office.desk.explain):
        with pytest.raises(BadInputError):
            ask(ident)


def test_settings_are_kept_and_hold_at_once(office: Office, tmp_path: Path) -> None:
    office.desk.do({"do": "settings", "language": "fr", "quiet_hours": ["22:00", "07:00"]})
    state = office.state()
    assert (state["language"], state["settings"]["quiet_hours"]) == ("fr", ["22:00", "07:00"])
    office.desk.do({"do": "settings", "quiet_hours": None})
    sound = {key: office.state()["settings"][key] for key in ("language", "volume", "quiet", "quiet_hours")}
    assert sound == {"language": "fr", "volume": 1.0, "quiet": False, "quiet_hours": None}
    assert json.loads((tmp_path / "settings.json").read_text(encoding="utf-8"))["language"] == "fr"


def test_camera_bell_and_pins_are_set_without_any_file(office: Office, tmp_path: Path) -> None:
    office.desk.do({"do": "settings", "camera": "usb:0", "bell": "seats", "bell_pins": [17, 27, 22], "lamp": False})
    shown = office.state()["settings"]
    assert (shown["camera"], shown["bell"], shown["bell_pins"]) == ("usb:0", "seats", [17, 27, 22])
    assert office.fitted.bell_settings().pins[2].number == 22
    kept, complaint = load_settings(tmp_path)
    assert (kept.camera, kept.lamp, complaint) == ("usb:0", False, None)


def test_a_webcam_is_chosen_by_the_name_that_stays_its_own(office: Office, tmp_path: Path) -> None:
    lasting = "usb:/dev/v4l/by-id/usb-046d_HD_Pro_Webcam_C920_1A2B-video-index0"
    office.plugged = [(lasting, "HD Pro Webcam C920")]
    office.devices.camera_notes = (camera_notes.COLOURS_DRIFT,)
    office.table.stage.change_settings(replace(office.table.settings, language="de"))
    shown = office.desk.cameras()
    assert shown["cameras"] == [{"camera": lasting, "name": "HD Pro Webcam C920"}]
    assert "Weißabgleich" in shown["notes"][0]
    office.desk.do({"do": "settings", "camera": lasting})
    assert load_settings(tmp_path)[0].camera == lasting


@pytest.mark.parametrize(
    ("wrong", "says"),
    [
        ({"bell_pins": [17, 27, 17], "bell": "seats"}, "GPIO17 has two buttons"),
        ({"bell_pins": [23]}, "GPIO23 is in use by the sandtimer or the lamp"),
        ({"bell_pins": [26]}, "GPIO26 is in use by the sandtimer or the lamp"),
        ({"bell_pins": [40]}, "there is no pin GPIO40"),
        ({"bell_pins": []}, "one to 7 bell buttons"),
        ({"bell_pins": "17"}, "numbers"),
        ({"camera": "usb:1"}, "gives no picture"),
        ({"camera": "/dev/sda"}, "no such camera"),
        ({"camera": "usb:/dev/v4l/by-id/../../sda"}, "no such camera"),
        ({"sand": [1, 2, 3]}, "no such setting"),
    ],
)
def test_a_wrong_setting_is_told_in_one_sentence_and_the_old_one_stays(
    office: Office, tmp_path: Path, wrong: dict[str, object], says: str
) -> None:
    before = office.state()["settings"]
    with pytest.raises(BadInputError, match=says):
        office.desk.do({"do": "settings", "volume": 0.5, **wrong})
    assert office.state()["settings"] == before
    assert load_settings(tmp_path)[0] == office.table.stage.settings


def test_device_troubles_are_shown_in_the_language_of_the_table(office: Office) -> None:
    office.health.report(DeviceHealth(1, "camera", Health.MISSING, "no camera"))
    office.desk.refresh()
    (device,) = office.state()["devices"]
    assert (device["name"], device["state"]) == ("camera", "missing")
    assert device["message"] == "The camera is missing: please check its cable."


def frame(office: Office, end_ns: int, image: np.ndarray[tuple[int, ...], np.dtype[np.uint8]]) -> None:
    office.devices.buffer.push(Frame(end_ns - 5 * MS, end_ns, image, end_ns // MS))


def test_a_rings_pictures_show_the_table_only_and_make_its_time_line(office: Office) -> None:
    piccolino(office)
    image = np.asarray(cv2.imread(str(SCENE)), np.uint8)
    ring_ns = office.table.clock() + 300 * MS
    for step in range(-14, 9):
        frame(office, ring_ns + step * 33 * MS - 1, image)
    office.table.clock.now_ns = ring_ns - MS
    office.table.hear("bell", seat=2)
    (wanted,) = office.wanted
    assert wanted.t_ns == ring_ns
    assert office.pictures.take(wanted)
    office.desk.pictures_kept(wanted.game, wanted.event)
    ring = office.state()["rulings"][-1]
    picture = office.desk.picture(ring["picture"])
    assert picture is not None
    shown = cv2.imdecode(np.frombuffer(picture, np.uint8), cv2.IMREAD_COLOR)
    assert shown is not None and shown.size < image.size
    assert not shown[0, 0].any()
    timeline = office.desk.timeline(ring["id"])
    times = [one["t_ms"] for one in timeline["frames"]]
    assert times == sorted(times) and times[0] < -300 and times[-1] > 150
    assert sorted(mark["kind"] for mark in timeline["marks"]) == ["card", "card", "ring"]
    assert office.desk.picture("live") is not None


def test_hands_that_were_read_for_longer_than_frames_are_kept_have_their_picture_all_the_same(
    office: Office, monkeypatch: pytest.MonkeyPatch
) -> None:
    office.desk.do({"do": "start", "game": "confetti", "players": ["Ann"], "options": {}})
    for kind in ("timer_flipped", "timer_ran_out"):
        office.table.hear(kind)
    image = np.asarray(cv2.imread(str(SCENE)), np.uint8)
    read = Frame(office.table.clock(), office.table.clock.now_ns, image, 1)

    def slowly(seen: Frame) -> Seen:
        for later_s in (3, 6):
            frame(office, seen.exposure_end_ns + later_s * 1000 * MS, np.zeros_like(image))
        hand = {"event": "hand", "seat": 0, "cards": [["red", "blue", "green"]], "faces": ["confetti-01"]}
        return Seen((Event(seen.exposure_end_ns, "hand", hand),))

    monkeypatch.setattr(office.table.watchers[-1], "look", slowly)
    office.devices.buffer.push(read)
    office.table.stage.look(read)
    (wanted,) = office.wanted
    assert office.pictures.take(wanted)
    office.desk.pictures_kept(wanted.game, wanted.event)
    hand = next(one for one in office.state()["rulings"] if one["ruling"]["ruling"] == "hand")
    picture = office.desk.picture(hand["picture"])
    assert picture is not None
    # Not one of those that came while it was being read, which are black.
    shown = cv2.imdecode(np.frombuffer(picture, np.uint8), cv2.IMREAD_COLOR)
    assert shown is not None and shown.mean() > 20


def test_where_nobody_knows_where_the_table_is_no_picture_is_stored(office: Office, tmp_path: Path) -> None:
    piccolino(office)
    frame(office, 10 * MS, np.full((90, 160, 3), 200, np.uint8))
    assert not office.pictures.take(Wanted(1, 3, 11 * MS, before_only=True))
    assert not (tmp_path / "evidence").exists()


def test_history_and_statistics_tell_of_all_games(office: Office) -> None:
    piccolino(office)
    office.table.hear("bell", seat=2)
    office.table.hear("bell", seat=1)
    office.desk.do({"do": "stop"})
    (game,) = office.desk.history()["games"]
    assert (game["game"], game["winners"], game["points"]) == ("piccolino", [2], [17, 18, 20])
    whole = office.desk.game(game["id"])
    assert [ruling["ruling"]["ruling"] for ruling in whole["rulings"]] == ["ring", "cards_move", "also_rang", "end"]
    statistics = office.desk.statistics()
    first = statistics["players"][0]
    assert (first["name"], first["wins"], first["valid"], len(first["reactions_ms"])) == ("Cem", 1, 1, 1)
    assert statistics["players"][2]["too_late"] + statistics["players"][1]["too_late"] == 1
    assert statistics["evenings"][0]["wins"] == {"Cem": 1}
    for which in ("7", "x", ""):
        with pytest.raises(BadInputError):
            office.desk.game(which)
