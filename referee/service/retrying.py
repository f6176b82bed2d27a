"""Loudspeaker and lamp that hold up nobody: what they raise is reported, and they are opened anew after a while."""

from __future__ import annotations

import contextlib
import threading
import time
from collections.abc import Callable, Sequence
from typing import Generic, Protocol, TypeVar

from hardware.lamp import Lamp, Signal
from hardware.problems import HardwareError, Health, Problem
from hardware.settings import SECOND
from hardware.speaker import Speaker
from hardware.voice import Chime

FAULTS = (HardwareError, OSError, RuntimeError, ValueError)
AGAIN_NS = 5 * SECOND


class _Closable(Protocol):
    def close(self) -> None:
        """Let it go."""


Device = TypeVar("Device", bound=_Closable)
OnHealth = Callable[[Problem], None]


class _Kept(Generic[Device]):
    """A device by its name, and how it is opened. Safe to use from any thread."""

    def __init__(
        self, name: str, opener: Callable[[OnHealth], Device], on_health: OnHealth, clock: Callable[[], int]
    ) -> None:
        self._name, self._opener, self._on_health, self._clock = name, opener, on_health, clock
        self._lock = threading.RLock()
        self._failed_ns: int | None = None
        self._device: Device | None = None
        self._missing = self._closed = False
        self.use(lambda device: None)

    def use(self, work: Callable[[Device], object]) -> None:
        """Do something with the device; nothing while it has just failed."""
        with self._lock:
            if self._closed or (self._failed_ns is not None and self._clock() - self._failed_ns < AGAIN_NS):
                return
            try:
                device = self._opened()
                if device is not None:
                    work(device)
            except FAULTS as error:
                self._on_health(
                    Problem(self._name, Health.MISSING, " ".join(str(error).split())[:200], t_ns=self._clock())
                )
                device = None
            if device is None:
                self._failed_ns = self._clock()
                self._let_go()
            elif self._failed_ns is not None:
                self._failed_ns = None
                self._on_health(Problem(self._name, Health.OK, t_ns=self._clock()))

    def close(self) -> None:
        """Let the device go for good."""
        with self._lock:
            self._closed = True
            self._let_go()

    def reopen(self) -> None:
        """Let the device go, and open it as it is to be now."""
        with self._lock:
            self._let_go()
            self._failed_ns = None
            self.use(lambda device: None)

    def _opened(self) -> Device | None:
        """Give the device; None if it says of itself that it is missing: what it gives then does nothing."""
        if self._device is None:
            self._missing = False
            self._device = self._opener(self._report)
        return None if self._missing else self._device

    def _report(self, health: Problem) -> None:
        self._missing = self._missing or (self._device is None and health.state is not Health.OK)
        self._on_health(health)

    def _let_go(self) -> None:
        device, self._device = self._device, None
        if device is not None:
            with contextlib.suppress(*FAULTS):
                device.close()


class RetryingSpeaker:
    """A `Speaker` round one that may fail in any way. opener: opens it, and has it told how it is."""

    def __init__(
        self, opener: Callable[[OnHealth], Speaker], on_health: OnHealth, clock: Callable[[], int] = time.monotonic_ns
    ) -> None:
        self._kept = _Kept("speaker", opener, on_health, clock)

    def say(self, sentences: Sequence[str], *, urgent: bool = True, chime: Chime | None = None) -> None:
        """Say sentences."""
        self._kept.use(lambda speaker: speaker.say(sentences, urgent=urgent, chime=chime))

    def hush(self) -> None:
        """Be silent at once."""
        self._kept.use(lambda speaker: speaker.hush())

    def prepare(self, sentences: Sequence[str]) -> None:
        """Get ready for sentences."""
        self._kept.use(lambda speaker: speaker.prepare(sentences))

    def close(self) -> None:
        """Let it go."""
        self._kept.close()


class RetryingLamp:
    """A `Lamp` round one that may fail in any way. opener: opens it, as the settings are by then."""

    def __init__(
        self, opener: Callable[[OnHealth], Lamp], on_health: OnHealth, clock: Callable[[], int] = time.monotonic_ns
    ) -> None:
        self._kept = _Kept("lamp", opener, on_health, clock)
        self._silent = False

    def show(self, signal: Signal) -> None:
        """Show a signal."""
        self._kept.use(lambda lamp: lamp.show(signal))

    def mute(self, silent: bool) -> None:
        """Keep the buzzer still, or let it sound again."""
        self._silent = silent
        self._kept.use(lambda lamp: lamp.mute(silent))

    def close(self) -> None:
        """Go dark."""
        self._kept.close()

    def reopen(self) -> None:
        """Let it go and open it as the settings are now."""
        self._kept.reopen()
        self.mute(self._silent)
