"""Settings of bell, sandtimer, lamp and microphone. Times are in nanoseconds, pins are BCM numbers."""

from __future__ import annotations

from dataclasses import dataclass

from hardware.problems import BadSettingError

US = 1_000
MS = 1_000_000
SECOND = 1_000_000_000
SEATS_MAX = 7


@dataclass(frozen=True)
class DebounceSettings:
    """Limits by which a train of edges on a button's line is one press.

    chatter_ns: gaps up to this long belong to the same press, ns.
    contact_ns: shortest unbroken contact of a press, ns. A finger closes a button for 5 ms or more; interference
        comes in bursts of short pulses.
    spike_ns, spike_quiet_ns: a contact shorter than `spike_ns` is interference if the line is then quiet for
        `spike_quiet_ns`, ns: a bouncing contact closes again sooner. A press after that counts from its own edge.
    stuck_ns: closed (or chattering) this long without a break: stuck or shorted, ns.
    recovered_ns: an ignored button counts again after being open for this long, ns.
    flutter_presses, flutter_ns: this many presses within this time, ns, come from a loose wire.
    """

    chatter_ns: int = 30 * MS
    contact_ns: int = 400 * US
    spike_ns: int = 50 * US
    spike_quiet_ns: int = 5 * MS
    stuck_ns: int = 5 * SECOND
    recovered_ns: int = 1 * SECOND
    flutter_presses: int = 40
    flutter_ns: int = 2 * SECOND

    def __post_init__(self) -> None:
        if not 0 < self.spike_ns <= self.contact_ns <= self.spike_quiet_ns <= self.chatter_ns < self.stuck_ns:
            raise BadSettingError(
                "error.setting.bells_times_must_grow_in",
                "the bell's times must grow in this order: spike, contact, quiet after a spike, chatter, stuck",
            )


@dataclass(frozen=True)
class Pin:
    """One input line.

    number: the BCM number (GPIO17 is 17, whatever its place on the header).
    pull: "up", "down" or "none": the resistor inside the Raspberry Pi.
    active_high: whether a high level is active; False for a button to ground with a pull-up.
    """

    number: int
    pull: str = "up"
    active_high: bool = False

    def __post_init__(self) -> None:
        if not 0 <= self.number <= 27:
            raise BadSettingError(
                "error.setting.there_is_no_gpio_on",
                "there is no GPIO{number} on a Raspberry Pi's header: 0 to 27 can be used",
                number=self.number,
            )
        if self.pull not in ("up", "down", "none"):
            raise BadSettingError(
                "error.setting.pin_is_pulled_up_down",
                'a pin is pulled "up", "down" or "none", not "{pull}"',
                pull=self.pull,
            )


@dataclass(frozen=True)
class BellSettings:
    """The bell: one button for all, or one a seat.

    backend: "gpio", "microphone", or "none".
    pins: the buttons' pins in the order of the seats; a single one: see `one_for_all`.
    one_for_all: one bell for all, whose line does not identify the ringer.
    debounce: limits of a press.
    """

    backend: str = "gpio"
    pins: tuple[Pin, ...] = (Pin(17),)
    one_for_all: bool = True
    debounce: DebounceSettings = DebounceSettings()

    def __post_init__(self) -> None:
        if not 1 <= len(self.pins) <= SEATS_MAX:
            raise BadSettingError(
                "error.setting.there_can_be_one_to",
                "there can be one to {most} bell buttons, not {number}",
                most=SEATS_MAX,
                number=len(self.pins),
            )
        if self.one_for_all and len(self.pins) > 1:
            raise BadSettingError(
                "error.setting.one_bell_for_all_has",
                "one bell for all has one pin; for a button a seat set one_for_all to false",
            )
        if len({pin.number for pin in self.pins}) < len(self.pins):
            raise BadSettingError("error.setting.two_bell_buttons_have_same", "two bell buttons have the same pin")


@dataclass(frozen=True)
class SandProfile:
    """A sandtimer's learned times.

    duration_ns: from the first grain to the last, ns.
    spread_ns: the longest run less the shortest, ns.
    longest_gap_ns: the longest time between two edges of the light barrier while sand ran, ns.
    """

    duration_ns: int
    spread_ns: int
    longest_gap_ns: int

    def __post_init__(self) -> None:
        if self.duration_ns <= 0 or self.spread_ns < 0 or not 0 <= self.longest_gap_ns < self.duration_ns:
            raise BadSettingError(
                "error.setting.sandtimers_longest_gap_must_be",
                "a sandtimer's longest gap must be shorter than its duration, and neither negative",
            )


