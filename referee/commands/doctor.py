"""`ringmaster doctor`: checks every device and the computer, with advice."""

from __future__ import annotations

import math
import sys
from collections.abc import Iterator
from typing import TYPE_CHECKING

import click

from referee.commands import COMMANDS, options
from referee.errors import BadInputError
from referee.jsonlines import to_line
from referee.language import Language, language_of
from referee.output import Output, for_people
from referee.phrases import phrase

if TYPE_CHECKING:
    from hardware.problems import Problem
    from referee.doctor.machine import FittedDevices, Machine

WITHOUT_PINS = {
    "bell": phrase("doctor.call_bell_can_be_heard"),
    "sandtimer": phrase("doctor.sandtimer_can_be_used_without"),
    "lamp": phrase("doctor.games_can_be_judged_without"),
}


@click.command(help=COMMANDS["doctor"])
@options.as_json("print one JSON object a finding")
@click.option("--game", type=options.GAME, show_default="what any game needs", help="what must work for it")
@options.camera("picamera2")
@click.option("--bell", type=click.Choice(("gpio", "microphone", "none")), default="gpio", help="how it is heard")
@click.option("--sandtimer", type=click.Choice(("gpio", "watched", "none")), default="gpio", help="how it is seen")
@click.option("--lamp", type=click.Choice(("gpio", "none")), default="gpio", help="how it is lit")
@click.option("--speech", type=click.Choice(("auto", "espeak-ng", "piper", "none")), default="auto", help="what speaks")
@options.language
@click.option("--press", metavar="SECONDS", type=float, default=0.0, help="wait so long for you to ring")
@click.option("--silent", is_flag=True, help="make no sound and no light")
def command(
    as_json: bool,
    game: str | None,
    camera: str,
    bell: str,
    sandtimer: str,
    lamp: str,
    speech: str,
    press: float,
    silent: bool,
) -> int:
    """Print the findings; return 1 when a needed part does not work.

    Raises:
        BadInputError: an argument is invalid.
    """
    from hardware.camera.camera import parse_spec
    from hardware.settings import BellSettings, LampSettings, SandSettings
    from hardware.voice import SpeakerSettings
    from referee.doctor.machine import FittedDevices, Machine

    if not (math.isfinite(press) and press >= 0):
        raise BadInputError("error.commands.nobody_can_wait_seconds_for", seconds=press)
    parse_spec(camera)
    setup = FittedDevices(
        game=game,
        camera=camera,
        bell=BellSettings(backend=bell),
        sand=SandSettings(backend=sandtimer),
        lamp=LampSettings(backend=lamp),
        speaker=SpeakerSettings(backend=speech, language=language_of()),
        silent=silent,
        press_s=press,
    )
    return examine(setup, Machine(), as_json=as_json)


def examine(setup: FittedDevices, machine: Machine, *, as_json: bool) -> int:
    """Make all checks and print their findings; return 1 when a needed part does not work, else 0."""
    from hardware.problems import Health
    from referee.doctor.machine import ALWAYS_NEEDED, lacking
    from referee.games.registry import game_kind

    output = Output()
    findings: list[Problem] = []
    for found in _checks(setup, machine):
        findings += found
        if not as_json:
            for finding in found:
                output.line(_line(finding))
            output.flush()
    lacks = lacking(findings, setup.game)
    if as_json:
        needed = ALWAYS_NEEDED | (frozenset() if setup.game is None else game_kind(setup.game).devices) | lacks
        for finding in findings:
            output.line(to_line(_as_json(finding, finding.part in needed)))
    else:
        remarks = sum(finding.state in (Health.POOR, Health.MISSING) for finding in findings)
        output.line(_summary(lacks, setup.game, remarks))
    output.flush()
    return 1 if lacks else 0


def _checks(setup: FittedDevices, machine: Machine) -> Iterator[list[Problem]]:
    """Make the checks in order, the quick ones first."""
    from referee.announcer import sound_check
    from referee.doctor import checks

    yield checks.check_computer(machine)
    yield checks.check_permissions(machine)
    yield checks.check_power(machine)
    yield checks.check_clock(machine)
    yield checks.check_disk(machine)
    yield from _pin_checks(setup)
    if setup.bell.backend == "microphone":
        yield checks.check_microphone(setup.microphone)
    sentence = sound_check(Language(setup.speaker.language))
    yield checks.check_speech(setup.speaker, sentence, setup.silent)
    yield checks.check_camera(setup.camera, machine, setup.opener)


def _pin_checks(setup: FittedDevices) -> Iterator[list[Problem]]:
    from hardware.problems import Health, Problem
    from referee.doctor import checks

    backends = {"bell": setup.bell.backend, "sandtimer": setup.sand.backend, "lamp": setup.lamp.backend}
    yield [
        Problem(name, Health.SKIPPED, phrase(f"doctor.no_{name}_is_used"))
        for name in backends
        if backends[name] == "none"
    ]
    if setup.sand.backend == "watched":
        yield [Problem("sandtimer", Health.OK, phrase("doctor.sandtimer_has_no_sensor_its"))]
    wired = [name for name in backends if backends[name] == "gpio"]
    if not wired:
        return
    pins = checks.check_pins(setup.pins)
    yield pins
    if any(finding.state is Health.MISSING for finding in pins):
        yield [Problem(name, Health.MISSING, phrase(f"doctor.{name}_needs_pins"), WITHOUT_PINS[name]) for name in wired]
        return
    if "bell" in wired:
        yield checks.check_bell(setup.bell, setup.pins, setup.press_s, _prompt)
    if "sandtimer" in wired:
        yield checks.check_sandtimer(setup.sand, setup.pins)
    if "lamp" in wired:
        yield checks.check_lamp(setup.lamp, setup.pins, silent=setup.silent)


def _prompt(text: object) -> None:
    print(for_people(text), file=sys.stderr, flush=True)


def _line(finding: Problem) -> str:
    language = Language(language_of())
    said = " ".join(for_people(one) for one in (finding.message, finding.advice) if one)
    state = language.text(f"doctor.state.{finding.state.severity.value}")
    return f"{state:<6} {_part(finding.part, language) + ':':<14} {said}"


def _part(part: str, language: Language) -> str:
    """Return the name of a checked part."""
    known = f"doctor.part.{part.replace(' ', '_')}"
    return language.text(known) if known in language else part


def _as_json(finding: Problem, needed: bool) -> dict[str, object]:
    return {
        "check": finding.part,
        "state": finding.state.severity.value,
        "message": finding.message,
        "advice": finding.advice,
        "needed": needed,
    }


def _summary(lacks: frozenset[str], game: str | None, remarks: int) -> str:
    from referee.doctor.machine import EITHER

    of_game = {"game": game.capitalize()} if game else {}
    ready = "doctor.ready_for_game_of" if game else "doctor.ready_for_game"
    if lacks:
        parts = sorted(lacks if game else lacks - EITHER) + (
            ["bell or sandtimer"] if not game and lacks & EITHER else []
        )
        language = Language(language_of())
        named = language.list_of([_part(part, language) for part in parts])
        return for_people(
            phrase("doctor.not_ready_for_game_of" if game else "doctor.not_ready_for_game", parts=named, **of_game)
        )
    return for_people(phrase(f"{ready}.remarks" if remarks else ready, **of_game))
