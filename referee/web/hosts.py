"""Names and addresses of the page; a name that a foreign name server can give is none of them.

A page from elsewhere may have its own name lead to this machine (DNS rebinding), and would then be taken for ours. So a
name counts only if nobody on the internet can have it: it has an ending that public name servers do not know (RFC 6762
G, RFC 8375), or it is this machine's own, alone or before an ending that this network gives to its machines. Digits
count: no name server gives them.
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
"""No public name ends in these; `fritz.box` does, and belongs to the maker of the routers that give it to machines."""
RESOLVER = Path("/etc/resolv.conf")
ANNOUNCED = Path("/run/avahi-daemon/socket")
"""There as long as this machine answers to its own name (mDNS)."""
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

    more: names beside its own, in full. resolver: the file that names this network's endings.
    """

    more: Iterable[str] = ()
    resolver: Path = RESOLVER
    hostname: str = field(default_factory=socket.gethostname)

    def __post_init__(self) -> None:
        own = self.hostname.lower().removesuffix(".local").rstrip(".")
        self.label = own.partition(".")[0] or LABEL
        self._known = frozenset({"localhost", LABEL, own, self.label, *(name.lower() for name in self.more)})

    def __contains__(self, name: object) -> bool:
        """Return whether a name, in small letters, is one of this machine's."""
        if not isinstance(name, str):
            return False
        label, _, ending = name.partition(".")
        return name in self._known or name.endswith(PRIVATE_ENDINGS) or (label in self._known and self._gives(ending))

    def _gives(self, ending: str) -> bool:
        """Return whether this network gives an ending to names (resolv.conf: search, domain); it may do so late."""
        try:
            lines = [line.split() for line in self.resolver.read_text("ascii", "replace").splitlines()]
        except OSError:
            return False
        given = (word for line in lines if line[:1] in (["search"], ["domain"]) for word in line[1:])
        return bool(ending) and ending in (word.lower().strip(".") for word in given)


def is_own_host(host: str, names: OwnNames) -> bool:
    """Return whether a Host header names this machine: by an address, or by a name of its own."""
    name = name_of(host)
    return name is not None and (name in names or _address(name) is not None)


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
    """Return the addresses by which phones find a page that is served at `host`, "" for all of this machine."""
    if host in ("", "::", "0.0.0.0"):
        return ", ".join(addresses(OwnNames(), own_address(), port))
    return f"http://[{host}]:{port}/" if ":" in host else f"http://{host}:{port}/"


def phone_address(host: str, port: int) -> str | None:
    """Return the one address that a phone is to open, None where it can reach none.

    By name where this machine answers to its name, so that the phone stays paired when somebody types that.
    """
    if host == "localhost" or is_this_machine(host):
        return None
    found = where(host, port).split(", ")
    return found[0] if len(found) == 1 or ANNOUNCED.exists() else found[1]


def own_address() -> str | None:
    """Return the address that this machine has at home, None without a network. Nothing is sent."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as asked:
        try:
            # Of documentation (RFC 5737): only which way would lead there is looked up.
            asked.connect(("192.0.2.1", 9))
            address = str(asked.getsockname()[0])
        except OSError:
            return None
    return None if is_this_machine(address) else address


def is_this_machine(address: str | None) -> bool:
    """Return whether a browser runs on this machine: its screen stands in the room, so it may show the code."""
    known = _address(address)
    return known is not None and known.is_loopback


def is_at_home(address: str | None, reached: str | None) -> bool:
    """Return whether a browser is in the home network, and not beyond a router that lets the internet in.

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
