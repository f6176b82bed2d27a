"""Checks of sound: speech, and the microphone that hears a bell."""

from __future__ import annotations

import time
from collections.abc import Callable

import numpy as np

from hardware.microphone import Arecord, SoundSource
from hardware.problems import DeviceHealth, HardwareError, Health
from hardware.settings import MicrophoneSettings
from hardware.speaker import SpokenSpeaker, open_speaker
from hardware.voice import SpeakerSettings
from referee.doctor.finding import Finding, State

SPEECH_LIMIT_S = 20.0
LISTEN_S = 3.0


def check_speech(settings: SpeakerSettings, sentence: str, silent: bool = False) -> list[Finding]:
    """Say a sentence, or only render it."""
    if settings.backend == "none":
        return [Finding("speech", State.SKIPPED, "Speech is switched off.")]
    reports: list[DeviceHealth] = []
    speaker = open_speaker(settings, reports.append)
    if isinstance(speaker, SpokenSpeaker):
        if silent:
            speaker.prepare([sentence])
        else:
            speaker.say([sentence])
        done = speaker.wait(SPEECH_LIMIT_S)
    else:
        done = True
    speaker.close()
    if broken := [report.message for report in reports if report.state is not Health.OK]:
        return [Finding("speech", State.FAULT, broken[-1])]
    if not done:
        return [Finding("speech", State.FAULT, "Speech takes too long on this computer.", "Choose espeak-ng.")]
    if silent:
        return [Finding("speech", State.OK, f"Speech can be made; “{sentence}” was not said aloud.")]
    message = f"You should have heard “{sentence}”; if not, check the loudspeaker and its volume (alsamixer)."
    return [Finding("speech", State.OK, message)]


def check_microphone(
    settings: MicrophoneSettings,
    source: SoundSource | None = None,
    clock: Callable[[], float] = time.monotonic,
) -> list[Finding]:
    """Listen for a moment: a microphone that is there but gives only zeros is off or muted."""
    source = source or Arecord(settings)
    heard, loudest, end = 0, 0.0, clock() + LISTEN_S
    try:
        source.open()
        while clock() < end and heard < settings.rate_hz:
            samples = source.read(0.2)
            heard += len(samples)
            loudest = max(loudest, float(np.abs(samples).max(initial=0.0)))
    except HardwareError as error:
        return [Finding("bell", State.FAULT, str(error))]
    finally:
        source.close()
    if not heard:
        return [
            Finding("bell", State.FAULT, "The bell's microphone gives no sound.", "Unplug it and plug it in again.")
        ]
    if loudest == 0.0:
        return [
            Finding("bell", State.FAULT, "The bell's microphone is muted.", "Switch it on and up in alsamixer (F4).")
        ]
    return [Finding("bell", State.OK, "The bell's microphone hears the room.")]
