"""What a house is told of the table, made of the desk's state. Pure."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from referee.sayings.guard import GUARD

NS = 1_000_000_000
_LONGEST = 255
"""Home Assistant takes no longer state."""


def house_state(desk: Mapping[str, Any]) -> dict[str, Any]:
    """Give the retained state.

    `{"mode": "idle", "playing", "paused" or "over", "game", "players", "scores", "turn": a name or null, "phase",
    "ruling": the latest, in words, with what follows from it, "valid": whether the ring that it is on is, null for
    others, "devices": {"camera": "ok", …}}`.
    """
    game = desk["game"] or {}
    turn = desk["phase"]["turn"]
    names = list(game.get("players", ()))
    latest = _latest(desk)
    return {
        "mode": desk["mode"],
        "game": game.get("game"),
        "game_id": game.get("id"),
        "players": names,
        "scores": [seat["points"] for seat in desk["board"]],
        "turn": names[turn] if turn is not None and turn < len(names) else None,
        "phase": desk["phase"]["key"],
        "ruling": " ".join(one["text"] for one in latest if one["text"])[:_LONGEST],
        "valid": next((bool(one["ruling"]["valid"]) for one in latest if one["ruling"]["ruling"] == "ring"), None),
        "devices": {
            part_of(device["name"]): device["state"]
            for device in desk["devices"]
            if not device["name"].startswith(GUARD)
        },
    }


def _latest(desk: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """Give what was ruled at the latest instant, in the order in which it was said."""
    rulings = desk["rulings"]
    since = next((index for index, one in enumerate(rulings) if one["text"]), None)
    if since is None:
        return []
    return [one for one in rulings[since:] if one["t_ns"] == rulings[since]["t_ns"]][::-1]


def part_of(device: str) -> str:
    """Give a device's name as a house can use it: "bell 0" is "bell_0"."""
    return re.sub(r"[^a-z0-9]+", "_", device.lower()).strip("_") or "device"


def sand_left_s(desk: Mapping[str, Any], now_ns: int) -> int | None:
    """Give how long the sand still runs, whole seconds; None if it does not, or nobody knows how long it takes."""
    phase = desk["phase"]
    if phase["key"] != "running" or phase["lasts_ms"] is None or phase["since_ns"] is None:
        return None
    left_ns = phase["since_ns"] + phase["lasts_ms"] * 1_000_000 - now_ns
    return max(0, -int(-left_ns // NS))
