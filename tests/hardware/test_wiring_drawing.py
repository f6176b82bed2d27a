"""The wiring drawing and its table say what the settings do: a parent wires by them."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET
from pathlib import Path

from hardware.settings import BellSettings, LampSettings, SandSettings
from referee.match.settings import SEAT_PINS

DOCS = Path(__file__).resolve().parents[2] / "docs"
# BCM numbers by the pins of the header.
GPIO_AT = {3: 2, 5: 3, 7: 4, 8: 14, 10: 15, 11: 17, 12: 18, 13: 27, 15: 22, 16: 23, 18: 24, 19: 10, 21: 9, 22: 25}
GPIO_AT |= {23: 11, 24: 8, 26: 7, 27: 0, 28: 1, 29: 5, 31: 6, 32: 12, 33: 13, 35: 19, 36: 16, 37: 26, 38: 20, 40: 21}
GROUND = {6, 9, 14, 20, 25, 30, 34, 39}
POWER = {1, 17}


def defaults() -> set[int]:
    """Return the BCM numbers that are used when nothing is set."""
    sand, lamp = SandSettings(), LampSettings()
    used = [pin.number for pin in (*BellSettings().pins, sand.barrier, sand.tilt) if pin is not None]
    return {*used, *(pin for pin in (lamp.red, lamp.green, lamp.blue, lamp.buzzer) if pin is not None)}


def wires() -> dict[int, str]:
    """Return the kind of each wire in the drawing by its pin."""
    lines = ET.parse(DOCS / "wiring.svg").getroot().iter("{http://www.w3.org/2000/svg}polyline")
    return {int(line.attrib["id"].removeprefix("pin-")): line.attrib["class"].split()[1] for line in lines}


def test_every_default_pin_has_a_wire_and_no_other_and_is_named_rightly() -> None:
    signals = {pin: GPIO_AT[pin] for pin, kind in wires().items() if kind not in ("ground", "power")}
    assert set(signals.values()) == defaults()
    text = " ".join(ET.parse(DOCS / "wiring.svg").getroot().itertext())
    assert {int(pin): int(gpio) for gpio, pin in re.findall(r"GPIO (\d+) · pin (\d+)", text)} == signals
    for name, kind, pins in (("ground", "ground", GROUND), ("3.3 V", "power", POWER)):
        assert {pin for pin, drawn in wires().items() if drawn == kind} <= pins
        assert {int(pin) for pin in re.findall(rf"{name} · pin (\d+)", text)} <= pins


def test_a_wire_that_is_called_by_a_colour_is_drawn_in_it_and_no_other_wire_is() -> None:
    style = (DOCS / "wiring.svg").read_text("utf-8")
    drawn = dict(re.findall(r"\.(\w+) \{ stroke: #(\w{6}) \}", style))
    assert set(drawn) == set(wires().values()) and len(set(drawn.values())) == len(drawn)
    for at, colour in enumerate(("red", "green", "blue")):
        parts = [int(drawn[colour][k : k + 2], 16) for k in (0, 2, 4)]
        assert parts[at] == max(parts) > 1.5 * sorted(parts)[1], colour


def test_the_table_agrees_with_the_header_and_the_settings() -> None:
    rows = re.findall(r"(?m)^\| ([^|]+) \| (\d+) \| (\d+) \|(.*)\|$", (DOCS / "hardware.md").read_text("utf-8"))
    assert all(GPIO_AT[int(pin)] == int(gpio) for _, gpio, pin, _ in rows)
    assert {int(gpio) for _, gpio, _, _ in rows} == defaults() | set(SEAT_PINS)
    grounds = [int(pin) for *_, other in rows for pin in re.findall(r"ground(?:, e\.g\.|,|:)? pin (\d+)", other)]
    assert grounds and set(grounds) <= GROUND
