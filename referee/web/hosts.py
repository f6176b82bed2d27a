"""Under which names the page may be asked for: a name that somebody else's name server gives is none of them.

A page from elsewhere may have its own name lead to this machine (DNS rebinding), and would then be taken for ours. So a
name counts only if nobody on the internet can have it: this machine's own name, alone or before an ending that public
name servers do not know (RFC 6762 G, RFC 8375) or that this network gives to its machines.
"""

from __future__ import annotations

import re
import socket
from collections.abc import Iterable
from dataclasses import dataclass, field
from ipaddress import IPv4Address, IPv6Address, ip_address, ip_network
from pathlib import Path

LABELS = ("ringmaster",)
PRIVATE_ENDINGS = frozenset(
    {"local", "lan", "home", "home.arpa", "internal", "intranet", "private", "corp", "localdomain", "fritz.box"}
)
"""No public name ends in these; `fritz.box` does, and belongs to the maker of the routers that give it to machines."""
RESOLVER = Path("/etc/resolv.conf")
ANNOUNCED = Path("/run/avahi-daemon/socket")
"""There as long as this machine answers to its own name (mDNS)."""
_MOST_BYTES = 1 << 16
_RENAMED = re.compile(r"-[0-9]{1,3}$")
"""What avahi adds to a name that another machine has already."""
_HOST = re.compile(
    r"(?:(?P<name>[A-Za-z0-9._-]+)|\[(?P<address>[0-9A-Fa-f:.]+)(?:%[A-Za-z0-9._~-]+)?\])(?::[0-9]{0,5})?"
)
"""A name or an address of a Host header (RFC 9110, 7.2): only one of IPv6, in brackets, may name a zone."""
_HOME = tuple(
    ip_network(net)
    for net in (
        "10.0.0.0/8",
        "172.16.0.0/12",
        "192.168.0.0/16",
        "169.254.0.0/16",
        "127.0.0.0/8",
        "fc00::/7",
        "fe80::/10",
    )
)


@dataclass
class OwnNames:
    """The names of this machine.

    more: names beside its own, in full. resolver: the file that names this network's endings; read again when it has
    changed, as a machine may start before it knows its network.
    """

    more: Iterable[str] = ()
    resolver: Path = RESOLVER
    hostname: str = field(default_factory=socket.gethostname)
    _read_ns: int | None = None
    _search: frozenset[str] = frozenset()

    def __post_init__(self) -> None:
        own = self.hostname.lower().removesuffix(".local").rstrip(".")
        self._full = frozenset({"localhost", own, *(name.lower() for name in self.more)})
        self.label = own.partition(".")[0] or LABELS[0]
        self._labels = frozenset({*LABELS, own, self.label})

    def __contains__(self, name: object) -> bool:
        """Tell whether a name, in small letters, is one of this machine's."""
        if not isinstance(name, str):
            return False
        if name in self._full:
            return True
        label, _, ending = name.partition(".")
        if label not in self._labels and _RENAMED.sub("", label) not in self._labels:
            return False
        return not ending or ending in PRIVATE_ENDINGS or ending in self._endings()

    def _endings(self) -> frozenset[str]:
        """Give the endings that this network gives to names without one (resolv.conf: search, domain)."""
        try:
            changed_ns = self.resolver.stat().st_mtime_ns
            if changed_ns != self._read_ns:
                with self.resolver.open("rb") as file:
                    self._search = _searched(file.read(_MOST_BYTES).decode("ascii", "replace"))
                self._read_ns = changed_ns
        except OSError:
            return frozenset()
        return self._search


def _searched(text: str) -> frozenset[str]:
    words = (line.split() for line in text.splitlines())
    found = (word for line in words if line[:1] in (["search"], ["domain"]) for word in line[1:])
    return frozenset(name for word in found if (name := word.lower().strip(".")))


def is_own_host(host: str, names: OwnNames, reached: str | None) -> bool:
    """Tell whether a Host header means this machine.

    reached: the address of ours that the browser has connected to; an address as Host must be that one. A name from a
    foreign name server fails, whatever address it gives.
    """
    name = name_of(host)
    if name is None:
        return False
    if name in names:
        return True
    address = _address(name)
    return address is not None and (address.is_loopback or address == _address(reached))


def name_of(host: str) -> str | None:
    """Give a Host header's name without its port, in small letters; None if it is none."""
    known = _HOST.fullmatch(host)
    return None if known is None else (known["name"] or known["address"]).lower().rstrip(".")


def addresses(names: OwnNames, reached: str | None, port: int | None) -> list[str]:
    """Give the page's addresses for somebody who came by another one: by name, and in digits where those can be typed.

    reached: the address of ours that the browser has connected to.
    """
    end = "" if port in (None, 80) else f":{port}"
    address = _address(reached)
    found = [f"{names.label}.local"]
    if address is not None and not address.is_link_local:
        found.append(f"[{address}]" if address.version == 6 else str(address))
    return [f"http://{name}{end}/" for name in found]


def where(host: str, port: int) -> str:
    """Give the addresses by which phones find a page that is served at `host`, "" for all of this machine."""
    if host in ("", "::", "0.0.0.0"):
        return ", ".join(addresses(OwnNames(), own_address(), port))
    return f"http://[{host}]:{port}/" if ":" in host else f"http://{host}:{port}/"


def phone_address(host: str, port: int) -> str | None:
    """Give the one address that a phone is to open, None where it can reach none.

    By name where this machine answers to its name, so that the phone stays paired when somebody types that.
    """
    if host == "localhost" or is_this_machine(host):
        return None
    found = where(host, port).split(", ")
    return found[0] if len(found) == 1 or ANNOUNCED.exists() else found[1]


def own_address() -> str | None:
    """Give the address that this machine has at home, None without a network. Nothing is sent."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as asked:
        try:
            # Of documentation (RFC 5737): only which way would lead there is looked up.
            asked.connect(("192.0.2.1", 9))
            address = str(asked.getsockname()[0])
        except OSError:
            return None
    return None if is_this_machine(address) else address


def is_this_machine(address: str | None) -> bool:
    """Tell whether a browser runs on this machine: its screen stands in the room, so it may show the code."""
    known = _address(address)
    return known is not None and known.is_loopback


def is_at_home(address: str | None, reached: str | None) -> bool:
    """Tell whether a browser is in the home network, and not beyond a router that lets the internet in.

    reached: the address of ours that it has connected to; public addresses of IPv6 are at home where they share the
    first 64 bits with it.
    """
    known, own = _address(address), _address(reached)
    if known is None:
        return False
    if any(known in net for net in _HOME):
        return True
    both = isinstance(known, IPv6Address) and isinstance(own, IPv6Address)
    return both and own is not None and int(known) >> 64 == int(own) >> 64


def _address(text: str | None) -> IPv4Address | IPv6Address | None:
    """Give an address without its zone, an IPv4 one that came over IPv6 as such; None for anything else."""
    try:
        known = ip_address((text or "").split("%")[0])
    except ValueError:
        return None
    mapped = known.ipv4_mapped if isinstance(known, IPv6Address) else None
    return known if mapped is None else mapped
