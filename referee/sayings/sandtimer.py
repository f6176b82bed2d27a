"""Sentences for the sandtimer's faults."""

from __future__ import annotations

from hardware.events import SandResumed, SandTrouble, TimedEvent
from referee.language import Language


def sentences(event: TimedEvent, language: Language) -> tuple[str, ...]:
    """Return the sentence for a fault of the sandtimer or its end; none for other events."""
    if isinstance(event, SandTrouble):
        return (language.text(f"sandtimer.trouble.{event.reason.name.lower()}"),)
    if isinstance(event, SandResumed):
        return (language.text("sandtimer.sand_runs_again"),)
    return ()
