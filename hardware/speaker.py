"""The speaker: queues sentences and plays them on a thread; an urgent sentence interrupts a running one."""

from __future__ import annotations

import threading
import time
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from hardware.child_process import Child
from hardware.edges import Clock
from hardware.problems import DeviceMissingError, Health, Problem, Said, one_line
from hardware.settings import MS, SECOND
from hardware.supervised import SupervisedThread, nothing
from hardware.voice import (
    Chime,
    PhraseCache,
    Player,
    SpeakerSettings,
    VoiceProgram,
    cache_folder,
    installed_player,
    installed_voices,
    wav_length_ns,
)


class Speaker(Protocol):
    """Says sentences. Every method returns at once and never raises for a fault of the loudspeaker."""

    def say(self, sentences: Sequence[str], *, urgent: bool = True, chime: Chime | None = None) -> None:
        """Say sentences in order, after a chime if there is one.

        urgent: stop the present sentence, and drop the queue.
        """

    def hush(self) -> None:
        """Stop speaking at once."""

    def prepare(self, sentences: Sequence[str]) -> None:
        """Render sentences ahead that will be needed quickly."""

    def close(self) -> None:
        """Stop speaking and release the loudspeaker."""


class NullSpeaker:
    """The speaker of a table without a loudspeaker."""

    say = hush = prepare = close = staticmethod(nothing)


class RecordedSpeaker:
    """Records sentences with their times, for tests and the simulated table."""

    hush = prepare = close = staticmethod(nothing)

    def __init__(self, clock: Clock = time.monotonic_ns) -> None:
        self._clock = clock
        self.said: list[tuple[int, str]] = []
        self.chimes: list[Chime] = []

    def say(self, sentences: Sequence[str], *, urgent: bool = True, chime: Chime | None = None) -> None:
        """Record the sentences."""
        if chime is not None:
            self.chimes.append(chime)
        self.said += [(self._clock(), sentence) for sentence in sentences]


def open_speaker(settings: SpeakerSettings, on_health: Callable[[Problem], None] | None = None) -> Speaker:
    """Return the speaker that the settings name; a missing one is reported and replaced by `NullSpeaker`."""
    if settings.backend == "none":
        return NullSpeaker()
    try:
        return SpokenSpeaker(settings, installed_voices(settings), installed_player(settings), on_health)
    except DeviceMissingError as error:
        message = error.said
    except OSError as error:
        message = Said(
            "error.hardware.no_place_for_speech",
            "There is no place on the disk for speech: {why}.",
            why=error.strerror or error,
        )
    if on_health is not None:
        on_health(Problem(NAME, Health.MISSING, message, t_ns=time.monotonic_ns()))
    return NullSpeaker()


NAME = "speaker"
POLL_S = 0.01
LONGEST_TEXT = 600
AHEAD_MOST = 400
# A voice that failed is skipped for this long if there is another one.
REST_NS = 60 * SECOND


@dataclass(frozen=True)
class _Job:
    """A sentence or chime. aloud: play it, else only render it. A job of an older generation is void."""

    text: str | Chime
    generation: int
    aloud: bool


@dataclass(frozen=True)
class _Failure:
    """Reason why a voice gave no sound."""

    state: Health
    message: str


