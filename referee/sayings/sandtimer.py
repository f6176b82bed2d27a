"""Sentences for the sandtimer's faults."""

from __future__ import annotations

from hardware.events import SandResumed, SandTrouble
from referee.language import Language


def say(event: SandTrouble | SandResumed, language: Language) -> str:
    """Return the sentence for a fault of the sandtimer or its end."""
    if isinstance(event, SandTrouble):
        return language.text(f"sandtimer.trouble.{event.reason.name.lower()}")
    return language.text("sandtimer.sand_runs_again")
