"""What is said of mishaps (`referee.match.guard`): what to do when one begins, and that it is over."""

from __future__ import annotations

from referee.language import Language

GUARD = "guard "
"""How devices of the health board are called that are mishaps."""

_BEGUN = {
    "moved": "guard.begun.moved",
    "dark": "guard.begun.dark",
    "bright": "guard.begun.bright",
    "light": "guard.begun.light",
    "blurred": "guard.begun.blurred",
    "smeared": "guard.begun.smeared",
    "flicker": "guard.begun.flicker",
    "lock": "guard.begun.lock",
    "pace": "guard.begun.pace",
    "hot": "guard.begun.hot",
    "power": "guard.begun.power",
    "clock": "guard.begun.clock",
    "disk": "guard.begun.disk",
}
_ENDED = {
    "moved": "guard.ended.moved",
    "dark": "guard.ended.dark",
    "bright": "guard.ended.bright",
    "light": "guard.ended.light",
    "blurred": "guard.ended.blurred",
    "smeared": "guard.ended.smeared",
    "flicker": "guard.ended.flicker",
    "lock": "guard.ended.lock",
    "pace": "guard.ended.pace",
    "hot": "guard.ended.hot",
    "power": "guard.ended.power",
    "disk": "guard.ended.disk",
}


def begun(what: str, language: Language) -> str:
    """Give the sentence for a mishap that begins, "" for one that there are no words for."""
    return language.text(_BEGUN[what]) if what in _BEGUN else ""


def ended(what: str, language: Language) -> str:
    """Give the sentence for a mishap that is over, "" for one that ends without a word."""
    return language.text(_ENDED[what]) if what in _ENDED else ""


def setting_camera(language: Language) -> str:
    """Give what is said when the camera is set up anew at a game's beginning."""
    return language.text("guard.one_moment_camera_sets_itself")


def camera_set(language: Language) -> str:
    """Give what is said when the camera was set up anew because of a mishap, and may go on."""
    return language.text("guard.camera_has_set_itself_to")