@dataclass(frozen=True)
class SandSettings:
    """Sensors and limits of the sandtimer.

    backend: "gpio", or "watched" (without sensors: by hand and by duration).
    barrier, tilt: pins of the light barrier at the neck and of the tilt switch; None: not fitted. One is enough.
    profile: the learned times; None: any pause of `unlearned_gap_ns` is the end.
    unlearned_gap_ns: pause that ends an unlearned timer, ns.
    gap_factor, gap_margin_ns: a pause above longest learned gap * `gap_factor` + `gap_margin_ns` is the end, ns.
    tilt_settle_ns: a tilt switch is at rest after this long without an edge, ns; its rolling ball makes edges.
    start_edges, start_span_ns: sand runs after this many edges over this time or longer, ns; a knock makes fewer.
    grace_ns: longest time from a turn to the first sand, ns.
    early: the sand stopped early if more than this share of it is left.
    endless: beyond this factor times the learned duration, the light barrier sees something other than sand.
    """

    backend: str = "gpio"
    barrier: Pin | None = Pin(23)
    tilt: Pin | None = Pin(24)
    profile: SandProfile | None = None
    unlearned_gap_ns: int = 1500 * MS
    gap_factor: float = 1.5
    gap_margin_ns: int = 50 * MS
    tilt_settle_ns: int = 300 * MS
    start_edges: int = 4
    start_span_ns: int = 200 * MS
    grace_ns: int = 3 * SECOND
    early: float = 0.05
    endless: float = 1.25

    @property
    def end_gap_ns(self) -> int:
        """Shortest pause that means the last grain has fallen, ns."""
        if self.profile is None:
            return self.unlearned_gap_ns
        return round(self.profile.longest_gap_ns * self.gap_factor) + self.gap_margin_ns

    @property
    def tolerance_ns(self) -> int:
        """Longest time by which a whole run may be short, ns; the two directions always differ a little."""
        if self.profile is None:
            return 0
        return max(round(self.early * self.profile.duration_ns), 2 * self.profile.spread_ns)


@dataclass(frozen=True)
class LampSettings:
    """Lamp and buzzer.

    backend: "gpio" or "none".
    red, green, blue: BCM numbers of the LED's legs; None for all three: no lamp.
    common_anode: the LED's long leg is at 3.3 V instead of at ground.
    buzzer: BCM number of the buzzer; None: no buzzer.
    buzzer_active_low: the buzzer sounds when its pin is low ("low level trigger").
    brightness: 0 to 1.
    quiet: the lamp works, the buzzer is silent.
    """

    backend: str = "gpio"
    red: int | None = 5
    green: int | None = 6
    blue: int | None = 13
    common_anode: bool = False
    buzzer: int | None = 26
    buzzer_active_low: bool = False
    brightness: float = 1.0
    quiet: bool = False

    def __post_init__(self) -> None:
        if not 0 <= self.brightness <= 1:
            raise BadSettingError(
                "error.setting.lamps_brightness_is_between_0",
                "the lamp's brightness is between 0 and 1, not {brightness}",
                brightness=self.brightness,
            )
        legs = (self.red, self.green, self.blue)
        if any(leg is None for leg in legs) and any(leg is not None for leg in legs):
            raise BadSettingError(
                "error.setting.lamp_needs_three_pins_red", "the lamp needs three pins: red, green and blue"
            )
        used = [pin for pin in (*legs, self.buzzer) if pin is not None]
        if len(set(used)) < len(used):
            raise BadSettingError("error.setting.lamp_and_buzzer_share_pin", "lamp and buzzer share a pin")


@dataclass(frozen=True)
class MicrophoneSettings:
    """A call bell that is heard.

    device: ALSA's name of the microphone, as `arecord -L` lists it.
    rate_hz: samples a second.
    block: samples a block; 256 at 48 kHz are 5.3 ms.
    distance_m: from the bell to the microphone, m; sound takes 2.9 ms a metre.
    sensitivity: 1 is normal; 2 hears a bell of half the loudness, and takes more other sounds for a bell.
    stall_ns: no samples for this long: the microphone hangs or is unplugged, ns.
    """

    device: str = "default"
    rate_hz: int = 48_000
    block: int = 256
    distance_m: float = 0.5
    sensitivity: float = 1.0
    stall_ns: int = 1 * SECOND

    def __post_init__(self) -> None:
        if self.rate_hz < 32_000:
            raise BadSettingError(
                "error.setting.bells_bright_tones_need_32000",
                "the bell's bright tones need 32000 samples a second or more, not {rate_hz}",
                rate_hz=self.rate_hz,
            )
        if not 0.1 <= self.sensitivity <= 10:
            raise BadSettingError(
                "error.setting.microphones_sensitivity_is_between_0",
                "the microphone's sensitivity is between 0.1 and 10, not {sensitivity}",
                sensitivity=self.sensitivity,
            )
