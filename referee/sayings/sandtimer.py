"""The sandtimer's troubles in words."""

from __future__ import annotations

from hardware.events import Event, SandReason, SandResumed, SandTrouble
from referee.language import Language

_TROUBLES = {
    SandReason.CLOGGED: "sandtimer.trouble.clogged",
    SandReason.KNOCKED_OVER: "sandtimer.trouble.knocked_over",
    SandReason.FLIPPED_EARLY: "sandtimer.trouble.flipped_early",
    SandReason.STOPPED: "sandtimer.trouble.stopped",
    SandReason.NO_SAND: "sandtimer.trouble.no_sand",
    SandReason.ENDLESS: "sandtimer.trouble.endless",
    SandReason.BARRIER_SILENT: "sandtimer.trouble.barrier_silent",
}


def sentences(event: Event, language: Language) -> tuple[str, ...]:
    """Give the sentence for something that went wrong with the sandtimer, or is right again; none for other events."""
    if isinstance(event, SandTrouble):
        return (language.text(_TROUBLES[event.reason]),)
    if isinstance(event, SandResumed):
        return (language.text("sandtimer.sand_runs_again"),)
    return ()
