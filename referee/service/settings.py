"""What can be set about a table; kept as JSON in the state folder and changed on the page, never by hand."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, fields, replace
from pathlib import Path
from typing import Annotated, Any

from pydantic import AfterValidator, ConfigDict, Field, ValidationError, model_validator
from pydantic.dataclasses import dataclass

from hardware.camera.camera import Turn
from hardware.settings import BellSettings, LampSettings, Pin, SandProfile, SandSettings
from referee.errors import BadInputError, SettingError
from referee.files import set_aside, write_whole
from referee.jsonlines import is_name, shown
from referee.language import LANGUAGES, language_of
from referee.phrases import phrase
from referee.sayings import service as sayings

FILE = "settings.json"
BELLS = ("one", "seats", "microphone", "none")
SEAT_PINS = (17, 27, 22, 4, 25, 12, 16)
USABLE_PINS = range(2, 28)
"""BCM numbers; 0 and 1 belong to the system."""
_MOST_BYTES = 1 << 16
_UNUSABLE = "not_usable_here"
"""Under this name the file keeps values that this version could not use, when others are saved."""
_IN_THE_WAY = ("bell_pins", "bell", "sandtimer", "lamp")
"""Which settings give way first, where two of them want one pin."""
PAGE_CAMERA = r"^(picamera2(:[0-9])?|usb:[0-9]{1,2}|usb:/dev/v4l/by-id/[A-Za-z0-9_][A-Za-z0-9_.:+=@-]{0,200})$"
"""Cameras that a page may name, by their place or their lasting name: never a file or a folder of the machine."""
PUBLIC = (
    "language",
    "volume",
    "quiet",
    "quiet_hours",
    "camera",
    "camera_turned",
    "camera_mirrored",
    "bell",
    "bell_pins",
    "sandtimer",
    "lamp",
    "loudspeaker",
    "voice_page",
    "open_pictures",
)
"""What the page shows and changes."""


PAGE_NAME = r"^[0-9a-f]{0,64}$"
"""What a page calls itself when it is chosen to speak."""
Time = Annotated[str, Field(pattern=r"^([01][0-9]|2[0-3]):[0-5][0-9]$")]
Ns = Annotated[int, Field(ge=0)]


def _named(camera: str) -> str:
    if not is_name(camera):
        raise ValueError("no name")
    return camera


@dataclass(frozen=True, config=ConfigDict(strict=True))
class TableSettings:
    """What can be set.

    language: of all that is said and shown. volume: of speech, 0 to 1. quiet: nothing is said, the buzzer is still.
    quiet_hours: the time of day from which and to which it is quiet, "HH:MM" each; None: never.
    camera_turned, camera_mirrored: whether its pictures are upside down, or left and right swapped, and are put right.
    bell: "one" for all, one at each of the "seats", the game's own heard by a "microphone", or "none".
    bell_pins: BCM numbers of the buttons by seat. sandtimer: whether its sensors are fitted. sand: what calibration
    learned of it, ns (duration, spread, longest gap); None: nothing yet. lamp: whether lamp and buzzer are fitted.
    loudspeaker: whether there is one. voice_page: the name of the page that says everything aloud, too; "": none.
    open_pictures: whether every device at home sees pictures of the table, not only paired ones.
    """

    language: Annotated[str, Field(pattern=f"^({'|'.join(LANGUAGES)})$")] = "en"
    volume: Annotated[float, Field(ge=0, le=1)] = 1.0
    quiet: bool = False
    quiet_hours: tuple[Time, Time] | None = None
    camera: Annotated[str, AfterValidator(_named)] = "picamera2"
    camera_turned: bool = False
    camera_mirrored: bool = False
    bell: Annotated[str, Field(pattern=f"^({'|'.join(BELLS)})$")] = "one"
    bell_pins: tuple[int, ...] = (17,)
    sandtimer: bool = True
    sand: tuple[Ns, Ns, Ns] | None = None
    lamp: bool = True
    loudspeaker: bool = True
    voice_page: Annotated[str, Field(pattern=PAGE_NAME)] = ""
    open_pictures: bool = False

    def public(self) -> dict[str, Any]:
        """Give what the page shows and changes."""
        return {name: list(value) if isinstance(value := getattr(self, name), tuple) else value for name in PUBLIC}

    def changed(self, data: Mapping[str, Any]) -> TableSettings:
        """Give the settings with some of them changed.

        Raises:
            BadInputError: there is no such setting, or no such value of it.
        """
        known = {field.name for field in fields(self)}
        for name in data:
            if name not in known:
                raise BadInputError("error.mqtt.there_is_no_setting", name=shown(name))
        plain: dict[str, Any] = {
            name: tuple(value) if isinstance(value, list) else value for name, value in data.items()
        }
        try:
            return replace(self, **plain)
        except ValidationError as error:
            (first, *_) = error.errors(include_url=False)
            if isinstance(why := first.get("ctx", {}).get("error"), SettingError):
                raise why from None
            name = str((*first["loc"], *data)[0])
            raise BadInputError("error.service.setting_cannot_be", name=name, value=shown(data[name])) from None

    def is_quiet_at(self, hour: int, minute: int) -> bool:
        """Tell whether nothing is to be said at a time of day; quiet hours may go over midnight."""
        if self.quiet or self.volume == 0:
            return True
        if self.quiet_hours is None:
            return False
        start, end = self.quiet_hours
        now = f"{hour:02}:{minute:02}"
        return start <= now < end if start <= end else now >= start or now < end

    def other_devices(self, others: TableSettings) -> frozenset[str]:
        """Give which devices are set otherwise in `others`: "camera", "bell", "sandtimer", "lamp", "speaker"."""
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
        """Raise SettingError if a pin is none, is used twice, or there are too few or too many buttons."""
        if not 1 <= len(self.bell_pins) <= len(SEAT_PINS):
            raise SettingError("fault.too_many_buttons")
        wrong = next((pin for pin in self.bell_pins if pin not in USABLE_PINS), None)
        if wrong is not None:
            raise SettingError("fault.no_such_pin", pin=shown(wrong))
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

    def camera_turn(self) -> Turn:
        """Give how the camera's pictures are put right."""
        return Turn(self.camera_turned, self.camera_mirrored)

    def bell_settings(self) -> BellSettings:
        """Give the bell's settings."""
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
        """Give the sandtimer's settings, None if neither sensors nor its learned time can tell of it."""
        profile = None if self.sand is None else SandProfile(*self.sand)
        if self.sandtimer:
            return SandSettings(profile=profile)
        return None if profile is None else SandSettings(backend="watched", profile=profile)

    def lamp_settings(self) -> LampSettings:
        """Give the lamp's settings."""
        return LampSettings(backend="gpio" if self.lamp else "none")


