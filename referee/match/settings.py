"""The settings of a table; kept as JSON in the state folder and changed on the page, never by hand."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, ConfigDict, Field, JsonValue, model_validator
from pydantic.fields import FieldInfo

from hardware.camera.camera import Turn
from hardware.settings import BellSettings, LampSettings, Pin, SandProfile, SandSettings
from referee.errors import SettingError
from referee.files import set_aside
from referee.jsonlines import is_name, shown
from referee.language import LANGUAGES, language_of
from referee.models import Model
from referee.phrases import phrase
from referee.sayings import service as sayings
from referee.settings_file import changed, read_settings, write_settings

FILE = "settings.json"
SEAT_PINS = (17, 27, 22, 4, 25, 12, 16)
_CAMERAS = ("picamera2", "picamera2:1", "usb:0")
GIVES_WAY = ("bell_pins", "bell", "sandtimer", "lamp")
"""Settings that give way first, where two of them use one pin."""
PAGE_CAMERA = r"^(picamera2(:[0-9])?|usb:[0-9]{1,2}|usb:/dev/v4l/by-id/[A-Za-z0-9_][A-Za-z0-9_.:+=@-]{0,200})$"
"""Cameras that a page may name, by their place or their lasting name: never a file or a folder of the machine."""

Time = Annotated[str, Field(pattern=r"^([01][0-9]|2[0-3]):[0-5][0-9]$")]
Ns = Annotated[int, Field(ge=0)]


def _named(camera: str) -> str:
    if not is_name(camera):
        raise ValueError("no name")
    return camera


def _usable(pin: int) -> int:
    # BCM numbers; 0 and 1 belong to the system.
    if not 2 <= pin <= 27:
        raise SettingError("fault.no_such_pin", pin=shown(pin))
    return pin


def _few_enough(pins: tuple[int, ...]) -> tuple[int, ...]:
    if not 1 <= len(pins) <= len(SEAT_PINS):
        raise SettingError("fault.too_many_buttons")
    return pins


def _learned(sand: tuple[int, int, int]) -> tuple[int, int, int]:
    SandProfile(*sand)
    return sand


ButtonPin = Annotated[int, AfterValidator(_usable), Field(json_schema_extra={"minimum": 2, "maximum": 27})]


def _on_page(part: str, word: str, **more: JsonValue) -> FieldInfo:
    """Return the place of a setting on the page. part: of the form; word: the key of its label."""
    found: FieldInfo = Field(json_schema_extra={"part": part, "word": word.removeprefix("page."), **more})
    return found


class PageSettings(Model):
    """What a page shows and changes; its form is drawn from the schema. JSON has lists for tuples: not strict."""

    model_config = ConfigDict(use_attribute_docstrings=True)

    language: Annotated[
        str, Field(pattern=f"^({'|'.join(LANGUAGES)})$", json_schema_extra={"enum": list(LANGUAGES)})
    ] = "en"
    """Of all that is said and shown."""
    volume: Annotated[float, Field(ge=0, le=1), _on_page("sound", "page.volume")] = 1.0
    """Of speech."""
    quiet: Annotated[bool, _on_page("sound", "page.quiet_now")] = False
    """Whether nothing is said and the buzzer is silent."""
    quiet_hours: Annotated[
        Annotated[tuple[Time, Time], Field(strict=False)] | None, _on_page("sound", "page.quiet_hours")
    ] = None
    """From which to which time of day it is quiet, "HH:MM" each; null: never."""
    camera: Annotated[str, Field(pattern=PAGE_CAMERA, examples=list(_CAMERAS)), _on_page("fitted", "page.camera")] = (
        "picamera2"
    )
    """The camera, by its place or its lasting name."""
    camera_turned: bool = False
    """Whether its pictures are upside down, and are turned."""
    camera_mirrored: bool = False
    """Whether left and right are swapped in them, and are swapped back."""
    bell: Annotated[Literal["one", "seats", "microphone", "none"], _on_page("fitted", "page.bell")] = "one"
    """One button for all, one at each of the seats, the game's own heard by a microphone, or none."""
    bell_pins: Annotated[
        tuple[ButtonPin, ...],
        Field(strict=False),
        _on_page("fitted", "page.bell_pin", minItems=1, maxItems=len(SEAT_PINS), seats=list(SEAT_PINS)),
        AfterValidator(_few_enough),
    ] = (17,)
    """BCM numbers of the buttons, by seat; `seats`: those of the wiring with a button at each seat."""
    sandtimer: Annotated[bool, _on_page("fitted", "page.sandtimer_fitted")] = True
    """Whether its sensors are fitted."""
    lamp: Annotated[bool, _on_page("fitted", "page.lamp_fitted")] = True
    """Whether lamp and buzzer are fitted."""
    loudspeaker: Annotated[bool, _on_page("sound", "page.loudspeaker_fitted")] = True
    """Whether there is one."""
    voice_page: Annotated[str, Field(pattern=r"^[0-9a-f]{0,64}$")] = ""
    """The name of the page that says everything aloud, too; "": none."""
    open_pictures: Annotated[bool, _on_page("privacy", "page.open_pictures")] = False
    """Whether every device at home sees pictures of the table, not only paired ones."""


