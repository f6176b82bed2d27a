"""What is said of mishaps (`referee.match.guard`): what to do when one begins, and that it is over."""

from __future__ import annotations

from referee.language import Language, mark

GUARD = "guard "
"""How devices of the health board are called that are mishaps."""

_BEGUN = {
    "moved": mark("The camera was pushed: please keep hands off the marker cards until the table is measured anew."),
    "dark": mark(
        "It has become too dark for the camera: please uncover its lens, switch on more light, "
        "or pause until it has set itself."
    ),
    "bright": mark("The light has become too bright for the camera: please pause until it has set itself."),
    "light": mark("The light has changed: please pause until the camera has set itself."),
    "blurred": mark("The camera's picture is not sharp any more: please pause until it has focused, or turn its lens."),
    "smeared": mark("A part of the camera's lens is covered or smeared: please wipe it with a soft cloth."),
    "flicker": mark("The lamp flickers for the camera: please pause until it has set itself, or use another lamp."),
    "lock": mark("The camera changes its settings by itself: please pause until it has set itself."),
    "pace": mark("The camera is slow just now. Very close rings may stay undecided."),
    "hot": mark("The computer is too hot and slows down: please give it more air."),
    "power": mark("The computer gets too little power: please use its own power supply."),
    "clock": mark("The computer's clock was put right; the game goes on as it was."),
    "disk": mark("The disk is nearly full: please take old recordings and exports away."),
}
_ENDED = {
    "moved": mark("The camera stands still, and the table is measured anew."),
    "dark": mark("There is enough light again."),
    "bright": mark("The light is not too bright any more."),
    "light": mark("The light is as it was again."),
    "blurred": mark("The camera's picture is sharp again."),
    "smeared": mark("The camera's lens is clear again."),
    "flicker": mark("The lamp does not flicker any more."),
    "lock": mark("The camera keeps its settings again."),
    "pace": mark("The camera gives enough pictures again."),
    "hot": mark("The computer has cooled down."),
    "power": mark("The computer gets enough power again."),
    "disk": mark("There is room on the disk again."),
}
_NOTES = (
    mark("The camera could not focus on the table."),
    mark("The camera does not let its focus be held; it may hunt."),
    mark("The camera does not let its white balance be held; colours may drift."),
    mark("The camera does not let its exposure be set; white cards may be bleached."),
    mark("The camera does not keep the exposure it is set to; colours may drift."),
    mark("There is little light on the table; a lamp would help."),
    mark("The camera could not be set so that white cards are not bleached; less light would help."),
    mark("The lamp flickers in the camera's pictures; another lamp would help."),
    mark("The camera does not say when its pictures were taken; their arrival counts."),
    mark("The camera has no second, small stream; motion is seen in the large one."),
)


def begun(what: str, language: Language) -> str:
    """Give the sentence for a mishap that begins, "" for one that there are no words for."""
    return language.text(_BEGUN[what]) if what in _BEGUN else ""


def ended(what: str, language: Language) -> str:
    """Give the sentence for a mishap that is over, "" for one that ends without a word."""
    return language.text(_ENDED[what]) if what in _ENDED else ""


def setting_camera(language: Language) -> str:
    """Give what is said when the camera is set up anew at a game's beginning."""
    return language.text("One moment: the camera sets itself to the light.")


def camera_set(language: Language) -> str:
    """Give what is said when the camera was set up anew because of a mishap, and may go on."""
    return language.text("The camera has set itself to the light: you can go on.")


def camera_note(note: str, language: Language) -> str:
    """Give what a camera could not do in words; note: of `hardware.camera.notes`."""
    return language.text(note) if note in _NOTES else note
