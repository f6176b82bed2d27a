"""What is said of mishaps (`referee.match.monitor`): what to do when one begins, and that it is over."""

from __future__ import annotations

from referee.language import Language

GUARD = "guard "
"""Names of mishaps on the health board."""


def begun(what: str, language: Language) -> str:
    """Return the sentence for a mishap that begins, "" for one that there are no words for."""
    return language.text(key) if (key := f"guard.begun.{what}") in language else ""


def ended(what: str, language: Language) -> str:
    """Return the sentence for a mishap that is over, "" for one that ends without a word."""
    return language.text(key) if (key := f"guard.ended.{what}") in language else ""


def setting_camera(language: Language) -> str:
    """Return what is said when the camera is set up again at a game's beginning."""
    return language.text("guard.one_moment_camera_sets_itself")


def camera_set(language: Language) -> str:
    """Return what is said when the camera was set up again because of a mishap, and may go on."""
    return language.text("guard.camera_has_set_itself_to")
