"""Home Assistant: device discovery, and the state of the table. Pure.

https://www.home-assistant.io/integrations/mqtt/#device-discovery-payload
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from importlib.metadata import version
from typing import Any

from hardware.problems import Health
from hardware.settings import SEATS_MAX
from referee.language import Language
from referee.mqtt import topics
from referee.sayings.service import GUARD

COUNT, PAUSE = "count", "pause"


@dataclass(frozen=True)
class About:
    """The published table. buttons: whether the house may pause and count."""

    table: str
    name: str
    language: Language
    buttons: bool


def discovery(about: About, state: Mapping[str, Any]) -> dict[str, Any]:
    """Return the discovery message for a table with a `house_state`."""
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
            **_entity(about, "event", "bell", about.language.text("house.part.bell")),
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
            **_entity(about, "sensor", "sand", about.language.text("house.part.sand")),
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
    """Return a button's discovery message; with buttons off, the message that removes it."""
    if not about.buttons:
        return {"platform": "button"}
    return {
        **_entity(about, "button", which, about.language.text(f"house.part.{which}")),
        "command_topic": topics.topic(about.table, topics.DO),
        "payload_press": which,
        "icon": "mdi:pause" if which == PAUSE else "mdi:counter",
        **_in_game(about),
    }


def _scores(about: About, players: list[str]) -> dict[str, Any]:
    """Return a sensor for each player, and the message that removes it for each other seat."""
    found: dict[str, Any] = {}
    for seat in range(SEATS_MAX):
        key = f"score_{seat}"
        if seat >= len(players):
            found[key] = {"platform": "sensor"}
            continue
        found[key] = {
            **_entity(about, "sensor", key, about.language.text("house.house.points_of", player=players[seat])),
            "state_topic": topics.topic(about.table, topics.STATE),
            "value_template": f"{{{{ value_json.scores[{seat}] }}}}",
            "icon": "mdi:counter",
            **_in_game(about),
        }
    return found


def _devices(about: About, devices: Mapping[str, str]) -> dict[str, Any]:
    return {
        f"device_{key}": {
            **_entity(about, "sensor", f"device_{key}", _device_name(key, about.language)),
            "state_topic": topics.topic(about.table, topics.STATE),
            "value_template": f"{{{{ value_json.devices['{key}'] | default('missing') }}}}",
            "device_class": "enum",
            "options": [state.value for state in Health],
            "entity_category": "diagnostic",
        }
        for key in sorted(devices)
    }


def _device_name(key: str, language: Language) -> str:
    """Return the name of a device; without words its key."""
    kind, _, number = key.partition("_")
    known = f"house.device.{kind}"
    name = language.text(known) if known in language else key
    return f"{name} {int(number) + 1}" if number.isdecimal() else name


def _sensor(about: About, key: str, template: str, icon: str) -> dict[str, Any]:
    return {
        **_entity(about, "sensor", key, about.language.text(f"house.part.{key}")),
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


NS = 1_000_000_000
_LONGEST = 255
"""Home Assistant's limit for a state, characters."""


def house_state(state: Mapping[str, Any]) -> dict[str, Any]:
    """Return the retained state.

    `{"mode": "idle", "playing", "paused" or "over", "game", "players", "scores", "turn": a name or null, "phase",
    "ruling": the latest ones in words, "valid": whether the latest ring is valid, null without one, "devices":
    {"camera": "ok", …}}`.
    """
    game = state["game"] or {}
    turn = state["phase"]["turn"]
    names = list(game.get("players", ()))
    latest = _latest(state)
    return {
        "mode": state["mode"],
        "game": game.get("game"),
        "game_id": game.get("id"),
        "players": names,
        "scores": [seat["points"] for seat in state["board"]],
        "turn": names[turn] if turn is not None and turn < len(names) else None,
        "phase": state["phase"]["key"],
        "ruling": " ".join(one["text"] for one in latest if one["text"])[:_LONGEST],
        "valid": next((bool(one["ruling"]["valid"]) for one in latest if one["ruling"]["ruling"] == "ring"), None),
        "devices": {
            part_of(device["name"]): device["state"]
            for device in state["devices"]
            if not device["name"].startswith(GUARD)
        },
    }


def _latest(state: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """Return the rulings of the latest instant, in order."""
    rulings = state["rulings"]
    since = next((index for index, one in enumerate(rulings) if one["text"]), None)
    if since is None:
        return []
    return [one for one in rulings[since:] if one["t_ns"] == rulings[since]["t_ns"]][::-1]


def part_of(device: str) -> str:
    """Return a device's name as an identifier: "bell 0" becomes "bell_0"."""
    return re.sub(r"[^a-z0-9]+", "_", device.lower()).strip("_") or "device"


def sand_left_s(state: Mapping[str, Any], now_ns: int) -> int | None:
    """Return the remaining sand, whole seconds; None if it does not run, or if its duration is unknown."""
    phase = state["phase"]
    if phase["key"] != "running" or phase["lasts_ms"] is None or phase["since_ns"] is None:
        return None
    left_ns = phase["since_ns"] + phase["lasts_ms"] * 1_000_000 - now_ns
    return max(0, -int(-left_ns // NS))
