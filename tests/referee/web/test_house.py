"""House and club on the page: set by paired devices only, and no secret ever comes back."""

from __future__ import annotations

import pytest

from referee.mqtt.settings import load_mqtt
from tests.support.page_tools import PageUnderTest, Phone


def test_only_a_paired_device_is_told_and_sets_it(page: PageUnderTest, phone: Phone) -> None:
    assert phone.get("/api/house").status == 401
    assert phone.post("/api/house", {"on": True, "host": "ha.local"}).status == 401
    assert not load_mqtt(page.folder).on


def test_what_is_set_is_kept_and_secrets_are_not_given_back(page: PageUnderTest, paired: Phone) -> None:
    answer = paired.post("/api/house", {"on": True, "host": "ha.local", "password": "sesame", "buttons": True})
    assert answer.status == 200 and answer.data["host"] == "ha.local" and answer.data["has_password"]
    again = paired.get("/api/house")
    assert again.status == 200 and again.data["user"] == ""
    assert b"sesame" not in answer.body + again.body
    kept = load_mqtt(page.folder)
    assert (kept.password, kept.buttons) == ("sesame", True)


@pytest.mark.parametrize(
    ("data", "key"), [({"on": True}, "mqtt_no_host"), ({"join": "abc"}, "mqtt_code"), ({"port": -1}, "bad_request")]
)
def test_what_cannot_be_is_a_sentence(paired: Phone, data: dict[str, object], key: str) -> None:
    answer = paired.post("/api/house", data)
    assert answer.status == 400 and answer.data["key"] == key and answer.data["error"]
