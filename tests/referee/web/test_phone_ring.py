"""Rings of paired phones over the page: how far one dates itself back is bounded by what was measured here."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from hardware.events import BellPressed
from hardware.lamp import RecordedLamp
from hardware.speaker import RecordedSpeaker
from referee.match.devices import MOST_WITHIN_NS, PHONE_LAG_NS, Parts
from referee.match.referee import running
from referee.web.round_trips import RoundTrips
from tests.support.page_tools import START, PageUnderTest, Phone, served
from tests.support.table_fakes import FakeDevices
from tests.support.waiting import wait_for

MS = 1_000_000


@pytest.fixture
def devices() -> FakeDevices:
    return FakeDevices()


@pytest.fixture
def page(tmp_path: Path, devices: FakeDevices) -> Iterator[PageUnderTest]:
    parts = Parts(lambda _: devices, lambda _, __: RecordedSpeaker(), lambda _, __: RecordedLamp())
    (tmp_path / "service").mkdir()
    (tmp_path / "page").mkdir()
    with running(tmp_path / "service", parts) as service, served(tmp_path / "page", referee=service) as page:
        yield page


def measured(phone: Phone, times: int = 3) -> None:
    for _ in range(times):
        echo = phone.get("/api/clock").data["echo"]
        assert phone.get(f"/api/clock?echo={echo}").status == 200


def rulings(phone: Phone, count: int) -> list[dict[str, Any]]:
    wait_for(lambda: len(phone.state()["rulings"]) >= count)
    return list(reversed(phone.state()["rulings"]))


def test_a_phone_that_dates_itself_back_overtakes_no_earlier_ring(page: PageUnderTest, devices: FakeDevices) -> None:
    phone = page.paired_phone()
    assert phone.do(**START).status == 200
    measured(phone)
    phone.do(do="bell_here")
    rung_ns = time.monotonic_ns()
    devices.source.put(BellPressed(rung_ns, 2))
    time.sleep(0.1)
    assert phone.do(do="ring", seat=0, t_ns=time.monotonic_ns() - 250 * MS, within_ms=3).status == 200
    first, second = rulings(phone, 2)
    assert (first["ruling"]["ruling"], first["ruling"]["seat"]) == ("unclear", 2)
    assert "phone" not in first["ruling"]
    assert (second["ruling"]["ruling"], second["ruling"]["seat"]) == ("also_rang", 0)
    way = second["ruling"]["phone"]
    assert way["back_ms"] == way["most_ms"] <= MOST_WITHIN_NS / MS


def test_of_a_phone_of_which_nothing_is_measured_nothing_is_believed(page: PageUnderTest) -> None:
    phone = page.paired_phone()
    phone.do(**START)
    before_ns = time.monotonic_ns()
    phone.do(do="ring", seat=1, t_ns=before_ns - 200 * MS, within_ms=3)
    ring = rulings(phone, 1)[0]
    assert ring["t_ns"] >= before_ns
    assert ring["ruling"]["phone"] == {"back_ms": 0.0, "most_ms": 0.0}
    why = phone.get(f"/api/rulings/{ring['id']}/explain").data
    assert why["way"] == "Rung on a phone: 0 ms were taken off for the way here, of 0 ms at most."


def test_a_page_cannot_say_itself_when_its_ring_came(page: PageUnderTest) -> None:
    phone = page.paired_phone()
    phone.do(**START)
    now_ns = time.monotonic_ns()
    answer = phone.do(do="ring", seat=1, t_ns=now_ns, within_ms=3, came_ns=now_ns, half_ns=PHONE_LAG_NS)
    assert answer.status == 400


def test_a_round_trip_is_the_usual_one_of_the_last_minute_by_numbers_that_came_back_once() -> None:
    now_ns = 0

    def clock() -> int:
        return now_ns

    trips = RoundTrips(clock)
    assert trips.half_ns("phone") == 0
    for ms in (20, 300, 24):
        echo = trips.send("phone")
        now_ns += ms * MS
        trips.came("other", echo)
        trips.came("phone", echo)
        trips.came("phone", echo)
    assert trips.half_ns("phone") == 12 * MS
    assert trips.half_ns("other") == 0
    trips.came("phone", "not a number that was sent")
    now_ns += 61_000 * MS
    assert trips.half_ns("phone") == 0