def load_settings(folder: Path) -> tuple[TableSettings, str | None]:
    """Give the settings kept in a folder, and one sentence if not all of them could be taken.

    What this version does not know, or cannot use, stays in the file; only a file that makes no sense is set aside.
    """
    path = folder / FILE
    usual = TableSettings(language=language_of())
    try:
        settings, refused = _taken(usual, _kept(path))
    except FileNotFoundError:
        return usual, None
    except (OSError, ValueError, RecursionError):
        # The page reports what was set aside, at each start.
        return usual, None if set_aside(path) is not None else phrase("service.settings_could_not_be_read")
    return settings, sayings.settings_left(list(refused)) if refused else None


def unusable(data: Mapping[str, Any]) -> set[str]:
    """Give which settings this version cannot use."""
    return set(_taken(TableSettings(), data)[1])


def save_settings(folder: Path, settings: TableSettings) -> None:
    """Keep the settings; what another version put into the file stays there.

    Raises:
        WorkFailedError: the disk does not take them.
    """
    try:
        others = _kept(folder / FILE)
        _, refused = _taken(TableSettings(), others)
    except (OSError, ValueError, RecursionError):
        others, refused = {}, {}
    known = asdict(settings)
    kept = {name: value for name, value in others.items() if name not in known}
    unusable = {name: value for name, value in refused.items() if name in known}
    if unusable:
        before = kept.get(_UNUSABLE)
        kept[_UNUSABLE] = {**before, **unusable} if isinstance(before, dict) else unusable
    write_whole(folder / FILE, (json.dumps({**known, **kept}, indent=1) + "\n").encode())


def _kept(path: Path) -> dict[str, Any]:
    """Give what stands in the file. Raises OSError, ValueError or RecursionError if it cannot be read."""
    with path.open("rb") as file:
        data = json.loads(file.read(_MOST_BYTES))
    if not isinstance(data, dict):
        raise BadInputError("error.service.it_is_no_list_of")
    return data


def _taken(usual: TableSettings, data: Mapping[str, Any]) -> tuple[TableSettings, dict[str, Any]]:
    """Give the usual settings changed as far as can be, one by one, and what of `data` was not taken."""
    # Where nothing is fitted no setting stands in another one's way.
    bare = replace(usual, bell="none", sandtimer=False, lamp=False)
    taken: dict[str, Any] = {}
    refused: dict[str, Any] = {}
    for name, value in data.items():
        try:
            bare.changed({name: value})
        except BadInputError:
            if name != _UNUSABLE:
                refused[name] = value
        else:
            taken[name] = value
    for other in _IN_THE_WAY:
        try:
            return usual.changed(taken), refused
        except SettingError:
            if other in taken:
                refused[other] = taken.pop(other)
    return usual.changed(taken), refused
