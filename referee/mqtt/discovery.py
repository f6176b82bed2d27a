"""How Home Assistant learns of the table: its device discovery, by the keys that it publishes. Pure.

https://www.home-assistant.io/integrations/mqtt/#device-discovery-payload
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from importlib.metadata import version
from typing import Any

from hardware.problems import Health
from hardware.settings import SEATS_MAX
from referee.language import Language
from referee.mqtt import topics
from referee.sayings import house

COUNT, PAUSE = "count", "pause"


@dataclass(frozen=True)
class About:
    """The table that is shown. buttons: whether the house may pause and count."""

    table: str
    name: str
    language: Language
    buttons: bool


def discovery(about: About, state: Mapping[str, Any]) -> dict[str, Any]:
    """Give the discovery message for a table that is in a state (of `house_state`)."""
    return {
        "device": {
            "identifiers": [f"ringmaster_{about.table}"],
            "name": about.name,
            "manufacturer": "Ringmaster",
            "model": "Referee",
            "sw_version": version("ringmaster"),
        },
        "origin": {"name": "Ringmaster", "sw_version": version("ringmaster")},
        "availability": [_reachable(about)],
        "components": {**_game(about), **_scores(about, state["players"]), **_devices(about, state["devices"])},
    }


def _game(about: About) -> dict[str, Any]:
    state = topics.topic(about.table, topics.STATE)
    return {
        "bell": {
            **_entity(about, "event", "bell", house.part("bell", about.language)),
            "device_class": "button",
            "event_types": ["ring"],
            "state_topic": topics.topic(about.table, topics.BELL),
            "icon": "mdi:bell",
        },
        "ruling": {
            **_sensor(about, "ruling", "{{ value_json.ruling }}", "mdi:gavel"),
            "json_attributes_topic": state,
        },
        "mode": {
            **_sensor(about, "mode", "{{ value_json.mode }}", "mdi:cards-playing-outline"),
            "device_class": "enum",
            "options": ["idle", "playing", "paused", "over"],
        },
        "turn": {**_sensor(about, "turn", "{{ value_json.turn or '' }}", "mdi:account-arrow-right"), **_in_game(about)},
        "sand": {
            **_entity(about, "sensor", "sand", house.part("sand", about.language)),
            "state_topic": topics.topic(about.table, topics.SAND),
            "value_template": "{{ value_json.left_s }}",
            "device_class": "duration",
            "unit_of_measurement": "s",
            "icon": "mdi:timer-sand",
            "availability_mode": "all",
            "availability": [
                _reachable(about),
                {
                    "topic": topics.topic(about.table, topics.SAND),
                    "value_template": "{{ 'offline' if value_json.left_s is none else 'online' }}",
                },
            ],
        },
        **{which: _button(about, which) for which in (PAUSE, COUNT)},
    }


def _button(about: About, which: str) -> dict[str, Any]:
    """Give a button; where none is allowed, what takes it away."""
    if not about.buttons:
        return {"platform": "button"}
    return {
        **_entity(about, "button", which, house.part(which, about.language)),
        "command_topic": topics.topic(about.table, topics.DO),
        "payload_press": which,
        "icon": "mdi:pause" if which == PAUSE else "mdi:counter",
        **_in_game(about),
    }


def _scores(about: About, players: list[str]) -> dict[str, Any]:
    """Give a sensor for each player; for the other seats, what takes one away."""
    found: dict[str, Any] = {}
    for seat in range(SEATS_MAX):
        key = f"score_{seat}"
        if seat >= len(players):
            found[key] = {"platform": "sensor"}
            continue
        found[key] = {
            **_entity(about, "sensor", key, house.score(players[seat], about.language)),
            "state_topic": topics.topic(about.table, topics.STATE),
            "value_template": f"{{{{ value_json.scores[{seat}] }}}}",
            "icon": "mdi:counter",
            **_in_game(about),
        }
    return found


def _devices(about: About, devices: Mapping[str, str]) -> dict[str, Any]:
    return {
        f"device_{key}": {
            **_entity(about, "sensor", f"device_{key}", house.device(key, about.language)),
            "state_topic": topics.topic(about.table, topics.STATE),
            "value_template": f"{{{{ value_json.devices['{key}'] | default('missing') }}}}",
            "device_class": "enum",
            "options": [state.value for state in Health],
            "entity_category": "diagnostic",
        }
        for key in sorted(devices)
    }


def _sensor(about: About, key: str, template: str, icon: str) -> dict[str, Any]:
    return {
        **_entity(about, "sensor", key, house.part(key, about.language)),
        "state_topic": topics.topic(about.table, topics.STATE),
        "value_template": template,
        "icon": icon,
    }


def _entity(about: About, platform: str, key: str, name: str) -> dict[str, Any]:
    return {"platform": platform, "unique_id": f"ringmaster_{about.table}_{key}", "name": name}


def _in_game(about: About) -> dict[str, Any]:
    playing = {
        "topic": topics.topic(about.table, topics.STATE),
        "value_template": "{{ 'offline' if value_json.mode == 'idle' else 'online' }}",
    }
    return {"availability_mode": "all", "availability": [_reachable(about), playing]}


def _reachable(about: About) -> dict[str, str]:
    return {"topic": topics.topic(about.table, topics.AVAILABLE)}
