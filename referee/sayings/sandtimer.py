"""The sandtimer's troubles in words."""

from __future__ import annotations

from hardware.events import Event, SandReason, SandResumed, SandTrouble
from referee.language import Language, mark

_TROUBLES = {
    SandReason.CLOGGED: mark("The sandtimer is clogged: please tap it."),
    SandReason.KNOCKED_OVER: mark("The sandtimer was knocked over: please set it upright."),
    SandReason.FLIPPED_EARLY: mark("The sandtimer was flipped too early: sand was left."),
    SandReason.STOPPED: mark("The sand has stopped: please look at the sandtimer."),
    SandReason.NO_SAND: mark("The sandtimer was flipped, but no sand runs."),
    SandReason.ENDLESS: mark("The sandtimer's sensor sees more than sand: please check it."),
    SandReason.BARRIER_SILENT: mark("The sandtimer's sensor sees no sand: its usual time is counted."),
}


def sentences(event: Event, language: Language) -> tuple[str, ...]:
    """Give the sentence for something that went wrong with the sandtimer, or is right again; none for other events."""
    if isinstance(event, SandTrouble):
        return (language.text(_TROUBLES[event.reason]),)
    if isinstance(event, SandResumed):
        return (language.text("The sand runs again."),)
    return ()
