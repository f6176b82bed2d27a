"""`make rehearsal`: installs Ringmaster in the rehearsal machine and tests everything that needs a real kernel.

Prints a line a check; exit status 1 if one fails. Only a Raspberry Pi's own devices are replaced: input lines come from
the kernel's GPIO simulator, frames from libcamera's Virtual camera.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
import time
import urllib.request
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from pathlib import Path

from tools.rehearsal.machine import MachineError, ScriptResult, VirtualMachine
from tools.rehearsal.pictures import Pictured, confetti, piccolino
from tools.rehearsal.prepare import HERE, PROJECT, build, libraries, project

PLACE = "/opt/rehearsal"
# Compiling all libraries, most of them unused, would take this machine 15 minutes each time.
ENV = f"PIP_NO_INDEX=1 PIP_FIND_LINKS={PLACE}/wheels PIP_NO_COMPILE=1"
INSTALL = f"cd {PLACE}/ringmaster && {ENV} make --no-print-directory install OPTIONS=--any-computer"
LOADED = "referee.web.app, referee.web.server, referee.match.referee, referee.match.devices, referee.watchers.setup"
UNINSTALL = f"cd {PLACE}/ringmaster && make --no-print-directory uninstall"
UNIT = "/etc/systemd/system/ringmaster.service"
AS_REFEREE = "runuser -u ringmaster -- env -C /tmp LIBCAMERA_LOG_LEVELS=*:FATAL"
INSIDE = f"{AS_REFEREE} PYTHONPATH={PLACE} /opt/ringmaster/current/bin/python {PLACE}/"
STATE = "/var/lib/ringmaster"
BELL = "/run/gpio-sim/sim_gpio17/pull"
EXPOSURE_MOST = 2.0
PRESSES, SEED = 200, 7
TIMED_S = 20
INSTALL_LIMIT_S = 7200
HUNG_LIMIT_S = 600

# The unit's own file stays unchanged. A Raspberry Pi has its name in /proc, and its camera's memory in /dev/dma_heap.
# It is several times as fast as this machine.
DROP_IN = f"""[Service]
BindReadOnlyPaths={PLACE}/cpuinfo:/proc/cpuinfo
DeviceAllow=/dev/udmabuf rw
TimeoutStartSec=900
TimeoutStopSec=60
WatchdogSec=60
"""


@dataclass
class Rehearsal:
    """The machine, and the checks that failed."""

    machine: VirtualMachine
    failed: list[str] = field(default_factory=list)

    def check(self, name: str, found: Callable[[VirtualMachine], tuple[bool, str]]) -> None:
        """Make one check and print its line."""
        begin = time.monotonic()
        try:
            right, text = found(self.machine)
        except OSError as error:
            right, text = False, f"the machine does not answer: {error}"
        if not right:
            self.failed.append(name)
        print(f"{'ok  ' if right else 'FAIL'} {name}: {text} [{time.monotonic() - begin:.0f} s]", flush=True)


def give(machine: VirtualMachine, wheels: bytes) -> None:
    """Copy project, libraries and scripts into the machine."""
    machine.put(f"{PLACE}/wheels.tar", wheels)
    machine.put(f"{UNIT}.d/rehearsal.conf", DROP_IN.encode())
    for script in ("presses.py", "frames.py", "delays.py", "ring.py"):
        machine.put(f"{PLACE}/{script}", (HERE / "inside" / script).read_bytes())
    # Unlike a Raspberry Pi: memory for the buffers of libcamera's Virtual camera.
    machine.run("chgrp video /dev/udmabuf && chmod 660 /dev/udmabuf; chmod a+w /run/gpio-sim/sim_gpio*/pull")
    machine.run(f"date -s @{time.time():.0f}; mkdir {PLACE}/wheels && tar -C {PLACE}/wheels -xf {PLACE}/wheels.tar")
    unpack(machine, project())


def point_camera(machine: VirtualMachine, picture: Pictured) -> None:
    """Show the camera another table, from its next opening on."""
    for number in range(3):
        machine.put(f"{PLACE}/frames/{number}.jpg", picture.jpeg)


def unpack(machine: VirtualMachine, source: bytes) -> None:
    """Unpack the project again, as after a download."""
    machine.put(f"{PLACE}/ringmaster.tar", source)
    machine.run(
        f"rm -rf {PLACE}/ringmaster && mkdir {PLACE}/ringmaster && tar -C {PLACE}/ringmaster -xf {PLACE}/ringmaster.tar"
    )


def installed(machine: VirtualMachine) -> tuple[bool, str]:
    """Install as a new user does."""
    done = machine.run(INSTALL, limit_s=INSTALL_LIMIT_S)
    if done.status != 0:
        return False, f"{done.text}\n{machine.run('tail -n 15 /var/log/ringmaster-install.log').text}"
    # Each further start then takes less of this machine's time.
    machine.run(f'cd /tmp && /opt/ringmaster/current/bin/python -c "import {LOADED}"')
    return "ringmaster.local" in done.text, f"make install says: {done.text.splitlines()[-2]}"


def silent(machine: VirtualMachine) -> tuple[bool, str]:
    """Check that systemd accepts the unit and its exposure is low."""
    verified = machine.run(f"systemd-analyze verify {UNIT}")
    said = machine.run("systemd-analyze security --no-pager ringmaster.service").text
    exposure = re.search(r"exposure level for ringmaster.service: ([\d.]+)", said)
    level = float(exposure[1]) if exposure else 10.0
    right = verified == ScriptResult(0, "") and level <= EXPOSURE_MOST
    return right, f"systemd-analyze verify says {verified.text or 'nothing'}; exposure {level}"


def running(machine: VirtualMachine) -> tuple[bool, str]:
    """Check that the service runs and serves its page to the host."""
    shown = machine.run("systemctl show -p ActiveState,NRestarts,User ringmaster").text
    state = dict(line.split("=", 1) for line in shown.splitlines())
    with urllib.request.urlopen(f"http://127.0.0.1:{machine.page_port}/", timeout=900) as answer:
        page = answer.read()
    right = state == {"ActiveState": "active", "NRestarts": "0", "User": "ringmaster"} and b"<html" in page
    return right, f"{', '.join(shown.splitlines())}; its page has {len(page)} bytes"


def doctor(machine: VirtualMachine) -> tuple[bool, str]:
    """Check that the doctor finds no fault."""
    machine.run("systemctl stop ringmaster")
    done = machine.run(f"{AS_REFEREE} ringmaster doctor --silent 2>/tmp/doctor.log")
    text = done.text if done.status == 0 else f"{done.text}\n{machine.run('tail -n 9 /tmp/doctor.log').text}"
    return done.status == 0 and "FAULT" not in text, "\n       ".join(text.splitlines())


def presses(machine: VirtualMachine) -> tuple[bool, str]:
    """Press simulated buttons through the kernel, lgpio, gpiozero and the debouncer."""
    done = machine.run(f"{INSIDE}presses.py {PRESSES} {SEED}")
    return done.status == 0, done.last_line if done.status == 0 else done.text


def frames(faces: Iterable[str]) -> Callable[[VirtualMachine], tuple[bool, str]]:
    """Read frames through picamera2 and find the cards in one."""

    def look(machine: VirtualMachine) -> tuple[bool, str]:
        done = machine.run(f"{INSIDE}frames.py {' '.join(sorted(faces))} 2>/tmp/frames.log")
        text = done.text if done.status == 0 else f"{done.text}\n{machine.run('tail -n 15 /tmp/frames.log').text}"
        return done.status == 0, "; ".join(text.splitlines())

    return look


def timing(machine: VirtualMachine) -> tuple[bool, str]:
    """Measure the delays of edges from the kernel's lines, and of frames from picamera2."""
    ring = f"echo pull-down >{BELL}; sleep 0.1; echo pull-up >{BELL}; sleep 0.4"
    measure = f"{INSIDE}delays.py {TIMED_S}"
    done = machine.run(
        f"(while true; do {ring}; done) & {measure} 2>/tmp/times.log; s=$?; kill $!; echo pull-up >{BELL}; exit $s"
    )
    text = done.text if done.status == 0 else f"{done.text}\n{machine.run('tail -n 9 /tmp/times.log').text}"
    return done.status == 0, "\n       ".join(text.splitlines())


