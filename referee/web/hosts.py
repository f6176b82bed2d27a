"""Names and addresses of the page, without any name that a foreign name server can give.

A foreign page could let its own name resolve to this machine (DNS rebinding). A name therefore counts only if nobody
on the internet can own it. Either public name servers do not know its ending (RFC 6762 G, RFC 8375). Or it is this
machine's name, alone or with an ending of this network. Numeric addresses count: no name server gives them.
"""

from __future__ import annotations

import re
import socket
from collections.abc import Iterable
from dataclasses import dataclass, field
from ipaddress import IPv4Address, IPv6Address, ip_address, ip_network
from pathlib import Path

LABEL = "ringmaster"
_ENDINGS = ("local", "lan", "home", "home.arpa", "internal", "intranet", "private", "corp", "localdomain", "fritz.box")
PRIVATE_ENDINGS = tuple(f".{name}" for name in _ENDINGS)
"""No public name ends in these; `fritz.box` does, but belongs to the maker of routers that use it."""
RESOLVER = Path("/etc/resolv.conf")
ANNOUNCED = Path("/run/avahi-daemon/socket")
"""Exists while this machine answers to its own name (mDNS)."""
_HOST = re.compile(
    r"(?:(?P<name>[A-Za-z0-9._-]+)|\[(?P<address>[0-9A-Fa-f:.]+)(?:%[A-Za-z0-9._~-]+)?\])(?::[0-9]{0,5})?"
)
"""A name or an address of a Host header (RFC 9110, 7.2); only a bracketed IPv6 address may have a zone."""
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

    more: full names beside its own. resolver: the file with this network's endings.
    """

    more: Iterable[str] = ()
    resolver: Path = RESOLVER
    hostname: str = field(default_factory=socket.gethostname)

    def __post_init__(self) -> None:
        own = self.hostname.lower().removesuffix(".local").rstrip(".")
        self.label = own.partition(".")[0] or LABEL
        self._known = frozenset({"localhost", LABEL, own, self.label, *(name.lower() for name in self.more)})

    def __contains__(self, name: object) -> bool:
        """Return whether a lower-case name is one of this machine's."""
        if not isinstance(name, str):
            return False
        label, _, ending = name.partition(".")
        return name in self._known or name.endswith(PRIVATE_ENDINGS) or (label in self._known and self._gives(ending))

    def _gives(self, ending: str) -> bool:
        """Return whether this network uses an ending (resolv.conf: search, domain); the file may appear late."""
        try:
            lines = [line.split() for line in self.resolver.read_text("ascii", "replace").splitlines()]
        except OSError:
            return False
        given = (word for line in lines if line[:1] in (["search"], ["domain"]) for word in line[1:])
        return bool(ending) and ending in (word.lower().strip(".") for word in given)


def is_own_host(host: str, names: OwnNames) -> bool:
    """Return whether a Host header names this machine, by an address or one of its names."""
    name = name_of(host)
    return name is not None and (name in names or _address(name) is not None)


def name_of(host: str) -> str | None:
    """Return a Host header's name without its port, in lower case; None for an invalid header."""
    known = _HOST.fullmatch(host)
    return None if known is None else (known["name"] or known["address"]).lower().rstrip(".")


def addresses(names: OwnNames, reached: str | None, port: int | None) -> list[str]:
    """Return the page's addresses: by name, and by number where that can be typed.

    reached: our address that the browser has connected to.
    """
    end = "" if port in (None, 80) else f":{port}"
    address = _address(reached)
    found = [f"{names.label}.local"]
    if address is not None and not address.is_link_local:
        found.append(f"[{address}]" if address.version == 6 else str(address))
    return [f"http://{name}{end}/" for name in found]


def where(host: str, port: int) -> str:
    """Return the addresses by which phones find a page that is served at `host`; "": on all addresses."""
    if host in ("", "::", "0.0.0.0"):
        return ", ".join(addresses(OwnNames(), own_address(), port))
    return f"http://[{host}]:{port}/" if ":" in host else f"http://{host}:{port}/"


def phone_address(host: str, port: int) -> str | None:
    """Return the one address for phones; None where they cannot reach the page.

    The address is by name where this machine answers to its name: a phone then stays paired when somebody types it.
    """
    if host == "localhost" or is_this_machine(host):
        return None
    found = where(host, port).split(", ")
    return found[0] if len(found) == 1 or ANNOUNCED.exists() else found[1]


def own_address() -> str | None:
    """Return this machine's address at home; None without a network. Nothing is sent."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as asked:
        try:
            # An address for documentation (RFC 5737): only the route to it is looked up.
            asked.connect(("192.0.2.1", 9))
            address = str(asked.getsockname()[0])
        except OSError:
            return None
    return None if is_this_machine(address) else address


def is_this_machine(address: str | None) -> bool:
    """Return whether an address is this machine's own, whose screen is in the room and may show the code."""
    known = _address(address)
    return known is not None and known.is_loopback


def is_at_home(address: str | None, reached: str | None) -> bool:
    """Return whether a browser is in the home network, and not on the internet behind an open router.

    reached: our address that it has connected to; public IPv6 addresses with its first 64 bits are at home.
    """
    known, own = _address(address), _address(reached)
    if known is None:
        return False
    if any(known in net for net in _HOME):
        return True
    both = isinstance(known, IPv6Address) and isinstance(own, IPv6Address)
    return both and own is not None and int(known) >> 64 == int(own) >> 64


def _address(text: str | None) -> IPv4Address | IPv6Address | None:
    """Return an address without its zone, a mapped IPv4 address as IPv4; None for other text."""
    try:
        known = ip_address((text or "").split("%")[0])
    except ValueError:
        return None
    mapped = known.ipv4_mapped if isinstance(known, IPv6Address) else None
    return known if mapped is None else mapped
