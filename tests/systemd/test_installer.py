"""The installer: what it does in which order, what it says when it cannot, and that the games survive everything."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

import installer
import pytest
from install_host import Host, InstallError

BOOKWORM = 'PRETTY_NAME="Debian GNU/Linux 12 (bookworm)"\nID=debian\nVERSION_ID="12"\n'
TRIXIE = 'PRETTY_NAME="Debian GNU/Linux 13 (trixie)"\nID=debian\nVERSION_ID="13"\n'
GIB = 1 << 30


class PiHost(Host):
    """A Raspberry Pi whose files are in a folder and whose programs do nothing but what the installer needs of them.

    failing: the beginnings of commands that fail. answers: what programs print when they are asked.
    """

    def __init__(self, root: Path, *failing: str) -> None:
        super().__init__(root)
        self.failing = failing
        self.commands: list[str] = []
        self.answers = {
            "dpkg --print-architecture": "arm64",
            "dpkg-query -Wf${Status} espeak-ng": "install ok installed",
            "apt-cache show python3-picamera2": "Package: python3-picamera2",
            "/usr/bin/python3 -c": "1.24.2",
        }
        self.free = 8 * GIB
        self.constraints: list[str] = []
        for path, text in {
            "etc/os-release": BOOKWORM,
            "proc/device-tree/model": "Raspberry Pi 5 Model B Rev 1.0\0",
            "etc/hostname": "raspberrypi\n",
            "etc/hosts": "127.0.0.1\tlocalhost\n127.0.1.1\traspberrypi\n",
        }.items():
            (root / path).parent.mkdir(parents=True, exist_ok=True)
            (root / path).write_text(text, encoding="utf-8")

    @property
    def is_root(self) -> bool:
        return "root" not in self.failing

    def ask(self, *command: str) -> str:
        line = " ".join(command)
        return next((answer for begin, answer in self.answers.items() if line.startswith(begin)), "")

    def free_bytes(self, path: str) -> int:
        return self.free

    def _execute(self, command: Sequence[str], folder: str | None) -> bool:
        line = " ".join(command)
        self.commands.append(line)
        if "-m venv" in line:
            (self.root / command[-1].lstrip("/") / "bin").mkdir(parents=True)
        if "--constraint" in command:
            self.constraints.append(Path(command[command.index("--constraint") + 1]).read_text(encoding="utf-8"))
        return not any(line.startswith(begin) or f" {begin}" in line for begin in self.failing)

    def ran(self, begin: str) -> list[str]:
        """Return the commands that begin so."""
        return [command for command in self.commands if command.startswith(begin)]


@pytest.fixture
def pi(tmp_path: Path) -> PiHost:
    return PiHost(tmp_path)


def game_of(host: PiHost) -> Path:
    """Put a game where the referee keeps them, and give its place."""
    game = host.root / "var/lib/ringmaster/games.db"
    game.parent.mkdir(parents=True, exist_ok=True)
    game.write_text("a game", encoding="utf-8")
    return game


def test_a_new_pi_gets_a_running_referee(pi: PiHost, capsys: pytest.CaptureFixture[str]) -> None:
    installer.install(pi)
    assert pi.link_target("/opt/ringmaster/current") == "/opt/ringmaster/env-1"
    assert pi.link_target("/usr/local/bin/ringmaster") == "/opt/ringmaster/current/bin/ringmaster"
    assert "ExecStart=/opt/ringmaster/current/bin/ringmaster run" in pi.text("/etc/systemd/system/ringmaster.service")
    assert pi.commands[-1] == "systemctl restart ringmaster.service"
    assert pi.ran("systemctl enable") == [
        "systemctl enable --quiet ringmaster.service",
        "systemctl enable --quiet --now ringmaster-power.path",
    ]
    assert pi.ran("hostnamectl") == ["hostnamectl set-hostname ringmaster"]
    assert pi.text("/etc/hosts") == "127.0.0.1\tlocalhost\n127.0.1.1\tringmaster\n"
    assert "http://ringmaster.local" in capsys.readouterr().out


@pytest.mark.parametrize(("system", "numpy"), [(BOOKWORM, "1.24.2"), (TRIXIE, "2.2.4")])
def test_the_systems_numpy_stays(pi: PiHost, system: str, numpy: str) -> None:
    (pi.root / "etc/os-release").write_text(system, encoding="utf-8")
    pi.answers["/usr/bin/python3 -c"] = numpy
    installer.install(pi)
    assert pi.constraints == [f"numpy=={numpy}\n"]
    assert "--system-site-packages" in pi.ran("/usr/bin/python3 -m venv")[0]


def test_only_missing_packages_are_fetched_and_a_second_installation_replaces_the_first(pi: PiHost) -> None:
    installer.install(pi)
    (fetched,) = pi.ran("apt-get install")
    assert "python3-lgpio" in fetched and "espeak-ng" not in fetched
    game = game_of(pi)
    pi.commands.clear()
    pi.answers["dpkg-query"] = "install ok installed"
    installer.install(pi)
    assert pi.ran("apt-get") == []
    assert pi.link_target("/opt/ringmaster/current") == "/opt/ringmaster/env-2"
    assert pi.folders("/opt/ringmaster", "env-*") == ["/opt/ringmaster/env-2"]
    assert game.read_text(encoding="utf-8") == "a game"


def test_an_upgrade_that_does_not_start_is_taken_back_and_a_first_one_says_what_to_do(pi: PiHost) -> None:
    restart = "systemctl restart ringmaster"
    pi.failing = (restart,)
    with pytest.raises(InstallError, match="ringmaster doctor"):
        installer.install(pi)
    pi.failing = ()
    installer.install(pi)
    kept, restarts = pi.folders("/opt/ringmaster", "env-*"), len(pi.ran(restart))
    pi.failing = (restart,)
    with pytest.raises(InstallError, match="the one before runs again"):
        installer.install(pi)
    assert [pi.link_target("/opt/ringmaster/current")] == kept == pi.folders("/opt/ringmaster", "env-*")
    assert len(pi.ran(restart)) == restarts + 2


@pytest.mark.parametrize("failing", ["apt-get install", "pip", "-c import"])
def test_an_upgrade_that_fails_early_leaves_the_old_one(pi: PiHost, failing: str) -> None:
    installer.install(pi)
    restarts = len(pi.ran("systemctl restart"))
    pi.failing = (failing,)
    with pytest.raises(InstallError):
        installer.install(pi)
    assert pi.link_target("/opt/ringmaster/current") == "/opt/ringmaster/env-1"
    assert pi.folders("/opt/ringmaster", "env-*") == ["/opt/ringmaster/env-1"]
    assert len(pi.ran("systemctl restart")) == restarts


def system(text: str) -> Callable[[PiHost], object]:
    return lambda pi: (pi.root / "etc/os-release").write_text(text, encoding="utf-8")


def fails(begin: str) -> Callable[[PiHost], object]:
    return lambda pi: setattr(pi, "failing", (begin,))


@pytest.mark.parametrize(
    ("fault", "said"),
    [
        (lambda pi: (pi.root / "proc/device-tree/model").unlink(), "no Raspberry Pi"),
        (lambda pi: pi.answers.update({"dpkg --print-architecture": "armhf"}), "64-bit"),
        (system('PRETTY_NAME="bullseye"\nID=debian\nVERSION_ID="11"\n'), "this is bullseye"),
        (system('PRETTY_NAME="Fedora"\nID=fedora\nVERSION_ID=42\n'), "this is Fedora"),
        (lambda pi: setattr(pi, "free", GIB // 2), "1 GB"),
        (fails("root"), "sudo"),
        (fails("apt-get"), "on the network"),
        (fails("pip"), "on the network"),
        (lambda pi: pi.answers.pop("apt-cache show python3-picamera2"), "Raspberry Pi OS"),
    ],
)
def test_every_failure_is_one_sentence(pi: PiHost, fault: Callable[[PiHost], object], said: str) -> None:
    fault(pi)
    with pytest.raises(InstallError, match=said) as failure:
        installer.install(pi)
    assert "\n" not in str(failure.value)
    assert pi.link_target("/opt/ringmaster/current") is None


def test_a_computer_that_has_a_name_keeps_it(pi: PiHost, capsys: pytest.CaptureFixture[str]) -> None:
    (pi.root / "etc/hostname").write_text("attic\n", encoding="utf-8")
    installer.install(pi)
    assert pi.ran("hostnamectl") == []
    assert "http://attic.local" in capsys.readouterr().out


def test_uninstalling_keeps_the_games_and_purging_does_not(pi: PiHost) -> None:
    installer.install(pi)
    game = game_of(pi)
    installer.uninstall(pi)
    assert game.read_text(encoding="utf-8") == "a game"
    assert pi.ran("userdel") == []
    assert pi.ran("systemctl disable")[-1] == "systemctl disable --now ringmaster-power.path"
    installer.uninstall(pi)
    left = [path for path in pi.root.rglob("*ringmaster*") if "var/" not in str(path.relative_to(pi.root))]
    assert left == []
    installer.uninstall(pi, purge=True)
    assert not game.parent.exists()
    assert pi.ran("userdel") == ["userdel ringmaster"]


def test_only_the_sources_are_installed_and_all_of_them(tmp_path: Path) -> None:
    source = tmp_path / "source"
    source.mkdir()
    with pytest.raises(InstallError, match="download Ringmaster again"):
        installer.copy_source(source, tmp_path / "nothing")
    for part in (*installer.SOURCE_PARTS, "build"):
        if "." in part or part == "LICENSE":
            (source / part).write_text(part, encoding="utf-8")
        else:
            (source / part / "__pycache__").mkdir(parents=True)
            (source / part / "code.py").write_text("", encoding="utf-8")
    installer.copy_source(source, tmp_path / "copy")
    copied = {path.name for path in (tmp_path / "copy").rglob("*")}
    assert "code.py" in copied and not copied & {"__pycache__", "build"}


def test_a_dry_run_changes_nothing_and_a_failure_is_status_1(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(installer, "Host", lambda dry, log: Host(tmp_path, dry=dry))
    assert installer.main(["install", "--dry-run"]) == 1
    assert capsys.readouterr().err == "Ringmaster needs Raspberry Pi OS, bookworm or newer; this is another system.\n"
    PiHost(tmp_path)
    before = sorted(tmp_path.rglob("*"))
    assert installer.main(["install", "--dry-run", "--any-computer"]) == 0
    said = capsys.readouterr().out
    assert "would run systemctl restart ringmaster.service" in said
    assert "would write /etc/systemd/system/ringmaster.service" in said
    assert sorted(tmp_path.rglob("*")) == before


def test_a_program_that_is_missing_or_fails_is_logged(tmp_path: Path) -> None:
    host = Host(tmp_path)
    with pytest.raises(InstallError, match=r"It did not work\. \(/var/log/ringmaster-install\.log tells more\.\)"):
        host.run(("/nowhere/at-all",), "It did not work.")
    assert "/nowhere/at-all" in host.text("/var/log/ringmaster-install.log")
    assert host.try_run("true") and not host.try_run("false")