def rung(picture: Pictured) -> Callable[[VirtualMachine], tuple[bool, str]]:
    """Start a game on the service's page, ring on a simulated line, and check that the pair is ruled valid."""

    def play(machine: VirtualMachine) -> tuple[bool, str]:
        point_camera(machine, picture)
        machine.run("systemctl start ringmaster")
        done = machine.run(f"python3 {PLACE}/ring.py {' '.join(picture.truth)}", limit_s=INSTALL_LIMIT_S)
        kept_text = machine.run(f"{AS_REFEREE} ringmaster history --state {STATE}").last_line
        text = f"{done.last_line} In the history: {kept_text}"
        return done.status == 0 and "piccolino" in kept_text, text

    return play


def stopped(machine: VirtualMachine) -> tuple[bool, str]:
    """Stop the service in mid-game, and check that it ends by itself and resumes the game."""
    begin = machine.uptime_s()
    machine.run("systemctl stop ringmaster")
    took_s = machine.uptime_s() - begin
    result = machine.run("systemctl show -P Result ringmaster").text
    machine.run("systemctl start ringmaster")
    mode = page_mode(machine)
    return (result, mode) == ("success", "playing"), (
        f"systemctl stop took {took_s:.1f} s of this machine's time, result {result}; started again, the game is {mode}"
    )


