"""The check of the camera: that it gives pictures, on our clock, with exposure and white balance held."""

from __future__ import annotations

import queue
import threading
from collections.abc import Callable

from hardware.camera.camera import Camera, CameraSettings, CameraTimeoutError, parse_spec
from hardware.camera.frames import Frame
from hardware.problems import HardwareError
from hardware.settings import MS, SECOND
from referee.doctor.finding import Finding, State
from referee.doctor.machine import Machine

# Focus, white balance and exposure are found first: some seconds on a Raspberry Pi.
LIMIT_S = 45.0
TRIES = 5
DARK = 6.0
FUTURE_NS, OLD_NS = 50 * MS, 5 * SECOND
FILES = ("folder", "video", "recording")

Opener = Callable[[str, CameraSettings], Camera]


def check_camera(spec: str, machine: Machine, opener: Opener, limit_s: float = LIMIT_S) -> list[Finding]:
    """Open the camera and look at some pictures. A driver that hangs is left alone after `limit_s` seconds."""
    answer: queue.SimpleQueue[list[Finding]] = queue.SimpleQueue()

    def look() -> None:
        answer.put(_look(spec, machine, opener))

    threading.Thread(target=look, name="doctor camera", daemon=True).start()
    try:
        return answer.get(timeout=limit_s)
    except queue.Empty:
        message = f"The camera does not answer within {limit_s:.0f} seconds."
        return [Finding("camera", State.FAULT, message, "Take its power or cable off, put it on again, and restart.")]


def _look(spec: str, machine: Machine, opener: Opener) -> list[Finding]:
    try:
        camera = opener(spec, CameraSettings())
    except HardwareError as error:
        return [Finding("camera", State.FAULT, str(error))]
    try:
        frame = _picture(camera)
        if frame is None:
            message = "The camera is there but gives no pictures."
            return [Finding("camera", State.FAULT, message, "Check its cable, and restart.")]
        findings = [_judge(frame, camera.name), _clock(frame, machine)]
        return findings[:1] if parse_spec(spec)[0] in FILES else [*findings, _lock(camera)]
    except HardwareError as error:
        return [Finding("camera", State.FAULT, str(error))]
    finally:
        camera.close()


def _picture(camera: Camera) -> Frame | None:
    frame = None
    for _ in range(TRIES):
        try:
            frame = camera.read() or frame
        except CameraTimeoutError:
            continue
    return frame


def _judge(frame: Frame, name: str) -> Finding:
    if float(frame.grey().mean()) < DARK:
        message = f"{name} sees only black."
        return Finding("camera", State.FAULT, message, "Take the cap off the lens, and light the table.")
    height, width = frame.bgr().shape[:2]
    return Finding("camera", State.OK, f"{name} gives pictures of {width} by {height} pixels.")


def _clock(frame: Frame, machine: Machine) -> Finding:
    age_ns = machine.monotonic_ns() - frame.exposure_end_ns
    if -FUTURE_NS <= age_ns <= OLD_NS:
        return Finding(
            "camera clock", State.OK, f"Pictures are on our clock, {max(0, age_ns) / MS:.0f} ms old when read."
        )
    message = "The camera's time is not the time of our clock; rings cannot be judged on its pictures."
    return Finding("camera clock", State.FAULT, message, "Update the system: sudo apt full-upgrade.")


def _lock(camera: Camera) -> Finding:
    if not camera.notes:
        return Finding("camera lock", State.OK, "Exposure and white balance are held on the table.")
    return Finding("camera lock", State.REMARK, " ".join(camera.notes))