class SpokenSpeaker:
    """Says sentences through a voice and a player (a `Speaker`).

    voices: the best first; where one fails, the next one speaks. Failures are reported once by `on_health`.
    """

    def __init__(
        self,
        settings: SpeakerSettings,
        voices: Sequence[VoiceProgram],
        player: Player,
        on_health: Callable[[Problem], None] | None = None,
    ) -> None:
        """Start the thread. Raises OSError if no folder for sounds can be written."""
        self._settings = settings
        self._voices = tuple(voices)
        self._player = player
        self._on_health = on_health
        self._cache = PhraseCache(settings.cache or cache_folder(), settings.cache_files, settings.volume)
        self._health: tuple[Health, str] = (Health.OK, "")
        self._resting: dict[VoiceProgram, int] = {}
        self._changed = threading.Condition()
        self._waiting: deque[str | Chime] = deque(maxlen=settings.waiting)
        self._ahead: deque[str] = deque(maxlen=AHEAD_MOST)
        self._generation = 0
        self._busy = False
        self._closing = False
        self._thread = SupervisedThread(NAME, self._run, self._failed)
        self._thread.start()

    def say(self, sentences: Sequence[str], *, urgent: bool = True, chime: Chime | None = None) -> None:
        """Queue sentences; urgent: stop the present one and drop the queue first."""
        with self._changed:
            if urgent:
                self._generation += 1
                self._waiting.clear()
            if chime is not None:
                self._waiting.append(chime)
            self._waiting.extend(text for sentence in sentences if (text := clean(sentence)))
            self._changed.notify_all()

    def hush(self) -> None:
        """Stop speaking at once."""
        self.say((), urgent=True)

    def prepare(self, sentences: Sequence[str]) -> None:
        """Render sentences ahead while the queue is empty."""
        with self._changed:
            self._ahead.extend(text for sentence in sentences if (text := clean(sentence)))
            self._changed.notify_all()

    def wait(self, timeout_s: float) -> bool:
        """Wait until all is said and rendered; return False after `timeout_s` seconds."""
        with self._changed:
            return self._changed.wait_for(lambda: not (self._busy or self._waiting or self._ahead), timeout_s)

    def close(self) -> None:
        """Stop speaking and end the thread. Harmless when called twice."""
        with self._changed:
            self._closing = True
            self._generation += 1
            self._changed.notify_all()
        self._thread.stop()
        self._cache.close()

    def _run(self) -> None:
        while (job := self._next()) is not None:
            wav = self._rendered(job)
            if wav is not None and job.aloud:
                self._play(wav, job)

    def _next(self) -> _Job | None:
        with self._changed:
            self._busy = False
            self._changed.notify_all()
            self._changed.wait_for(lambda: self._closing or self._waiting or self._ahead)
            if self._closing:
                return None
            self._busy = True
            if self._waiting:
                return _Job(self._waiting.popleft(), self._generation, aloud=True)
            return _Job(self._ahead.popleft(), self._generation, aloud=False)

    def _void(self, job: _Job) -> bool:
        """Return whether a job is void; the caller holds the lock."""
        return self._generation != job.generation or (not job.aloud and bool(self._waiting))

    def _rendered(self, job: _Job) -> Path | None:
        """Return the sentence's sound, rendered or cached; None if that failed or the job is void."""
        if isinstance(job.text, Chime):
            return self._cache.chime(job.text)
        voices = [voice for voice in self._voices if self._resting.get(voice, 0) <= time.monotonic_ns()] or self._voices
        failure: _Failure | None = None
        for voice in voices:
            result = self._cache.find(voice, job.text) or self._render(voice, job, job.text)
            if not isinstance(result, _Failure):
                return result
            self._resting[voice] = time.monotonic_ns() + REST_NS
            failure = result
        if failure is not None:
            self._report(failure.state, failure.message)
        return None

    def _render(self, voice: VoiceProgram, job: _Job, text: str) -> Path | _Failure | None:
        """Render a sentence with one voice; return None if the job became void."""
        try:
            child = Child(voice.render_command(self._cache.part(voice, text)), text, 0 if job.aloud else 10)
        except OSError as error:
            return _Failure(Health.MISSING, f"{voice.name} cannot be started: {error.strerror or error}.")
        status = self._watch(child, job, self._settings.render_limit_ns)
        complaint = child.end()
        with self._changed:
            if self._void(job):
                if not job.aloud:
                    self._ahead.appendleft(text)
                return None
        if status is None:
            return _Failure(Health.STALLED, f"{voice.name} hangs and gives no speech.")
        kept = self._cache.keep(voice, text) if status == 0 else None
        why = complaint or f"it ended with status {status}"
        return kept or _Failure(Health.MISSING, f"{voice.name} gives no speech ({why}).")

    def _play(self, wav: Path, job: _Job) -> None:
        length_ns = wav_length_ns(wav)
        if length_ns is None:
            return
        started_ns = time.monotonic_ns()
        try:
            child = Child(self._player.play_command(wav))
        except OSError as error:
            self._report(Health.MISSING, f"{self._player.name} cannot be started: {error.strerror or error}.")
            return
        self._render_next(job)
        limit_ns = length_ns + self._settings.play_margin_ns - (time.monotonic_ns() - started_ns)
        status = self._watch(child, job, limit_ns)
        complaint = child.end()
        with self._changed:
            if self._void(job):
                return
        if status is None:
            self._report(Health.STALLED, "The loudspeaker hangs: unplug it and plug it in again.")
        elif status != 0:
            why = complaint or f"{self._player.name} ended with status {status}"
            self._report(Health.MISSING, f"No sound can be played; is a loudspeaker connected? ({why}).")
        else:
            self._report(Health.OK, "")

    def _render_next(self, job: _Job) -> None:
        """Render the next sentence while this one plays, to avoid a pause between them."""
        with self._changed:
            following = self._waiting[0] if self._waiting and not self._void(job) else None
        if following is not None:
            self._rendered(_Job(following, job.generation, aloud=True))

    def _watch(self, child: Child, job: _Job, limit_ns: int) -> int | None:
        """Wait until the program ends, the job is void, or time runs out; return the exit status or None."""
        end_ns = time.monotonic_ns() + max(limit_ns, 10 * MS)
        with self._changed:
            while (status := child.status) is None and not self._void(job) and time.monotonic_ns() < end_ns:
                self._changed.wait(POLL_S)
        return status

    def _failed(self, fault: Exception) -> None:
        self._report(Health.MISSING, f"The loudspeaker has a fault: {one_line(fault)}")

    def _report(self, state: Health, message: str) -> None:
        if self._health != (state, message):
            self._health = (state, message)
            if self._on_health is not None:
                self._on_health(Problem(NAME, state, message, t_ns=time.monotonic_ns()))


def clean(sentence: str) -> str:
    """Return a sentence that is safe for a speech program: one line, at most 600 characters, no `[[` commands."""
    text = " ".join("".join(char if char.isprintable() else " " for char in sentence).split())
    # espeak-ng reads [[…]] as phonemes.
    return text.replace("[[", "(").replace("]]", ")")[:LONGEST_TEXT]
