"""What a house calls the parts of a table, and how the line to it is, in words."""

from __future__ import annotations

from referee.language import Language, mark_in

_PARTS = {
    "bell": mark_in("house", "Bell"),
    "ruling": mark_in("house", "Latest ruling"),
    "turn": mark_in("house", "Whose turn"),
    "sand": mark_in("house", "Sand left"),
    "pause": mark_in("house", "Pause or go on"),
    "count": mark_in("house", "Count now"),
    "mode": mark_in("house", "Game"),
}
_DEVICES = {
    "camera": mark_in("house", "Camera"),
    "bell": mark_in("house", "Bell button"),
    "sandtimer": mark_in("house", "Sandtimer"),
    "lamp": mark_in("house", "Lamp"),
    "speaker": mark_in("house", "Loudspeaker"),
    "reader": mark_in("house", "Reading of cards"),
    "journal": mark_in("house", "Keeping of games"),
    "files": mark_in("house", "Files"),
}
_LINE = {
    "off": mark_in("house", "Nothing is told."),
    "trying": mark_in("house", "The broker is being called …"),
    "up": mark_in("house", "Connected."),
    "unreachable": mark_in("house", "The broker cannot be reached: is its computer on, and its name right?"),
    "refused": mark_in("house", "The broker does not let Ringmaster in: please check name and password."),
    "tls": mark_in("house", "The broker’s certificate is not from the authority that was given."),
    "slow": mark_in("house", "The broker does not answer. It is called again and again."),
    "lost": mark_in("house", "The line to the broker is cut. It is called again and again."),
    "asking": mark_in("house", "The club is being asked …"),
    "not_let_in": mark_in("house", "The club does not answer to this code. Is it right, and the club’s computer on?"),
    "put_out": mark_in("house", "The club has put this table out."),
    "name_in_use": mark_in("house", "Another table of the club has this name. Give this table another name."),
    "damaged": mark_in(
        "house", "The settings for house and club were damaged. Please enter them again; the club is left."
    ),
    "restored": mark_in("house", "The settings for house and club were damaged, and are kept as they were."),
    "copied": mark_in(
        "house",
        "Another table has the same name: was the SD card copied? This one is “{name}” now. Join the club again.",
    ),
}


def part(key: str, language: Language) -> str:
    """Give the name of a part."""
    return language.text_in("house", _PARTS[key])


def device(key: str, language: Language) -> str:
    """Give the name of a device; one that has none is called by its own."""
    kind, _, number = key.partition("_")
    name = language.text_in("house", _DEVICES[kind]) if kind in _DEVICES else key
    return f"{name} {int(number) + 1}" if number.isdecimal() else name


def score(player: str, language: Language) -> str:
    """Give what a player's points are called."""
    return language.text_in("house", "Points of {player}", player=player)


def line(key: str, language: Language, name: str = "") -> str:
    """Give how the line is; name: of the table."""
    return language.text_in("house", _LINE.get(key, _LINE["lost"]), name=name)