def hung(machine: VirtualMachine) -> tuple[bool, str]:
    """Freeze the service's process, and check that systemd restarts it and that the game is resumed."""
    old = machine.run("systemctl show -P MainPID ringmaster").text
    machine.run(f"kill -STOP {old}")
    begin, new = machine.uptime_s(), old
    while machine.uptime_s() < begin + HUNG_LIMIT_S and new in (old, "0"):
        time.sleep(2)
        up = machine.run("systemctl is-active --quiet ringmaster").status == 0
        new = machine.run("systemctl show -P MainPID ringmaster").text if up else old
    took_s = machine.uptime_s() - begin
    why = machine.run("journalctl -u ringmaster --no-pager | grep -c 'Watchdog timeout'").text
    restarts = machine.run("systemctl show -P NRestarts ringmaster").text
    mode = page_mode(machine)
    right = new not in (old, "0") and (why, restarts, mode) == ("1", "1", "playing")
    return right, f"watchdog time-outs {why}, restarts {restarts}, up again {took_s:.0f} s after it hung; game: {mode}"


def page_mode(machine: VirtualMachine) -> str:
    """Return the game's mode by the page: idle, playing, paused or over."""
    with urllib.request.urlopen(f"http://127.0.0.1:{machine.page_port}/api/state", timeout=900) as answer:
        return str(json.load(answer)["mode"])


