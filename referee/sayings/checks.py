"""What `ringmaster doctor` and the page's System find: the templates of sentences that are made in English."""

from __future__ import annotations

from referee.language import Language

_STATES = {
    "ok": "doctor.state.ok",
    "remark": "doctor.state.remark",
    "fault": "doctor.state.fault",
    "skipped": "doctor.state.skipped",
}
_PARTS = {
    "computer": "doctor.part.computer",
    "permissions": "doctor.part.permissions",
    "power": "doctor.part.power",
    "clock": "doctor.part.clock",
    "disk": "doctor.part.disk",
    "pins": "doctor.part.pins",
    "bell": "doctor.part.bell",
    "sandtimer": "doctor.part.sandtimer",
    "bell or sandtimer": "doctor.part.bell_or_sandtimer",
    "lamp": "doctor.part.lamp",
    "microphone": "doctor.part.microphone",
    "speech": "doctor.part.speech",
    "camera": "doctor.part.camera",
}


def say_state(state: str, language: Language) -> str:
    """Give in a word how a part was found."""
    return language.text(_STATES[state])


def say_part(part: str, language: Language) -> str:
    """Give the name of a part that was checked."""
    return language.text(_PARTS[part]) if part in _PARTS else part
