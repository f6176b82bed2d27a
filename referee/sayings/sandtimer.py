"""The sandtimer's troubles in words."""

from __future__ import annotations

from hardware.events import SandResumed, SandTrouble
from referee.language import Language


def say(event: SandTrouble | SandResumed, language: Language) -> str:
    """Return the sentence for something that went wrong with the sandtimer, or is right again."""
    if isinstance(event, SandTrouble):
        return language.text(f"sandtimer.trouble.{event.reason.name.lower()}")
    return language.text("sandtimer.sand_runs_again")
