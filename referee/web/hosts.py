"""Under which names the page may be asked for: a name that somebody else's name server gives is none of them."""

from __future__ import annotations

import socket
from collections.abc import Iterable
from ipaddress import IPv6Address, ip_address
from urllib.parse import urlsplit

ALWAYS = ("localhost", "ringmaster", "ringmaster.local")


def own_names(more: Iterable[str] = ()) -> frozenset[str]:
    """Give the names of this machine, in small letters: those of every Ringmaster, its own, and `more`."""
    own = socket.gethostname().lower().removesuffix(".local")
    return frozenset({*ALWAYS, own, f"{own}.local", *(name.lower() for name in more)})


def is_own_host(host: str, names: frozenset[str], reached: str | None) -> bool:
    """Tell whether a Host header means this machine.

    names: those of `own_names`. reached: the address of ours that the browser has connected to; an address as Host must
    be that one. A name from a foreign name server fails, whatever address it gives (DNS rebinding).
    """
    name = name_of(host)
    if name is None:
        return False
    if name in names:
        return True
    try:
        address = ip_address(name)
        return address.is_loopback or (reached is not None and _plain(reached) == str(address))
    except ValueError:
        return False


def name_of(host: str) -> str | None:
    """Give a Host header's name without its port, in small letters; None if it is none."""
    try:
        parts = urlsplit(f"//{host}")
        _checked_by_reading = parts.port
    except ValueError:
        return None
    if parts.username is not None or parts.path or parts.query or parts.fragment:
        return None
    return None if parts.hostname is None else parts.hostname.rstrip(".").split("%")[0]


def _plain(address: str) -> str:
    """Give an address without its zone, an IPv4 one that came over IPv6 as such."""
    known = ip_address(address.split("%")[0])
    if isinstance(known, IPv6Address) and known.ipv4_mapped is not None:
        return str(known.ipv4_mapped)
    return str(known)


def is_this_machine(address: str | None) -> bool:
    """Tell whether a browser runs on this machine: its screen stands in the room, so it may show the code."""
    if address is None:
        return False
    try:
        return ip_address(_plain(address)).is_loopback
    except ValueError:
        return False
