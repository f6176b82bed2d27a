"""Which USB cameras there are, by Linux's video nodes: what each is called, and by which name it is found again.

The number of a node (`/dev/video2`) changes with the order in which cameras are found, and one camera has several
nodes: besides the one that gives pictures there is one for remarks on them ("metadata"), which is no camera. udev
keeps a name made of maker and serial number in `/dev/v4l/by-id` (Linux: Documentation/userspace-api/media/v4l,
VIDIOC_QUERYCAP).
"""

from __future__ import annotations

import fcntl
import os
import re
import struct
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from hardware.camera.camera import CameraMissingError

BY_ID = "v4l/by-id"
_QUERYCAP = 0x80685600
_CAPABILITY = struct.Struct("16s32s32sIII12x")
_VIDEO_CAPTURE = 0x1
_STREAMING = 0x0400_0000
_MOST_NODES = 64


@dataclass(frozen=True)
class Capability:
    """What a video node says of itself: its camera's name, the plug it sits in, and whether it gives pictures."""

    card: str
    bus: str
    gives_pictures: bool


@dataclass(frozen=True)
class UsbNode:
    """A USB camera. path: its node. card: what its maker calls it. lasting: its name in by-id, None if it has none."""

    path: Path
    card: str
    lasting: Path | None

    @property
    def spec(self) -> str:
        """What it is asked for by, as in `hardware.camera.camera.parse_spec`."""
        return f"usb:{self.lasting or self.path}"


Query = Callable[[Path], Capability | None]


def query(path: Path) -> Capability | None:
    """Ask a node what it is; None if it does not answer. Opening it disturbs nobody who is using it."""
    try:
        file = os.open(path, os.O_RDWR | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError:
        return None
    try:
        answer = bytearray(_CAPABILITY.size)
        fcntl.ioctl(file, _QUERYCAP, answer)
    except OSError:
        return None
    finally:
        os.close(file)
    _, card, bus, _, _, of_this_node = _CAPABILITY.unpack(answer)
    wanted = _VIDEO_CAPTURE | _STREAMING
    return Capability(_text(card), _text(bus), of_this_node & wanted == wanted)


def usb_cameras(devices: Path = Path("/dev"), ask: Query = query) -> tuple[UsbNode, ...]:
    """Give the USB cameras that are plugged in, one for each plug, in the order of their nodes."""
    lasting: dict[Path, Path] = {}
    folder = devices / BY_ID
    for link in sorted(folder.iterdir()) if folder.is_dir() else ():
        lasting.setdefault(link.resolve(), link)
    found: dict[str, UsbNode] = {}
    for path in _nodes(devices):
        said = ask(path)
        # Nodes of the Raspberry Pi's own video units give pictures, too; they sit in no plug.
        if said is not None and said.gives_pictures and said.bus.startswith("usb-"):
            found.setdefault(said.bus, UsbNode(path, said.card, lasting.get(path.resolve())))
    return tuple(found.values())


def node_of(which: str, devices: Path = Path("/dev"), ask: Query = query) -> tuple[Path, str]:
    """Give the node of a camera and what to call it. which: a number, a path, or "" for the only one.

    A number that stands for no camera (any more) means the only camera there is.

    Raises:
        CameraMissingError: it is not there, or nobody can tell which one is meant.
    """
    cameras = usb_cameras(devices, ask)
    if which.startswith("/"):
        return _named(Path(which), cameras, ask)
    wanted = devices / f"video{which or 0}"
    for camera in cameras:
        if camera.path == wanted:
            return camera.path, camera.card
    if len(cameras) == 1:
        return cameras[0].path, cameras[0].card
    if cameras:
        raise CameraMissingError(f"USB camera {which or 0} is not there; there are {_listed(cameras)}.")
    if wanted.exists() and ask(wanted) is None:
        # A driver that does not answer here may still give pictures.
        return wanted, f"USB camera {which or 0}"
    raise CameraMissingError(f"USB camera {which or 0} is not there: is its cable in?")


def _named(path: Path, cameras: tuple[UsbNode, ...], ask: Query) -> tuple[Path, str]:
    short = re.sub(r"^usb-|-video-index\d+$", "", path.name) if path.parent.name == "by-id" else str(path)
    if not path.exists():
        others = f" Another one is: {_listed(cameras)}." if cameras else ""
        raise CameraMissingError(f"USB camera {short} is not there, or another program is using it.{others}")
    said = ask(path)
    if said is not None and not said.gives_pictures:
        raise CameraMissingError(f"{path} gives no pictures: choose {_listed(cameras) if cameras else 'another one'}.")
    return path.resolve(), said.card if said is not None else f"USB camera {short}"


def _nodes(devices: Path) -> list[Path]:
    numbered = [
        (int(match[1]), path) for path in devices.glob("video*") if (match := re.fullmatch(r"video(\d+)", path.name))
    ]
    return [path for _, path in sorted(numbered)][:_MOST_NODES]


def _listed(cameras: tuple[UsbNode, ...]) -> str:
    return ", ".join(f"{camera.card} ({camera.spec})" for camera in cameras)


def _text(raw: bytes) -> str:
    text = raw.split(b"\0", 1)[0].decode("ascii", errors="replace")
    return " ".join("".join(letter if letter.isprintable() else " " for letter in text).split())
