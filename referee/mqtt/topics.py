"""The topics of a table, all below `ringmaster/TABLE/`: a broker can restrict each table to its own."""

from __future__ import annotations

import re

ROOT = "ringmaster"
DISCOVERY = "homeassistant/device/ringmaster_{table}/config"
STATE, EVENTS, BELL, SAND, AVAILABLE = "state", "events", "bell", "sand", "availability"
DO = "do"
HERE = "here"
"""Identity of the process that has the table's name, for the process itself and for a copy."""
JOIN, EVIDENCE = "join", "evidence"
"""Further messages of a table to its club."""
IN, ACK, ASK = "club/in", "club/ack", "club/ask"
"""Messages of a club to its table."""
ONLINE, OFFLINE = "online", "offline"
_NAME = re.compile(r"[A-Za-z0-9_-]{1,64}")


def topic(table: str, what: str) -> str:
    """Return a table's topic."""
    return f"{ROOT}/{table}/{what}"


def split(name: str) -> tuple[str, str] | None:
    """Return table and subject of a topic; None for a foreign topic."""
    parts = name.split("/", 2)
    return (parts[1], parts[2]) if len(parts) == 3 and parts[0] == ROOT else None


def is_name(table: str) -> bool:
    """Return whether a table's name is valid in topics."""
    return _NAME.fullmatch(table) is not None