class TableSettings(PageSettings):
    """What can be set: what pages change, and what only the terminal and setting up do."""

    camera: Annotated[str, AfterValidator(_named)] = "picamera2"
    """The camera; at the terminal also a file or a folder."""
    sand: Annotated[tuple[Ns, Ns, Ns], Field(strict=False), AfterValidator(_learned)] | None = None
    """What calibration learned of the sand, ns: duration, spread, longest gap; null: nothing yet."""

    def public(self) -> dict[str, Any]:
        """Return the settings that the page shows and changes."""
        return self.model_dump(mode="json", include=set(PageSettings.model_fields))

    def changed(self, data: Mapping[str, Any]) -> TableSettings:
        """Return the settings with some of them changed. Raises BadInputError if they cannot be."""
        return changed(self, data)

    def is_quiet_at(self, hour: int, minute: int) -> bool:
        """Return whether announcements are off at a time of day; quiet hours may go over midnight."""
        if self.quiet or self.volume == 0:
            return True
        if self.quiet_hours is None:
            return False
        start, end = self.quiet_hours
        now = f"{hour:02}:{minute:02}"
        return start <= now < end if start <= end else now >= start or now < end

    def other_devices(self, others: TableSettings) -> frozenset[str]:
        """Return the devices set differently in `others`: "camera", "bell", "sandtimer", "lamp", "speaker"."""
        same = {
            "camera": (self.camera, self.camera_turn()) == (others.camera, others.camera_turn()),
            "bell": self.bell_settings() == others.bell_settings(),
            "sandtimer": self.sand_settings() == others.sand_settings(),
            "lamp": self.lamp == others.lamp,
            "speaker": self.loudspeaker == others.loudspeaker,
        }
        return frozenset(device for device, is_same in same.items() if not is_same)

    @model_validator(mode="after")
    def _pins_are_free(self) -> TableSettings:
        if self.bell == "seats" and len(set(self.bell_pins)) < len(self.bell_pins):
            twice = next(pin for pin in self.bell_pins if self.bell_pins.count(pin) > 1)
            raise SettingError("fault.pin_taken", pin=twice)
        buttons = [pin.number for pin in self.bell_settings().pins] if self.bell in ("one", "seats") else []
        sand, lamp = self.sand_settings(), self.lamp_settings()
        sensors = (sand.barrier, sand.tilt) if self.sandtimer and sand is not None else ()
        lights = (lamp.red, lamp.green, lamp.blue, lamp.buzzer) if self.lamp else ()
        taken = {pin.number for pin in sensors if pin is not None} | {pin for pin in lights if pin is not None}
        used = next((pin for pin in buttons if pin in taken), None)
        if used is not None:
            raise SettingError("fault.pin_taken", pin=used)
        return self

    def open_to_all(self) -> dict[str, Any]:
        """Return the settings that anybody may read."""
        return {name: value for name, value in self.public().items() if name != "voice_page"}

    def camera_turn(self) -> Turn:
        """Return the rotation and mirroring of the camera's pictures."""
        return Turn(self.camera_turned, self.camera_mirrored)

    def bell_settings(self) -> BellSettings:
        """Return the bell's settings."""
        pins = tuple(Pin(number) for number in self.bell_pins)
        match self.bell:
            case "one":
                return BellSettings(pins=pins[:1] or (Pin(17),))
            case "seats":
                own = pins if len(pins) > 1 else tuple(Pin(number) for number in SEAT_PINS)
                return BellSettings(pins=own, one_for_all=False)
            case "microphone":
                return BellSettings(backend="microphone")
            case _:
                return BellSettings(backend="none")

    def sand_settings(self) -> SandSettings | None:
        """Return the sandtimer's settings, None without sensors and without a learned time."""
        profile = None if self.sand is None else SandProfile(*self.sand)
        if self.sandtimer:
            return SandSettings(profile=profile)
        return None if profile is None else SandSettings(backend="watched", profile=profile)

    def lamp_settings(self) -> LampSettings:
        """Return the lamp's settings."""
        return LampSettings(backend="gpio" if self.lamp else "none")


def load_settings(folder: Path) -> tuple[TableSettings, str | None]:
    """Return the settings kept in a folder, and one sentence if not all of them could be taken.

    Settings that this version does not know, or cannot use, stay in the file; only an unreadable file is set aside.
    """
    path = folder / FILE
    usual = TableSettings(language=language_of())
    try:
        settings, left = read_settings(path, usual, GIVES_WAY)
    except FileNotFoundError:
        return usual, None
    except (OSError, ValueError, RecursionError):
        # The page reports files that were set aside, at each start.
        return usual, None if set_aside(path) is not None else phrase("service.settings_could_not_be_read")
    return settings, sayings.settings_left(list(left)) if left else None


def save_settings(folder: Path, settings: TableSettings) -> None:
    """Keep the settings. Raises WorkFailedError if the disk does not take them."""
    write_settings(folder / FILE, settings, GIVES_WAY)
