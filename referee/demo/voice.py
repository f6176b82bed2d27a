"""Voice of a simulated table: prints each sentence with its time, and speaks it where possible."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from hardware.lamp import Signal
from hardware.problems import Problem
from hardware.speaker import NullSpeaker, Speaker, SpokenSpeaker, open_speaker
from hardware.voice import Chime, SpeakerSettings

_LAST_WORDS_S = 20.0
LAMP = {
    Signal.VALID: "green",
    Signal.FALSE: "red, blinking",
    Signal.UNCLEAR: "yellow",
    Signal.TIME_RUNNING: "blue: the sand runs",
    Signal.TIME_OVER: "white, flashing: time",
}
Say = Callable[[str], None]


class PrintedVoice:
    """A speaker and a lamp that print their sentences and signals; `speaker` says the sentences, too."""

    def __init__(self, speaker: Speaker, seconds: Callable[[], float], say: Say) -> None:
        self._speaker = speaker
        self._seconds = seconds
        self._print = say

    def say(self, sentences: Sequence[str], *, urgent: bool = True, chime: Chime | None = None) -> None:
        """Print sentences with their time, and say them."""
        for sentence in sentences:
            self._print(stamped(self._seconds(), sentence))
        self._speaker.say(sentences, urgent=urgent, chime=chime)

    def hush(self) -> None:
        """Stop speaking."""
        self._speaker.hush()

    def prepare(self, sentences: Sequence[str]) -> None:
        """Render sentences ahead."""
        self._speaker.prepare(sentences)

    def show(self, signal: Signal) -> None:
        """Print the lamp's signal."""
        if signal in LAMP:
            self._print(stamped(self._seconds(), f"(lamp: {LAMP[signal]})"))

    def mute(self, quiet: bool) -> None:
        """Do nothing: there is no buzzer."""

    def close(self) -> None:
        """Finish the present sentences, then close the speaker."""
        if isinstance(self._speaker, SpokenSpeaker):
            self._speaker.wait(_LAST_WORDS_S)
        self._speaker.close()


def stamped(seconds: float, sentence: str) -> str:
    """Return a line with the time of the game."""
    return f"{max(seconds, 0.0):6.1f} s  {sentence}"


def speaker_for(language: str, say: Say, *, aloud: bool) -> Speaker:
    """Return a speaker, silent if `aloud` is False; a missing one is reported once."""
    reported: set[str] = set()

    def complain(health: Problem) -> None:
        if health.message and health.message not in reported:
            reported.add(health.message)
            say(f"({health.message})")

    return open_speaker(SpeakerSettings(language=language), complain) if aloud else NullSpeaker()
