"""One run of a sandtimer: from the flip to the last grain, with what came between."""

from __future__ import annotations

from hardware.events import Event, SandFlipped, SandRanOut, SandReason, SandTrouble, Witness
from hardware.sand.glass import Glass
from hardware.settings import SandSettings


class Run:
    """The run that is on, or was.

    on: it has begun and not ended. start_ns: since when the sand that runs now has been running. stop_ns: when sand
    stopped last. stopped_by: the announced reason why none runs. endless: more was seen than there is sand.
    """

    def __init__(self, settings: SandSettings) -> None:
        self._settings = settings
        self._duration_ns = settings.profile.duration_ns if settings.profile else None
        self._glass = Glass(self._duration_ns)
        self._disturbed = False
        self.on = False
        self.start_ns = 0
        self.stop_ns = 0
        self.stopped_by: SandReason | None = None
        self.endless = False

    def remaining_ns(self, t_ns: int) -> int | None:
        """How long the sand will run on at `t_ns`, if it runs; None: not learned, or no run is on."""
        if self._glass.left_ns is None or not self.on:
            return None
        return max(self._glass.left_ns - max(t_ns - self.start_ns, 0), 0)

    @property
    def end_ns(self) -> int | None:
        """When the sand will have run out by the learned duration, ns; None: not learned."""
        return None if self._glass.left_ns is None else self.start_ns + self._glass.left_ns

    @property
    def endless_ns(self) -> int | None:
        """When more will have been seen than there is sand, ns; None: not learned, or said already."""
        if self.end_ns is None or self._duration_ns is None or self.endless:
            return None
        return self.end_ns + round((self._settings.endless - 1) * self._duration_ns)

    def begin(self, t_ns: int, witness: Witness) -> SandFlipped:
        """Begin a whole run."""
        self.on = True
        self._disturbed = self.endless = False
        self.stopped_by = None
        self._glass.fill()
        return SandFlipped(t_ns, witness)

    def account(self, stopped_ns: int) -> None:
        """Take the sand off that ran until `stopped_ns`."""
        self.stop_ns = stopped_ns
        self._glass.run(stopped_ns - self.start_ns)

    def flip_early(self, t_ns: int) -> SandTrouble:
        """Turn the timer in mid-run: what had fallen runs back."""
        self._disturbed = True
        self._glass.turn()
        return SandTrouble(t_ns, SandReason.FLIPPED_EARLY)

    def trouble(self, t_ns: int, reason: SandReason) -> SandTrouble:
        """Note why no sand runs."""
        self._disturbed = True
        self.stopped_by = reason
        return SandTrouble(t_ns, reason)

    def see_too_much(self, t_ns: int) -> SandTrouble:
        """Note that the light barrier sees something else than sand."""
        self._disturbed = self.endless = True
        return SandTrouble(t_ns, SandReason.ENDLESS)

    def stopped_early(self, moved_ns: int | None) -> bool:
        """Whether sand is left; of a timer that was not learned only its being moved (at `moved_ns`) tells."""
        if self._glass.left_ns is None or self._duration_ns is None:
            return moved_ns is not None and moved_ns <= self.stop_ns + self._settings.end_gap_ns
        return self._glass.left_ns > self._settings.tolerance_ns

    def stop_untold(self, stopped_ns: int) -> list[Event]:
        """Judge an early stop without a tilt switch: a second flow as long as the first is the sand running back."""
        flows = self._glass.flows
        if len(flows) == 2 and abs(flows[1] - flows[0]) <= self._settings.tolerance_ns:
            self._disturbed = True
            turned = SandTrouble(stopped_ns - flows[1], SandReason.FLIPPED_EARLY)
            return [turned, self.end(stopped_ns, Witness.BARRIER)]
        return [self.trouble(stopped_ns, SandReason.STOPPED)]

    def end(self, t_ns: int, witness: Witness) -> SandRanOut:
        """End the run with the last grain."""
        self.on = False
        self._glass.empty()
        return SandRanOut(t_ns, self._glass.flow_ns, witness, self._disturbed)
