"""Where the page is: its address in letters and as a QR code that a phone reads."""

from __future__ import annotations

import re

import cv2
import numpy as np

from referee.web.hosts import where
from tests.support.page_tools import PageUnderTest


def decoded(svg: str) -> str:
    """Read a QR code in SVG as a phone's camera does."""
    side = int(re.search(r'viewBox="0 0 (\d+) ', svg)[1])  # type: ignore[index]
    picture = np.full((side, side), 255, np.uint8)
    for x, y in re.findall(r"M(\d+) (\d+)h1v1", svg):
        picture[int(y), int(x)] = 0
    large = cv2.resize(picture, None, fx=8, fy=8, interpolation=cv2.INTER_NEAREST)
    return cv2.QRCodeDetector().detectAndDecode(large)[0]


def test_the_code_leads_to_the_address_that_was_asked_for(page: PageUnderTest) -> None:
    phone, host = page.phone(), f"ringmaster.local:{page.port}"
    assert phone.get("/api/address", Host=host).data == {"address": f"http://{host}/"}
    assert decoded(phone.get("/qr.svg", Host=host).body.decode()) == f"http://{host}/"


def test_a_screen_of_this_machine_shows_an_address_that_others_find(page: PageUnderTest) -> None:
    address = page.phone().get("/api/address").data["address"]
    assert re.fullmatch(rf"http://[\w-]+\.local:{page.port}/", address)


def test_a_terminal_names_addresses_that_phones_can_use() -> None:
    for host in ("", "0.0.0.0", "::"):
        found = where(host, 8080).split(", ")
        assert re.fullmatch(r"http://[\w-]+\.local:8080/", found[0])
        assert not any(local in one for one in found for local in ("localhost", "127.", "0.0.0.0"))
    assert where("192.168.1.5", 80) == "http://192.168.1.5:80/"
    assert where("fe80::1", 8080) == "http://[fe80::1]:8080/"
