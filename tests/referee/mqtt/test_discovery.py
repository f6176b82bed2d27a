"""Our discovery message against the keys that Home Assistant publishes: one that it does not know is refused there."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from referee.language import LANGUAGES, Language
from referee.mqtt.discovery import About, discovery

KEYS = json.loads((Path(__file__).parents[2] / "data" / "home_assistant_keys.json").read_text())
STATE: dict[str, Any] = {"players": ["Ann", "Ben"], "devices": {"camera": "ok", "bell_1": "stuck", "journal": "ok"}}


def made(buttons: bool = True, language: str = "en") -> dict[str, Any]:
    return discovery(About("ab12", "Table 3", Language(language), buttons), STATE)


def complaints(message: dict[str, Any]) -> list[str]:
    """Give all that Home Assistant would refuse in a message."""
    found = unfit("message", message, KEYS["device_discovery"]) + unfit("origin", message["origin"], KEYS["origin"])
    found += unfit("device", message["device"], KEYS["device"])
    found += [] if any(message["device"].get(key) for key in KEYS["device"]["one_of"]) else ["nameless device"]
    found += reach_complaints("message", message)
    for name, part in message["components"].items():
        found += part_complaints(name, part)
    return found


def part_complaints(name: str, part: dict[str, Any]) -> list[str]:
    kind = KEYS["platforms"].get(part.get("platform"))
    if kind is None:
        return [f"{name}: no such platform"]
    if set(part) == {"platform"}:
        return []  # this takes it away
    found = unfit(name, part, {"required": kind["required"], "optional": kind["optional"] + KEYS["common"]})
    found += [] if "unique_id" in part else [f"{name}: without unique_id"]
    chosen = part.get("device_class")
    if chosen is not None and chosen not in kind["device_classes"]:
        found.append(f"{name}: device_class {chosen}")
    if (chosen == "enum") is not ("options" in part):
        found.append(f"{name}: options are an enum's")
    if "unit_of_measurement" in part and part["unit_of_measurement"] not in kind["units"].get(chosen, ()):
        found.append(f"{name}: unit")
    if part.get("entity_category", "config") not in KEYS["entity_categories"]:
        found.append(f"{name}: category")
    return found + reach_complaints(name, part)


def reach_complaints(name: str, part: dict[str, Any]) -> list[str]:
    found = [] if part.get("availability_mode", "all") in KEYS["availability_modes"] else [f"{name}: mode"]
    for one in part.get("availability", ()):
        found += unfit(f"{name}: availability", one, KEYS["availability"])
    topics = [value for key, value in part.items() if key.endswith("topic")]
    return found + [f"{name}: {topic}" for topic in topics if not re.fullmatch(r"[^+#\0]+", topic)]


def unfit(name: str, part: dict[str, Any], keys: dict[str, list[str]]) -> list[str]:
    required = keys.get("required", [])
    unknown = set(part) - set(required) - set(keys["optional"])
    return [f"{name}: {key}" for key in [*sorted(unknown), *sorted(set(required) - set(part))]]


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("buttons", [True, False])
def test_home_assistant_would_take_it(buttons: bool, language: str) -> None:
    assert complaints(made(buttons, language)) == []


def test_the_check_itself_finds_what_is_wrong() -> None:
    message = made()
    message["components"]["bell"]["event_typs"] = message["components"]["bell"].pop("event_types")
    message["components"]["sand"]["unit_of_measurement"] = "sec"
    del message["components"]["turn"]["unique_id"]
    assert len(complaints(message)) == 4


def test_all_that_was_promised_is_there_each_under_a_name_of_its_own() -> None:
    parts = {name: part for name, part in made()["components"].items() if len(part) > 1}
    wanted = {
        "bell",
        "ruling",
        "turn",
        "sand",
        "score_0",
        "score_1",
        "pause",
        "count",
        "device_camera",
        "device_bell_1",
    }
    assert wanted <= set(parts)
    assert parts["bell"]["platform"] == "event"
    for key in ("unique_id", "name"):
        assert len({part[key] for part in parts.values()}) == len(parts)


def test_buttons_are_there_only_when_they_are_allowed() -> None:
    parts = made(buttons=False)["components"]
    assert parts["pause"] == parts["count"] == {"platform": "button"}
    assert "command_topic" not in json.dumps(parts)
