"""What a house calls the parts of a table, and how the line to it is, in words."""

from __future__ import annotations

from referee.language import Language

_PARTS = {
    "bell": "house.part.bell",
    "ruling": "house.part.ruling",
    "turn": "house.part.turn",
    "sand": "house.part.sand",
    "pause": "house.part.pause",
    "count": "house.part.count",
    "mode": "house.part.mode",
}
_DEVICES = {
    "camera": "house.device.camera",
    "bell": "house.device.bell",
    "sandtimer": "house.device.sandtimer",
    "lamp": "house.device.lamp",
    "speaker": "house.device.speaker",
    "reader": "house.device.reader",
    "journal": "house.device.journal",
    "files": "house.device.files",
}
_LINE = {
    "off": "house.line.off",
    "trying": "house.line.trying",
    "up": "house.line.up",
    "unreachable": "house.line.unreachable",
    "refused": "house.line.refused",
    "tls": "house.line.tls",
    "slow": "house.line.slow",
    "lost": "house.line.lost",
    "asking": "house.line.asking",
    "not_let_in": "house.line.not_let_in",
    "put_out": "house.line.put_out",
    "name_in_use": "house.line.name_in_use",
    "damaged": "house.line.damaged",
    "restored": "house.line.restored",
    "copied": "house.line.copied",
}


def part(key: str, language: Language) -> str:
    """Give the name of a part."""
    return language.text(_PARTS[key])


def device(key: str, language: Language) -> str:
    """Give the name of a device; one that has none is called by its own."""
    kind, _, number = key.partition("_")
    name = language.text(_DEVICES[kind]) if kind in _DEVICES else key
    return f"{name} {int(number) + 1}" if number.isdecimal() else name


def score(player: str, language: Language) -> str:
    """Give what a player's points are called."""
    return language.text("house.house.points_of", player=player)


def line(key: str, language: Language, name: str = "") -> str:
    """Give how the line is; name: of the table."""
    return language.text(_LINE.get(key, _LINE["lost"]), name=name)