def upgraded(machine: VirtualMachine) -> tuple[bool, str]:
    """Install a newer version, then one that does not start; the games must stay."""
    before = history(machine)
    # The service may run during an upgrade; here it would take the time of the only processor.
    machine.run("systemctl stop ringmaster")
    settings = (PROJECT / "pyproject.toml").read_text(encoding="utf-8")
    newer = re.sub(r'(?m)^version = ".*"', 'version = "99.0"', settings)
    unpack(machine, project({"pyproject.toml": newer}))
    done = machine.run(INSTALL, limit_s=INSTALL_LIMIT_S)
    version = installed_version(machine)
    machine.run("systemctl stop ringmaster")
    unpack(machine, project({"referee/commands/run.py": "raise SystemExit('this version is broken')\n"}))
    broken = machine.run(INSTALL, limit_s=INSTALL_LIMIT_S)
    after = installed_version(machine), machine.run("systemctl is-active ringmaster").text
    said = next((line for line in broken.text.splitlines() if "runs again" in line), broken.last_line)
    right = done.status == 0 and version == "99.0" and broken.status != 0 and after == ("99.0", "active")
    kept = bool(before) and history(machine) == before
    return right and kept, (
        f"upgraded to {version}; a broken one says: {said} The service is {after[1]}; games kept: {kept}"
    )


def removed(machine: VirtualMachine) -> tuple[bool, str]:
    """Uninstall, install again and find the games, then remove the games, too."""
    before = history(machine)
    first = machine.run(UNINSTALL)
    left = machine.run(f"ls -d /opt/ringmaster {UNIT} /usr/local/bin/ringmaster 2>/dev/null").text.split()
    still = machine.run(f"stat -c %U {STATE}").text == "ringmaster"
    unpack(machine, project())
    back = machine.run(INSTALL, limit_s=INSTALL_LIMIT_S).status == 0 and history(machine) == before != ""
    last = machine.run(f"{UNINSTALL} PURGE=yes")
    gone = machine.run(f"ls -d {STATE}").status != 0 and machine.run("id ringmaster").status != 0
    right = first.status == last.status == 0 and not left and still and back and gone
    return right, (
        f"{first.last_line} Left over: {' '.join(left) or 'nothing'}. Installed again, the games "
        f"{'are there' if back else 'ARE NOT THERE'}. Then, with PURGE=yes: {last.last_line}"
    )


def history(machine: VirtualMachine) -> str:
    """Return the games in the journal, a line each."""
    return machine.run(f"{AS_REFEREE} ringmaster history --json --state {STATE} 2>/dev/null").text


def installed_version(machine: VirtualMachine) -> str:
    """Return the installed version's number."""
    code = "import importlib.metadata as m; print(m.version('ringmaster'))"
    return machine.run(f'/opt/ringmaster/current/bin/python -c "{code}"').text


def main() -> int:
    """Build if needed, rehearse, and print the results."""
    parser = argparse.ArgumentParser(description="Rehearse Ringmaster in an emulated computer with a real kernel.")
    parser.add_argument(
        "--folder", type=Path, default=PROJECT / "build" / "rehearsal", help="where the machine is kept"
    )
    folder = parser.parse_args().folder.resolve()
    try:
        build(folder)
        wheels = libraries(folder)
        with VirtualMachine(folder, restore=True) as machine:
            print(f"The machine is there in {machine.wait():.1f} s.", flush=True)
            return rehearse(Rehearsal(machine), wheels)
    except MachineError as error:
        print(error, file=sys.stderr)
        return 1


def rehearse(rehearsal: Rehearsal, wheels: bytes) -> int:
    """Make all checks; return 1 if one failed."""
    machine, table, pair = rehearsal.machine, confetti(), piccolino()
    give(machine, wheels)
    point_camera(machine, table)
    rehearsal.check("install", installed)
    rehearsal.check("unit", silent)
    rehearsal.check("service", running)
    rehearsal.check("doctor", doctor)
    rehearsal.check("bell", presses)
    rehearsal.check("camera", frames(table.truth))
    rehearsal.check("times", timing)
    rehearsal.check("ring", rung(pair))
    rehearsal.check("stop", stopped)
    rehearsal.check("watchdog", hung)
    rehearsal.check("upgrade", upgraded)
    rehearsal.check("uninstall", removed)
    failed = rehearsal.failed
    print(f"Failed: {', '.join(failed)}" if failed else "All of the rehearsal went well.")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
